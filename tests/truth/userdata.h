/* userdata.h - what a userdata takes besides its bytes, by Lua's own count: releases of 5.5 differ
 * in where user values begin. */
#ifndef USERDATA_H
#define USERDATA_H

#include <lauxlib.h>

/* Returns that in bytes, with so many user values. */
static inline size_t userdata_head(int values) {
    static size_t first; /* of one user value */
    if (values == 0) return 32;
    if (!first) {
        lua_State *L = luaL_newstate();
        lua_gc(L, LUA_GCSTOP);
        int before = lua_gc(L, LUA_GCCOUNTB) + 1024 * lua_gc(L, LUA_GCCOUNT);
        lua_newuserdatauv(L, 16, 1);
        first = (size_t)(lua_gc(L, LUA_GCCOUNTB) + 1024 * lua_gc(L, LUA_GCCOUNT) - before - 16);
        lua_close(L);
    }
    return first + 16 * (size_t)(values - 1);
}

#endif
