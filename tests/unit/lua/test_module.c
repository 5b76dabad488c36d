/* Tests of the Lua module where memory is refused: whichever request of a call fails, the call
 * raises a memory error or succeeds, nothing of it is counted as the program's, nothing of ours is
 * lost (the leak checker looks), and the profile goes on. */
#include <lauxlib.h>
#include <lualib.h>
#include <stdbool.h>

#include "agent/interp/luafacts.h"
#include "suite.h"

int luaopen_luamemprofiler(lua_State *L);

static long left; /* requests until one is refused, once; below 0: none is */

static void *test_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud;
    (void)osize;
    if (!nsize) {
        free(ptr);
        return NULL;
    }
    if (left >= 0 && left-- <= 1) {
        left = 0; /* the second attempt, after a collection, as well */
        return NULL;
    }
    return realloc(ptr, nsize);
}

static const char prelude[] =
    "lmp.start {summary = false, stacks = ...}\n"
    "local keep = {}\n"
    "lmp.tag 'a request'\n"
    "local function make(n) if n > 0 then keep[#keep + 1] = {n, tostring(n)} make(n - 1) end end\n"
    "make(20) table.concat {1, 2, 'x'} coroutine.wrap(function() make(5) end)()\n"
    "everything = {sites = true, functions = true, tags = true, tree = true}\n"
    "function figures() -- but for stacks, which are the program's, whoever makes them grow\n"
    "  local s = lmp.stats() return s.mallocs - s.types.thread.allocs end\n";

/* Objects that the program has asked for, -1: there is no profile any more. */
static lua_Integer figures(lua_State *L) {
    lua_getglobal(L, "figures");
    lua_Integer n = lua_pcall(L, 0, 1, 0) == LUA_OK ? lua_tointeger(L, -1) : -1;
    lua_pop(L, 1);
    return n;
}

/* How many requests a call takes is found by refusing one after the other. */
static void refuse_each(const char *call, int stacks) {
    bool done = false;
    for (long most = 1; !done; most++) {
        left = -1;
        lua_State *L = luafacts_newstate(test_alloc, NULL);
        luaL_openlibs(L);
        luaL_requiref(L, "lmp", luaopen_luamemprofiler, 1);
        lua_settop(L, 0);
        ck_assert_int_eq(luaL_loadstring(L, prelude), LUA_OK);
        lua_pushboolean(L, stacks);
        ck_assert_msg(lua_pcall(L, 1, 0, 0) == LUA_OK, "%s", lua_tostring(L, -1));
        ck_assert_int_eq(luaL_loadstring(L, call), LUA_OK);
        lua_gc(L, LUA_GCSTOP);
        lua_Integer before = figures(L);
        ck_assert_int_gt(before, 0);
        lua_pushvalue(L, -1);
        ck_assert(lua_checkstack(L, 100));
        left = most;
        int status = lua_pcall(L, 0, 0, 0);
        done = left > 0;
        left = -1;
        ck_assert_msg(status == LUA_OK || status == LUA_ERRMEM, "%s", lua_tostring(L, -1));
        ck_assert(done ? status == LUA_OK : true);
        lua_Integer after = figures(L);
        ck_assert_msg(after == before || after < 0, "%d, before %d", (int)after, (int)before);
        lua_close(L);
        ck_assert_int_lt(most, 20000);
        if (most > 300) most += 17; /* the rest is more of the same */
    }
}

TEST(test_stats) {
    refuse_each("lmp.stats(everything)", 0);
}

TEST(test_stats_with_stacks) {
    refuse_each("lmp.stats(everything)", 1);
}

TEST(test_stop) {
    refuse_each("lmp.stop(everything)", 1);
}

TEST(test_frame) {
    refuse_each("lmp.frame() lmp.frame 'a frame'", 0);
}

TEST(test_tag) {
    refuse_each("lmp.tag 'another' lmp.tag()", 0);
}
