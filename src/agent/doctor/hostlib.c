/* hostlib.c - what programs find in their state besides the libraries: a table `host` of C
 * functions that call, resume and ask for memory in ways that no library does. All of it is there
 * in both runs, so that these are the same; only in the first one the witness is told. */
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "agent/doctor/stage.h"

static Stage *stage; /* one is played at a time */

static bool witnessed(void) {
    return stage->armed && !stage->profiled;
}

static int resume(lua_State *L, lua_State *from, int nargs, int *results) {
    return witnessed() ? witness_resume(&stage->witness, L, from, nargs, results)
                       : lua_resume(L, from, nargs, results);
}

/* call(f, ...) */
static int l_call(lua_State *L) {
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

/* pcall(f, ...): true or false, then results or the error */
static int l_pcall(lua_State *L) {
    int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
    lua_pushboolean(L, status == LUA_OK);
    lua_insert(L, 1);
    return lua_gettop(L);
}

static int raise(lua_State *L, lua_State *t) {
    lua_xmove(t, L, 1);
    return lua_error(L);
}

/* resume(thread, ...): its results. As a scheduler of C code might: the thread is argument 1. */
static int l_resume(lua_State *L) {
    lua_State *t = lua_tothread(L, 1);
    luaL_argcheck(L, t, 1, "a thread expected");
    int n = lua_gettop(L) - 1, results = 0;
    lua_checkstack(t, n);
    lua_xmove(L, t, n);
    if (resume(t, L, n, &results) > LUA_YIELD) return raise(L, t);
    luaL_checkstack(L, results, "results");
    lua_xmove(t, L, results);
    return results;
}

enum { HIDDEN_MAX = 200 };
static int hidden_threads;

/* A thread that is anchored where nobody looks for it. */
static lua_State *hidden_thread(lua_State *L) {
    lua_State *t = lua_newthread(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &hidden_threads);
    lua_insert(L, -2);
    if (++hidden_threads > HIDDEN_MAX) luaL_error(L, "too many threads");
    lua_rawseti(L, -2, hidden_threads);
    lua_pop(L, 1);
    return t;
}

/* run(f, ...): to its end, however often it yields. The thread stands in no argument of ours. */
static int l_run(lua_State *L) {
    lua_State *t = hidden_thread(L);
    int n = lua_gettop(L), results = 0, status;
    lua_xmove(L, t, n);
    status = resume(t, L, n - 1, &results);
    while (status == LUA_YIELD) {
        lua_pop(t, results);
        status = resume(t, L, 0, &results);
    }
    if (status != LUA_OK) return raise(L, t);
    return 0;
}

enum { TURNS_MAX = 20 };

/* Threads in turns, until all have ended. `from` NULL: now and then nobody resumes them. Returns
 * the one that failed. */
static lua_State *take_turns(lua_State *L, lua_State **t, int n, bool by_nobody) {
    int results;
    for (int left = n; left > 0;)
        for (int i = 0; i < n; i++) {
            if (!t[i]) continue;
            int status = resume(t[i], by_nobody && i % 2 == 0 ? NULL : L, 0, &results);
            if (status > LUA_YIELD) return t[i];
            lua_pop(t[i], results);
            if (status == LUA_YIELD) continue;
            t[i] = NULL;
            left--;
        }
    return NULL;
}

/* schedule(f, g, ...): each in a thread, in turns. */
static int l_schedule(lua_State *L) {
    lua_State *t[TURNS_MAX];
    int n = lua_gettop(L);
    luaL_argcheck(L, n <= TURNS_MAX, 1, "too many");
    for (int i = 0; i < n; i++)
        t[i] = hidden_thread(L);
    for (int i = n; i-- > 0;)
        lua_xmove(L, t[i], 1);
    lua_State *failed = take_turns(L, t, n, false);
    return failed ? raise(L, failed) : 0;
}

int hostlib_run_returned(lua_State *L) {
    lua_State *t[TURNS_MAX];
    bool table = lua_istable(L, -1);
    if (!table && !lua_isfunction(L, -1)) return LUA_OK;
    int n = table ? (int)lua_rawlen(L, -1) : 1;
    if (n > TURNS_MAX) n = TURNS_MAX;
    for (int i = 0; i < n; i++) {
        if (table) {
            lua_rawgeti(L, 1, i + 1);
        } else {
            lua_pushvalue(L, 1);
        }
        if (!lua_isfunction(L, -1)) return LUA_OK; /* a table of other things */
        t[i] = hidden_thread(L);
        lua_xmove(L, t[i], 1);
    }
    lua_State *failed = take_turns(L, t, n, true);
    if (!failed) return LUA_OK;
    lua_xmove(failed, L, 1);
    return LUA_ERRRUN;
}

/* userdata(bytes, user values) */
static int l_userdata(lua_State *L) {
    lua_newuserdatauv(L, (size_t)luaL_checkinteger(L, 1), (int)luaL_optinteger(L, 2, 0));
    return 1;
}

/* buffer(n): n bytes, one by one */
static int l_buffer(lua_State *L) {
    int n = (int)luaL_checkinteger(L, 1);
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    while (n-- > 0)
        luaL_addchar(&buffer, 'b');
    luaL_pushresult(&buffer);
    return 1;
}

/* closure(n): a C closure of n upvalues. */
static int l_closure(lua_State *L) {
    int n = (int)luaL_checkinteger(L, 1);
    luaL_checkstack(L, n, "upvalues");
    for (int i = 0; i < n; i++)
        lua_pushinteger(L, i);
    lua_pushcclosure(L, l_userdata, n);
    return 1;
}

/* yield(...): from C, with a continuation that makes a string */
static int continued(lua_State *L, int status, lua_KContext k) {
    (void)status;
    lua_pushfstring(L, "continued %d", (int)k);
    return 1;
}

static int l_yield(lua_State *L) {
    return lua_yieldk(L, lua_gettop(L), 7, continued);
}

static void c_hook(lua_State *L, lua_Debug *ar) {
    (void)ar;
    lua_newuserdatauv(L, 100, 0);
    lua_pop(L, 1);
}

static void set_hook(lua_State *L, lua_Hook f, int mask, int count) {
    if (witnessed()) {
        witness_watch(L, f, mask, count);
    } else {
        lua_sethook(L, f, mask, count);
    }
}

/* hook(mask, count): a hook in C that asks for memory; hook(): none */
static int l_hook(lua_State *L) {
    int mask = (int)luaL_optinteger(L, 1, 0), count = (int)luaL_optinteger(L, 2, 0);
    set_hook(L, mask ? c_hook : NULL, mask, count);
    return 0;
}

static const luaL_Reg host_functions[] = {
    {"call", l_call},
    {"pcall", l_pcall},
    {"resume", l_resume},
    {"run", l_run},
    {"schedule", l_schedule},
    {"userdata", l_userdata},
    {"buffer", l_buffer},
    {"closure", l_closure},
    {"yield", l_yield},
    {"hook", l_hook},
    {NULL, NULL},
};

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
    hidden_threads = 0;
    lua_createtable(L, HIDDEN_MAX, 0);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &hidden_threads);
    luaL_newlib(L, host_functions);
    lua_setglobal(L, "host");
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
