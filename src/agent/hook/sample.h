/* sample.h - sampling: stacks and blocks accounted for one block in so many bytes, on average.
 *
 * Every byte that is asked for is, with the same small chance, the one that makes its block a
 * sample (a Poisson process over bytes; larger blocks are likelier ones). A sample stands for as
 * many blocks like it as are not: what it adds to its alloc context's figures is divided by its
 * chance, 1 - exp(-size / interval), so that all figures are right on average, whatever the sizes.
 * The same is taken away when it is freed. Counts of blocks are rounded at random, too, but the
 * same way each time for the same block.
 *
 * A reallocation is a new draw at the new size: only a block's present size matters. Totals and
 * types stay exact: they are counted as without sampling. Invariant: a block's alloc context word
 * is not 0 exactly while it is a sample, and then its entry is watched. */
#ifndef LMP_SAMPLE_H
#define LMP_SAMPLE_H

#include "agent/state/profile.h"

#define LMP_SAMPLE_SEED "LMP_SAMPLE_SEED" /* environment: a number, for tests */

typedef struct LmpSampling {
    double interval; /* bytes */
    uint64_t random; /* state of the generator, never 0 */
    uint64_t salt;   /* of the counts' rounding */
} LmpSampling;

/* Takes one in `interval` bytes, from now on. Error: NOMEM. */
LmpErr sample_open(LmpProfile *p, uint64_t interval);
void sample_close(LmpProfile *p);

/* Sets p->sample_left, which was used up, to what comes before the next one. */
void sample_next(LmpProfile *p);

/* Notes that a block is a sample from now on, at this size (bytes); `resized`: by a reallocation.
 * */
void sample_enters(LmpProfile *p, uint32_t alloc_context, uintptr_t addr, uint64_t size,
                   bool resized);

/* Call when a sample is freed, or is drawn again; `alloc_context` is its word, `size` its size
 * before (bytes). */
void sample_leaves(LmpProfile *p, uint32_t alloc_context, uintptr_t addr, uint64_t size,
                   uint32_t entry, bool freed);

#endif
