/* compare.h - two snapshots of one run: which objects are new, gone, kept. An object is the same if
 * type, address and birth (collector cycle and epoch) are. */
#ifndef LMP_SNAPSHOT_COMPARE_H
#define LMP_SNAPSHOT_COMPARE_H

#include "read/snapshot/groups.h"

typedef struct LmpHeapChange {
    char name[120]; /* of the class or line, safe to print */
    uint32_t kind;
    uint32_t made, gone, kept;                   /* objects (counts) */
    uint64_t made_bytes, gone_bytes, kept_bytes; /* kept: as of the newer one */
    int64_t grown_bytes;                         /* kept objects alone: newer less older */
    uint32_t group;                              /* row of the newer one's groups; LMP_HEAP_NONE */
} LmpHeapChange;

typedef struct LmpHeapCompare {
    LmpHeapChange *change; /* largest growth first */
    uint32_t changes;
    LmpHeapChange all; /* the sum */
    uint32_t *was;     /* of each object of the newer one: that of the older; LMP_HEAP_NONE: new */
} LmpHeapCompare;

/* Objects that are garbage in either one are not there. Errors: NOMEM; FOREIGN: not of one run. */
LmpErr compare_make(LmpHeapCompare *out, const LmpSnapshot *old, const LmpSnapshot *newer,
                    LmpHeapBy by);
/* The same for heaps of any runs, in which no object is the same: by counts alone, made = newer's,
 * gone = older's. Error: NOMEM. */
LmpErr compare_runs(LmpHeapCompare *out, const LmpSnapshot *old, const LmpSnapshot *newer,
                    LmpHeapBy by);
/* Whichever of the two is right for them. */
LmpErr compare_any(LmpHeapCompare *out, const LmpSnapshot *old, const LmpSnapshot *newer,
                   LmpHeapBy by);
/* Returns true if both are of one run. */
bool compare_same_run(const LmpSnapshot *old, const LmpSnapshot *newer);
void compare_free(LmpHeapCompare *compare);

/* Bytes that there are more of it in the newer one. */
static inline int64_t compare_growth(const LmpHeapChange *c) {
    return (int64_t)(c->made_bytes - c->gone_bytes) + c->grown_bytes;
}
/* A number for its name, the same in all comparisons by the same: below 2^63. */
uint64_t compare_key(const LmpHeapChange *change, LmpHeapBy by);

#endif
