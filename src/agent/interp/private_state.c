/* private_state.c - asks the coroutine library of a private state for the addresses of its two
 * functions that resume. */
#include "agent/interp/private_state.h"

#include <lauxlib.h>
#include <lualib.h>

#include "agent/interp/learning.h"

void private_state_call(lua_CFunction f) {
    lua_State *L = luaL_newstate();
    if (!L) return;
    lua_pushcfunction(L, f);
    lua_pcall(L, 0, 0, 0);
    lua_close(L);
}

static uintptr_t resume, wrapped; /* 0: not known */

static int find(lua_State *L) {
    luaL_requiref(L, LUA_COLIBNAME, luaopen_coroutine, 0);
    lua_getfield(L, -1, "resume");
    lua_getfield(L, -2, "wrap");
    lua_pushcfunction(L, find); /* any function; the coroutine never runs */
    lua_call(L, 1, 1);
    resume = (uintptr_t)lua_tocfunction(L, -2);
    wrapped = (uintptr_t)lua_tocfunction(L, -1);
    return 0;
}

static void find_once(void) {
    private_state_call(find);
}

void private_state_find_resumers(void) {
    static atomic_bool once;
    learning_once(&once, find_once);
}

bool private_state_is_resumer(uintptr_t function) {
    return function && (function == resume || function == wrapped);
}
