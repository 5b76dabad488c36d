/* allocs.h - the allocators that a profiled state may be given: in hook.c and hook_*.c. */
#ifndef LMP_ALLOCS_H
#define LMP_ALLOCS_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "agent/interp/entry.h"

/* Is a lua_Alloc; `ud` is the LmpProfile. Calls the allocator that it covers for every request,
 * returns exactly what that returned, and accounts for it. Runs in the thread that runs the state.
 * */
void *hook_alloc(void *ud, void *ptr, size_t osize, size_t nsize);
/* Does the same for a profile with lines, where the caller's saved registers are known
 * (saved_regs.h). */
void *hook_alloc_lines(void *ud, void *ptr, size_t osize, size_t nsize);
/* Does the same with lines and call paths. */
void *hook_alloc_stacks(void *ud, void *ptr, size_t osize, size_t nsize);
/* Does the same with sampling (sample.h). */
void *hook_alloc_sampled(void *ud, void *ptr, size_t osize, size_t nsize);

/* Returns true if an allocator is one of these. */
static inline bool allocs_have(lua_Alloc alloc) {
    return alloc == hook_alloc ||
           (LMP_HAS_ENTRY && (alloc == hook_alloc_lines || alloc == hook_alloc_stacks ||
                              alloc == hook_alloc_sampled));
}

#endif
