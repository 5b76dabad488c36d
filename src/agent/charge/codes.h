/* codes.h - the prototypes' code vectors that the cache of lines knows something of: by address, in
 * which groups of the cache the answers stand, and in which slots if they are few.
 *
 * Open addressing in private memory from lmp_os->map, doubled when half full. */
#ifndef LMP_CODES_H
#define LMP_CODES_H

#include <stdbool.h>
#include <stdint.h>

enum { LMP_CODE_PLACES = 7 };

typedef struct LmpCode {
    uintptr_t addr;    /* of the vector's block; 0: free */
    uint64_t groups;   /* a bit for each group */
    uint64_t life;     /* from 1, another for each vector that there ever was */
    uint32_t function; /* row of the function whose code it is, 0: not known yet */
    uint32_t read;     /* instructions that Lua has read to name what was called from here */
    bool more;         /* there may be answers in the second cache (answers.h) */
    uint8_t places;    /* where the answers stand (count), */
    uint16_t place[LMP_CODE_PLACES]; /* and if they are no more, the slots of the cache */
} LmpCode;

typedef struct LmpCodes {
    LmpCode *slot;
    uint32_t slots, used; /* slots: a power of two */
    uint64_t lives;       /* so far */
} LmpCodes;

bool codes_open(LmpCodes *codes);
void codes_close(LmpCodes *codes);

/* A vector, made where it was not known before: *added then. NULL: no memory for one more. Good
 * until the next one is added or taken. */
LmpCode *codes_note(LmpCodes *codes, uintptr_t addr, bool *added);
/* The same if it is known, else NULL. */
LmpCode *codes_find(const LmpCodes *codes, uintptr_t addr);
/* The cache of lines has twice as many slots as `before`: answers stand where they did or so much
 * further. */
void codes_moved(LmpCodes *codes, unsigned before);
/* An answer about it is entered in a slot of a group. */
void codes_place(LmpCode *code, unsigned group, unsigned slot);
/* Forgets a vector. False: it was not known. */
bool codes_take(LmpCodes *codes, uintptr_t addr, LmpCode *out);

#endif
