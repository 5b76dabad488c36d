/* callchains.h - call chains in the interpreter that ask its allocator for something, each with the
 * one class of blocks that it was seen to ask for; and the table of return addresses that tells a
 * class from as few callers as it takes (callclasses.h). For studies of private states.
 */
#ifndef LMP_CALLCHAINS_H
#define LMP_CALLCHAINS_H

#include <string.h>

#include "agent/interp/callclasses.h"

enum { LMP_CHAIN_DEEP = 6, LMP_CHAINS = 1024 };

typedef struct LmpCallChain {
    uintptr_t ret[LMP_CHAIN_DEEP];    /* return addresses: of the allocator, and further out */
    int32_t distance[LMP_CHAIN_DEEP]; /* where each stands, from the allocator's cfa */
    uint8_t cls;
    bool doubtful; /* seen with two classes */
    uint8_t refusals;
    bool looked_at; /* its class is what became of the block, not that of the exercise */
} LmpCallChain;

typedef struct LmpCallChains {
    LmpCallChain chain[LMP_CHAINS];
    int count;
} LmpCallChains;

/* Returns true if two are the same up to `depth` return addresses. */
static inline bool callchain_same(const LmpCallChain *a, const LmpCallChain *b, int depth) {
    return a->ret[0] == b->ret[0] && !memcmp(a->ret, b->ret, (size_t)depth * sizeof *a->ret);
}

/* Finds the callers above `caller`, `most` at most: what they are in *chain, the rest 0. Returns
 * how many. A call chain met before is not walked again: walking takes most of the time. */
int callchain_walk(const LmpCallChains *known, LmpCaller caller, int most, LmpCallChain *chain);

/* Returns the row of a chain of `most` callers that was met before, NULL: it was not. What is met
 * often is found soon: rows change their places. */
LmpCallChain *callchain_met(LmpCallChains *known, LmpCaller caller, int most);

/* Enters all in the table, and keeps that under `name` (NULL: not) for the next start. Returns
 * false if the table is full. A call chain with two classes belongs to LMP_C_OTHER. */
bool callchains_enter(const LmpCallChains *chains, LmpCallClasses *table, const char *name);

/* Fills the table with what an earlier start has learned of the same code, if all of it holds. */
bool callchains_take_kept(LmpCallClasses *table, const char *name);

#endif
