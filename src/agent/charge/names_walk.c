/* names_walk.c - searches tables one step deeper each time, so that the nearest functions are
 * always found first: module.field, then module.class.method, and so on. Findings are kept in
 * private memory that is released at the end; on Lua's stack there are only the tables on the way
 * and the keys in them. */
#include "agent/charge/names_walk.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "agent/charge/sites.h"
#include "agent/interp/frames.h"
#include "agent/interp/stripped.h"
#include "base/os.h"
#include "base/rowindex.h"

enum {
    ENTRIES_MOST = 24000, /* looked at in one pass */
    TABLE_MOST = 3000,    /* of one table */
    SMALL_ARRAY = 32,     /* longer arrays are left out: they are data */
    STEPS = 4,            /* module.sub.class.method */
    HOPS = 2,             /* to what a table inherits, on one way */
    SLOTS = 19,           /* of Lua's stack: the roots, two for each step, three for each hop */
    FOUND_MOST = 8192,
    TABLES_MOST = 4096,
    TEXT_MOST = 1 << 19,
    NAME_MOST = 160,
    SOURCES = 64
};

enum { FROM_LOADED, FROM_GLOBALS, FROM_REGISTRY };

typedef struct Found {
    uint32_t row, rank, at; /* at: of its name in text */
    bool several;
    const void *address, *object;
} Found;

/* A table and the best way to it. */
typedef struct Seen {
    const void *table;
    uint32_t rank, at;
} Seen;

typedef struct Walk {
    LmpProfile *p;
    lua_State *L;
    unsigned target; /* functions are taken at this step of the name */
    unsigned left;   /* entries that may still be looked at */
    unsigned origin, hops;
    const void *globals, *loaded;
    size_t length; /* of name */
    LmpRowIndex found_index, seen_index;
    uint32_t found_count, seen_count, text_used;
    struct {
        const char *source;
        uint32_t text;
    } source[SOURCES]; /* texts of sources, by their address: it stays the same in a pass */
    char name[NAME_MOST];
    Seen seen[TABLES_MOST];
    Found found[FOUND_MOST];
    char text[TEXT_MOST];
} Walk;

/* ---- names ----------------------------------------------------------------------------------- */

static bool append(Walk *w, const char *text, size_t length) {
    if (length >= NAME_MOST - w->length) return false;
    memcpy(w->name + w->length, text, length);
    w->length += length;
    w->name[w->length] = 0;
    return true;
}

static bool is_identifier(const char *s, size_t length) {
    for (size_t i = 0; i < length; i++) {
        char c = s[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9')) return false;
    }
    return length > 0;
}

/* Adds the key at -2, as one would write it; a method must be a name. Returns false if the key is
 * no part of a name, or the name gets too long. */
static bool append_key(Walk *w) {
    char last = w->length ? w->name[w->length - 1] : 0, number[32];
    size_t length;
    if (lua_isinteger(w->L, -2)) {
        int n = snprintf(number, sizeof number, "[%lld]", (long long)lua_tointeger(w->L, -2));
        return last != ':' && (last || append(w, "_G", 2)) && append(w, number, (size_t)n);
    }
    if (lua_type(w->L, -2) != LUA_TSTRING) return false;
    const char *key = lua_tolstring(w->L, -2, &length);
    if (length == 0 || length >= NAME_MOST || memchr(key, 0, length)) return false;
    if (is_identifier(key, length))
        return (!last || last == ':' || append(w, ".", 1)) && append(w, key, length);
    return last != ':' && (last || append(w, "_G", 2)) && append(w, "[\"", 2) &&
           append(w, key, length) && append(w, "\"]", 2);
}

static uint32_t rank_of(const Walk *w, unsigned step) {
    return step << 24 | w->hops << 20 | w->origin << 16 | (uint32_t)w->length;
}

/* Returns true if the current name is better than the one at `at`. */
static bool is_better(const Walk *w, uint32_t rank, uint32_t other, uint32_t at) {
    return rank < other || (rank == other && strcmp(w->name, w->text + at) < 0);
}

/* Keeps the name, in the place of the one at `at` (0: an empty one) if it is not longer. Returns
 * false if there is no room. */
static bool keep_name(Walk *w, uint32_t *at) {
    size_t size = w->length + 1;
    if (strlen(w->text + *at) < w->length) {
        if (TEXT_MOST - w->text_used < size) return false;
        *at = w->text_used;
        w->text_used += (uint32_t)size;
    }
    memcpy(w->text + *at, w->name, size);
    return true;
}

static uint32_t hash_of(const void *pointer, uint32_t row) {
    return (uint32_t)rowindex_mix((uintptr_t)pointer, row);
}

/* ---- functions ------------------------------------------------------------------------------- */

static void offer(Walk *w, unsigned step, const void *address, uint32_t row) {
    const void *object = lua_topointer(w->L, -1);
    uint32_t rank = rank_of(w, step), hash = hash_of(address, row), at = hash, i;
    while ((i = rowindex_next(&w->found_index, hash, &at))) {
        Found *f = &w->found[i];
        if (f->address != address || f->row != row) continue;
        if (!address && f->object != object) f->several = true;
        if (is_better(w, rank, f->rank, f->at) && keep_name(w, &f->at)) f->rank = rank;
        return;
    }
    if (w->found_count + 1 >= FOUND_MOST || !rowindex_room(&w->found_index, 1)) return;
    Found f = {row, rank, 0, false, address, object};
    if (!keep_name(w, &f.at)) return;
    w->found[++w->found_count] = f;
    rowindex_add(&w->found_index, hash, w->found_count);
}

static uint32_t source_of(Walk *w, const lua_Debug *ar) {
    size_t slot = rowindex_mix((uintptr_t)ar->source, 0) % SOURCES;
    if (w->source[slot].source != ar->source) {
        w->source[slot].source = ar->source;
        w->source[slot].text = sites_find_source(w->p, ar->source, ar->srclen);
    }
    return w->source[slot].text;
}

/* Returns true for a function that coroutine.wrap made: its name says nothing about others of the
 * kind. */
static bool is_wrapped_coroutine(lua_State *L) {
    if (!lua_getupvalue(L, -1, 1)) return false;
    bool thread = lua_isthread(L, -1);
    lua_pop(L, 1);
    return thread;
}

/* Notes that the name reaches the function at -1. */
static void take(Walk *w, unsigned step) {
    lua_State *L = w->L;
    lua_Debug ar;
    lua_CFunction c = lua_tocfunction(L, -1);
    if (c) {
        const void *address;
        memcpy(&address, &c, sizeof address);
        if (!is_wrapped_coroutine(L)) offer(w, step, address, 0);
        return;
    }
    lua_pushvalue(L, -1);
    lua_getinfo(L, ">S", &ar);
    char stripped[LMP_STRIPPED_NAME];
    uint32_t source = 0; /* no function has that */
    if (stripped_is(&ar) && w->p->regs) {
        stripped_name((const void *)frames_word(lua_topointer(L, -1), LMP_AT_CLOSURE_CODE), &ar,
                      stripped); /* NOLINT */
        source = sites_find_source(w->p, ar.source, ar.srclen);
    } else if (*ar.what != 'm') {
        source = source_of(w, &ar);
    }
    uint32_t row = sites_find_function(w->p, source, ar.linedefined, NULL);
    if (row) offer(w, step, NULL, row);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Notes that the name reaches the table at -1. Returns false if a better name did. */
static bool enter(Walk *w, unsigned step) {
    const void *table = lua_topointer(w->L, -1);
    uint32_t rank = rank_of(w, step), hash = hash_of(table, 0), at = hash, i;
    while ((i = rowindex_next(&w->seen_index, hash, &at))) {
        Seen *s = &w->seen[i];
        if (s->table != table) continue;
        if (s->rank == rank && !strcmp(w->name, w->text + s->at)) return true;
        if (!is_better(w, rank, s->rank, s->at) || !keep_name(w, &s->at)) return false;
        s->rank = rank;
        return true;
    }
    if (w->seen_count + 1 >= TABLES_MOST || !rowindex_room(&w->seen_index, 1)) return false;
    Seen s = {table, rank, 0};
    if (!keep_name(w, &s.at)) return false;
    w->seen[++w->seen_count] = s;
    rowindex_add(&w->seen_index, hash, w->seen_count);
    return true;
}

/* The first key for lua_next: nil, or where a long array ends. */
static void push_first_key(lua_State *L) {
    lua_Unsigned n = lua_rawlen(L, -1);
    if (n > SMALL_ARRAY) {
        lua_pushinteger(L, (lua_Integer)n);
    } else {
        lua_pushnil(L);
    }
}

/* Pushes the entry of the table at -1 with this key, for which no string is made. Returns false,
 * and pushes nothing, if there is none. */
static bool push_entry(Walk *w, const char *key) {
    lua_State *L = w->L;
    int top = lua_gettop(L);
    push_first_key(L);
    for (int i = 0; i < TABLE_MOST && w->left > 0 && lua_next(L, -2); i++) {
        w->left--;
        if (lua_type(L, -2) == LUA_TSTRING && !strcmp(lua_tostring(L, -2), key)) {
            lua_remove(L, -2);
            return true;
        }
        lua_pop(L, 1);
    }
    lua_settop(L, top);
    return false;
}

/* Returns true if names begin at the table at -1. */
static bool is_root(const Walk *w) {
    const void *table = lua_topointer(w->L, -1);
    return table == w->globals || table == w->loaded;
}

static void look_at_entry(Walk *w, unsigned step);

/* Searches the entries of the table at -1, whose keys are the step'th part of a name. */
static void look_through(Walk *w, unsigned step) {
    lua_State *L = w->L;
    int top = lua_gettop(L);
    size_t length = w->length;
    if (!enter(w, step)) return;
    push_first_key(L);
    for (int i = 0; i < TABLE_MOST && w->left > 0 && lua_next(L, -2); i++) {
        w->left--;
        look_at_entry(w, step);
        w->length = length;
        w->name[length] = 0;
        lua_pop(L, 1);
    }
    lua_settop(L, top);
    if (w->hops < HOPS && lua_getmetatable(L, -1)) { /* methods of an object */
        w->hops++;
        if (push_entry(w, "__index") && lua_istable(L, -1) && !is_root(w)) look_through(w, step);
        w->hops--;
    }
    lua_settop(L, top);
}

/* Key and value at -2 and -1. */
static void look_at_entry(Walk *w, unsigned step) {
    lua_State *L = w->L;
    int type = lua_type(L, -1);
    if (type == LUA_TFUNCTION && step == w->target && append_key(w)) {
        take(w, step);
    } else if (type == LUA_TTABLE) {
        if (is_root(w)) return;
        if (lua_type(L, -2) == LUA_TSTRING && !strcmp(lua_tostring(L, -2), "__index")) {
            if (w->hops >= HOPS) return; /* what it hands down is its own as well */
            w->hops++;
            look_through(w, step);
            w->hops--;
        } else if (step < w->target && append_key(w)) {
            look_through(w, step + 1);
        }
    }
}

/* ---- where names begin ----------------------------------------------------------------------- */

/* package.loaded is at -1: modules have their names as they are. */
static void look_through_loaded(Walk *w) {
    lua_State *L = w->L;
    int top = lua_gettop(L);
    push_first_key(L);
    for (int i = 0; i < TABLE_MOST && w->left > 0 && lua_next(L, -2); i++) {
        size_t length;
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tolstring(L, -2, &length) : NULL;
        w->left--;
        w->length = 0;
        if (name && *name && strlen(name) == length && append(w, name, length)) {
            if (lua_isfunction(L, -1) && w->target == 1) take(w, 1);
            if (lua_istable(L, -1) && w->target > 1 && !is_root(w)) look_through(w, 2);
        }
        lua_pop(L, 1);
    }
    lua_settop(L, top);
}

/* The registry is at -1: metatables made by luaL_newmetatable carry their own name. */
static void look_through_registry(Walk *w) {
    lua_State *L = w->L;
    int top = lua_gettop(L);
    push_first_key(L);
    for (int i = 0; i < TABLE_MOST && w->left > 0 && lua_next(L, -2); i++) {
        w->left--;
        w->length = 0;
        if (lua_type(L, -2) == LUA_TSTRING && lua_istable(L, -1)) {
            size_t length;
            const char *name = lua_tolstring(L, -2, &length);
            if (push_entry(w, "__name") && lua_rawequal(L, -1, -3) && strlen(name) == length &&
                append(w, name, length) && append(w, ":", 1)) {
                lua_pop(L, 1);
                look_through(w, STEPS - 1); /* its __index, too */
            }
        }
        lua_settop(L, top + 1);
    }
    lua_settop(L, top);
}

static void look_everywhere(Walk *w) {
    lua_State *L = w->L;
    int top = lua_gettop(L);
    lua_pushvalue(L, LUA_REGISTRYINDEX); /* package.loaded is in there (lauxlib.h) */
    bool loaded = push_entry(w, LUA_LOADED_TABLE) && lua_istable(L, -1);
    if (loaded) lua_replace(L, top + 1);
    lua_settop(L, top + 1);
    w->loaded = loaded ? lua_topointer(L, -1) : NULL;
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    bool globals = lua_istable(L, -1);
    w->globals = lua_topointer(L, -1);
    for (w->target = 1; w->target <= STEPS; w->target++) {
        if (loaded) {
            w->origin = FROM_LOADED;
            lua_pushvalue(L, top + 1);
            look_through_loaded(w);
        }
        if (globals && w->target > 1) {
            w->origin = FROM_GLOBALS;
            w->length = 0;
            w->name[0] = 0;
            lua_pushvalue(L, top + 2);
            look_through(w, 2);
        }
        if (w->target == STEPS - 1) {
            w->origin = FROM_REGISTRY;
            lua_pushvalue(L, LUA_REGISTRYINDEX);
            look_through_registry(w);
        }
        lua_settop(L, top + 2);
    }
    lua_settop(L, top);
}

bool names_walk(LmpProfile *p, lua_State *L, void (*each)(LmpProfile *p, const LmpNamed *found)) {
    if (!lua_checkstack(L, SLOTS)) return false;
    Walk *w = lmp_os->map(sizeof *w, -1, 0, true);
    if (!w) return false;
    w->p = p;
    w->L = L;
    w->left = ENTRIES_MOST;
    w->text_used = 1; /* 0 is none */
    bool ok = rowindex_open(&w->found_index, 1024) && rowindex_open(&w->seen_index, 256);
    if (ok) look_everywhere(w);
    for (uint32_t i = 1; i <= w->found_count; i++) {
        const Found *f = &w->found[i];
        each(p, &(LmpNamed){f->row, f->address, f->object, f->rank, f->several, w->text + f->at});
    }
    rowindex_close(&w->found_index);
    rowindex_close(&w->seen_index);
    lmp_os->unmap(w, sizeof *w);
    return ok;
}
