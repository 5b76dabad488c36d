/* rowindex.h - a hash index over the rows of a table: hashes and row numbers, nothing of the rows
 * themselves, so the caller compares the rows (and knows what their identity is).
 *
 * Open addressing in private memory from lmp_os->map, doubled when half full (a small one: four
 * times as large). An index that cannot be grown goes on up to seven eighths and then takes no
 * more; what is in it stays found. Rows are never removed. */
#ifndef LMP_ROWINDEX_H
#define LMP_ROWINDEX_H

#include <stdbool.h>
#include <stdint.h>

typedef struct LmpRowSlot {
    uint32_t hash, row; /* row 0: free */
} LmpRowSlot;

typedef struct LmpRowIndex {
    LmpRowSlot *slot;
    uint32_t slots; /* a power of two */
    uint32_t used;
    bool refused; /* the system refused to double it at this size */
} LmpRowIndex;

/* Makes an index without rows; `slots`: to begin with, a power of two. Returns false if there is no
 * memory. */
bool rowindex_open(LmpRowIndex *x, uint32_t slots);
void rowindex_close(LmpRowIndex *x);

/* Makes room for so many rows more, growing the index where needed; call it before making one.
 * Returns false if there is none. */
bool rowindex_make_room(LmpRowIndex *x, uint32_t rows);
static inline bool rowindex_room(LmpRowIndex *x, uint32_t rows) {
    return x->used + rows <= x->slots / 2 || rowindex_make_room(x, rows);
}
/* Adds a row that is not in it yet. There is room. */
static inline void rowindex_add(LmpRowIndex *x, uint32_t hash, uint32_t row) {
    uint32_t i = hash & (x->slots - 1);
    while (x->slot[i].row)
        i = (i + 1) & (x->slots - 1);
    x->slot[i] = (LmpRowSlot){hash, row};
    x->used++;
}

/* Returns the rows with this hash, one after another, 0 at their end: begin with *at = hash. */
static inline uint32_t rowindex_next(const LmpRowIndex *x, uint32_t hash, uint32_t *at) {
    for (;;) {
        const LmpRowSlot *s = &x->slot[(*at)++ & (x->slots - 1)];
        if (!s->row || s->hash == hash) return s->row;
    }
}

/* Mixes words to the hash of a key. */
static inline uint64_t rowindex_mix(uint64_t h, uint64_t word) {
    h = (h ^ word) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 32;
}

#endif
