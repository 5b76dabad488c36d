/* Is a chunk being compiled? The short way, by a thread's protected calls, must say the same as a
 * look through the whole stack, at every request, whoever asks. (Not at every free: what the parser
 * had for itself goes after its call has returned.) */
#include "agent/interp/luafacts.h"
#include "suite.h"

#include <lauxlib.h>
#include <lualib.h>

#include "agent/interp/parsing.h"
#include "base/kind.h"

RELEASE_AT(lua_close)

static unsigned asked, parsing; /* requests, and those of the parser */
static lua_State *asks;         /* on whose behalf; NULL: they are not looked at */

static void *underneath(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud;
    (void)osize;
    if (asks && nsize) {
        bool now = parsing_now(LMP_C_TABLE, asks, true);
        ck_assert_int_eq(now, parsing_unwound());
        asked++;
        parsing += now;
    }
    if (nsize) return realloc(ptr, nsize);
    free(ptr);
    return NULL;
}

typedef struct Pieces {
    int left;
    bool by_host; /* the reader makes tables, too */
} Pieces;

static const char *read_piece(lua_State *L, void *ud, size_t *size) {
    Pieces *p = ud;
    static const char piece[] = " t = { 'a', { f = function() return { 1 } end } }";
    if (p->by_host) {
        lua_newtable(L);
        lua_pop(L, 1);
    }
    *size = p->left-- > 0 ? sizeof piece - 1 : 0;
    return piece;
}

static int load_pieces(lua_State *L) {
    Pieces p = {50, lua_toboolean(L, 1)};
    return lua_load(L, read_piece, &p, "=pieces", NULL) == LUA_OK ? 1 : luaL_error(L, "refused");
}

static int load_badly(lua_State *L) {
    lua_pushboolean(L, luaL_loadstring(L, "local x = {} y = = 1") != LUA_OK);
    return 1;
}

/* In a protected call of the parser's kind, right after the parser has been there. */
static int makes(lua_State *L) {
    for (int i = 0; i < 20; i++) {
        lua_createtable(L, i, i);
        lua_pushfstring(L, "string %d", i);
        lua_pop(L, 2);
    }
    return 0;
}

/* From a C stack so deep. */
static __attribute__((noinline)) void deeper(lua_State *L, int depth) {
    volatile char room[100];
    room[depth % 100] = 0;
    if (depth > 0) {
        deeper(L, depth - 1);
        ck_assert_int_eq(room[depth % 100], 0); /* no call in place of this one */
        return;
    }
    unsigned before = parsing;
    makes(L);
    lua_pushcfunction(L, makes);
    ck_assert_int_eq(lua_pcall(L, 0, 0, 0), LUA_OK);
    ck_assert_uint_eq(parsing, before);
    lua_pushcfunction(L, load_pieces);
    ck_assert_int_eq(lua_pcall(L, 0, 0, 0), LUA_OK);
    ck_assert_uint_gt(parsing, before);
    before = parsing;
    lua_pushcfunction(L, makes);
    ck_assert_int_eq(lua_pcall(L, 0, 0, 0), LUA_OK);
    ck_assert_uint_eq(parsing, before);
    lua_pushcfunction(L, load_pieces);
    lua_pushboolean(L, 1);
    ck_assert_int_eq(lua_pcall(L, 1, 0, 0), LUA_OK);
    lua_pushcfunction(L, load_badly);
    ck_assert_int_eq(lua_pcall(L, 0, 1, 0), LUA_OK);
    ck_assert(lua_toboolean(L, -1));
    lua_pop(L, 1);
    ck_assert_int_eq(luaL_loadstring(L, "local a, b = {}, {} return { a, b }"), LUA_OK);
    before = parsing;
    lua_call(L, 0, 0);
    makes(L);
    ck_assert_uint_eq(parsing, before);
}

TEST(test_everywhere) {
    parsing_prepare();
    OWN(lua_close_at) lua_State *L = luafacts_newstate(underneath, NULL);
    luaL_openlibs(L);
    for (int depth = 0; depth < 40; depth += 7) {
        asks = L;
        deeper(L, depth);
        lua_State *thread = lua_newthread(L); /* never resumed, as hosts use them */
        asks = thread;
        deeper(thread, depth);
        asks = NULL;
        lua_settop(L, 0);
    }
    ck_assert_uint_gt(asked, 1000);
    ck_assert_uint_gt(parsing, 100);
}

/* In a coroutine that C code has resumed. */
static int in_coroutine(lua_State *L) {
    deeper(L, lua_tointeger(L, 1));
    return 0;
}

TEST(test_in_coroutines) {
    parsing_prepare();
    OWN(lua_close_at) lua_State *L = luafacts_newstate(underneath, NULL);
    luaL_openlibs(L);
    for (int depth = 0; depth < 20; depth += 3) {
        int results;
        lua_State *thread = lua_newthread(L);
        lua_pushcfunction(thread, in_coroutine);
        lua_pushinteger(thread, depth);
        asks = thread;
        ck_assert_int_eq(lua_resume(thread, L, 1, &results), LUA_OK);
        asks = NULL;
        lua_settop(L, 0);
    }
}

/* It would all be right if the fast path were never gone: it is. */
TEST(test_short_way) {
    parsing_prepare();
    ck_assert(parsing_is_known());
}
