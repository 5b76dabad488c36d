/* profile_pool.h - the slots where profiles live, which are never unmapped.
 *
 * The address of a profile is the `ud` that lua_getallocf returns, and anyone may keep that, with
 * our allocator, and call it long after the profile has ended, in any thread. So what such a call
 * reads (pass_through.h) never moves or changes. There is one slot for each pair of allocator and
 * ud and each way of accounting, as each way has an allocator of its own; or as many as such
 * profiles have run at the same time; the next one reuses it.
 *
 * A child that is forked shares the pages of the shared state with its parent, and must not write
 * there, however it was forked. So the first word of a profile, which says who runs its state, is
 * the last one of pages that the kernel empties in a child (from Linux 4.14 on). */
#ifndef LMP_PROFILE_POOL_H
#define LMP_PROFILE_POOL_H

#include "agent/state/profile.h"

/* Returns `size` bytes, the same in each call, that begin with a profile: all zeroes, except for
 * pass_through.h and the slot's own data; no thread runs its state. `way` is any number. NULL: no
 * memory. The caller holds a lock, the same for both. */
LmpProfile *profile_pool_take(lua_Alloc alloc, void *ud, unsigned way, size_t size);
/* Returns true if this allocator, with this ud, has been one of a profiled Lua state: ours, or the
 * one below. */
bool profile_pool_knows(uintptr_t alloc, uintptr_t ud);
/* Clears the profile and keeps its slot. Not for a profile whose allocator the profiled state still
 * uses. */
void profile_pool_leave(LmpProfile *p);

#endif
