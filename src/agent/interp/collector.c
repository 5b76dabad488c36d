/* collector.c - in a private state, looks for the three bytes that behave as colour, state and kind
 * do through full collections, single steps and a change of mode. */
#include "agent/interp/collector.h"

#include <stdlib.h>
#include <string.h>

#include "agent/interp/learning.h"
#include "agent/interp/luafacts.h"

enum { SCAN = 512 /* bytes of the global state that are looked at */ };

/* Offsets, bytes. Valid when `found`. */
static struct {
    bool found;
    size_t global; /* in lua_State: pointer to the global state */
    size_t colour; /* in the global state: colour, then state, then kind, a byte each */
    size_t bad; /* in the global state: word that is not zero after a bad collection; 0: unknown */
} place;

static LmpBirth birth;

/* ---- finding --------------------------------------------------------------------------------- */

typedef struct Block {
    char *start; /* the block that holds both the main thread and the global state */
    size_t size;
} Block;

static void *probe_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    Block *block = ud;
    if (!nsize) {
        free(ptr);
        return NULL;
    }
    void *r = realloc(ptr, nsize);
    if (!ptr && osize == LUA_TTHREAD && !block->start) *block = (Block){r, nsize};
    return r;
}

static uintptr_t word_at(const void *base, size_t offset) {
    uintptr_t w;
    memcpy(&w, (const char *)base + offset, sizeof w);
    return w;
}

/* The global state begins with the allocator and its ud. */
static char *find_global(const Block *block, lua_Alloc alloc, const void *ud) {
    for (size_t at = 0; at + 2 * sizeof(uintptr_t) <= block->size; at += sizeof(uintptr_t))
        if (word_at(block->start, at) == (uintptr_t)alloc &&
            word_at(block->start, at + sizeof(uintptr_t)) == (uintptr_t)ud)
            return block->start + at;
    return NULL;
}

static void churn(lua_State *L) {
    for (int i = 0; i < 50; i++) {
        lua_newtable(L);
        lua_pop(L, 1);
    }
}

/* Returns true if the byte at `at` behaves as the colour, the next as the state, the next as the
 * kind. */
static bool behaves(lua_State *L, const char *global, size_t at) {
    const unsigned char *b = (const unsigned char *)global + at;
    for (int i = 0; i < 4; i++) {
        unsigned before = b[0];
        if ((before != LMP_WHITE0 && before != LMP_WHITE1) || b[1] != LMP_GCS_PAUSE ||
            b[2] != LMP_KIND_INCREMENTAL)
            return false;
        churn(L);
        lua_gc(L, LUA_GCCOLLECT);
        if (b[0] != (before ^ LMP_WHITES)) return false;
    }
    lua_gc(L, LUA_GCSTOP); /* step by hand: the state goes round, the colour changes on the way */
    unsigned visited = 0, colour = b[0], changes = 0;
    for (int i = 0; i < 2000 && !(changes && b[1] == LMP_GCS_PAUSE); i++) {
        lua_gc(L, LUA_GCSTEP, (LmpStep)LMP_STEP);
        if (b[1] > LMP_GCS_PAUSE) return false;
        visited |= 1u << b[1];
        if (b[0] != colour) changes++, colour = b[0];
        lua_newtable(L);
        lua_pop(L, 1);
    }
    lua_gc(L, LUA_GCRESTART);
    if (changes != 1 || !(visited & 1u << LMP_GCS_PAUSE)) return false;
    lua_gc(L, LUA_GCGEN, 0, 0);
    bool ok = b[2] == LMP_KIND_GENERATIONAL && b[1] == LMP_GCS_PROPAGATE;
    lua_gc(L, LUA_GCINC, 0, 0, 0);
    return ok && b[2] == LMP_KIND_INCREMENTAL;
}

/* In generational mode Lua works incrementally for a while after a collection that freed little. In
 * 5.4 its kind then says incremental, and one word (lastatomic) that this is only for a while. So
 * we grow a heap until the kind changes by itself, and look for the one word that was zero before,
 * is not now, and is zero again once the mode has been set to incremental. */
static size_t find_bad(lua_State *L, const char *global, size_t colour) {
    enum { WORDS = 16 };
    uintptr_t before[WORDS], during[WORDS];
    const unsigned char *kind = (const unsigned char *)global + colour + 2;
    size_t found = 0, count = 0;
    lua_gc(L, LUA_GCGEN, 0, 0);
    for (size_t i = 0; i < WORDS; i++)
        before[i] = word_at(global, i * sizeof(uintptr_t));
    lua_newtable(L);
    for (int i = 1; i <= 5000 && *kind == LMP_KIND_GENERATIONAL; i++) {
        lua_newtable(L);
        lua_rawseti(L, -2, i);
    }
    bool changed = *kind == LMP_KIND_INCREMENTAL;
    for (size_t i = 0; i < WORDS; i++)
        during[i] = word_at(global, i * sizeof(uintptr_t));
    lua_pop(L, 1);
    lua_gc(L, LUA_GCINC, 0, 0, 0);
    for (size_t i = 0; i < WORDS && changed; i++)
        if (!before[i] && during[i] && !word_at(global, i * sizeof(uintptr_t)))
            found = i * sizeof(uintptr_t), count++;
    return count == 1 ? found : 0;
}

static void find_once(void) {
    Block block = {NULL, 0};
    lua_State *L = luafacts_newstate(probe_alloc, &block);
    if (!L) return;
    lua_newtable(L); /* something to keep, so that stepping takes more than a step */
    for (int i = 1; i <= 300; i++) {
        lua_newtable(L);
        lua_rawseti(L, 1, i);
    }
    const char *global = find_global(&block, probe_alloc, &block);
    size_t found = 0, links = 0;
    lua_gc(L, LUA_GCCOLLECT);
    if (global) {
        size_t limit = (size_t)(block.start + block.size - global);
        for (size_t at = 0; at + 3 < (limit < SCAN ? limit : SCAN); at++)
            if (behaves(L, global, at)) place.colour = at, found++;
        for (size_t at = 0; at < 64; at += sizeof(uintptr_t))
            if (word_at(L, at) == (uintptr_t)global) place.global = at, links++;
    }
    place.found = found == 1 && links == 1;
    if (global && links == 1)
        birth = (LmpBirth){block.size, (size_t)((char *)L - block.start),
                           (size_t)(global - block.start), place.global};
    if (place.found) place.bad = find_bad(L, global, place.colour);
    lua_close(L);
}

const LmpBirth *collector_birth(void) {
    return &birth;
}

uintptr_t collector_global(const lua_State *L) {
    return birth.size ? word_at(L, birth.link) : 0;
}

static void find(void) {
    static atomic_bool once;
    learning_once(&once, find_once);
}

size_t collector_colour(void) {
    find();
    return place.found ? place.colour : 0;
}

void collector_attach(LmpProfile *p, lua_State *L, lua_Alloc alloc, void *ud) {
    find();
    p->gc_word = p->collector->none;
    p->collector->kind = p->collector->bad = NULL;
    if (place.found) {
        const uint8_t *global;
        uintptr_t word = word_at(L, place.global);
        memcpy(&global, &word, sizeof global);
        if (word_at(global, 0) == (uintptr_t)alloc &&
            word_at(global, sizeof(uintptr_t)) == (uintptr_t)ud &&
            global[place.colour + 1] <= LMP_GCS_PAUSE &&
            global[place.colour + 2] <= LMP_KIND_MOST) {
            p->gc_word = global + place.colour;
            p->collector->kind = global + place.colour + 2;
            p->collector->bad = place.bad ? global + place.bad : NULL;
        }
    }
    p->gc_seen = collector_now(p);
}

void collector_detach(LmpProfile *p) {
    p->closing = true;
    p->gc_word = p->collector->none;
    p->gc_seen = collector_now(p);
}

/* ---- reading them ---------------------------------------------------------------------------- */

bool collector_is_bad(const LmpProfile *p) {
    if (p->collector->kind && *p->collector->kind == LMP_KIND_MAJOR) return true;
    return p->collector->bad && word_at(p->collector->bad, 0) != 0;
}

LmpGcMode collector_kind(const LmpProfile *p) {
    if (!p->collector->kind) return LMP_GC_UNKNOWN;
    return *p->collector->kind == LMP_KIND_GENERATIONAL || collector_is_bad(p) ? LMP_GC_GENERATIONAL
                                                                               : LMP_GC_INCREMENTAL;
}

unsigned collector_turns(LmpProfile *p) {
    uint8_t colour = p->gc_word[0], state = p->gc_word[1];
    uint16_t seen = (uint16_t)p->gc_seen;
    uint8_t old[2];
    unsigned turns = 0;
    memcpy(old, &seen, sizeof old);
    p->gc_seen = collector_now(p);
    if (old[0] != colour && (old[0] ^ colour) == LMP_WHITES) turns |= GC_MARKED;
    if (state >= LMP_GCS_CALL_FINALIZERS || state < LMP_GCS_SWEEP_FIRST) turns |= GC_SWEPT;
    return turns;
}
