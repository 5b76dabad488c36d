/* sizes.c - Lua module `sizes`: a C library that asks the state's allocator for memory and says any
 * size of a block when it gives it back, which Lua's own allocator ignores (sizes.lua). It keeps
 * what it is told to, and knows how much that is. */

#include <lauxlib.h>

enum { KEPT = 100 };

static void *kept[KEPT];
static lua_Integer held; /* bytes */

static void *ask(lua_State *L, void *block, size_t said, size_t size) {
    void *ud;
    lua_Alloc alloc = lua_getallocf(L, &ud);
    return alloc(ud, block, said, size);
}

/* churn(n, said[, tag]): n times a block of 1000 bytes (of a Lua type), made one of 2000 and freed;
 * `said` times its size is what is said of it, a whole number or not. */
static int churn(lua_State *L) {
    lua_Number said = luaL_checknumber(L, 2);
    for (lua_Integer n = luaL_checkinteger(L, 1); n > 0; n--) {
        void *block = ask(L, NULL, (size_t)luaL_optinteger(L, 3, 0), 1000);
        block = ask(L, block, (size_t)(said * 1000), 2000);
        ask(L, block, (size_t)(said * 2000), 0);
    }
    return 0;
}

/* keep(i, size, said): the i-th block has that size from now on, 0: there is none. */
static int keep(lua_State *L) {
    static size_t is[KEPT];
    lua_Integer i = luaL_checkinteger(L, 1) % KEPT;
    size_t size = (size_t)luaL_checkinteger(L, 2);
    kept[i] = ask(L, kept[i], kept[i] ? (size_t)luaL_checkinteger(L, 3) : 0, size);
    held += (lua_Integer)size - (lua_Integer)is[i];
    is[i] = size;
    lua_pushinteger(L, held);
    return 1;
}

__attribute__((visibility("default"))) int luaopen_sizes(lua_State *L) {
    luaL_newlib(L, ((luaL_Reg[]){{"churn", churn}, {"keep", keep}, {NULL, NULL}}));
    return 1;
}
