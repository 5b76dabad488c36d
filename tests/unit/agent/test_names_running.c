/* Tests of names.c in a profiled program that runs: its debug hook makes the passes, and they
 * change nothing that the program could see; who asks for figures has the names of that moment. */
#include "agent/charge/names.h"

#include "profiled.h"

RELEASE_AT(lua_close)

static void check_path_in(lua_State *T, const char *name, bool there) {
    OWN(ledger_free) Ledger ledger = {0};
    ck_assert_int_eq(profiler_ledger(T, LEDGER_FUNCTIONS, &ledger), LMP_OK);
    bool found = false;
    for (uint32_t i = 0; i < ledger.functions; i++)
        found |= !strcmp(ledger.function[i].name, name);
    ck_assert_msg(found == there, "%s", name);
}

/* Lua function: is there a function of that path in the shared state's tables? */
static int has_path(lua_State *T) {
    const LmpProfile *profile = lua_touserdata(T, lua_upvalueindex(1));
    const char *path = lua_tostring(T, 1);
    bool found = false;
    for (uint32_t i = 1; i < profile->live->tables.functions; i++)
        found |= !strcmp(profile->tables.text + profile->tables.function[i].qualified, path);
    lua_pushboolean(T, found);
    return 1;
}

/* A state of its own that is profiled. */
static lua_State *start(LmpProfile **profile) {
    lua_State *T = new_state();
    *profile = profiled_start(T, profiler_defaults);
    return T;
}

/* The debug hook makes the passes while nobody asks for figures: the tables of the shared state
 * have the path before any API function is called. How soon is not said: after a pass that was
 * slow, as on a loaded machine, the next one is put off. */
TEST(test_while_it_runs) {
    LmpProfile *profile;
    OWN(lua_close_at) lua_State *T = start(&profile);
    atomic_store(&profile->control->attached, 1); /* somebody looks on: else nothing is run */
    uint32_t names = profile->live->tables.names;
    const char *code = "Class = {} function Class.work() return {} end\n"
                       "local has_path, ends = ..., os.time() + 300\n"
                       "local co = coroutine.wrap(function() while true do\n"
                       "  for i = 1, 1000 do Class.work() end coroutine.yield() end end)\n"
                       "repeat co() until has_path 'Class.work' or os.time() > ends\n"
                       "assert(debug.gethook() == nil)";
    ck_assert_int_eq(luaL_loadstring(T, code), LUA_OK);
    lua_pushlightuserdata(T, profile);
    lua_pushcclosure(T, has_path, 1);
    ck_assert_msg(lua_pcall(T, 1, 0, 0) == LUA_OK, "%s", lua_tostring(T, -1));
    ck_assert_uint_gt(profile->live->tables.names, names);
    check_path_in(T, "function 'Class.work'", true);
    check_path_in(T, "function 'Class.play'", false);
    profiler_stop(T, NULL);
}

/* The program's debug hook is touched only while somebody looks on, where there is something to
 * find, once in a while; never at the end. */
TEST(test_when_it_asks) {
    LmpProfile *profile;
    OWN(lua_close_at) lua_State *T = start(&profile);
    ck_assert_int_eq(luaL_dostring(T, "function new() return {} end x = new()"), LUA_OK);
    profile->ticked += 3600 * 1000000000ull;
    atomic_store(&profile->control->attached, 0);
    names_tick(profile);
    ck_assert_ptr_null(lua_gethook(T));
    atomic_store(&profile->control->attached, 1);
    profile->closing = true;
    names_tick(profile);
    ck_assert_ptr_null(lua_gethook(T));
    profile->closing = false;
    uintptr_t here = atomic_exchange(&profile->pass.thread, 0); /* as in a forked child */
    names_tick(profile);
    ck_assert_ptr_null(lua_gethook(T));
    atomic_store(&profile->pass.thread, here);
    lua_State *co = lua_newthread(T);
    const lua_State *before = profile->running;
    profile->running = co;
    names_tick(profile);
    ck_assert_ptr_nonnull(lua_gethook(T));
    ck_assert(lua_gethook(co) == lua_gethook(T));
    lua_sethook(T, NULL, 0, 0);
    lua_sethook(co, NULL, 0, 0);
    names_tick(profile); /* it has been asked for */
    ck_assert_ptr_null(lua_gethook(T));
    profile->ticked += 3600 * 1000000000ull;
    profile->running = NULL;
    names_tick(profile);
    ck_assert_ptr_nonnull(lua_gethook(T));
    ck_assert_ptr_null(lua_gethook(co));
    lua_sethook(T, NULL, 0, 0);
    profile->running = before;
    profiler_stop(T, NULL);
}
