/* overflow_index.h - a sorted copy of the blocks off the grid (LmpOverflow in layout.h): few with
 * the usual allocators, up to LMP_OVERFLOW_MAX with others. */
#ifndef LMP_OVERFLOW_INDEX_H
#define LMP_OVERFLOW_INDEX_H

#include <stdbool.h>

#include "read/view.h"

typedef struct OverflowIndexBlock {
    uint64_t addr, size;    /* checked as a HeapBlock's are */
    uint32_t entry;         /* class */
    uint32_t alloc_context; /* as in LmpLeaf */
    uint32_t birth;         /* epoch, 0 .. 255 */
} OverflowIndexBlock;

/* All zeroes: empty. Blocks are sorted by rising address. */
typedef struct OverflowIndex {
    OverflowIndexBlock *block;
    uint32_t count, room;
    uint64_t longest; /* size of the largest, bytes */
    uint64_t digest;  /* of the table's contents, whatever the order */
    uint32_t wait;    /* calls of overflow_index_refresh to let pass */
} OverflowIndex;

/* Looks at the table again: at once when it is small, now and then when it is large. True: the
 * copy has changed. Without memory for it the old copy stays. */
bool overflow_index_refresh(OverflowIndex *odd, const LmpOverflow *overflow);
void overflow_index_free(OverflowIndex *odd);
/* Index of the first block at or above addr; count when there is none. */
uint32_t overflow_index_find(const OverflowIndex *odd, uint64_t addr);

#endif
