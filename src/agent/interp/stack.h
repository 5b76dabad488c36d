/* stack.h - looking at the Lua stack from inside an allocator request: the only caller of
 * lua_getstack and lua_getinfo there.
 *
 * Only calls that neither allocate nor push are used (what "S", "l", "n", "t" need). It may be done
 * before the allocator underneath is called and never while a thread's own stack is being moved
 * (its frames hold offsets then, Lua 5.4.5 and later): the caller sees to that. */
#ifndef LMP_STACK_H
#define LMP_STACK_H

#include "agent/state/profile.h"

#define LMP_CHAIN 64 /* coroutines inside coroutines that are followed */

/* Lists the threads that are running, main thread first: each resumed the next. Returns how many
 * (>= 1); the last one runs. C code that resumes in its own way hides what it resumed. */
int stack_chain(lua_State *main, lua_State *chain[LMP_CHAIN]);

/* Writes depth, frames, cut_at, coroutines and frame[] of op. */
void stack_inspect(lua_State *main, LmpOp *op);

/* Finds where op->frame[frame] is: its thread and level there. `op` is as stack_inspect has filled
 * it, and nothing has run since. */
bool stack_find(lua_State *main, const LmpOp *op, uint32_t frame, lua_State **thread, int *level);

/* Writes what luaL_traceback calls a function, by how its caller does: "method 'push'", "function
 * 'f'" of a global or a field; but a main chunk is always that. Returns false if there was no name
 * in the call: then `out` only says where the function stands, "?" for one in C. `ar` has what "Sn"
 * gives. */
bool stack_function_name(const lua_Debug *ar, char *out, size_t size);

#endif
