/* attach_loads.c - an editor's way to have Lua: the library is loaded while the program runs, and
 * its functions are nobody else's to find: attach_loads LIBRARY SCRIPT. */
#include <dlfcn.h>
#include <lua.h>
#include <stdbool.h>
#include <stdio.h>

/* Returns a function of the library. */
static void *function(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) fprintf(stderr, "%s\n", dlerror());
    return found;
}

/* Opens all libraries of Lua's own, by the name that this has in each version. */
static bool open_libraries(void *library, lua_State *L) {
#if LUA_VERSION_NUM >= 505
    void (*open)(lua_State *, int, int);
    *(void **)&open = function(library, "luaL_openselectedlibs");
    if (open) open(L, ~0, 0);
#else
    void (*open)(lua_State *);
    *(void **)&open = function(library, "luaL_openlibs");
    if (open) open(L);
#endif
    return open;
}

int main(int argc, char **argv) {
    void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) return 2;
    lua_State *(*newstate)(void);
    int (*loadfile)(lua_State *, const char *, const char *);
    int (*pcall)(lua_State *, int, int, int, lua_KContext, lua_KFunction);
    *(void **)&newstate = function(library, "luaL_newstate");
    *(void **)&loadfile = function(library, "luaL_loadfilex");
    *(void **)&pcall = function(library, "lua_pcallk");
    if (!newstate || !loadfile || !pcall) return 2;
    lua_State *L = newstate();
    return !open_libraries(library, L) || loadfile(L, argv[2], NULL) || pcall(L, 0, 0, 0, 0, NULL);
}
