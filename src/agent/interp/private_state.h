/* private_state.h - a state of ours, made by the same interpreter, in which something is learnt of
 * it that does not differ from state to state; and which functions of the coroutine library resume,
 * learnt so. */
#ifndef LMP_PRIVATE_STATE_H
#define LMP_PRIVATE_STATE_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

/* Calls f in one. Without memory, or if it fails, it has learnt what it has learnt. */
void private_state_call(lua_CFunction f);

/* The library's own functions that resume a coroutine are coroutine.resume, and what coroutine.wrap
 * returns. While a call of one of them lasts, its thread has not been left. Another C function that
 * resumes may yield in between and go on in the same frame, by a continuation; these two never
 * do. */

/* Finds them in a private state, once per process (thread-safe). Without memory none is known. */
void private_state_find_resumers(void);

/* Returns true if the C function at this address is one of them. */
bool private_state_is_resumer(uintptr_t function);

#endif
