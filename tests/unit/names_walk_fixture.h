/* names_walk_fixture.h - for suites of names_walk.c: a state that contains only what a test puts
 * there, C functions with numbers for names, and everything that a pass reports about them. */
#ifndef LMP_NAMES_WALK_FIXTURE_H
#define LMP_NAMES_WALK_FIXTURE_H

#include <lauxlib.h>
#include <lualib.h>

#include "agent/charge/names_walk.h"
#include "bare_tables.h"

/* ---- a map that is refused once -------------------------------------------------------------- */

static int fails_at; /* so many calls later; below 0: never */

static void *refused_once(size_t size, int fd, uint64_t offset, bool writable) {
    if (fails_at >= 0 && fails_at-- == 0) return NULL;
    return test_map(size, fd, offset, writable);
}

/* ---- a state with nothing in it but what a test puts there ----------------------------------- */

enum {
    FUNCTIONS = 60000,
    NAME_MOST = 160 /* as names_walk.c has it */
};

static lua_State *L;

/* A C function by number; nothing calls it. */
static int push_function(lua_State *S) {
    uintptr_t address = 0x10000 + 16 * (uintptr_t)luaL_checkinteger(S, 1);
    lua_CFunction f;
    memcpy(&f, &address, sizeof f);
    lua_settop(S, 2);
    if (lua_isnil(S, 2)) {
        lua_pushcfunction(S, f);
    } else {
        lua_pushcclosure(S, f, 1); /* with an upvalue */
    }
    return 1;
}

/* A table with n (a power of two) places for an array, nearly all taken, whose length is small:
 * where Lua looks for it, at powers of two and a little before, there is nothing. Or so is table 2.
 */
static int push_holes(lua_State *S) {
    int n = (int)luaL_checkinteger(S, 1);
    if (lua_gettop(S) < 2) lua_createtable(S, n, 4);
    for (int i = 1, power = 1; i < n - 1; i++) {
        if (power < i) power *= 2;
        if (power - i < 8) continue;
        lua_pushboolean(S, true);
        lua_rawseti(S, -2, i);
    }
    ck_assert_uint_lt(lua_rawlen(S, -1), 8);
    return 1;
}

static int registry_std; /* where the libraries are */

static void end(void) {
    maps_left = -1;
    lua_close(L);
    bare_tables_end();
}

static void begin(void) {
    suite_closes(end);
    bare_tables((LmpTableLimits){0});
    test_os.map = refused_once;
    fails_at = -1;
    ck_assert_int_eq(sites_open(&p), LMP_OK);
    L = luaL_newstate();
    luaL_openlibs(L);
    lua_pushglobaltable(L);
    registry_std = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_newtable(L);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, LUA_FILEHANDLE);
}

/* Runs code that knows f(number [, upvalue]), holes(n), std, loaded and registry. */
static void run(const char *code) {
    size_t size = strlen(code) + 100;
    char *whole = malloc(size);
    snprintf(whole, size, "local f, holes, std, loaded, registry = ...; %s", code);
    ck_assert_msg(luaL_loadbuffer(L, whole, strlen(whole), "=run") == LUA_OK, "%s",
                  lua_tostring(L, -1));
    free(whole);
    lua_pushcfunction(L, push_function);
    lua_pushcfunction(L, push_holes);
    lua_rawgeti(L, LUA_REGISTRYINDEX, registry_std);
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushvalue(L, LUA_REGISTRYINDEX);
    ck_assert_msg(lua_pcall(L, 5, LUA_MULTRET, 0) == LUA_OK, "%s", lua_tostring(L, -1));
}

/* ---- what was found -------------------------------------------------------------------------- */

static char found[FUNCTIONS][NAME_MOST]; /* "": it was not */
static struct {
    uint32_t count;
    uint32_t text; /* bytes of names, each with its end */
} all;
static struct {
    uint32_t row;
    const void *object;
    bool several;
    char name[NAME_MOST];
} lua_found[16];
static unsigned lua_count;

static void note(LmpProfile *profile, const LmpNamed *n) {
    ck_assert_ptr_eq(profile, &p);
    ck_assert_uint_gt(n->rank, 0);
    ck_assert_uint_lt(strlen(n->name), NAME_MOST);
    ck_assert_uint_gt(strlen(n->name), 0);
    ck_assert_ptr_nonnull(n->object);
    all.count++;
    all.text += (uint32_t)strlen(n->name) + 1;
    if (n->address) {
        ck_assert_uint_eq(n->row, 0);
        ck_assert(!n->several);
        uintptr_t i = ((uintptr_t)n->address - 0x10000) / 16;
        ck_assert_uint_lt(i, FUNCTIONS);
        ck_assert_str_eq(found[i], ""); /* each once */
        strcpy(found[i], n->name);
        return;
    }
    ck_assert_uint_gt(n->row, 0);
    ck_assert_uint_lt(lua_count, 16);
    lua_found[lua_count].row = n->row;
    lua_found[lua_count].object = n->object;
    lua_found[lua_count].several = n->several;
    strcpy(lua_found[lua_count++].name, n->name);
}

static bool walk(void) {
    memset(found, 0, sizeof found);
    memset(&all, 0, sizeof all);
    lua_count = 0;
    int top = lua_gettop(L), areas = mapped;
    bool ok = names_walk(&p, L, note);
    ck_assert_int_eq(lua_gettop(L), top);
    ck_assert_int_eq(mapped, areas);
    return ok;
}

/* All there is, C functions by number: "1=name 2=name". */
static void expect(const char *want) {
    char is[8192];
    size_t n = 0;
    ck_assert(walk());
    is[0] = 0;
    for (unsigned i = 0; i < FUNCTIONS; i++)
        if (*found[i] && n + NAME_MOST + 16 < sizeof is)
            n += (size_t)snprintf(is + n, sizeof is - n, "%s%u=%s", n ? " " : "", i, found[i]);
    ck_assert_str_eq(is, want);
}

#endif
