/* leaves.h - where the leaves of the shadow map are, besides the directory that the hook reads:
 * state.c maps and unmaps them, shadow.c adds to them.
 */
#ifndef LMP_LEAVES_H
#define LMP_LEAVES_H

#include <stdbool.h>
#include <stdint.h>

#include "shared/layout.h"

typedef struct LmpLeaves {
    LmpLeaf **odd[LMP_LEAF_KINDS]; /* as the directory, of other leaves: shadow.c; NULL: none yet */
    LmpLeaf **all;                 /* LMP_MAX_LEAVES, in the order of the file */
    LmpLeaf **shared;              /* the same, but while `all` are frozen (freeze.h) */
    uint64_t file_size;            /* bytes */
    uint32_t overflow;             /* blocks in the overflow table (count) */
    bool refused;                  /* the system refused one; asked again after the next tick */
} LmpLeaves;

#endif
