/* counts.h - what is counted besides memory, if the program was started with it: calls and
 * instructions (calls.h tells of them, with a debug hook), and what one line does to the blocks of
 * another (odd.c tells of that). Here are the rows of the tables that they are counted in; as those
 * of sites.h they are never removed, and what finds no place is counted in row 1, "(others)". */
#ifndef LMP_COUNTS_H
#define LMP_COUNTS_H

#include "agent/charge/callframes.h"
#include "agent/charge/ownhooks.h"
#include "agent/interp/frames.h"
#include "agent/state/profile.h"
#include "base/rowindex.h"

enum { LMP_CALL_SLOTS = 1 << 15, LMP_RUN_SLOTS = 1 << 17 }; /* of the caches */

/* What is known of a call from one place to one function. from 0: nothing. */
typedef struct LmpCallSlot {
    uintptr_t from, to; /* a place (calls.c); the callee's code, or C function */
    uint32_t edge, function;
    uint32_t deaths; /* LmpProfile.code_deaths when it was learned: code may have died since */
    uint32_t tail;   /* site of the callee's own tail calls; 0: it has none */
} LmpCallSlot;

/* The site of an instruction. */
typedef struct LmpRunSlot {
    uintptr_t pc; /* behind it */
    uint32_t site, deaths;
} LmpRunSlot;

typedef struct LmpCounts {
    LmpProfile *p;
    uint32_t on; /* LMP_COUNTS_ bits */
    LmpRowIndex edge, override;
    /* calls.c */
    LmpCallSlot *call;    /* a cache; NULL: calls are not counted */
    LmpRunSlot *run;      /* the same of instructions */
    LmpCallFrames frames; /* whose functions make tail calls */
    LmpOwnHooks hooks;
    const lua_State *resumed; /* by the C function that was called last; NULL: it resumes none */
    uintptr_t resumer;        /* that function */
    lua_Hook stranger;        /* somebody else's hook that has been met in place of ours */
} LmpCounts;

/* Makes what `wanted` (LMP_COUNTS_ bits) needs; sites are open, lines too. live->tables says what
 * there is now, and why not all. */
void counts_open(LmpProfile *p, uint32_t wanted);
void counts_close(LmpProfile *p);

/* Returns the place in the caches that a call, or an instruction, has if it is known. */
static inline LmpCallSlot *counts_call_slot(LmpCounts *c, uintptr_t from, uintptr_t to) {
    uint64_t at = rowindex_mix(rowindex_mix(from, to), 0);
    return &c->call[at & (LMP_CALL_SLOTS - 1)];
}
static inline LmpRunSlot *counts_run_slot(LmpCounts *c, uintptr_t pc) {
    return &c->run[pc / LMP_INSTRUCTION & (LMP_RUN_SLOTS - 1)];
}

/* Returns the row of calls of a function by a site. */
uint32_t counts_edge(LmpProfile *p, uint32_t site, uint32_t function);

/* Call when the site of record `here` has freed a block, or changed its size; made with this alloc
 * context. Only with LMP_COUNTS_OVERRIDES, or nothing is done. */
void counts_freed(LmpProfile *p, uint32_t alloc_context, uint32_t here, uint64_t size);
void counts_resized(LmpProfile *p, uint32_t alloc_context, uint32_t here, uint64_t from,
                    uint64_t to);

static inline bool counts_overrides(const LmpProfile *p) {
    return p->counts && p->counts->on & LMP_COUNTS_OVERRIDES;
}

#endif
