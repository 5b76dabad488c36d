/* private_state.h - a state of ours, made by the same interpreter, in which something is learnt of
 * it that does not differ from state to state. */
#ifndef LMP_PRIVATE_STATE_H
#define LMP_PRIVATE_STATE_H

#include <lauxlib.h>

/* Calls f in one. Without memory, or if it fails, it has learnt what it has learnt. */
static inline void private_state_call(lua_CFunction f) {
    lua_State *L = luaL_newstate();
    if (!L) return;
    lua_pushcfunction(L, f);
    lua_pcall(L, 0, 0, 0);
    lua_close(L);
}

#endif
