/* calls.h - counting every call, and every instruction, with a debug hook of our own.
 *
 * Lua tells its hook of each call when the callee is in place: who has called is the frame below,
 * so neither errors, nor coroutines, nor tail calls (callframes.h) need books of what is open. A
 * new coroutine inherits the hook; one that was there before gets it when it is resumed. What is
 * known of a place is kept in a cache, so that a call costs two look-ups, without a lock, an
 * allocation or a call of Lua's API; only a miss asks for names and lines.
 *
 * Not told are calls that Lua makes without hooks: those of finalizers, and of hooks. */
#ifndef LMP_CALLS_H
#define LMP_CALLS_H

#include "agent/state/profile.h"

/* Begins, in all threads that are running; L runs a C function. counts_open has made what is
 * needed; without LMP_COUNTS_CALLS and LMP_COUNTS_INSTRUCTIONS there nothing is done. */
void calls_begin(LmpProfile *p, lua_State *L);
/* Ends: what the program has set itself is set again. L NULL: the state is being closed. Hooks in
 * other threads take themselves away. */
void calls_end(LmpProfile *p, lua_State *L);
/* Call now and then: somebody else may have set a hook in place of ours. */
void calls_look(LmpProfile *p);
/* Call when a thread's memory is freed (may be called for other blocks, too). */
void calls_thread_gone(LmpProfile *p, const lua_State *L);

#endif
