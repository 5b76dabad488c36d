/* hostlib.c - what programs find in their state besides the libraries: the table `host`
 * (hostcalls.h), and some functions that do a little more than the libraries' own. All of it is
 * there in both runs, so that these are the same; the witness is only notified in the first one. */
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "agent/doctor/hostcalls.h"
#include "agent/doctor/stage.h"

static Stage *stage; /* one is played at a time */

static bool witnessed(void) {
    return stage->armed && !stage->profiled;
}

static int resume(lua_State *L, lua_State *from, int nargs, int *results) {
    return witnessed() ? witness_resume(&stage->witness, L, from, nargs, results)
                       : lua_resume(L, from, nargs, results);
}

static void set_hook(lua_State *L, lua_Hook f, int mask, int count) {
    if (witnessed()) {
        witness_watch(L, f, mask, count);
    } else {
        lua_sethook(L, f, mask, count);
    }
}

static const HostCalls calls = {resume, set_hook};

/* ---- the libraries --------------------------------------------------------------------------- */

/* debug.sethook (upvalue 1), which leaves the witness's hook in place. */
static int l_sethook(lua_State *L) {
    lua_State *of = lua_isthread(L, 1) ? lua_tothread(L, 1) : L;
    int n = lua_tocfunction(L, lua_upvalueindex(1))(L);
    if (witnessed()) witness_watch(of, lua_gethook(of), lua_gethookmask(of), lua_gethookcount(of));
    return n;
}

/* coroutine.close (upvalue 1), announced. It may raise an error, which leaves it announced until
 * the next; that does no harm, for a thread that has not yielded is none that is being closed. */
static int l_close(lua_State *L) {
    Witness *w = &stage->witness;
    int max = (int)(sizeof w->closing / sizeof *w->closing), before = w->closings;
    lua_State *t = lua_tothread(L, 1);
    lua_CFunction close = lua_tocfunction(L, lua_upvalueindex(1));
    if (t && lua_status(t) == LUA_YIELD && before < max) w->closing[w->closings++] = t;
    int n = close(L);
    w->closings = before;
    return n;
}

static int l_print(lua_State *L) {
    int n = lua_gettop(L);
    Outcome *o = stage->profiled ? &stage->watched : &stage->alone;
    for (int i = 1; i <= n; i++) {
        for (const char *c = luaL_tolstring(L, i, NULL); *c; c++)
            o->trail = (o->trail ^ (unsigned char)*c) * 0x100000001b3ull;
        lua_pop(L, 1);
    }
    return 0;
}

static void replace(lua_State *L, const char *library, const char *name, lua_CFunction f) {
    lua_getglobal(L, library);
    lua_getfield(L, -1, name);
    lua_pushcclosure(L, f, 1);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

void hostlib_open(lua_State *L, Stage *s) {
    stage = s;
    hostcalls_open(L, &calls);
    replace(L, "debug", "sethook", l_sethook);
    replace(L, "coroutine", "close", l_close);
    lua_pushcfunction(L, l_print);
    lua_setglobal(L, "print");
    lua_getglobal(L, "package"); /* nothing of this machine's is to be found */
    lua_pushliteral(L, "");
    lua_setfield(L, -2, "cpath");
    lua_pushliteral(L, "");
    lua_setfield(L, -2, "path");
    lua_pop(L, 1);
}
