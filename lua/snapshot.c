/* snapshot.c - lmp.snapshot: arguments in, the file's name and a table of figures out. */
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/session/profiler.h"
#include "module.h"

static void set_number(lua_State *L, const char *name, uint64_t value) {
    lua_pushinteger(L, (lua_Integer)value);
    lua_setfield(L, -2, name);
}

static void set_seconds(lua_State *L, const char *name, uint64_t ns) {
    lua_pushnumber(L, (lua_Number)ns / 1e9);
    lua_setfield(L, -2, name);
}

static void push_figures(lua_State *L, const LmpSnapshotLive *of) {
    lua_createtable(L, 0, 9);
    set_number(L, "number", of->number);
    set_number(L, "live_bytes", of->live_bytes);
    set_number(L, "live_blocks", of->live_blocks);
    set_seconds(L, "stop", of->stop);
    lua_pushboolean(L, of->forked != 0);
    lua_setfield(L, -2, "forked");
    if (of->why_in_place[0]) {
        lua_pushstring(L, of->why_in_place);
        lua_setfield(L, -2, "why_in_place");
    }
    if (of->state != LMP_SNAPSHOT_WRITTEN) return; /* not known yet */
    set_number(L, "objects", of->objects);
    set_number(L, "file_bytes", of->bytes);
    set_seconds(L, "walk", of->walk);
    set_seconds(L, "slowest", of->slowest);
}

static void push_answer(lua_State *L, void *from) {
    const LmpSnapshotLive *of = from;
    lua_pushstring(L, of->file);
    push_figures(L, of);
}

static bool option(lua_State *L, const char *name) {
    lua_getfield(L, 2, name);
    luaL_argcheck(L, lua_isnil(L, -1) || lua_isboolean(L, -1), 2,
                  "options are gc = boolean, wait = boolean");
    bool on = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return on;
}

/* Other names are mistakes. */
static void check_options(lua_State *L) {
    lua_pushnil(L);
    while (lua_next(L, 2)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
        luaL_argcheck(L, !strcmp(name, "gc") || !strcmp(name, "wait"), 2,
                      "options are gc = boolean, wait = boolean");
        lua_pop(L, 1);
    }
}

int module_snapshot(lua_State *L) {
    size_t length;
    bool collect = false, wait = false;
    const char *file = luaL_optlstring(L, 1, NULL, &length);
    luaL_argcheck(L, !file || (*file && strlen(file) == length), 1, "the name of a file expected");
    if (!lua_isnoneornil(L, 2)) {
        luaL_checktype(L, 2, LUA_TTABLE);
        check_options(L);
        collect = option(L, "gc");
        wait = option(L, "wait");
    }
    LmpSnapshotLive of = {0};
    char why[sizeof of.file + 200];
    LmpErr err = profiler_snapshot(L, file, collect, wait, &of);
    snprintf(why, sizeof why, "%s: %s: %s", of.file, err_message(err), err_of_file(of.os_error));
    if (err) return module_refuse(L, err, err == LMP_E_FILE ? why : NULL);
    return module_own_call(L, push_answer, &of, 2) == LUA_OK ? 2 : lua_error(L);
}
