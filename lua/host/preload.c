/* preload.c - liblmp-preload.so: for hosts that know nothing of lmp. With LD_PRELOAD it stands
 * between the host and Lua's library where the standard libraries are opened: then `require
 * "luamemprofiler"` finds the module, also with an empty package.cpath; and with the variable
 * LMP_START, or under `lmp run`, the state is profiled from there on.
 *
 * Hosts that have Lua inside call it directly, not through here. The making of states is left
 * alone: the module looks at that code, and makes states of its own. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/lmp.h"
#include "shared/launch.h"

#define STANDS_BETWEEN __attribute__((visibility("default")))

STANDS_BETWEEN void luaL_requiref(struct lua_State *L, const char *name, void *open, int global);
STANDS_BETWEEN void luaL_openlibs(struct lua_State *L);
STANDS_BETWEEN void luaL_openselectedlibs(struct lua_State *L, int load, int preload);

#define CALLER __builtin_return_address(0)

/* Returns what the caller would have called without us: of a library for all, or of one that the
 * caller, a plug-in, has for itself. */
static void *next(const char *name, void *caller) {
    void *found = dlsym(RTLD_NEXT, name), *plugin;
    Dl_info of;
    if (found || !dladdr(caller, &of)) return found;
    plugin = dlopen(of.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!plugin) return NULL;
    found = dlsym(plugin, name);
    dlclose(plugin);
    return found;
}

/* Returns true if the state's allocator is the module's: it is profiled; or is one of the module's
 * own, from which something is learnt, and nothing can start meanwhile. */
static bool is_of_module(struct lua_State *L, void *caller) {
    void *(*get)(struct lua_State *, void **), *ud;
    Dl_info of;
    *(void **)&get = next("lua_getallocf", caller);
    if (!get || !dladdr(get(L, &ud), &of)) return false;
    const char *slash = strrchr(of.dli_fname, '/');
    return strcmp(slash ? slash + 1 : of.dli_fname, LMP_MODULE_FILE) == 0;
}

/* Says once what is refused; the host runs on. */
static void offer(struct lua_State *L, void *caller) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const char *options = secure_getenv(LMP_ENV_START);
    if (is_of_module(L, caller) || lmp_running(L)) return;
    bool run = secure_getenv(LMP_ENV_RUN) != NULL;
    int err = lmp_offer(L);
    if (!err && (options || run)) err = lmp_start(L, options);
    if (run && err == LMP_ERR_NOMODULE) return; /* of another Lua, in whatever the program starts */
    if (err && !atomic_flag_test_and_set(&said)) dprintf(STDERR_FILENO, "lmp: %s\n", lmp_why());
}

/* Who opens the libraries one by one begins with _G; so do those below, in most builds of Lua. */
void luaL_requiref(struct lua_State *L, const char *name, void *open, int global) {
    void (*require)(struct lua_State *, const char *, void *, int);
    *(void **)&require = next("luaL_requiref", CALLER);
    if (strcmp(name, "_G") == 0) offer(L, CALLER);
    require(L, name, open, global);
}

void luaL_openlibs(struct lua_State *L) {
    void (*open)(struct lua_State *);
    *(void **)&open = next("luaL_openlibs", CALLER);
    offer(L, CALLER);
    open(L);
}

void luaL_openselectedlibs(struct lua_State *L, int load, int preload) {
    void (*open)(struct lua_State *, int, int);
    *(void **)&open = next("luaL_openselectedlibs", CALLER);
    offer(L, CALLER);
    open(L, load, preload);
}
