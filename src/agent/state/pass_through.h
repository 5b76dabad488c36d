/* pass_through.h - the only part of a profile that a passed-on request reads and writes: one of
 * another thread or another state, or any once the profile is over.
 *
 * Such a request may come at any time, in any thread, from anyone who has kept the result of
 * lua_getallocf. So the structs here are never unmapped and never cleared (profile_pool.h); nothing
 * else of a profile may be touched on that path. foreign.h says who these callers are. */
#ifndef LMP_PASS_THROUGH_H
#define LMP_PASS_THROUGH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <lua.h>

struct LmpProfile;

/* What every operation reads first. */
typedef struct LmpPassThrough {
    _Atomic uintptr_t thread; /* the one that runs the profiled state; 0: the profile is over. In a
                                 forked child the kernel makes it 0 (profile_pool.h) */
    lua_Alloc alloc; /* the allocator we found, called with its own ud: never another one */
    void *ud;
} LmpPassThrough;

/* Returns true if the profile is over, or this is a forked child, where it never was on. */
static inline bool pass_over(const LmpPassThrough *pass) {
    return !atomic_load_explicit(&pass->thread, memory_order_relaxed);
}

enum { LMP_NEWBORNS = 8 };

/* A state that is being made with our allocator. */
typedef struct LmpNewborn {
    _Atomic uintptr_t thread; /* where; 0: free, 1: being written */
    void *block;
} LmpNewborn;

/* What is recorded about those callers. */
typedef struct LmpForeign {
    _Atomic uintptr_t global;      /* of the profiled state, disguised; 0: unknown */
    _Atomic uint64_t passed;       /* requests in other threads, passed on (count) */
    _Atomic uint64_t clashes;      /* requests of ours while another thread made one (count) */
    _Atomic uint32_t apart, mixed; /* other states: counted nowhere; counted with ours */
    LmpNewborn newborn[LMP_NEWBORNS];
    _Atomic uint32_t expected; /* of them, in use (count) */
    _Atomic uint32_t tries; /* in a forked child, to see that it is the state itself that asks, and
                               to give its allocator back; 0: it has it, or will not get it */
} LmpForeign;

/* What profile_pool.c keeps in each slot, under its caller's lock. */
typedef struct LmpPoolSlot {
    struct LmpProfile *next; /* list of all */
    unsigned way;            /* of accounting, of all of them: whose allocator was given out */
    uint64_t begun;          /* profiles that have had this slot (count) */
    bool taken;
} LmpPoolSlot;

#endif
