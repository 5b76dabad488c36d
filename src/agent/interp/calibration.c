/* calibration.c - chunks of Lua code and C functions, each of which makes one kind of raw request
 * in as many ways as the interpreter has call sites for it: table parts, frames and stacks, the
 * parser, buffers. */
#include "agent/interp/calibration.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdbool.h>
#include <string.h>

#include "base/kind.h"

/* The interpreter's loop reaches the allocator by other paths than C code does. Compiled before
 * anything is noted; what calibration_prepare leaves holds them. */
enum { KEPT_DUMP = 1, KEPT_GROWS, KEPT_NESTS, KEPT_JOINS, KEPT_META, KEPT_META_LUA, KEPT_CALLS };

/* All that this chunk requests without a type tag is part of a table. */
static const char grows[] =
    "local t, insert, rawset = {}, table.insert, rawset\n"
    "for i = 1, 40 do t[i] = i t[-i] = i t[i + 0.5] = t end\n"
    "local f = {} f.a = 1 f.b = 2 f.c = 3 f[t] = 4 f[1] = 1 f[2] = 2\n"
    "local c, d, e = {1, 2, 3}, {a = 1, b = 2}, {1, x = 1, insert, rawset, f.a, f.b}\n"
    "local u = {t[1], t[2], table.unpack(t, 1, 9)}\n"
    "local x = {a = 1, b = 2, table.unpack(t, 1, 9)}\n"
    "local y = {a = 1, t[1], table.unpack(t, 1, 9)}\n"
    "if insert then for i = 1, 9 do insert(f, i) rawset(f, -i, i) end end\n"
    "return c, d, e, u";

/* ... of threads: frames, and room on the stack, by calls of all kinds. */
static const char nests[] =
    "local m = ...\n"
    "local function f(n) if n > 0 then return 1 + f(n - 1) end return 0 end\n"
    "local function v(n, ...) if n > 0 then return (v(n - 1, n, ...)) end return ... end\n"
    "local function i(n) if n > 0 then return (m(n - 1, i)) end return 0 end\n"
    "f(70) v(40) i(60)\n"
    "local function x(n) if n > 0 then for k in x, n - 1 do return k end end end x(30)\n"
    "local w w = function(n) if n > 0 then local a = m.x, m + n, m .. n, #m, m < m, m == 1 end end "
    "w(1)\n";

/* ... of strings: buffers. */
static const char joins[] =
    "local a, n = 'a text of some length that is to be repeated', {} if not string then return "
    "end\n"
    "for i = 1, 60 do n[i] = a end\n"
    "return a:rep(90), table.concat(n, a), (a:rep(40):gsub('t', 'more than one letter')), "
    "('%s %s %s'):format(a:rep(20), a:rep(30), a:rep(40)), a:rep(60):upper(), a:rep(50):reverse()";

static int kept(lua_State *L, int which) {
    return lua_rawgeti(L, lua_upvalueindex(1), which);
}

static int exercise_tables(lua_State *L) {
    kept(L, KEPT_GROWS);
    lua_call(L, 0, 0);

    for (int i = 0; i < 4; i++) {
        lua_createtable(L, i, 0);
        lua_createtable(L, 0, i);
        lua_createtable(L, i, 5);
        lua_settop(L, 0);
    }
    lua_newtable(L);
    for (int i = 1; i < 70; i++) { /* grows the array part, then the hash part */
        lua_pushinteger(L, i);
        lua_rawseti(L, 1, i);
    }
    for (int i = 1; i < 70; i++) {
        lua_pushinteger(L, i);
        lua_rawseti(L, 1, 10000 * i);
    }
    return 0;
}

int calibration_nest(lua_State *L) {
    lua_Integer n = lua_tointeger(L, 1);
    if (n > 0) {
        lua_pushcfunction(L, calibration_nest);
        lua_pushinteger(L, n - 1);
        lua_call(L, 1, 0);
    }
    return 0;
}

static int answers(lua_State *L) {
    lua_settop(L, 2);
    return 1;
}

/* __call of what `nests` gets: calls the function that it was given. */
static int calls(lua_State *L) {
    if (lua_type(L, 3) != LUA_TFUNCTION) return answers(L);
    lua_pushvalue(L, 3);
    lua_pushvalue(L, 2);
    lua_call(L, 1, 1);
    return 1;
}

/* Leaves a table whose metamethods allocate nothing: C functions, or a Lua function. */
static void push_meta(lua_State *L, bool lua) {
    static const char *const events[] = {"__index", "__newindex", "__add", "__unm",  "__concat",
                                         "__len",   "__lt",       "__le",  "__eq",   "__close",
                                         "__name",  "__tostring", "__gc",  "__call", "m"};
    lua_newtable(L);
    lua_createtable(L, 0, 16);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (!lua) {
            lua_pushcfunction(L, answers);
        } else if (luaL_loadstring(L, "local a, b = ... return b")) {
            lua_error(L);
        }
        lua_setfield(L, -2, events[i]);
    }
    if (!lua) {
        lua_pushcfunction(L, calls);
        lua_setfield(L, -2, "__call");
    }
    lua_setmetatable(L, -2);
}

/* Each calls a function in its own way, from a frame above which there is none yet. */
static const char *const call_ways[] = {
    "local m = ... return (m.x)",
    "local m = ... m.x = 1",
    "local m = ... return (m + m)",
    "local m = ... return (-m)",
    "local m = ... return (m .. 'a')",
    "local m = ... return (#m)",
    "local m, n = ... return (m == n)",
    "local m = ... return (m < m)",
    "local m = ... return (m <= m)",
    "local m = ... return (m < 1)",
    "local m = ... return (m + 1)",
    "local m = ... return (m())",
    "local m = ... return m()",
    "local m = ... for k in m do return k end",
    "local m = ... do local c <close> = m end",
    "local m = ... local c <close> = m return 1",
    "local m = ... return (m[1])",
    "local m = ... m[1] = 1",
    "local m, n, f = ... return (f(1))",
    "local m, n, f = ... return f(1)",
    "local m, n, f = ... for k in f do return k end",
};
enum { CALL_WAYS = sizeof call_ways / sizeof *call_ways };

static int call_by_c(lua_State *L) {
    int which = (int)lua_tointeger(L, 1);
    lua_settop(L, 4); /* which, a table with metamethods, another, a function */
    lua_pushvalue(L, which < 4 ? 4 : 2);
    lua_pushvalue(L, 3);
    switch (which) {
    case 0:
        lua_call(L, 1, 0);
        break;
    case 1:
        lua_pcall(L, 1, 0, 0);
        break;
    case 2:
        lua_callk(L, 1, 0, 0, NULL);
        break;
    case 3:
        lua_pcallk(L, 1, 0, 0, 0, NULL);
        break;
    case 4:
        lua_getfield(L, 2, "x");
        break;
    case 5:
        lua_setfield(L, 2, "x");
        break;
    case 6:
        lua_arith(L, LUA_OPADD);
        break;
    case 7:
        lua_concat(L, 2);
        break;
    case 8:
        lua_len(L, 2);
        break;
    case 9:
        lua_compare(L, 2, 3, LUA_OPEQ);
        break;
    case 10:
        lua_compare(L, 2, 3, LUA_OPLT);
        break;
    case 11:
        lua_compare(L, 2, 3, LUA_OPLE);
        break;
    case 12:
        lua_gettable(L, 2);
        break;
    case 13:
        lua_geti(L, 2, 1);
        break;
    case 14:
        lua_seti(L, 2, 1);
        break;
    case 15:
        lua_call(L, 1, 0);
        break;
    default:
        luaL_tolstring(L, 2, NULL);
        break;
    }
    return 0;
}
enum { CALLS_BY_C = 17 };

/* Each way in a thread of its own, which has no frames. */
static void play_calls(lua_State *L, int meta) {
    for (int i = 0; i < CALL_WAYS + 2 * CALLS_BY_C; i++) {
        lua_State *thread = lua_newthread(L);
        int results, top = lua_gettop(L);
        bool by_c = i >= CALL_WAYS;
        if (by_c) {
            lua_pushcfunction(L, call_by_c);
            lua_pushinteger(L, (i - CALL_WAYS) % CALLS_BY_C);
        } else {
            kept(L, KEPT_CALLS + i);
        }
        kept(L, meta);
        kept(L, meta);
        kept(L, meta == KEPT_META ? KEPT_CALLS + CALL_WAYS : KEPT_CALLS + CALL_WAYS + 1);
        int n = lua_gettop(L) - top;
        lua_xmove(L, thread, n);
        if (i & 1) {
            lua_pcall(thread, n - 1, 0, 0);
        } else {
            lua_resume(thread, L, n - 1, &results);
        }
        lua_settop(L, top - 1);
    }
}

static int exercise_threads(lua_State *L) {
    kept(L, KEPT_NESTS);
    kept(L, KEPT_META);
    lua_call(L, 1, 0);
    play_calls(L, KEPT_META);
    play_calls(L, KEPT_META_LUA);
    lua_State *thread = lua_newthread(L);
    lua_checkstack(thread, 3000);
    int results;
    lua_pushcfunction(thread, calibration_nest); /* a CallInfo a level */
    lua_pushinteger(thread, 30);
    lua_resume(thread, L, 1, &results);
    lua_pushcfunction(L, calibration_nest);
    lua_pushinteger(L, 60);
    lua_call(L, 1, 0);
    lua_gc(L, LUA_GCCOLLECT); /* shrinks the big stack again */
    return 0;
}

/* More than 127 lines between two instructions need an entry of their own among the lines. */
#define TEN_LINES "\n\n\n\n\n\n\n\n\n\n"
#define FAR                                                                                        \
    TEN_LINES TEN_LINES TEN_LINES TEN_LINES TEN_LINES TEN_LINES TEN_LINES TEN_LINES TEN_LINES      \
        TEN_LINES TEN_LINES TEN_LINES TEN_LINES

static const char chunk[] =
    "local a, b <const>, c <close> = ..., 'x', nil\n"
    "local t = {1, 2, 3, x = 'y', [a or 1] = 4.5, function(...) return ... end}\n"
    "function f(p, q) local u = p; return function() u = u + q; return a, b, u end end\n"
    "for i = 1, 10 do if i == a then goto done end t[i] = i * 2.25 end ::done::\n"
    "while t.x ~= [[a long text that is not a short string at all, no, not at all]] do break end\n"
    "for k, v in pairs(t) do repeat local z = k .. v .. '1' .. 77 until z end\n"
    "local far = 1 " FAR " far = far + 1\n"
    "return t, a and b or c, -a, #t, ~1, a // 2, 'd', 'e', 'g', 'h', 'i', 'j', 'k', 0x7fffffff1\n";

static int exercise_parser(lua_State *L) {
    if (luaL_loadbuffer(L, chunk, sizeof chunk - 1, "=chunk")) return lua_error(L);
    return 0;
}

typedef struct Dump {
    luaL_Buffer buffer;
    bool begun;
} Dump;

/* The buffer starts here because its box must be above the dumped function on the stack. */
static int keep_piece(lua_State *L, const void *piece, size_t size, void *ud) {
    Dump *dump = ud;
    if (!dump->begun) luaL_buffinit(L, &dump->buffer);
    dump->begun = true;
    luaL_addlstring(&dump->buffer, piece, size);
    return 0;
}

/* The buffer is filled before the exercise notes anything: its upvalue. */
static int exercise_undump(lua_State *L) {
    size_t size;
    kept(L, KEPT_DUMP);
    const char *binary = lua_tolstring(L, -1, &size);
    if (luaL_loadbufferx(L, binary, size, "=chunk", "b")) return lua_error(L);
    return 0;
}

int calibration_prepare(lua_State *L) {
    Dump dump = {.begun = false};
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    lua_settop(L, 0);
    if (luaL_loadbuffer(L, chunk, sizeof chunk - 1, "=chunk")) return lua_error(L);
    if (lua_dump(L, keep_piece, &dump, 0) || !dump.begun) return luaL_error(L, "no dump");
    luaL_pushresult(&dump.buffer);
    static const char *const sources[] = {grows, nests, joins};
    lua_createtable(L, KEPT_CALLS + CALL_WAYS + 1, 0);
    lua_insert(L, -2);
    lua_rawseti(L, -2, KEPT_DUMP);
    for (int i = 0; i < 3; i++) {
        if (luaL_loadstring(L, sources[i])) return lua_error(L);
        lua_rawseti(L, -2, KEPT_GROWS + i);
    }
    push_meta(L, false);
    lua_rawseti(L, -2, KEPT_META);
    push_meta(L, true);
    lua_rawseti(L, -2, KEPT_META_LUA);
    for (int i = 0; i < CALL_WAYS; i++) {
        if (luaL_loadstring(L, call_ways[i])) return lua_error(L);
        lua_rawseti(L, -2, KEPT_CALLS + i);
    }
    lua_pushcfunction(L, answers);
    lua_rawseti(L, -2, KEPT_CALLS + CALL_WAYS);
    if (luaL_loadstring(L, "return ...")) return lua_error(L);
    lua_rawseti(L, -2, KEPT_CALLS + CALL_WAYS + 1);
    return 1;
}

static int exercise_buffers(lua_State *L) {
    kept(L, KEPT_JOINS);
    lua_call(L, 0, 0);
    luaL_Buffer buffer;
    luaL_buffinitsize(L, &buffer, 100000);
    luaL_addsize(&buffer, 100000 - 1);
    memset(luaL_buffaddr(&buffer), 'x', 100000 - 1);
    luaL_pushresult(&buffer);
    luaL_buffinit(L, &buffer);
    for (int i = 0; i < 3 * LUAL_BUFFERSIZE; i++)
        luaL_addchar(&buffer, 'y');
    luaL_pushresult(&buffer);
    return 0;
}

/* The order matters: a request in a later exercise keeps the owner that an earlier exercise gave
 * it. */
const LmpExercise calibration_exercises[LMP_CALIBRATION_EXERCISES] = {
    {exercise_tables, LMP_C_TABLE_PART},    {exercise_threads, LMP_C_THREAD_PART},
    {exercise_parser, LMP_C_FUNCTION_PART}, {exercise_undump, LMP_C_FUNCTION_PART},
    {exercise_buffers, LMP_C_STRING_PART},
};
