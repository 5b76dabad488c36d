/* helpers.c - loads the text of a helper, which the build has put into `helpers`, as a chunk of its
 * name; and enters the loaders into package.preload. */
#include "helpers.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "agent/session/interval.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int luaopen_luamemprofiler_busted(lua_State *L);
EXPORT int luaopen_luamemprofiler_luaunit(lua_State *L);
EXPORT int luaopen_luamemprofiler_expect(lua_State *L);

/* The name of the module is the first argument, as `require` has it. What the assertions look at is
 * profiled from here on: then they can name the lines of what was made before the first of them.
 * Where that is not possible they say so. */
static int load_helper(lua_State *L, const char *file) {
    char chunk[64];
    luaL_checkversion(L);
    (void)interval_keep(L);
    const Helper *h = helpers;
    while (h->name && strcmp(h->name, file) != 0)
        h++;
    snprintf(chunk, sizeof chunk, "@luamemprofiler/%s", file);
    if (luaL_loadbufferx(L, h->text, h->length, chunk, "t") != LUA_OK) return lua_error(L);
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

int luaopen_luamemprofiler_busted(lua_State *L) {
    return load_helper(L, "busted.lua");
}

int luaopen_luamemprofiler_luaunit(lua_State *L) {
    return load_helper(L, "luaunit.lua");
}

int luaopen_luamemprofiler_expect(lua_State *L) {
    return load_helper(L, "expect.lua");
}

void helpers_preload(lua_State *L) {
    static const luaL_Reg loaders[] = {{"luamemprofiler.busted", luaopen_luamemprofiler_busted},
                                       {"luamemprofiler.luaunit", luaopen_luamemprofiler_luaunit},
                                       {"luamemprofiler.expect", luaopen_luamemprofiler_expect}};
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    for (unsigned i = 0; i < sizeof loaders / sizeof *loaders; i++) {
        if (lua_getfield(L, -1, loaders[i].name) == LUA_TNIL) {
            lua_pushcfunction(L, loaders[i].func);
            lua_setfield(L, -3, loaders[i].name);
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}
