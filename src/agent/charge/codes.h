/* codes.h - the prototypes' code vectors that the cache of lines has answers about: by address, and
 * where in the cache the answers are.
 *
 * A place is a slot's number modulo LMP_HOMES, which the cache's growing does not change: so when a
 * vector dies only a few slots are examined for each place that it ever had, however large the
 * cache.
 *
 * Open addressing in private memory from lmp_os->map, doubled when half full. Rows leave and the
 * gap is closed: a program that loads code for ever would fill the table with tombstones. The row
 * is the slot itself, not found by an index beside it: it is looked up with every line that is
 * learnt, and an index would be one more miss of the processor's caches. */
#ifndef LMP_CODES_H
#define LMP_CODES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slab.h"

enum { LMP_CODE_HOMES = 7, LMP_HOMES = 1 << 12, LMP_HOME_WORDS = LMP_HOMES / 64 };

typedef struct LmpCode {
    uintptr_t addr;      /* of the vector's block; 0: free */
    uint64_t *home_bits; /* of more than LMP_CODE_HOMES: a bit for each home; NULL: no memory */
    uint64_t words;      /* a bit for each word of `home_bits` that is not 0, */
    uint64_t life;       /* from 1, another for each vector that there ever was */
    uint32_t function;   /* row of the function whose code it is, 0: not known yet */
    uint32_t read;       /* instructions that Lua has read to name what was called from here */
    bool more;           /* there may be answers in the second cache (answers.h) */
    bool lineless;       /* no instruction of it has a line: if one has none, all have none */
    uint8_t homes;       /* homes of the answers entered: how many, */
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

/* A vector, made where it was not known before: *added then. NULL: no memory for one more. Good
 * until the next one is added or taken. */
LmpCode *codes_note(LmpCodes *codes, uintptr_t addr, bool *added);
/* The same if it is known, else NULL. */
LmpCode *codes_find(LmpCodes *codes, uintptr_t addr);
/* An answer about it is entered in a slot with this home. */
void codes_note_home(LmpCodes *codes, LmpCode *code, unsigned home);
/* The homes of a vector, one after another, LMP_HOMES at their end: begin with *at = 0. */
unsigned codes_next_home(const LmpCode *code, unsigned *at);
/* Removes a vector, to be released with codes_drop. Returns false if it was not known. */
bool codes_take(LmpCodes *codes, uintptr_t addr, LmpCode *out);
void codes_drop(LmpCodes *codes, const LmpCode *code);

#endif
