/* trap.h - the slow path through an operation: all that may have to be done around it. */
#ifndef LMP_TRAP_H
#define LMP_TRAP_H

#include "agent/interp/owner.h"
#include "agent/state/profile.h"

/* Does one operation with everything around it: other threads and states (foreign.h), the
 * collector's progress, the tick, requests, break conditions, and the pause. */
void *trap_operation(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller);

/* Looks at the collector, if the profiled state runs here and nothing else is to be done around the
 * operation. Returns true then: the operation may go on. */
bool trap_only_collector(LmpProfile *p);

/* Makes blocks that the running C function of L asks for the profiler's own, from here to
 * trap_own_end. Returns what was before, for trap_own_end. */
LmpOwn trap_own_begin(LmpProfile *p, lua_State *L);
void trap_own_end(LmpProfile *p, LmpOwn before);

#endif
