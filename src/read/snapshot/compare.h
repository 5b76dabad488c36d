/* compare.h - two snapshots of one run: which objects are new, gone, kept. An object is the same if
 * type, address and birth (collector cycle and epoch) are. */
#ifndef LMP_SNAPSHOT_COMPARE_H
#define LMP_SNAPSHOT_COMPARE_H

#include "base/keymap.h"
#include "read/snapshot/groups.h"

typedef struct LmpSnapshotChange {
    char name[120]; /* of the class or line, safe to print */
    uint32_t kind;
    uint32_t made, gone, kept;                   /* objects (counts) */
    uint64_t made_bytes, gone_bytes, kept_bytes; /* kept: as of the newer one */
    int64_t grown_bytes;                         /* kept objects alone: newer less older */
    uint32_t group; /* row of the newer one's groups; LMP_OBJECT_NONE */
} LmpSnapshotChange;

typedef struct LmpSnapshotCompare {
    LmpSnapshotChange *change; /* largest growth first */
    uint32_t changes;
    LmpSnapshotChange all; /* the sum */
    uint32_t *was; /* of each object of the newer one: that of the older; LMP_OBJECT_NONE: new */
} LmpSnapshotCompare;

/* Compares two snapshots, without objects that are garbage in either one. Errors: NOMEM; FOREIGN:
 * not of one run. */
LmpErr compare_make(LmpSnapshotCompare *out, const LmpSnapshot *old, const LmpSnapshot *newer,
                    LmpSnapshotBy by);
/* Compares heaps of other runs, too: no object of theirs is the same, so by counts alone: made =
 * newer's, gone = older's. Error: NOMEM. */
LmpErr compare_any(LmpSnapshotCompare *out, const LmpSnapshot *old, const LmpSnapshot *newer,
                   LmpSnapshotBy by);
/* Returns true if both are of one run. */
bool compare_same_run(const LmpSnapshot *old, const LmpSnapshot *newer);
void compare_free(LmpSnapshotCompare *compare);

/* Returns bytes that there are more of it in the newer one. */
static inline int64_t compare_steps(const LmpSnapshotChange *c) {
    return (int64_t)(c->made_bytes - c->gone_bytes) + c->grown_bytes;
}

/* ---- a series -------------------------------------------------------------------------------- */

/* Growth over a series of snapshots, step by step: what each class or line has more than in the
 * snapshot before. Names and bytes are all that is kept of a step, so its snapshots need not stay
 * open. */

#define LMP_STEPS_MOST 7u

/* All zeroes but `by` is one without steps. */
typedef struct LmpSnapshotSteps {
    LmpSnapshotBy by;
    uint32_t steps;
    uint32_t number; /* of the first snapshot */
    uint64_t heap;   /* bytes in that one, garbage and all */
    bool foreign;    /* some step goes from one run to another */
    KeyMap row_of;   /* row of `bytes`, by compare_key */
    int64_t *bytes;  /* rows of LMP_STEPS_MOST */
    uint32_t rows;   /* (count) */
    uint32_t room;   /* (rows) */
} LmpSnapshotSteps;

/* Adds the step from `old`, which is where the last step led to, to `newer`. Errors: NOMEM (then it
 * is as it was); BUSY: there are LMP_STEPS_MOST already. */
LmpErr compare_add_step(LmpSnapshotSteps *growth, const LmpSnapshot *old, const LmpSnapshot *newer);
/* Adds what has been compared already, by growth->by. */
LmpErr compare_add_compared(LmpSnapshotSteps *growth, const LmpSnapshot *old,
                            const LmpSnapshot *newer, const LmpSnapshotCompare *step);
/* Opens the files of a series, the oldest first, two at a time, and adds their steps; the last one
 * stays open. `progress` (NULL: nobody waits): each file is its next part. Errors: as
 * snapshot_open_told, about the file `failed`; then none is open. */
LmpErr compare_open_steps(LmpSnapshotSteps *growth, LmpSnapshot *last, const char *const *file,
                          uint32_t files, LmpProgress *progress, const char **failed);
void compare_free_steps(LmpSnapshotSteps *growth);

/* Returns bytes that the class or line of this name has more after a step than before it. */
int64_t compare_grown_by(const LmpSnapshotSteps *growth, const LmpSnapshotChange *name,
                         uint32_t step);
/* Returns what it has grown by in all steps together; `each`: true if it has grown in each of them.
 * */
int64_t compare_grown_in_all(const LmpSnapshotSteps *growth, const LmpSnapshotChange *name,
                             bool *each);

#endif
