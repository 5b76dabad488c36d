/* liblmp.c - the library that hosts link (lmp.h): finds the module that fits the state's Lua, once,
 * and passes each call on to it. It knows nothing of Lua but its version, so it is the same for
 * all.
 *
 * A module that is loaded already is taken, whoever has loaded it; else the one beside this library
 * or where modules are installed from here. */
#include "host/lmp.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "host/host.h"
#include "shared/launch.h"

#ifndef LMP_MODULE_FROM_LIBRARY /* of the folders of installed modules, relative to this library's \
                                 */
#define LMP_MODULE_FROM_LIBRARY "lua"
#endif

enum { PATH = 4096 };

static _Thread_local char why[LMP_WHY];

static _Atomic(const LmpHostTable *) found; /* by the search; NULL: nothing yet */
static atomic_bool missing;                 /* it has found nothing */

typedef struct Search {
    int lua; /* the version, as LUA_VERSION_NUM */
    const LmpHostTable *table;
    char what[1000]; /* says why there is none */
} Search;

/* ---- which Lua? ------------------------------------------------------------------------------ */

typedef double Version(struct lua_State *L);

/* Returns the state's version; 0: no function of Lua can be seen from here, or of none that lmp is
 * for. Before 5.4 and in LuaJIT lua_version returned a pointer. */
static int version_of(struct lua_State *L) {
    Version *version = NULL;
    *(void **)&version = dlsym(RTLD_DEFAULT, "lua_version");
    return version && dlsym(RTLD_DEFAULT, "lua_setwarnf") ? (int)version(L) : 0;
}

/* Lua may be in a library that was loaded for somebody alone, where modules do not find it. */
static void show_lua(void) {
    Dl_info info;
    void *version = dlsym(RTLD_DEFAULT, "lua_version");
    if (version && dladdr(version, &info))
        dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

/* ---- the module ------------------------------------------------------------------------------ */

/* Takes the table of a module, unless it is of another Lua. Returns true if the search is over. */
static bool take(Search *s, void *module, const char *path) {
    const LmpHostTable *table = dlsym(module, LMP_HOST_SYMBOL);
    if (!table || table->table != LMP_HOST_TABLE || table->size < sizeof *table) {
        snprintf(s->what, sizeof s->what, "%s is of another version of lmp", path);
        return true;
    }
    if (table->lua == s->lua) s->table = table;
    return s->table;
}

typedef struct Loaded {
    int skip; /* so many come before it */
    char path[PATH];
} Loaded;

static int find_loaded(struct dl_phdr_info *info, size_t size, void *of) {
    (void)size;
    Loaded *loaded = of;
    const char *name = strrchr(info->dlpi_name, '/');
    if (!name || strcmp(name + 1, LMP_MODULE_FILE) != 0 || loaded->skip-- > 0) return 0;
    snprintf(loaded->path, sizeof loaded->path, "%s", info->dlpi_name);
    return 1;
}

/* Looks at those that are loaded. Returns true if the search is over. */
static bool look_at_loaded(Search *s) {
    for (int skip = 0;; skip++) {
        Loaded loaded = {.skip = skip};
        if (!dl_iterate_phdr(find_loaded, &loaded)) return false;
        void *module = dlopen(loaded.path, RTLD_NOW | RTLD_NOLOAD);
        if (module && take(s, module, loaded.path)) return true;
    }
}

/* Loads a module. Returns true if the search is over. */
static bool load(Search *s, const char *path) {
    if (access(path, F_OK) != 0) return false;
    void *module = dlopen(path, RTLD_NOW);
    if (!module) {
        show_lua();
        module = dlopen(path, RTLD_NOW);
    }
    if (module) return take(s, module, path);
    snprintf(s->what, sizeof s->what, "%s", dlerror());
    return true;
}

/* Tries where modules are, from this library: installed, and in the build tree. */
static void look_beside(Search *s) {
    const char *const places[] = {LMP_MODULE_FROM_LIBRARY "/", "../" LMP_MODULE_FROM_LIBRARY "/",
                                  "",
                                  NULL}; /* liblmp's folder, liblmp-preload's in it, the build */
    char path[PATH], lua[16];
    Dl_info info;
    snprintf(lua, sizeof lua, "%d.%d", s->lua / 100, s->lua % 100);
    snprintf(s->what, sizeof s->what, "there is no %s for Lua %s", LMP_MODULE_FILE, lua);
    if (!dladdr(&missing, &info) || !info.dli_fname) return;
    const char *slash = strrchr(info.dli_fname, '/');
    int folder = slash ? (int)(slash - info.dli_fname) + 1 : 0;
    for (int i = 0; places[i]; i++) {
        snprintf(path, sizeof path, "%.*s%s%s/%s", folder, info.dli_fname, places[i], lua,
                 LMP_MODULE_FILE);
        if (load(s, path)) return;
    }
    snprintf(path, sizeof path, "%.*s%s", folder, info.dli_fname, LMP_MODULE_FILE);
    load(s, path);
}

/* Returns the module's table; NULL: there is none, and `why` says why not. What was not found once
 * is looked for again only where `again`. Without a lock, which a forked child might find held: two
 * threads that search find the same. */
static const LmpHostTable *find(struct lua_State *L, bool again) {
    const LmpHostTable *table = atomic_load(&found);
    *why = 0;
    if (table) return table;
    Search s = {.lua = 0};
    if (again || !atomic_load(&missing)) {
        s.lua = version_of(L);
        snprintf(s.what, sizeof s.what,
                 "no functions of Lua 5.4 or 5.5 can be seen (linked statically and hidden?)");
        if (s.lua && !look_at_loaded(&s)) look_beside(&s);
        if (s.table) atomic_store(&found, s.table);
        if (!s.table) atomic_store(&missing, true); /* not asked where it is found */
    }
    if (!s.table)
        snprintf(why, sizeof why, "%s%s%s", err_message(LMP_E_NOMODULE), *s.what ? ": " : "",
                 s.what);
    return s.table;
}

/* ---- lmp.h ----------------------------------------------------------------------------------- */

#define PASS_ON(again, call)                                                                       \
    const LmpHostTable *host = find(L, again);                                                     \
    return host ? host->call : LMP_ERR_NOMODULE

int lmp_start(struct lua_State *L, const char *options) {
    PASS_ON(true, start(L, options, why));
}

int lmp_running(struct lua_State *L) {
    const LmpHostTable *host = find(L, false);
    return host && host->running(L);
}

int lmp_offer(struct lua_State *L) {
    PASS_ON(true, offer(L, why));
}

int lmp_stop(struct lua_State *L, lmp_Figures *last) {
    PASS_ON(false, stop(L, last, why));
}

int lmp_figures(struct lua_State *L, lmp_Figures *out) {
    PASS_ON(false, figures(L, out, why));
}

int lmp_lines(struct lua_State *L, lmp_Line out[], size_t *n) {
    PASS_ON(false, lines(L, out, n, why));
}

int lmp_frame(struct lua_State *L, const char *name, lmp_Frame *out) {
    PASS_ON(false, frame(L, name, out, why));
}

int lmp_tag(struct lua_State *L, const char *name, const char **before) {
    PASS_ON(false, tag(L, name, before, why));
}

int lmp_mark(struct lua_State *L, const char *name) {
    PASS_ON(false, mark(L, name, why));
}

int lmp_limit(struct lua_State *L, uint64_t bytes, lmp_Reached *reached, void *ud) {
    PASS_ON(false, limit(L, bytes, reached, ud, why));
}

int lmp_snapshot(struct lua_State *L, const char *file, int how) {
    PASS_ON(false, snapshot(L, file, how, why));
}

int lmp_record(struct lua_State *L, const char *file) {
    PASS_ON(false, record(L, file, why));
}

const char *lmp_why(void) {
    return why;
}

const char *lmp_error_name(int error) {
    return err_name((LmpErr)error);
}

const char *lmp_error_text(int error) {
    return err_message((LmpErr)error);
}

int lmp_api_version(void) {
    return LMP_API_VERSION;
}
