/* hook.h - the allocator that a profiled state calls. */
#ifndef LMP_HOOK_H
#define LMP_HOOK_H

#include "agent/hook/allocs.h"
#include "agent/state/profile.h"

/* Returns the allocator for this profile. */
lua_Alloc hook_choose(const LmpProfile *p);

#endif
