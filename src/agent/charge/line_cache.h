/* line_cache.h - what stands behind the first cache of lines (LmpLineCache): its second level, and
 * the code that both are about.
 *
 * The second level has what has been learnt of more places than the first one has room for. Without
 * it, a program of twenty thousand lines would look up each of them again in every round. An entry
 * is valid while the code that it is about lives: it carries the number of that code's life
 * (LmpCode.life), so nothing has to be invalidated. Private memory, doubled while entries are
 * evicted, up to LMP_L2_MOST; without memory there is no second level, and everything is looked up.
 *
 * Code is the code vector of a prototype: it is kept by the address of the block that dies with it,
 * with the places in the first cache that have entries about it. A place is a slot's number modulo
 * LMP_HOMES, which the cache's growing does not change: so when a vector dies only a few slots are
 * examined for each place that it ever had, however large the cache.
 *
 * Code is in an open-addressed table in private memory from lmp_os->map, doubled when half full.
 * Rows leave and the gap is closed: a program that loads code for ever would fill the table with
 * tombstones. The row is the slot itself, not found by an index beside it: it is looked up with
 * every line that is learnt, and an index would be one more miss of the processor's caches. */
#ifndef LMP_LINE_CACHE_H
#define LMP_LINE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slab.h"

/* ---- the second level ------------------------------------------------------------------------ */

enum { LMP_L2_LEAST = 1 << 12, LMP_L2_MOST = 1 << 18, LMP_L2_WAYS = 4 };

typedef struct LmpLineEntry {
    uint64_t key; /* as in LmpLineSlot */
    uintptr_t cfn;
    uint64_t life; /* 0: none is here */
    uint32_t cls, row;
} LmpLineEntry;

/* All zeroes: none yet. */
typedef struct LmpLineL2 {
    LmpLineEntry *slot; /* in sets of LMP_L2_WAYS, the newest first */
    uint32_t slots;     /* a power of two */
    uint32_t pushed;    /* entries evicted at this size */
    bool refused;       /* no memory for more */
} LmpLineL2;

void line_l2_close(LmpLineL2 *a);

/* Returns the row, 0: not known. */
uint32_t line_l2_find(const LmpLineL2 *a, const LmpLineEntry *like);
/* Enters one that was not found. */
void line_l2_add(LmpLineL2 *a, const LmpLineEntry *entry);

/* ---- code ------------------------------------------------------------------------------------ */

enum { LMP_CODE_HOMES = 7, LMP_HOMES = 1 << 12, LMP_HOME_WORDS = LMP_HOMES / 64 };

typedef struct LmpCode {
    uintptr_t addr;      /* of the vector's block, or of its prototype's; 0: free */
    uint64_t *home_bits; /* of more than LMP_CODE_HOMES: a bit for each home; NULL: no memory */
    uint64_t words;      /* a bit for each word of `home_bits` that is not 0, */
    uint64_t life;       /* from 1, another for each vector that there ever was */
    uint32_t function;   /* row of the function whose code it is, 0: not known yet */
    uint32_t read;       /* instructions that Lua has read to name what was called from here */
    bool more;           /* there may be entries in the second cache (l2) */
    bool lent;           /* it is the prototype's: the vector is in memory of the host's */
    bool lineless;       /* no instruction of it has a line: if one has none, all have none */
    uint8_t homes;       /* homes of the entries entered: how many, */
    uint16_t home[LMP_CODE_HOMES]; /* and which, while they are no more than that */
} LmpCode;

typedef struct LmpCodes {
    LmpCode *slot;
    uint32_t slots, used; /* slots: a power of two */
    uint64_t lives;       /* so far */
    LmpCode *recent;      /* the slot that was found last; NULL: none */
    LmpSlab slab;         /* of homes */
} LmpCodes;

bool codes_open(LmpCodes *codes);
void codes_close(LmpCodes *codes);

/* Returns a vector, made where it was not known before: *added then. NULL: no memory for one more.
 * Good until the next one is added or taken. */
LmpCode *codes_note(LmpCodes *codes, uintptr_t addr, bool *added);
/* Returns the same if it is known, else NULL. */
LmpCode *codes_find(LmpCodes *codes, uintptr_t addr);
/* Notes that an entry about the code is entered in a slot with this home. */
void codes_note_home(LmpCodes *codes, LmpCode *code, unsigned home);
/* Returns the homes of a vector, one after another, LMP_HOMES at their end: begin with *at = 0. */
unsigned codes_next_home(const LmpCode *code, unsigned *at);
/* Removes a vector, to be released with codes_drop. Returns false if it was not known. */
bool codes_take(LmpCodes *codes, uintptr_t addr, LmpCode *out);
void codes_drop(LmpCodes *codes, const LmpCode *code);

#endif
