/* safepoint.h - what has to be done between two instructions of the program, where any call of the
 * Lua API is safe: a full collection that a viewer requests, the qualified names of functions.
 *
 * It is done from a debug hook of ours, which replaces the program's own for one instruction and
 * then restores it. Meanwhile the program's hook is called for all that it asked for; only its
 * instruction count starts over. Replaced hooks are noted with the state, not with the profile: a
 * coroutine that was made in the meantime has inherited ours, and may run its first instruction
 * when the profile is long over. */
#ifndef LMP_SAFEPOINT_H
#define LMP_SAFEPOINT_H

#include <signal.h>

#include "agent/state/profile.h"

typedef struct LmpLent LmpLent; /* the hooks of a state that ours stands for */

/* Something that is done there. May end the profile. */
typedef void LmpBetween(LmpProfile *p, lua_State *L);

/* Of the state that L belongs to: its profile (NULL: none runs) and where its hooks are noted,
 * NULL: it is being closed. Finding them allocates nothing. */
typedef struct LmpSafepoints {
    LmpProfile *profile;
    LmpLent *lent;               /* NULL: none yet */
    LmpBetween *const *steps;    /* as long as the profile runs, in this order; NULL ends them */
    void (*again)(lua_State *L); /* in a forked child in place of these, once; NULL: nothing */
} LmpSafepoints;
/* Finds them for L. One function for all states; to be set before the first request. */
typedef LmpSafepoints *LmpFindSafepoints(lua_State *L);
void safepoint_prepare(LmpFindSafepoints *find);
/* Returns true if L's profile is still the one that was the place's when p->slot.begun was this. */
bool safepoint_same(lua_State *L, const LmpProfile *p, uint64_t begun);

/* Does the collection that was asked for: one of the steps. */
void safepoint_collect(LmpProfile *p, lua_State *L);

/* Does the same for all threads that are running now: the first to come serves it. Call only where
 * the stacks may be looked at. */
bool safepoint_request_all(LmpProfile *p);

/* Does the same for the main thread and the one that was seen last. Looks at no stack. */
void safepoint_request_seen(LmpProfile *p);

/* Begins an errand; from the tick. Only where nothing is lost by it, the next operation looks which
 * threads run: the map of samples would be filled. */
void safepoint_ask(LmpProfile *p, LmpErrand *errand);
/* Prepares what is due, in an operation; where the stacks may not be looked at, the next operation
 * has to come here again. */
void safepoint_serve(LmpProfile *p, LmpErrand *errand, bool stack_safe);
/* Makes what has waited for long due again: another thread than those that were prepared may have
 * run since. From the tick. */
void safepoint_tick(LmpProfile *p, LmpErrand *errand);

/* Holds all signals back, until *before is the mask again: a signal handler may set a debug hook at
 * any time (lua.c's does, for Ctrl-C), and never between our read and our write. */
void safepoint_hold_signals(sigset_t *before);

/* Returns true if our hook stands in L for the next instruction. */
bool safepoint_stands(lua_State *L);

/* Call when the state is being closed: hooks of ours that are still set do nothing from now on. */
void safepoint_close(LmpSafepoints *of);

#endif
