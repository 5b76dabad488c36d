/* measured.c - a userdata to be closed, whose __close and __gc end the interval, so that an error
 * in the measured function ends it, too; and what is held of each type, without string buffers and
 * stacks, which come and go with the interpreter's own work. */
#include "measured.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/session/profiler.h"
#include "module.h"

static const char metatable_key;

/* ---- figures --------------------------------------------------------------------------------- */

MeasuredHeld measured_held(const LmpStats *s, LmpKind kind) {
    const LmpKindStats *k = &s->kind[kind];
    bool parts = kind != LMP_STRING && kind != LMP_THREAD;
    return parts ? (MeasuredHeld){k->live_bytes, k->live_blocks}
                 : (MeasuredHeld){k->tag_live_bytes, k->tag_live_blocks};
}

MeasuredHeld measured_held_all(const LmpStats *s) {
    MeasuredHeld all = {0, 0};
    for (int kind = 0; kind < LMP_KINDS; kind++) {
        MeasuredHeld held = measured_held(s, (LmpKind)kind);
        all.bytes += held.bytes;
        all.blocks += held.blocks;
    }
    return all;
}

void measured_set(lua_State *L, const char *name, lua_Integer n) {
    lua_pushinteger(L, n);
    lua_setfield(L, -2, name);
}

static void set_text(lua_State *L, const char *name, const char *text) {
    lua_pushstring(L, text);
    lua_setfield(L, -2, name);
}

void measured_set_site(lua_State *L, const LmpSiteRow *site) {
    set_text(L, "source", site->raw_source);
    set_text(L, "short_src", site->short_src);
    set_text(L, "func", site->func);
    measured_set(L, "line", site->line);
}

/* ---- its life -------------------------------------------------------------------------------- */

void measured_end(lua_State *L, Measured *m) {
    interval_end(L, &m->interval);
    ledger_free(&m->ledger);
    free(m->rows);
    m->rows = NULL;
}

static int close_measured(lua_State *L) {
    Measured *m = lua_touserdata(L, 1);
    if (m && lua_getmetatable(L, 1) && lua_rawgetp(L, -1, &metatable_key) == LUA_TBOOLEAN)
        measured_end(L, m);
    return 0;
}

static void push_metatable(lua_State *L) {
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &metatable_key) == LUA_TTABLE) return;
    lua_pop(L, 1);
    lua_createtable(L, 0, 3);
    lua_pushboolean(L, 1);
    lua_rawsetp(L, -2, &metatable_key);
    lua_pushcfunction(L, close_measured);
    lua_setfield(L, -2, "__gc");
    lua_pushcfunction(L, close_measured);
    lua_setfield(L, -2, "__close");
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &metatable_key);
}

static void push_measured(lua_State *L, void *from) {
    const size_t *size = from;
    void *m = lua_newuserdatauv(L, *size, 0);
    memset(m, 0, *size);
    push_metatable(L);
    lua_setmetatable(L, -2);
}

Measured *measured_begin(lua_State *L, size_t size, LmpErr *err) {
    static LmpErr said;
    if (module_own_call(L, push_measured, &size, 1) != LUA_OK) {
        lua_error(L);
        return NULL;
    }
    lua_insert(L, 1);
    LmpOwn before = profiler_own_begin(L);
    lua_toclose(L, 1); /* up to Lua 5.4.2 it makes an upvalue */
    profiler_own_end(L, before);
    Measured *m = lua_touserdata(L, 1);
    *err = interval_begin(L, &m->interval);
    if (!*err) return m;
    if (*err != said) dprintf(STDERR_FILENO, "lmp: nothing is measured: %s\n", err_message(*err));
    said = *err;
    return NULL;
}

bool measured_collect(lua_State *L) {
    return lua_gc(L, LUA_GCCOLLECT) >= 0 && lua_gc(L, LUA_GCCOLLECT) >= 0;
}

bool measured_read(lua_State *L, Measured *m, LmpStats *stats) {
    return interval_look(L, &m->interval) && profiler_stats(L, stats) == LMP_OK &&
           profiler_ledger(L, LEDGER_SITES, &m->ledger) == LMP_OK;
}

void measured_check(lua_State *L) {
    luaL_checkany(L, 1);
    if (lua_isfunction(L, 1)) return;
    if (luaL_getmetafield(L, 1, "__call") == LUA_TNIL) luaL_typeerror(L, 1, "function");
    lua_pop(L, 1);
}
