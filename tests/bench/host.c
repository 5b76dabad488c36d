/* host.c - a C program that uses Lua, for the table of shapes in tests/bench/run: work outside any
 * Lua function, and an allocator whose blocks stand beside the usual grid.
 *
 *     bench_host CODE NAME SIZE      CODE is run first; SIZE as in cliffs.lua
 *     bench_host                     names, and what each is for */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lua 5.5 wants a seed. */
#if LUA_VERSION_NUM >= 505
#define lua_newstate(alloc, ud) lua_newstate(alloc, ud, 0)
#endif

static void tables(lua_State *L, double size) {
    for (int i = 0; i < size * 100000; i++) {
        lua_newtable(L);
        lua_pop(L, 1);
    }
}

static void loads(lua_State *L, double size) {
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    luaL_addstring(&b, "return {");
    for (int i = 0; i < size * 20000; i++) {
        char word[32];
        snprintf(word, sizeof word, "{ 'k%d' },\n", i);
        luaL_addstring(&b, word);
    }
    luaL_addstring(&b, "}");
    luaL_pushresult(&b);
    if (luaL_loadstring(L, lua_tostring(L, -1))) fprintf(stderr, "%s\n", lua_tostring(L, -1));
    lua_settop(L, 0);
}

static void threads(lua_State *L, double size) {
    for (int i = 0; i < size * 5000; i++) {
        lua_State *thread = lua_newthread(L);
        if (luaL_loadstring(thread, "return { {}, {} }")) abort();
        lua_call(thread, 0, 0);
        lua_pop(L, 1);
    }
}

static void script(lua_State *L, double size) {
    lua_pushnumber(L, size);
    lua_setglobal(L, "size");
    if (luaL_dostring(L,
                      "local t = {} for i = 1, size * 30000 do t[i % 5000] = { i, '' .. i } end"))
        abort();
}

/* Keeps a block's size in front of it. */
static void *counts(void *ud, void *ptr, size_t osize, size_t nsize) {
    size_t *block = ptr, *fresh = NULL;
    (void)ud;
    (void)osize;
    if (nsize) {
        fresh = realloc(block ? block - 1 : NULL, nsize + sizeof nsize);
        if (!fresh) return NULL;
        *fresh = nsize;
        return fresh + 1;
    }
    if (block) free(block - 1);
    return NULL;
}

/* Every second block stands 8 bytes further on; the byte before it tells. */
static void *turns(void *ud, void *ptr, size_t osize, size_t nsize) {
    static unsigned turn;
    char *block = NULL, *before = ptr;
    (void)ud;
    if (nsize) {
        unsigned char aside = turn++ % 2 ? 8 : 0;
        char *raw = malloc(nsize + 24);
        if (!raw) return NULL;
        block = raw + 16 + aside;
        block[-1] = (char)aside;
        if (ptr) memcpy(block, ptr, osize < nsize ? osize : nsize);
    }
    if (ptr) free(before - 16 - before[-1]);
    return block;
}

static const struct {
    const char *name, *what;
    void (*run)(lua_State *L, double size);
    lua_Alloc alloc; /* NULL: as luaL_newstate has it */
} all[] = {
    {"host_tables", "tables made by C, no Lua function around", tables, NULL},
    {"host_load", "a large chunk loaded by C", loads, NULL},
    {"host_threads", "threads that C loads and runs chunks in", threads, NULL},
    {"beside", "blocks 8 bytes beside malloc's places", script, counts},
    {"turns", "every second block 8 bytes beside them", script, turns},
};

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (argc < 4) {
            printf("%s\t%s\n", all[i].name, all[i].what);
        } else if (!strcmp(argv[2], all[i].name)) {
            lua_State *L = all[i].alloc ? lua_newstate(all[i].alloc, NULL) : luaL_newstate();
            luaL_openlibs(L);
            if (luaL_dostring(L, argv[1])) {
                fprintf(stderr, "%s\n", lua_tostring(L, -1));
                return 1;
            }
            lua_settop(L, 0);
            all[i].run(L, atof(argv[3]));
            lua_close(L);
        }
    }
    return 0;
}
