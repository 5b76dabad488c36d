/* profile_pool.h - the places where profiles live, which are never unmapped.
 *
 * The address of a profile is the `ud` that lua_getallocf answers, and anybody may keep that, with
 * our allocator, and call it long after the profile has ended, in any thread. So what such a call
 * reads (pass_through.h) stays where it is and as it
 * is for ever. There is one place for each pair of allocator and ud, or as many as profiles of
 * that pair have run at the same time; the next profile of the pair has it again. */
#ifndef LMP_PROFILE_POOL_H
#define LMP_PROFILE_POOL_H

#include "agent/state/profile.h"

/* `size` bytes, the same in each call, that begin with a profile: nothing but zeroes, except for
 * pass_through.h and the place; no thread runs its state. NULL: no memory. The caller holds a lock,
 * the same for both. */
LmpProfile *profile_pool_take(lua_Alloc alloc, void *ud, size_t size);
/* Nothing of the profile is left but its place. Whose allocator is still in use by the state that
 * was profiled never leaves. */
void profile_pool_leave(LmpProfile *p);

#endif
