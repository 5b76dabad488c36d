/* heapmap.h - the heap as a picture: what lies where, by kind, at any scale, kept up to date from
 * the shadow map of a running program, in bounded time per call.
 *
 * The heap's addresses are scattered over the whole address space. The map puts the ranges in use
 * (regions) one after the other: a position counts bytes along that line, from 0 to heapmap_total.
 * Regions keep their place while the program allocates and frees: the layout only changes when the
 * heap outgrows them, or has been much smaller for a while.
 *
 * A summary is kept for every page of 4 KiB; cells of less are read from the shadow map itself when
 * they are asked for. Blocks made by the profiler itself (LMP_C_OWN) are left out everywhere. */
#ifndef LMP_READ_HEAPMAP_HEAPMAP_H
#define LMP_READ_HEAPMAP_HEAPMAP_H

#include <stdbool.h>

#include "read/mapcell.h"
#include "read/view.h"

#define HEAPMAP_MIN_CELL 16u /* bytes of the smallest cell: no two blocks share one */

typedef struct HeapMap HeapMap;

/* The addresses of a cell: it may reach over the end of one region into the next ones. */
typedef struct MapRange {
    uint64_t start, end; /* of its first piece */
    uint64_t last;       /* end of its last piece; equal to `end` when there is one piece */
    uint32_t pieces;     /* 0: beyond the heap's end */
} MapRange;

/* Makes a map of the view's heap. The view stays the caller's and must stay open. NULL: no memory.
 * */
HeapMap *heapmap_new(const LmpView *view);
void heapmap_free(HeapMap *map);

/* Reads what has changed since, for about `budget` nanoseconds, everything in turn; then updates
 * the layout of the regions if needed. Returns whether some changes were left for the next call.
 * Call view_refresh and view_next_frame before. */
bool heapmap_refresh(HeapMap *map, uint64_t budget);

/* Returns bytes of addresses of all regions together; 0: nothing was found yet. */
uint64_t heapmap_total(const HeapMap *map);
/* Changes whenever the layout of the regions changes. */
uint32_t heapmap_arrange(const HeapMap *map);
/* Returns the address at a position (beyond the end: the end of the last region; without regions
 * 0). */
uint64_t heapmap_address(const HeapMap *map, uint64_t position);
/* Finds the position of an address or, when it is in no region, where the next region begins
 * (beyond the last one: the total). Returns true if it is in a region. */
bool heapmap_position(const HeapMap *map, uint64_t addr, uint64_t *position);

/* Returns the smallest size of a cell (a power of two, at least `least`) with which the whole heap
 * fits into `count` cells. */
uint64_t heapmap_fit(const HeapMap *map, uint64_t count, uint64_t least);
/* Fills `count` cells of `size` bytes (a power of two, at least HEAPMAP_MIN_CELL) from position
 * `first` on, a multiple of `size`. */
void heapmap_cells(const HeapMap *map, uint64_t first, uint64_t size, uint32_t count, MapCell *out);
MapRange heapmap_range(const HeapMap *map, uint64_t position, uint64_t size);

/* Returns the kind that has most of the cell's bytes among those of `kinds` (a bit per LmpKind);
 * -1: none of them has any. */
int mapcell_kind(const MapCell *cell, unsigned kinds);
/* Returns live bytes of those kinds. */
uint64_t mapcell_bytes(const MapCell *cell, unsigned kinds);

/* ---- lists of blocks ------------------------------------------------------------------------- */

typedef struct MapList MapList;

typedef struct MapListBlock {
    uint64_t addr, size;    /* bytes */
    LmpKind kind;           /* by owner */
    bool part;              /* of an object (array, hash part, buffer, stack ...), not one itself */
    bool text;              /* a string object: its contents can be asked for */
    uint32_t alloc_context; /* word of LmpLeaf.alloc_context, for tables_record_of */
    uint32_t birth; /* epoch: born between (birth - 1) and birth * epoch_length; 0: not known */
} MapListBlock;

typedef struct MapListQuery {
    uint64_t from, to; /* addresses: blocks that start in or reach into [from, to) */
    unsigned kinds;    /* a bit per LmpKind */
    uint64_t first;    /* of those, by rising address: leave out so many */
    uint64_t key;      /* an address to look for; 0: none */
} MapListQuery;

typedef struct MapListResult {
    uint64_t total; /* blocks that there are (count) */
    uint64_t bytes; /* of them */
    uint64_t key;   /* how many of them start below query.key */
    uint32_t count; /* of blocks in out[] */
} MapListResult;

/* Makes a list, which reads the shadow map itself, at the moment of the query. NULL: no memory. */
MapList *maplist_new(const LmpView *view);
void maplist_free(MapList *list);
MapListResult maplist_read(MapList *list, const MapListQuery *query, MapListBlock *out,
                           uint32_t max);

/* Returns a block as lists have it, from its words in the shadow map. */
MapListBlock maplist_block(uint64_t addr, uint64_t size, uint32_t entry, uint32_t alloc_context);

/* Tells how long ago a block of an epoch was born: between *least and *most, nanoseconds. Returns
 * false if that is not known. */
bool maplist_age(uint32_t birth, uint64_t epoch_length, uint64_t clock, uint64_t *least,
                 uint64_t *most);

#endif
