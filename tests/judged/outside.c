/* outside.c - a Lua module that takes memory which Lua knows nothing of: from malloc by
 * outside.take(bytes), from the system by outside.map(bytes). */
#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int take(lua_State *L) {
    size_t size = (size_t)luaL_checkinteger(L, 1);
    static void *volatile kept;
    void *block = malloc(size);
    kept = block;
    if (block) memset(block, 1, size);
    lua_pushboolean(L, kept != NULL);
    return 1;
}

static int map(lua_State *L) {
    size_t size = (size_t)luaL_checkinteger(L, 1);
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at != MAP_FAILED) memset(at, 1, size);
    lua_pushboolean(L, at != MAP_FAILED);
    return 1;
}

__attribute__((visibility("default"))) int luaopen_outside(lua_State *L);
int luaopen_outside(lua_State *L) {
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, take);
    lua_setfield(L, -2, "take");
    lua_pushcfunction(L, map);
    lua_setfield(L, -2, "map");
    return 1;
}
