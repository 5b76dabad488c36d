/* owners.c - keeps lists of objects that may have parts and of parts without an owner; looks from
 * time to time through the newest objects first for words that are the address of a part. */
#include "agent/doctor/owners.h"

#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "base/array.h"
#include "base/kind.h"

enum { TAG_STRING = 4, TAG_TABLE, TAG_FUNCTION, TAG_USERDATA, TAG_THREAD, TAG_UPVAL, TAG_PROTO };
enum { CI_SIZE = 64, CI_PREVIOUS = 16, CI_NEXT = 24, THREAD_TOP = 16 };
enum { UDATA_META = 24, UDATA_BYTES = 32, TABLE_PARTS = 16, TABLE_END = 32 };
enum { PROTO_PARTS = 56, PROTO_END = 112 };
/* From Lua 5.5 on: */
enum {
    NEWER = LUA_VERSION_NUM >= 505,
    TABLE_SLOTS = 12,
    TABLE_ARRAY = 16,
    TABLE_NODE = 24,
    LENT_SIZE = 48,
    LENT_BYTES = 24
};

/* Returns the LmpKind of a type tag; -1: a part. */
static int owners_kind(int type_tag) {
    static const int8_t kind[] = {
        [TAG_STRING] = LMP_STRING,     [TAG_TABLE] = LMP_TABLE,   [TAG_FUNCTION] = LMP_FUNCTION,
        [TAG_USERDATA] = LMP_USERDATA, [TAG_THREAD] = LMP_THREAD, [TAG_UPVAL] = LMP_FUNCTION,
        [TAG_PROTO] = LMP_FUNCTION};
    return type_tag >= TAG_STRING && type_tag <= TAG_PROTO ? kind[type_tag] : -1;
}

static char *word_at(const char *p, size_t at) {
    char *w;
    memcpy(&w, p + at, sizeof w);
    return w;
}

static bool add(Owners *o, uint32_t **list, uint32_t *n, uint32_t *room, ArenaBlock *b) {
    if (!array_room(list, room, *n + 1)) return !(o->failed = true);
    b->listed = *n;
    (*list)[(*n)++] = (uint32_t)(b - o->arena->block);
    return true;
}

static void take(const Owners *o, uint32_t *list, uint32_t *n, const ArenaBlock *b) {
    uint32_t last = list[--*n];
    list[b->listed] = last;
    o->arena->block[last].listed = b->listed;
}

static bool may_own(const ArenaBlock *b) {
    int tag = b->type_tag;
    return tag == TAG_TABLE || tag == TAG_USERDATA || tag == TAG_THREAD || tag == TAG_PROTO ||
           (NEWER && tag == TAG_STRING && b->size == LENT_SIZE);
}

void owners_made(Owners *o, ArenaBlock *b) {
    b->owner = (int8_t)owners_kind(b->type_tag);
    if (may_own(b)) {
        add(o, &o->object, &o->objects, &o->objects_room, b);
    } else if (b->owner < 0) {
        add(o, &o->part, &o->parts, &o->parts_room, b);
    }
}

void owners_gone(Owners *o, ArenaBlock *b) {
    if (o->failed) return;
    if (may_own(b)) {
        take(o, o->object, &o->objects, b);
    } else if (b->owner < 0) {
        take(o, o->part, &o->parts, b);
    }
}

/* ---- looking --------------------------------------------------------------------------------- */

static void claim(Owners *o, ArenaBlock *part, LmpKind kind) {
    take(o, o->part, &o->parts, part);
    part->owner = (int8_t)kind;
}

/* A thread's first CallInfo is inside it; each of the others is known by its neighbours. */
static void claim_calls(Owners *o, ArenaBlock *part) {
    while (part && part->type_tag == 0 && part->owner < 0) {
        claim(o, part, LMP_THREAD);
        if (part->size != CI_SIZE) return;
        char *before = part->addr;
        part = arena_find(o->arena, word_at(before, CI_NEXT));
        if (part && (part->size != CI_SIZE || word_at(part->addr, CI_PREVIOUS) != before)) return;
    }
}

/* Follows the list on from CallInfos that have their owner: those behind them may have been made
 * since. */
static void follow_calls(Owners *o) {
    for (uint32_t i = o->parts; i-- > 0;) {
        if (i >= o->parts) continue;
        ArenaBlock *b = &o->arena->block[o->part[i]];
        if (b->size != CI_SIZE) continue;
        char *previous = word_at(b->addr, CI_PREVIOUS);
        const ArenaBlock *p = arena_find(o->arena, previous);
        if (p && p->size == CI_SIZE && p->owner == LMP_THREAD &&
            word_at(previous, CI_NEXT) == b->addr)
            claim_calls(o, b);
    }
}

/* Gives the part that begins at an address its owner, if it is one without. */
static void claim_at(Owners *o, const char *at, LmpKind kind) {
    ArenaBlock *part = arena_find(o->arena, at);
    if (part && part->type_tag == 0 && part->owner < 0) claim(o, part, kind);
}

static void scan(Owners *o, const ArenaBlock *b, size_t from, size_t to, LmpKind kind) {
    for (size_t at = from; at + 8 <= to && o->parts > 0; at += 8)
        claim_at(o, word_at(b->addr, at), kind);
}

/* A table of Lua 5.5. */
static void scan_newer_table(Owners *o, const ArenaBlock *b) {
    uint32_t slots;
    memcpy(&slots, b->addr + TABLE_SLOTS, sizeof slots);
    char *array = word_at(b->addr, TABLE_ARRAY), *node = word_at(b->addr, TABLE_NODE);
    if (array) claim_at(o, (const char *)((uintptr_t)array - slots * 8ull), LMP_TABLE); /* NOLINT */
    claim_at(o, node, LMP_TABLE);
    claim_at(o, (const char *)((uintptr_t)node - 8), LMP_TABLE); /* NOLINT */
}

static bool is_within(const char *at, const char *from, size_t size) {
    return (uintptr_t)at - (uintptr_t)from <= size;
}

/* Lists of the collector's leave words in a thread that may be the address of any part. So a part
 * has to say itself that it is the thread's. */
static void scan_thread(Owners *o, const char *thread) {
    const char *top = word_at(thread, LUA_EXTRASPACE + THREAD_TOP);
    for (size_t at = 0; at + 8 <= o->thread_size; at += 8) {
        ArenaBlock *part = arena_find(o->arena, word_at(thread, at));
        if (!part) continue;
        bool stack = is_within(top, part->addr, part->size);
        bool call = part->size == CI_SIZE &&
                    is_within(word_at(part->addr, CI_PREVIOUS), thread, o->thread_size);
        if (stack || call) claim_calls(o, part);
    }
}

/* So it is in the global state: of the table of strings it has the address, how many are in it
 * (four bytes), and of how many slots it is. */
static void scan_global(Owners *o, const char *from, size_t size) {
    for (size_t at = 0; at + 16 <= size; at += 8) {
        uint32_t slots;
        memcpy(&slots, from + at + 12, sizeof slots);
        const ArenaBlock *part = arena_find(o->arena, word_at(from, at));
        if (part && part->size == slots * 8ull) claim_at(o, part->addr, LMP_STRING);
    }
}

static void scan_object(Owners *o, const ArenaBlock *b) {
    size_t rest = b->size - o->thread_size; /* the main thread's: the global state */
    switch (b->type_tag) {
    case TAG_STRING:
        scan(o, b, LENT_BYTES, LENT_BYTES + 8, LMP_STRING);
        break;
    case TAG_TABLE:
        if (NEWER)
            scan_newer_table(o, b);
        else
            scan(o, b, TABLE_PARTS, TABLE_END, LMP_TABLE);
        break;
    case TAG_PROTO:
        scan(o, b, PROTO_PARTS, PROTO_END, LMP_FUNCTION);
        break;
    case TAG_USERDATA: /* a buffer's box holds a string in the making */
        if (b->size >= UDATA_BYTES + 8 && o->box && word_at(b->addr, UDATA_META) == o->box)
            scan(o, b, UDATA_BYTES, UDATA_BYTES + 8, LMP_STRING);
        break;
    default:
        if (!o->thread_size) break;
        scan_thread(o, b->addr + (NEWER ? rest : 0));
        scan_global(o, b->addr + (NEWER ? 0 : o->thread_size), rest);
    }
}

void owners_look(Owners *o, bool now) {
    if (o->failed || (!now && o->wait > 0 && o->wait--)) return;
    if (!o->parts) return;
    o->wait = 1 + o->objects / 256; /* so that it costs the same for each block */
    follow_calls(o);
    for (uint32_t i = o->objects; i-- > 0 && o->parts > 0;) /* the newest first */
        scan_object(o, &o->arena->block[o->object[i]]);
}

/* ---- life ------------------------------------------------------------------------------------ */

void owners_reset(Owners *o, Arena *arena) {
    o->arena = arena;
    o->thread_size = 0;
    o->box = NULL;
    o->objects = o->parts = o->wait = 0;
    o->failed = false;
}

void owners_free(Owners *o) {
    free(o->object);
    free(o->part);
    memset(o, 0, sizeof *o);
}

void owners_learn(Owners *o, lua_State *L) {
    luaL_Buffer buffer; /* the first large one makes the metatable */
    luaL_buffinit(L, &buffer);
    memset(luaL_prepbuffsize(&buffer, 10000), 'x', 10000);
    luaL_addsize(&buffer, 10000);
    luaL_pushresult(&buffer);
    lua_getfield(L, LUA_REGISTRYINDEX, "_UBOX*");
    o->box = lua_topointer(L, -1);
    lua_pop(L, 2);
    const ArenaBlock *thread =
        arena_find(o->arena, (const char *)lua_newthread(L) - LUA_EXTRASPACE);
    if (thread) o->thread_size = thread->size;
    lua_pop(L, 1);
    owners_look(o, true);
}
