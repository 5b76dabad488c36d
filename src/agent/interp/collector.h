/* collector.h - watching Lua's collector without a finalizer of our own.
 *
 * Lua has no call for "a cycle has ended", and an object with a finalizer would change what the
 * program allocates. So we read the collector's own fields: its current colour, which changes once
 * in every cycle's atomic phase, and its state. Their offsets are found and verified in a private
 * state made by the same code, and verified again on the user's; where that fails, cycles are
 * reported as unknown. */
#ifndef LMP_COLLECTOR_H
#define LMP_COLLECTOR_H

#include <string.h>

#include "agent/state/profile.h"

typedef struct LmpCollector {
    const uint8_t *kind; /* in the interpreter: incremental or generational; NULL: unknown */
    const uint8_t *bad;  /* word: not zero while generational mode works incrementally; or NULL */
    uint8_t none[4];     /* stands in for the interpreter's fields when they are unknown */
} LmpCollector;

/* Points p->gc_word and p->collector into L's global state (or at nothing). `alloc` and `ud` are
 * what lua_getallocf(L) gives at this moment. Only at start. */
void collector_attach(LmpProfile *p, lua_State *L, lua_Alloc alloc, void *ud);

/* The first block that a new state requests: it holds the main thread and the global state. Offsets
 * in it, in bytes. */
typedef struct LmpBirth {
    size_t size;   /* of the block; 0: all of it is unknown */
    size_t state;  /* of the main thread (lua_State) */
    size_t global; /* of the global state, which begins with the allocator and its ud */
    size_t link;   /* in a lua_State: pointer to the global state */
} LmpBirth;

/* Returns what is known once collector_attach has been called. */
const LmpBirth *collector_birth(void);
/* Returns the address of L's global state, 0: unknown. */
uintptr_t collector_global(const lua_State *L);

/* Returns where the global state has the colour and the state, a byte each; 0: unknown.
 * Thread-safe. */
size_t collector_colour(void);

/* Stops reading the interpreter's memory, which may be gone. */
void collector_detach(LmpProfile *p);

/* What has happened since the last call, as bits. */
enum {
    GC_MARKED = 1u << 0, /* an atomic phase: everything alive is marked, the sweep begins */
    GC_SWEPT = 1u << 1,  /* it does not sweep now */
};
unsigned collector_turns(LmpProfile *p);

/* Returns the mode that the program has set. Not while a cycle sweeps: a full collection in
 * generational mode passes through the other mode then. */
LmpGcMode collector_kind(const LmpProfile *p);
/* Returns true if, in generational mode, the last full collection was no success, so that it works
 * incrementally for a while. */
bool collector_is_bad(const LmpProfile *p);

/* Returns the collector's colour and state at this moment, a byte each. */
static ALWAYS_INLINE uint32_t collector_now(const LmpProfile *p) {
    uint16_t now;
    memcpy(&now, p->gc_word, sizeof now);
    return now;
}

#endif
