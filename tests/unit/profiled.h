/* profiled.h - starts the profiler in a suite's own state, without a summary at its end; runs code
 * there. */
#ifndef LMP_PROFILED_H
#define LMP_PROFILED_H

#include <lauxlib.h>
#include <lualib.h>

#include "agent/session/profiler.h"
#include "agent/state/profile.h"
#include "suite.h"

/* With the standard libraries. */
static inline lua_State *new_state(void) {
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    return L;
}

/* `options` is profiler_defaults with what the suite wants otherwise. All of it must be had. */
static inline LmpProfile *profiled_start(lua_State *L, LmpOptions options) {
    LmpErr lack;
    void *ud;
    options.summary = "";
    ck_assert_int_eq(profiler_start(L, &options, &lack), LMP_OK);
    ck_assert_int_eq(lack, LMP_OK);
    lua_getallocf(L, &ud);
    return ud;
}

/* Runs Lua code, which must not fail. Its results are on the stack. */
static inline void run_lua(lua_State *L, const char *code) {
    ck_assert_msg(luaL_dostring(L, code) == LUA_OK, "%s", lua_tostring(L, -1));
}

/* Runs it under the name `chunk`, without results. */
static inline void run_chunk(lua_State *L, const char *chunk, const char *code) {
    ck_assert_msg(luaL_loadbuffer(L, code, strlen(code), chunk) == LUA_OK &&
                      lua_pcall(L, 0, 0, 0) == LUA_OK,
                  "%s", lua_tostring(L, -1));
}

#endif
