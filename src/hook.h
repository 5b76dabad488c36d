/* hook.h - the allocator that a profiled state calls. */
#ifndef LMP_HOOK_H
#define LMP_HOOK_H

#include "profile.h"

/* A lua_Alloc; `ud` is the LmpProfile. Calls the allocator it covers for every request and gives
 * back exactly what that gave; accounts for what was done. Runs in the thread that runs the state.
 */
void *hook_alloc(void *ud, void *ptr, size_t osize, size_t nsize);

/* Our caller's stack pointer and return address: they tell which part of Lua is asking. */
typedef struct LmpCaller {
    const char *cfa;
    uintptr_t ret;
} LmpCaller;

/* The operation itself, for the slow way: what hook_alloc does between looking left and right.
 * `own`: the block belongs to our own API call (LMP_C_OWN). */
void *hook_operate(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller,
                   bool own);

#endif
