/* growth.h - growth over a series of snapshots, step by step: what each class or line has more than
 * in the snapshot before. Names and bytes are all that is kept of a step, so its snapshots need not
 * stay open. */
#ifndef LMP_SNAPSHOT_GROWTH_H
#define LMP_SNAPSHOT_GROWTH_H

#include "base/keymap.h"
#include "read/snapshot/compare.h"

#define LMP_GROWTH_STEPS 7u

/* All zeroes but `by` is one without steps. */
typedef struct LmpHeapGrowth {
    LmpHeapBy by;
    uint32_t steps;
    uint32_t number; /* of the first snapshot */
    uint64_t heap;   /* bytes in that one, garbage and all */
    bool foreign;    /* some step goes from one run to another */
    KeyMap row_of;   /* row of `bytes`, by compare_key */
    int64_t *bytes;  /* rows of LMP_GROWTH_STEPS */
    uint32_t rows;   /* (count) */
    uint32_t room;   /* (rows) */
} LmpHeapGrowth;

/* Adds the step from `old`, which is where the last step led to, to `newer`. Errors: NOMEM (then it
 * is as it was); BUSY: there are LMP_GROWTH_STEPS already. */
LmpErr growth_add(LmpHeapGrowth *growth, const LmpSnapshot *old, const LmpSnapshot *newer);
/* The same of what has been compared already, by growth->by. */
LmpErr growth_add_compared(LmpHeapGrowth *growth, const LmpSnapshot *old, const LmpSnapshot *newer,
                           const LmpHeapCompare *step);
/* Opens the files of a series, the oldest first, two at a time, and adds their steps; the last one
 * stays open. `progress` (NULL: nobody waits): each file is its next part. Errors: as
 * snapshot_open_told, about the file `failed`; then none is open. */
LmpErr growth_open(LmpHeapGrowth *growth, LmpSnapshot *last, const char *const *file,
                   uint32_t files, LmpProgress *progress, const char **failed);
void growth_free(LmpHeapGrowth *growth);

/* Bytes that the class or line of this name has more after a step than before it. */
int64_t growth_of(const LmpHeapGrowth *growth, const LmpHeapChange *name, uint32_t step);
/* ... in all steps together; `each`: has it grown in each of them? */
int64_t growth_all(const LmpHeapGrowth *growth, const LmpHeapChange *name, bool *each);

#endif
