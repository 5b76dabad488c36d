/* gcwatch.h - watching Lua's collector without a finalizer of our own.
 *
 * Lua has no call for "a cycle has ended", and an object with a finalizer would change what the
 * program allocates. So the collector's own words are read: its current colour, which changes once
 * in every cycle's atomic phase, and its state. Where they stand is found and verified in a private
 * state made by the same code, and verified again on the user's; where that fails, cycles are
 * unknown, and said to be. */
#ifndef LMP_GCWATCH_H
#define LMP_GCWATCH_H

#include <string.h>

#include "profile.h"

/* Points p->gc_word and p->gc_kind into L's global state (or at p->gc_none). `alloc` and `ud` are
 * what lua_getallocf(L) gives at this moment. Only at start. */
void gcwatch_attach(LmpProfile *p, lua_State *L, lua_Alloc alloc, void *ud);

/* What a state asks for first when it is made: one block that holds its main thread and its global
 * state. Offsets in it, bytes. */
typedef struct LmpBirth {
    size_t size;   /* of the block; 0: all of it is unknown */
    size_t state;  /* of the main thread (lua_State) */
    size_t global; /* of the global state, which begins with the allocator and its ud */
    size_t link;   /* in a lua_State: pointer to the global state */
} LmpBirth;

/* Known once gcwatch_attach has been called. */
const LmpBirth *gcwatch_birth(void);
/* The address of L's global state, 0: unknown. */
uintptr_t gcwatch_global(const lua_State *L);

/* Notes what has changed in the colour and the state since the last look. */
void gcwatch_look(LmpProfile *p);

/* From now on the interpreter's memory, which may be gone, is not read any more. */
void gcwatch_detach(LmpProfile *p);

/* Brings gc.mode up to date. Not while a cycle sweeps: a full collection of the generational mode
 * passes through the other mode then. */
void gcwatch_mode(LmpProfile *p);

/* The collector's colour and state at this moment, a byte each. */
static ALWAYS_INLINE uint32_t gcwatch_now(const LmpProfile *p) {
    uint16_t now;
    memcpy(&now, p->gc_word, sizeof now);
    return now;
}

#endif
