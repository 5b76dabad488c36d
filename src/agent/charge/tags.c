/* tags.c - the tag map has a row for every coroutine that has set a tag: open addressing, in
 * private memory. Rows leave as often as coroutines die: they become tombstones, and the map is
 * rebuilt now and then. For the others, the alloc context of the thread's own block tells under
 * which tag they were created. */
#include "agent/charge/tags.h"

#include <string.h>

#include "agent/charge/sites.h"
#include "agent/interp/frames.h"
#include "agent/interp/stack.h"
#include "agent/map/shadow.h"
#include "base/os.h"
#include "base/rowindex.h"

enum { FIRST_ROWS = 256, NAME_SLOTS = 256, OTHERS = 1 };

typedef struct Row {
    uintptr_t thread; /* lua_State; 0: free, 1: was used */
    uint32_t tag;     /* 0: set to none, which is not the same as never set */
} Row;

struct LmpTagMap {
    Row *row;
    uint32_t rows; /* a power of two */
    uint32_t used; /* rows that are not free, once used ones included */
    uint32_t live;
    LmpRowIndex name;
};

/* ---- the map --------------------------------------------------------------------------------- */

static Row *find(const struct LmpTagMap *map, uintptr_t thread) {
    for (uint64_t at = rowindex_mix(thread, 0);; at++) {
        Row *r = &map->row[at & (map->rows - 1)];
        if (r->thread == thread) return r;
        if (!r->thread) return NULL;
    }
}

static void put(Row *row, uint32_t rows, Row r) {
    uint64_t at = rowindex_mix(r.thread, 0);
    while (row[at & (rows - 1)].thread > 1)
        at++;
    row[at & (rows - 1)] = r;
}

/* Rebuilds the tag map with room for twice its live rows. */
static bool rebuild(struct LmpTagMap *map) {
    uint32_t rows = FIRST_ROWS;
    while (rows / 4 < map->live && rows < 1u << 30)
        rows *= 2;
    Row *row = lmp_os->map(rows * sizeof *row, -1, 0, true);
    if (!row) return false;
    for (uint32_t i = 0; i < map->rows; i++)
        if (map->row[i].thread > 1) put(row, rows, map->row[i]);
    if (map->row) lmp_os->unmap(map->row, map->rows * sizeof *row);
    map->row = row;
    map->rows = rows;
    map->used = map->live;
    return true;
}

static void enter(struct LmpTagMap *map, uintptr_t thread, uint32_t tag) {
    Row *known = find(map, thread);
    if (known) {
        known->tag = tag;
        return;
    }
    if (map->used >= map->rows / 2 && !rebuild(map) && map->used >= map->rows - 1) return;
    put(map->row, map->rows, (Row){thread, tag});
    map->used++; /* also when a once used row was taken: at worst the map is rebuilt too soon */
    map->live++;
}

void tags_thread_gone(LmpProfile *p, const lua_State *L) {
    Row *r = p->tags ? find(p->tags, (uintptr_t)L) : NULL;
    if (!r) return;
    r->thread = 1;
    p->tags->live--;
}

static bool open_book(LmpProfile *p) {
    LmpTablesUsed *used = &p->live->tables;
    struct LmpTagMap *map = lmp_os->map(sizeof *map, -1, 0, true);
    if (!map) return false;
    if (!rowindex_open(&map->name, NAME_SLOTS) || !rebuild(map)) {
        if (map->name.slot) rowindex_close(&map->name);
        lmp_os->unmap(map, sizeof *map);
        return false;
    }
    if (used->tags <= OTHERS) {
        used->tag[OTHERS] = sites_text(p, "(others)", 8);
        atomic_thread_fence(memory_order_release);
        *(volatile uint32_t *)&used->tags = OTHERS + 1;
    }
    p->tags = map;
    return true;
}

void tags_close(LmpProfile *p) {
    struct LmpTagMap *map = p->tags;
    if (!map) return;
    rowindex_close(&map->name);
    lmp_os->unmap(map->row, map->rows * sizeof *map->row);
    lmp_os->unmap(map, sizeof *map);
    p->tags = NULL;
    p->tag = 0;
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *name_of(const LmpProfile *p, uint32_t tag) {
    return p->tables.text + p->live->tables.tag[tag];
}

/* Returns the bytes of a name that are kept: whole characters (UTF-8) within LMP_TAG_BYTES. */
static size_t cut(const char *name) {
    size_t n = strnlen(name, LMP_TAG_BYTES);
    if (n < LMP_TAG_BYTES) return n;
    for (n = LMP_TAG_BYTES - 1; n > LMP_TAG_BYTES - 5 && ((unsigned char)name[n] & 0xc0) == 0x80;)
        n--;
    return n;
}

/* Returns the row of a name, made if it is new. */
static uint32_t row_of(LmpProfile *p, const char *name) {
    LmpTablesUsed *used = &p->live->tables;
    LmpRowIndex *index = &p->tags->name;
    size_t n = cut(name);
    uint64_t mixed = n;
    for (size_t i = 0; i < n; i++)
        mixed = rowindex_mix(mixed, (unsigned char)name[i]);
    uint32_t hash = (uint32_t)mixed, at = hash, row;
    while ((row = rowindex_next(index, hash, &at)))
        if (!strncmp(name_of(p, row), name, n) && !name_of(p, row)[n]) return row;
    if (used->tags >= LMP_TAGS || !rowindex_room(index, 1)) return OTHERS;
    uint32_t text = sites_text(p, name, n);
    if (!text) return OTHERS;
    if (text == used->tag[OTHERS]) return OTHERS;
    row = used->tags;
    used->tag[row] = text;
    rowindex_add(index, hash, row);
    atomic_thread_fence(memory_order_release);
    *(volatile uint32_t *)&used->tags = row + 1;
    return row;
}

/* ---- coroutines ------------------------------------------------------------------------------ */

/* Finds the tag in force where a coroutine was created: its own block was asked for under it.
 * Returns false if the block has no record. */
static bool tag_at_birth(LmpProfile *p, const lua_State *L, uint32_t *tag) {
    const uint32_t *alloc_context = shadow_context(p, (uintptr_t)L - frames_bits.extra);
    uint32_t record = alloc_context ? tables_record_of(&p->tables, *alloc_context) : 0;
    *tag = record ? p->tables.record[record].use.tag : 0;
    return record != 0;
}

/* Returns the tag of the nearest resumer of a coroutine whose tag is known. */
static uint32_t tag_of_resumer(LmpProfile *p, const lua_State *L) {
    lua_State *chain[LMP_CHAIN];
    uint32_t tag;
    int i = stack_chain(p->main, chain) - 1;
    while (i > 0 && chain[i] != L)
        i--;
    while (--i >= 0) {
        const Row *r = find(p->tags, (uintptr_t)chain[i]);
        if (r) return r->tag;
        if (tag_at_birth(p, chain[i], &tag)) return tag;
    }
    return 0;
}

uint32_t tags_current(LmpProfile *p, const lua_State *L) {
    const Row *r = find(p->tags, (uintptr_t)L);
    uint32_t tag;
    if (r) return r->tag;
    if (tag_at_birth(p, L, &tag) || !p->live->tables.sample) return tag;
    tag = tag_of_resumer(p, L);
    enter(p->tags, (uintptr_t)L, tag);
    return tag;
}

const char *tags_set(LmpProfile *p, const lua_State *L, const char *name) {
    if (p->live->tables.lines == LMP_LINES_OFF || (!p->tags && (!name || !open_book(p))))
        return NULL;
    uint32_t before = tags_current(p, L);
    enter(p->tags, (uintptr_t)L, name ? row_of(p, name) : 0);
    return before ? name_of(p, before) : NULL;
}
