/* heapmap_impl.h - inside of the heap map, shared by heapmap.c (summaries), mapregion.c (regions),
 * mapcell.c (cells) and maplist.c (lists of blocks). No other file includes it. */
#ifndef LMP_READ_HEAPMAP_HEAPMAP_IMPL_H
#define LMP_READ_HEAPMAP_HEAPMAP_IMPL_H

#include <stdbool.h>

#include "read/heapmap/heapmap.h"
#include "read/heapmap/mapscan.h"
#include "read/view.h"

/* ---- blocks off the grid: maplist.c --------------------------------------------------------- */

/* A sorted copy of the blocks off the grid (LmpOverflow in layout.h): few with the usual
 * allocators, up to LMP_OVERFLOW_MAX with others. */

typedef struct OverflowIndexBlock {
    uint64_t addr, size;    /* checked as a MapBlock's are */
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
/* Returns the index of the first block at or above addr; count when there is none. */
uint32_t overflow_index_find(const OverflowIndex *odd, uint64_t addr);

/* ---- the map --------------------------------------------------------------------------------- */

#define MAP_MAX_REGIONS 65536u

/* A page's summary. Blocks of a part do not overlap, so no sum exceeds the page. */
typedef struct MapPage {
    uint16_t bytes[LMP_KINDS];
    uint16_t blocks; /* that start in it */
    uint16_t spare;
} MapPage;

/* A part: 1 MiB of addresses. Its last block may reach beyond its end: such bytes are not in the
 * summaries of the parts they lie in (which are looked at at other times) but are kept here, as
 * tail, and are added to the pages when summing up. So do blocks off the grid (HeapMap.odd).
 * Invariants: page != NULL when seen != 0; total and blocks are the sums over page. */
typedef struct MapPart {
    MapPage *page;                      /* MAP_PART_PAGES of them; NULL: never looked at */
    uint64_t used[MAP_PART_PAGES / 64]; /* a bit per page that has bytes */
    uint32_t total[LMP_KINDS];          /* bytes */
    uint32_t blocks;
    uint32_t seen;     /* its stamp when it was last looked at */
    bool again;        /* that stamp was so fresh that later changes may carry it too */
    uint8_t tail_kind; /* LmpKind */
    uint64_t tail_end; /* address; 0: no block reaches beyond the part */
} MapPart;

/* Several of them may stand for the same addresses: see LMP_LEAF_WORD. */
typedef struct MapLeaf {
    uint64_t base; /* address >> LMP_LEAF_BITS */
    uint64_t word; /* with the bits that tell which blocks */
    const LmpLeaf *leaf;
    MapPart part[LMP_TOUCHES];
} MapLeaf;

typedef struct MapRegion {
    uint64_t start, end; /* whole pages, start < end */
    uint64_t position;   /* sum of the lengths of the regions before */
    bool used;           /* something was in it when last looked at */
} MapRegion;

/* Invariants: leaf[order[i]]->base rises with i < ordered, each word is there once; regions rise by
 * address and do not touch; total = sum of their lengths. */
struct HeapMap {
    const LmpView *view;
    uint8_t kind[16]; /* of a class; LMP_KINDS: not shown */
    MapLeaf *leaf[LMP_MAX_LEAVES];
    uint16_t order[LMP_MAX_LEAVES];
    uint32_t leaves, ordered;
    uint64_t cursor; /* leaf * LMP_TOUCHES + part to begin with in the next refresh */
    uint64_t verify; /* the same, of the part that verify_one checks next */
    OverflowIndex odd;
    MapRegion *region;
    uint32_t regions, region_room;
    MapRegion *fresh; /* work space of mapregion.c */
    uint32_t fresh_room;
    uint64_t total;
    uint32_t layout;
    uint64_t wide_since; /* clock since which the regions are too wide; 0: they are not */
};

/* Updates the layout if what is in use has left the regions, or has been much less for a while. */
void mapregion_update(HeapMap *map, uint64_t now);
/* Returns the index of the region that holds a position; map->regions when none does. */
uint32_t mapregion_find(const HeapMap *map, uint64_t position);
/* Returns the index of the region that holds an address, or of the next one above. */
uint32_t mapregion_at(const HeapMap *map, uint64_t addr);
/* Returns the index of the first leaf (in map->order) that holds addr, or of the next one above. */
uint32_t heapmap_find_leaf(const HeapMap *map, uint64_t addr);

#endif
