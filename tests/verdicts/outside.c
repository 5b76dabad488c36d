/* outside.c - a Lua module that takes memory which Lua knows nothing of: outside.take(bytes). */
#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>
#include <string.h>

static int take(lua_State *L) {
    size_t size = (size_t)luaL_checkinteger(L, 1);
    static void *volatile kept;
    void *block = malloc(size);
    kept = block;
    if (block) memset(block, 1, size);
    lua_pushboolean(L, kept != NULL);
    return 1;
}

__attribute__((visibility("default"))) int luaopen_outside(lua_State *L);
int luaopen_outside(lua_State *L) {
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, take);
    lua_setfield(L, -2, "take");
    return 1;
}
