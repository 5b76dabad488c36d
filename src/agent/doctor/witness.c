/* witness.c - see witness.h. */
#include "agent/doctor/witness.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

enum { CHAIN = 256, DEPTH = 100000 };

/* ---- rows ------------------------------------------------------------------------------------ */

static bool grow(void **rows, uint32_t *room, size_t size) {
    uint32_t more = *room ? *room * 2 : 1024;
    void *p = realloc(*rows, more * size);
    if (!p) return false;
    *rows = p;
    *room = more;
    return true;
}

static uint64_t mix(uint64_t h) {
    h *= 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

static uint64_t hash_place(const Place *p) {
    uint64_t h = (uint64_t)(unsigned)p->line << 32 | (unsigned)p->defined;
    for (const char *c = p->source; *c; c++)
        h = (h ^ (unsigned char)*c) * 0x100000001b3ull;
    return mix(h);
}

static uint64_t hash_path(const Path *p) {
    return mix((uint64_t)p->caller << 32 | p->place);
}

static bool same_place(const Place *a, const Place *b) {
    return a->line == b->line && a->defined == b->defined && strcmp(a->source, b->source) == 0;
}

/* Both indexes are kept at most half full. */
static bool widen(Witness *w, bool paths) {
    uint32_t *slots = paths ? &w->path_slots : &w->place_slots;
    uint32_t **index = paths ? &w->path_index : &w->place_index;
    uint32_t rows = paths ? w->paths : w->places, more = *slots ? *slots * 2 : 4096;
    uint32_t *fresh = calloc(more, sizeof *fresh);
    if (!fresh) return false;
    for (uint32_t i = paths ? 1 : PLACES_FIXED; i < rows; i++) {
        uint64_t h = paths ? hash_path(&w->path[i]) : hash_place(&w->place[i]);
        uint32_t at = (uint32_t)h & (more - 1);
        while (fresh[at])
            at = (at + 1) & (more - 1);
        fresh[at] = i;
    }
    free(*index);
    *index = fresh;
    *slots = more;
    return true;
}

uint32_t witness_place(Witness *w, const char *source, int defined, int line) {
    Place p = {.defined = defined, .line = line};
    size_t n = strlen(source);
    if (n >= sizeof p.source) n = sizeof p.source - 1;
    memcpy(p.source, source, n);
    if (w->places * 2 >= w->place_slots && !widen(w, false)) return w->failed = true, 0;
    uint32_t at = (uint32_t)hash_place(&p) & (w->place_slots - 1);
    for (; w->place_index[at]; at = (at + 1) & (w->place_slots - 1))
        if (same_place(&w->place[w->place_index[at]], &p)) return w->place_index[at];
    if (w->places == w->places_room && !grow((void **)&w->place, &w->places_room, sizeof p))
        return w->failed = true, 0;
    w->place[w->places] = p;
    w->place_index[at] = w->places;
    return w->places++;
}

uint32_t witness_path(Witness *w, uint32_t caller, uint32_t place) {
    Path p = {caller, place};
    if (w->paths * 2 >= w->path_slots && !widen(w, true)) return w->failed = true, 0;
    uint32_t at = (uint32_t)hash_path(&p) & (w->path_slots - 1);
    for (; w->path_index[at]; at = (at + 1) & (w->path_slots - 1)) {
        const Path *q = &w->path[w->path_index[at]];
        if (q->caller == caller && q->place == place) return w->path_index[at];
    }
    if (w->paths == w->paths_room && !grow((void **)&w->path, &w->paths_room, sizeof p))
        return w->failed = true, 0;
    w->path[w->paths] = p;
    w->path_index[at] = w->paths;
    return w->paths++;
}

bool witness_open(Witness *w) {
    memset(w, 0, sizeof *w);
    w->places = PLACES_FIXED;
    w->paths = 1;
    if (!grow((void **)&w->place, &w->places_room, sizeof *w->place) ||
        !grow((void **)&w->path, &w->paths_room, sizeof *w->path) || !widen(w, false) ||
        !widen(w, true)) {
        witness_close(w);
        return false;
    }
    w->place[PLACE_NONE] = (Place){"(no Lua function)", -1, -1};
    w->place[PLACE_C] = (Place){"[C]", -1, -1};
    w->place[PLACE_UNKNOWN] = (Place){"(unknown)", -1, -1};
    w->path[0] = (Path){0, 0};
    return true;
}

void witness_close(Witness *w) {
    free(w->place);
    free(w->path);
    free(w->place_index);
    free(w->path_index);
    memset(w, 0, sizeof *w);
}

/* ---- who runs -------------------------------------------------------------------------------- */

static lua_State *announced(const Witness *w, lua_State *L, const lua_Debug *top) {
    const void *ci = top ? (const void *)top->i_ci : NULL;
    for (int i = w->resumes; i-- > 0;)
        if (w->resumed[i].from == L && w->resumed[i].ci == ci) return w->resumed[i].to;
    return NULL;
}

/* Up to Lua 5.4.3 a coroutine that is being closed still seems to have yielded while its variables
 * are closed; but its frames start over then, and are those of functions that it has called since.
 * What coroutine.wrap has made closes one that has failed, which still seems to have, at once. */
static bool is_closing(const Witness *w, lua_State *t) {
    for (int i = 0; i < w->closings; i++)
        if (w->closing[i] == t) return lua_status(t) == LUA_YIELD;
    return false;
}

/* The thread that L's innermost function, a C function, has resumed; NULL: none. */
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

/* The threads that run, main thread first, each resumed by the one before. */
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

/* The place of a frame; 0: it cannot be told. */
static uint32_t place_of(Witness *w, lua_State *L, lua_Debug *ar) {
    if (!lua_getinfo(L, "Sl", ar)) return PLACE_NONE;
    if (*ar->what == 'C') return PLACE_C;
    return witness_place(w, ar->short_src, ar->linedefined, ar->currentline);
}

/* A path goes from the outermost frame inwards, but frames are met the other way round. */
static uint32_t ask_path(Witness *w, lua_State *const chain[CHAIN], int n) {
    static _Thread_local uint32_t met[DEPTH];
    uint32_t path = 0;
    for (int i = 0; i < n; i++) {
        lua_Debug ar;
        int depth = 0;
        while (depth < DEPTH && lua_getstack(chain[i], depth, &ar))
            met[depth++] = place_of(w, chain[i], &ar);
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
            uint32_t place = place_of(w, chain[n], &ar);
            if (place != PLACE_C) return place;
        }
    }
    return PLACE_NONE;
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
