/* index.h - the blocks of a heap by address, taken from the shadow map in one sweep, and which of
 * them are objects.
 *
 * A bit for every 16 bytes of heap says whether a block begins there, and a running count beside
 * each 64 of them what number it has: so a look-up costs one miss of the processor's caches, and
 * blocks are numbered in order of their addresses. Blocks that do not stand on that grid, those of
 * 4 GiB and more, and objects that are in no map (from before start) are *others*: rows that a hash
 * finds, numbered behind those on the grid. The profiler's own blocks are left out. */
#ifndef LMP_AGENT_OBJECTS_INDEX_H
#define LMP_AGENT_OBJECTS_INDEX_H

#include "agent/objects/memory.h"
#include "agent/objects/source.h"

#define LMP_NO_BLOCK UINT32_MAX

/* 1 KiB of heap: a bit for each 16 bytes, and the number of the first. */
typedef struct LmpSnapChunk {
    uint64_t bits;
    uint32_t rank;
    uint32_t spare;
} LmpSnapChunk;

enum { LMP_CHUNK_BITS = 10, LMP_REGION_BITS = 20, LMP_REGION_CHUNKS = 1 << 10, LMP_REGIONS = 64 };

typedef struct LmpObjectOther {
    uintptr_t at;
    uint64_t size; /* 0: from before start */
    uint32_t entry, context;
    uint32_t object; /* its number, 0: none */
    uint8_t mark;
} LmpObjectOther;

/* What a block is, a byte: one of these, and the flags of an object (LMP_OBJECT_FINALIZER ...). */
enum { LMP_MARK_OBJECT = 1, LMP_MARK_PART = 2, LMP_MARK_FLAGS = 8 | 16 | 32 };

typedef struct LmpObjectIndex {
    LmpObjectMemory *memory;
    uintptr_t skew;
    bool contexts;
    bool failed; /* no memory */

    uint32_t *dir;    /* by address >> LMP_LEAF_BITS: a row of region[], 0: none */
    uint32_t *region; /* LMP_REGIONS a row: number of a region, 0: an empty one */
    uint32_t rows, regions;
    uintptr_t *region_at; /* where each begins; they are in order */
    LmpSnapChunk *chunk;  /* LMP_REGION_CHUNKS a region, of which region 0 stays empty: blocks */
    LmpSnapChunk *object; /* the same: objects, ranks are their numbers */

    /* of each block on the grid */
    uint32_t blocks, room;
    uint32_t *size, *entry, *context;
    uint8_t *mark;

    LmpObjectOther *other;
    uint32_t others, others_room;
    uint32_t odd;   /* of them, those that are in the map: the first ones, by address */
    uint32_t *slot; /* hash: row + 1, 0: free */
    uint32_t slots; /* a power of two */
} LmpObjectIndex;

/* Sweeps the map. Returns false if there is no memory. */
bool index_sweep(LmpObjectIndex *x, const LmpObjectSource *source, LmpObjectMemory *memory);

/* Gives back its memory. */
void index_drop(LmpObjectIndex *x);

/* Returns a block's number: below `blocks` one on the grid, from there on a row of other[]. */
uint32_t index_find(const LmpObjectIndex *x, uintptr_t at);
/* Returns the block that has the address in it; *start: where it begins. */
uint32_t index_containing(const LmpObjectIndex *x, uintptr_t at, uintptr_t *start);
/* Enters an object that is in no map; LMP_NO_BLOCK: no memory. */
uint32_t index_add(LmpObjectIndex *x, uintptr_t at);

static inline uint8_t *index_mark(const LmpObjectIndex *x, uint32_t block) {
    return block < x->blocks ? &x->mark[block] : &x->other[block - x->blocks].mark;
}
static inline uint64_t index_size(const LmpObjectIndex *x, uint32_t block) {
    return block < x->blocks ? x->size[block] : x->other[block - x->blocks].size;
}
static inline uint32_t index_entry(const LmpObjectIndex *x, uint32_t block) {
    return block < x->blocks ? x->entry[block] : x->other[block - x->blocks].entry;
}

static inline uint32_t index_context(const LmpObjectIndex *x, uint32_t block) {
    if (block >= x->blocks) return x->other[block - x->blocks].context;
    return x->contexts ? x->context[block] : 0;
}

/* Gives the marked blocks their numbers as objects: those on the grid from 1 on, then the others.
 * *objects: the number after the last. False: no memory. */
bool index_number(LmpObjectIndex *x, uint32_t *objects);

/* All objects in the order of their numbers: those on the grid from the lowest address on, then the
 * others. Begins as {.x = x}. */
typedef struct LmpObjectCursor {
    const LmpObjectIndex *x;
    uintptr_t at;   /* the object's block */
    uint32_t block; /* its number */
    uint32_t other;
    size_t chunk;
    uint64_t bits;
} LmpObjectCursor;
/* Returns false if there are no more. */
bool index_next(LmpObjectCursor *c);

static inline uint32_t index_count(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555ull;
    bits = (bits & 0x3333333333333333ull) + (bits >> 2 & 0x3333333333333333ull);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0full;
    return (uint32_t)(bits * 0x0101010101010101ull >> 56);
}

static inline const LmpSnapChunk *index_chunk(const LmpObjectIndex *x, const LmpSnapChunk *in,
                                              uintptr_t at) {
    uint32_t row = x->dir[at >> LMP_LEAF_BITS];
    uint32_t region = x->region[row * LMP_REGIONS + (at >> LMP_REGION_BITS & (LMP_REGIONS - 1))];
    return &in[region * (size_t)LMP_REGION_CHUNKS +
               (at >> LMP_CHUNK_BITS & (LMP_REGION_CHUNKS - 1))];
}

static inline bool index_on_grid(const LmpObjectIndex *x, uintptr_t at) {
    return (at & 15) == x->skew && !(at >> LMP_ADDRESS_BITS);
}

uint32_t index_other_object(const LmpObjectIndex *x, uintptr_t at);

/* Returns the number of the object whose block starts there, 0: none that is known. */
static inline uint32_t index_object(const LmpObjectIndex *x, uintptr_t at) {
    if (index_on_grid(x, at)) {
        const LmpSnapChunk *c = index_chunk(x, x->object, at);
        uint64_t bit = 1ull << (at >> 4 & 63);
        if (c->bits & bit) return c->rank + index_count(c->bits & (bit - 1));
    }
    return index_other_object(x, at);
}

#endif
