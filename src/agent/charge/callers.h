/* callers.h - who calls the lines that allocate, where no call paths are kept: samples.
 *
 * While somebody looks, one allocation after each tick is examined: its line, and the frames below
 * that, are counted in LmpLive.callers. Where a program's rhythm and ours were the same, they would
 * always be those of one caller. So ticks come after a random number of operations then (of
 * operations, not of time, which would prefer what is slow), and after the tick a random number of
 * allocations passes before the one that counts; these take the slow path. A sample stands for all
 * allocations since the one before, so it does not matter that ticks are further apart where a
 * program allocates fast.
 *
 * Only where every block has its alloc context and frames can be read. */
#ifndef LMP_CALLERS_H
#define LMP_CALLERS_H

#include "agent/state/profile.h"

typedef struct LmpCallerSampling {
    uint64_t random;  /* state of the generator; 0: nobody looks */
    uint64_t allocs;  /* of all classes, at the last sample (count) */
    uint32_t skipped; /* allocations that are still to pass, */
    uint32_t left;    /* and operations, at most; 0: no sample is under way */
    uint32_t turn;    /* row at which the next search for a rare one begins */
} LmpCallerSampling;

/* Returns true while a sample is under way: then all operations have to take the slow path. */
static inline bool callers_on(const LmpProfile *p) {
    return p->callers->left > 0;
}
/* Returns, with every tick, after how many operations the next one is to come, of at most `ops`. */
uint32_t callers_spread(LmpProfile *p, uint32_t ops);
/* Returns true, after that, if a sample is under way. */
bool callers_due(LmpProfile *p);
/* Call after each operation while one is. `r`: the block that was made, or NULL. Returns false
 * after the last one. */
bool callers_after(LmpProfile *p, const void *r, size_t size);

#endif
