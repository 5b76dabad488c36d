/* hook.h - the allocator that a profiled state calls. */
#ifndef LMP_HOOK_H
#define LMP_HOOK_H

#include "agent/interp/return_addr.h"
#include "agent/state/profile.h"

/* A lua_Alloc; `ud` is the LmpProfile. Calls the allocator it covers for every request and gives
 * back exactly what that gave; accounts for what was done. Runs in the thread that runs the state.
 */
void *hook_alloc(void *ud, void *ptr, size_t osize, size_t nsize);
/* The same for a profile with lines, where the words of the caller are known (saved_regs.h). */
void *hook_alloc_lines(void *ud, void *ptr, size_t osize, size_t nsize);
/* And with call paths. */
void *hook_alloc_stacks(void *ud, void *ptr, size_t osize, size_t nsize);
/* With sampling (sample.h). */
void *hook_alloc_sampled(void *ud, void *ptr, size_t osize, size_t nsize);

/* The one for this profile, and whether an allocator is one of them. */
lua_Alloc hook_choose(const LmpProfile *p);
bool hook_is(lua_Alloc alloc);

/* A block that Lua was given a request ago, and that has not been counted yet. */
void hook_made_before(LmpProfile *p, void *block, size_t tag, size_t n);

/* The operation itself, for the slow path: what hook_alloc does between looking left and right.
 * `own`: the block belongs to our own API call (LMP_C_OWN). */
void *hook_operate(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller,
                   bool own);

#endif
