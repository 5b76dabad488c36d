/* counters.h - exact counts at one addition per operation (LmpCounters in layout.h).
 *
 * Invariants, between operations: for every class c, live bytes = alloc_bytes + realloc_bytes -
 * free_bytes; live_bytes = their sum over the counted classes; no packed word has its sign bit set.
 */
#ifndef LMP_COUNTERS_H
#define LMP_COUNTERS_H

#include <stdbool.h>

#include "shared/layout.h"

#define LMP_PACK_SHIFT 40u
#define LMP_PACK_MAX (1ull << 25)   /* larger blocks are counted on the slow path */
#define LMP_PACK_OPS_MAX (1u << 14) /* 2^14 blocks below 2^25 bytes fit 40 bits */
#define LMP_PACK_SIGN (1u << 23)    /* the count that sets the word's sign bit */

static inline uint64_t counters_packed_bytes(uint64_t word) {
    return word & ((1ull << LMP_PACK_SHIFT) - 1);
}

/* Adds a block to a packed word. True: the word is full, fold now. */
static inline bool counters_pack(uint64_t *word, uint64_t bytes) {
    *word += bytes + (1ull << LMP_PACK_SHIFT);
    return (int64_t)*word < 0;
}

/* Empties the packed words into the full counters; the next fold is due after `ops` operations of
 * one class, 1 to LMP_PACK_OPS_MAX. Also the way to set up zeroed counters. */
void counters_fold(LmpCounters *c, uint32_t ops);

/* Notes the high-water mark and what it was made of; `clock`: nanoseconds since start. */
void counters_note_peak(LmpCounters *c, uint64_t clock);

/* Returns the high-water mark as far as it has been noted (bytes): live_bytes may be above it. */
static inline uint64_t counters_noted_peak(const LmpCounters *c) {
    uint64_t kept = c->peak_kept; /* first: it is there before peak_bytes is lowered */
    return c->peak_bytes > kept ? c->peak_bytes : kept;
}

/* Returns the most bytes that were live since the last split (the start, at the first), and begins
 * anew. The run's own high-water mark is kept beside it; the hot path, which only compares with
 * peak_bytes, takes its slow turn a little more often. */
uint64_t counters_split_peak(LmpCounters *c, uint64_t clock);
/* Splits are over: peak_bytes is the high-water mark of the run again. */
void counters_join_peak(LmpCounters *c, uint64_t clock);

/* Frees of all counted classes so far, for the writer itself. */
void counters_frees(const LmpCounters *c, uint64_t *blocks, uint64_t *bytes);
/* Returns the same of allocations and of changes of size. */
void counters_allocs(const LmpCounters *c, uint64_t *blocks, uint64_t *bytes, int64_t *resized);

/* Returns what a class holds, for the writer itself: nothing is read twice, and there is no
 * race. */
static inline uint64_t counters_class_bytes(const LmpCounters *c, unsigned cls) {
    const LmpClassCount *full = &c->count[cls];
    uint64_t bytes = full->alloc_bytes + (uint64_t)full->realloc_bytes - full->free_bytes;
    return bytes + counters_packed_bytes(c->alloc_now[cls]) -
           counters_packed_bytes(c->free_now[cls]);
}

/* The totals of a class. */
typedef struct LmpClassTotal {
    uint64_t allocs, alloc_bytes, frees, free_bytes, reallocs;
    int64_t realloc_bytes;
    uint64_t live_blocks, live_bytes;
} LmpClassTotal;

/* Reads all classes at this moment. Safe on any bytes; retries while the writer folds. */
void counters_read(const LmpCounters *c, LmpClassTotal total[LMP_CLASSES]);

/* Bytes that came or went between two moments: a reader's figures are apart by as much at most. If
 * nothing did, those of an operation that stands half done: they are in the live total alone. */
uint64_t counters_moved(const LmpCounters *before, const LmpCounters *after);

#endif
