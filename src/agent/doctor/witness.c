/* witness.c - rows of sites and paths, found by hash; the chain of running threads; the count hook
 * that makes the interpreter save its program counter. */
#include "agent/doctor/witness.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "base/array.h"

enum { CHAIN = 256, DEPTH = 100000, INDEX_SLOTS = 4096 };

/* ---- rows ------------------------------------------------------------------------------------ */

static uint32_t hash_site(const Site *p) {
    uint64_t h = rowindex_mix((unsigned)p->line, (unsigned)p->defined);
    for (const char *c = p->source; *c; c++)
        h = (h ^ (unsigned char)*c) * 0x100000001b3ull;
    return (uint32_t)rowindex_mix(h, 0);
}

static bool same_site(const Site *a, const Site *b) {
    return a->line == b->line && a->defined == b->defined && strcmp(a->source, b->source) == 0;
}

/* Makes room for one more row in an index. Returns false if there is none, or no memory for the row
 * itself. */
static bool room_for_one(Witness *w, LmpRowIndex *index, bool row) {
    if (row && rowindex_room(index, 1)) return true;
    w->failed = true;
    return false;
}

uint32_t witness_site(Witness *w, const char *source, int defined, int line) {
    Site p = {.defined = defined, .line = line};
    size_t n = strlen(source);
    if (n >= sizeof p.source) n = sizeof p.source - 1;
    memcpy(p.source, source, n);
    uint32_t hash = hash_site(&p), at = hash, row;
    while ((row = rowindex_next(&w->site_index, hash, &at)))
        if (same_site(&w->site[row], &p)) return row;
    if (!room_for_one(w, &w->site_index, array_room(&w->site, &w->sites_room, w->sites + 1)))
        return 0;
    w->site[w->sites] = p;
    rowindex_add(&w->site_index, hash, w->sites);
    return w->sites++;
}

uint32_t witness_path(Witness *w, uint32_t caller, uint32_t site) {
    uint32_t hash = (uint32_t)rowindex_mix((uint64_t)caller << 32 | site, 0), at = hash, row;
    while ((row = rowindex_next(&w->path_index, hash, &at)))
        if (w->path[row].caller == caller && w->path[row].site == site) return row;
    if (!room_for_one(w, &w->path_index, array_room(&w->path, &w->paths_room, w->paths + 1)))
        return 0;
    w->path[w->paths] = (Path){caller, site};
    rowindex_add(&w->path_index, hash, w->paths);
    return w->paths++;
}

bool witness_open(Witness *w) {
    memset(w, 0, sizeof *w);
    w->sites = SITES_FIXED;
    w->paths = 1;
    if (!array_room(&w->site, &w->sites_room, w->sites) ||
        !array_room(&w->path, &w->paths_room, w->paths) ||
        !rowindex_open(&w->site_index, INDEX_SLOTS) ||
        !rowindex_open(&w->path_index, INDEX_SLOTS)) {
        witness_close(w);
        return false;
    }
    w->site[SITE_NONE] = (Site){"(no Lua function)", -1, -1};
    w->site[SITE_C] = (Site){"[C]", -1, -1};
    w->site[SITE_UNKNOWN] = (Site){"(unknown)", -1, -1};
    w->path[0] = (Path){0, 0};
    return true;
}

void witness_close(Witness *w) {
    free(w->site);
    free(w->path);
    rowindex_close(&w->site_index);
    rowindex_close(&w->path_index);
    memset(w, 0, sizeof *w);
}

/* ---- who runs -------------------------------------------------------------------------------- */

static lua_State *announced(const Witness *w, lua_State *L, const lua_Debug *top) {
    const void *ci = top ? (const void *)top->i_ci : NULL;
    for (int i = w->resumes; i-- > 0;)
        if (w->resumed[i].from == L && w->resumed[i].ci == ci) return w->resumed[i].to;
    return NULL;
}

/* Returns true if the coroutine is being closed. Up to Lua 5.4.3 it still seems to have yielded
 * while its variables are closed; but its frames start over then, and are those of functions that
 * it has called since. A coroutine that has failed within coroutine.wrap's function, which closes
 * it at once, still seems to have failed. */
static bool is_closing(const Witness *w, lua_State *t) {
    for (int i = 0; i < w->closings; i++)
        if (w->closing[i] == t) return lua_status(t) == LUA_YIELD;
    return false;
}

/* Returns the thread that L's innermost function, a C function, has resumed; NULL: none. */
static lua_State *resumed_by(const Witness *w, lua_State *L, const lua_Debug *top) {
    lua_State *t = announced(w, L, top);
    lua_Debug ar;
    if (t) return t;
    for (int way = 0; top && way < 2; way++) {
        t = lua_tothread(L, way == 0 ? 1 : lua_upvalueindex(1));
        if (!t || t == L || !lua_getstack(t, 0, &ar)) continue;
        if (lua_status(t) == LUA_OK || (way == 0 && is_closing(w, t))) return t;
        if (way == 1 && lua_status(t) > LUA_YIELD) return t;
    }
    return NULL;
}

/* Returns the threads that run, main thread first, each resumed by the one before. */
static int find_chain(const Witness *w, lua_State *chain[CHAIN]) {
    int n = 0;
    for (lua_State *L = w->main; L && n < CHAIN;) {
        lua_Debug top;
        chain[n++] = L;
        bool has = lua_getstack(L, 0, &top);
        if (has) {
            lua_getinfo(L, "S", &top);
            if (*top.what != 'C') break;
        }
        lua_State *t = resumed_by(w, L, has ? &top : NULL);
        for (int i = 0; i < n; i++)
            if (chain[i] == t) t = NULL;
        L = t;
    }
    return n;
}

/* Returns the site of a frame; 0: it cannot be told. */
static uint32_t site_of(Witness *w, lua_State *L, lua_Debug *ar) {
    if (!lua_getinfo(L, "Sl", ar)) return SITE_NONE;
    if (*ar->what == 'C') return SITE_C;
    return witness_site(w, ar->short_src, ar->linedefined, ar->currentline);
}

/* A path goes from the outermost frame inwards, but frames are met the other way round. */
static uint32_t ask_path(Witness *w, lua_State *const chain[CHAIN], int n) {
    static _Thread_local uint32_t met[DEPTH];
    uint32_t path = 0;
    for (int i = 0; i < n; i++) {
        lua_Debug ar;
        int depth = 0;
        while (depth < DEPTH && lua_getstack(chain[i], depth, &ar))
            met[depth++] = site_of(w, chain[i], &ar);
        while (depth-- > 0)
            path = witness_path(w, path, met[depth]);
    }
    return path;
}

uint32_t witness_ask(Witness *w, uint32_t *path) {
    lua_State *chain[CHAIN];
    int n = find_chain(w, chain);
    if (path) *path = ask_path(w, (lua_State *const *)chain, n);
    while (n-- > 0) {
        lua_Debug ar;
        for (int level = 0; lua_getstack(chain[n], level, &ar); level++) {
            uint32_t site = site_of(w, chain[n], &ar);
            if (site != SITE_C) return site;
        }
    }
    return SITE_NONE;
}

/* ---- the hook -------------------------------------------------------------------------------- */

static void never(lua_State *L, lua_Debug *ar) {
    (void)ar;
    luaL_error(L, "the count was reached after all");
}

void witness_watch(lua_State *L, lua_Hook f, int mask, int count) {
    if (mask & LUA_MASKCOUNT) {
        lua_sethook(L, f, mask, count); /* has its count, which saves as well */
    } else {
        lua_sethook(L, f ? f : never, mask | LUA_MASKCOUNT, INT_MAX);
    }
}

int witness_resume(Witness *w, lua_State *L, lua_State *from, int nargs, int *results) {
    lua_Debug ar;
    int n = w->resumes;
    lua_State *by = from ? from : w->main;
    if (n < (int)(sizeof w->resumed / sizeof *w->resumed)) {
        w->resumed[n].from = by;
        w->resumed[n].to = L;
        w->resumed[n].ci = lua_getstack(by, 0, &ar) ? (const void *)ar.i_ci : NULL;
        w->resumes++;
    }
    int status = lua_resume(L, from, nargs, results);
    w->resumes = n;
    return status;
}
