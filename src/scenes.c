/* scenes.c - see scenes.h. */
#include "scenes.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <string.h>

#include "kind.h"

static int scene_tables(lua_State *L) {
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

static int nest(lua_State *L) {
    lua_Integer n = lua_tointeger(L, 1);
    if (n > 0) {
        lua_pushcfunction(L, nest);
        lua_pushinteger(L, n - 1);
        lua_call(L, 1, 0);
    }
    return 0;
}

static int scene_threads(lua_State *L) {
    lua_State *thread = lua_newthread(L);
    lua_checkstack(thread, 3000);
    int results;
    lua_pushcfunction(thread, nest); /* a CallInfo a level */
    lua_pushinteger(thread, 30);
    lua_resume(thread, L, 1, &results);
    lua_pushcfunction(L, nest);
    lua_pushinteger(L, 60);
    lua_call(L, 1, 0);
    lua_gc(L, LUA_GCCOLLECT); /* shrinks the big stack again */
    return 0;
}

/* More than 127 lines between two instructions have a place of their own in the line information.
 */
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

static int scene_parser(lua_State *L) {
    if (luaL_loadbuffer(L, chunk, sizeof chunk - 1, "=chunk")) return lua_error(L);
    return 0;
}

typedef struct Dump {
    luaL_Buffer buffer;
    bool begun;
} Dump;

/* The buffer begins here, for its box has to stand above the function that is dumped. */
static int keep_piece(lua_State *L, const void *piece, size_t size, void *ud) {
    Dump *dump = ud;
    if (!dump->begun) luaL_buffinit(L, &dump->buffer);
    dump->begun = true;
    luaL_addlstring(&dump->buffer, piece, size);
    return 0;
}

/* The buffer is filled before the scene notes anything: its upvalue. */
static int scene_undump(lua_State *L) {
    size_t size;
    const char *binary = lua_tolstring(L, lua_upvalueindex(1), &size);
    if (luaL_loadbufferx(L, binary, size, "=chunk", "b")) return lua_error(L);
    return 0;
}

int scenes_prepare(lua_State *L) {
    Dump dump = {.begun = false};
    if (luaL_loadbuffer(L, chunk, sizeof chunk - 1, "=chunk")) return lua_error(L);
    if (lua_dump(L, keep_piece, &dump, 0) || !dump.begun) return luaL_error(L, "no dump");
    luaL_pushresult(&dump.buffer);
    return 1;
}

static int scene_buffers(lua_State *L) {
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

/* In this order: a request inside a later scene that an earlier one explains keeps its owner. */
const LmpScene scenes[LMP_SCENES] = {
    {scene_tables, LMP_C_TABLE_PART},    {scene_threads, LMP_C_THREAD_PART},
    {scene_parser, LMP_C_FUNCTION_PART}, {scene_undump, LMP_C_FUNCTION_PART},
    {scene_buffers, LMP_C_STRING_PART},
};
