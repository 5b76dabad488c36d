/* hostcalls.c - the C functions of `host`, in Lua's documented API; resuming and setting hooks go
 * through the observer (HostCalls). */
#include "agent/doctor/hostcalls.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <string.h>

static const HostCalls *how;

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
    if (how->resume(t, L, n, &results) > LUA_YIELD) return raise(L, t);
    luaL_checkstack(L, results, "results");
    lua_xmove(t, L, results);
    return results;
}

enum { HIDDEN_MAX = 200 };
static int hidden_threads;

/* Makes a thread and anchors it in a hidden array that has room for it: in a table keyed by address
 * two runs would differ. */
static lua_State *hidden_thread(lua_State *L) {
    lua_State *t = lua_newthread(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &hidden_threads);
    lua_insert(L, -2);
    if (++hidden_threads > HIDDEN_MAX) luaL_error(L, "too many threads");
    lua_rawseti(L, -2, hidden_threads);
    lua_pop(L, 1);
    return t;
}

/* run(f, ...): to its end, however often it yields. The thread is in no argument of ours. */
static int l_run(lua_State *L) {
    lua_State *t = hidden_thread(L);
    int n = lua_gettop(L), results = 0, status;
    lua_xmove(L, t, n);
    status = how->resume(t, L, n - 1, &results);
    while (status == LUA_YIELD) {
        lua_pop(t, results);
        status = how->resume(t, L, 0, &results);
    }
    if (status != LUA_OK) return raise(L, t);
    return 0;
}

enum { TURNS_MAX = 20 };

/* Resumes threads in turns until all have ended. `without_from`: now and then `from` is NULL.
 * Returns the thread that failed. */
static lua_State *take_turns(lua_State *L, lua_State **t, int n, bool without_from) {
    int results;
    for (int left = n; left > 0;)
        for (int i = 0; i < n; i++) {
            if (!t[i]) continue;
            int status = how->resume(t[i], without_from && i % 2 == 0 ? NULL : L, 0, &results);
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

int hostcalls_run_returned(lua_State *L) {
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

/* lent(place, code): a function whose instructions lie in memory of ours (from Lua 5.5 on): in
 * place 0 or 1, which must not be in use any more. */
static int l_lent(lua_State *L) {
    static _Alignas(16) char memory[2][1 << 13];
    size_t size;
    char *place = memory[luaL_checkinteger(L, 1) & 1];
    const char *code = luaL_checklstring(L, 2, &size);
    luaL_argcheck(L, size <= sizeof *memory, 2, "too long");
    memcpy(place, code, size);
    if (luaL_loadbufferx(L, place, size, "=lent", "bB") != LUA_OK) return lua_error(L);
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

/* hook(mask, count): a hook in C that asks for memory; hook(): none */
static int l_hook(lua_State *L) {
    int mask = (int)luaL_optinteger(L, 1, 0), count = (int)luaL_optinteger(L, 2, 0);
    how->set_hook(L, mask ? c_hook : NULL, mask, count);
    return 0;
}

static const luaL_Reg host_functions[] = {
    {"call", l_call},     {"pcall", l_pcall},       {"resume", l_resume},
    {"run", l_run},       {"schedule", l_schedule}, {"userdata", l_userdata},
    {"buffer", l_buffer}, {"closure", l_closure},   {"lent", l_lent},
    {"yield", l_yield},   {"hook", l_hook},         {NULL, NULL},
};

void hostcalls_open(lua_State *L, const HostCalls *calls) {
    how = calls;
    hidden_threads = 0;
    lua_createtable(L, HIDDEN_MAX, 0);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &hidden_threads);
    luaL_newlib(L, host_functions);
    lua_setglobal(L, "host");
}
