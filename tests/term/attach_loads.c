/* attach_loads.c - an editor's way to have Lua: the library is loaded while the program runs, and
 * its functions are nobody else's to find: attach_loads LIBRARY SCRIPT. */
#include <dlfcn.h>
#include <lua.h>
#include <stdio.h>

/* Returns a function of the library. */
static void *function(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) fprintf(stderr, "%s\n", dlerror());
    return found;
}

int main(int argc, char **argv) {
    void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) return 2;
    lua_State *(*newstate)(void);
    void (*openlibs)(lua_State *);
    int (*loadfile)(lua_State *, const char *, const char *);
    int (*pcall)(lua_State *, int, int, int, lua_KContext, lua_KFunction);
    *(void **)&newstate = function(library, "luaL_newstate");
    *(void **)&openlibs = function(library, "luaL_openlibs");
    *(void **)&loadfile = function(library, "luaL_loadfilex");
    *(void **)&pcall = function(library, "lua_pcallk");
    if (!newstate || !openlibs || !loadfile || !pcall) return 2;
    lua_State *L = newstate();
    openlibs(L);
    return loadfile(L, argv[2], NULL) || pcall(L, 0, 0, 0, 0, NULL);
}
