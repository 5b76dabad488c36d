/* measure.c - lmp.measure: what one call of a function makes and leaves behind. It runs in the
 * frame of the caller, so its errors go through untouched, and it may yield. The interval belongs
 * to a userdata to be closed, whose __close and __gc end it, so that an error in the measured
 * function ends it, too; what is held of each type is without string buffers and stacks, which come
 * and go with the interpreter's own work. */
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/session/profiler.h"
#include "fields.h"
#include "module.h"

static const char metatable_key;

/* ---- figures --------------------------------------------------------------------------------- */

static MeasuredHeld measured_held(const LmpStats *s, LmpKind kind) {
    const LmpKindStats *k = &s->kind[kind];
    bool parts = kind != LMP_STRING && kind != LMP_THREAD;
    return parts ? (MeasuredHeld){k->live_bytes, k->live_blocks}
                 : (MeasuredHeld){k->tag_live_bytes, k->tag_live_blocks};
}

static MeasuredHeld measured_held_all(const LmpStats *s) {
    MeasuredHeld all = {0, 0};
    for (int kind = 0; kind < LMP_KINDS; kind++) {
        MeasuredHeld held = measured_held(s, (LmpKind)kind);
        all.bytes += held.bytes;
        all.blocks += held.blocks;
    }
    return all;
}

/* ---- its life -------------------------------------------------------------------------------- */

void measured_end(lua_State *L, Measured *m) {
    interval_end(L, &m->interval);
    ledger_free(&m->ledger);
    free(m->rows);
    m->rows = NULL;
}

static int close_measured(lua_State *L) {
    Measured *m = lua_touserdata(L, 1);
    if (m && lua_getmetatable(L, 1) && lua_rawgetp(L, -1, &metatable_key) == LUA_TBOOLEAN)
        measured_end(L, m);
    return 0;
}

static void push_metatable(lua_State *L) {
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &metatable_key) == LUA_TTABLE) return;
    lua_pop(L, 1);
    lua_createtable(L, 0, 3);
    lua_pushboolean(L, 1);
    lua_rawsetp(L, -2, &metatable_key);
    lua_pushcfunction(L, close_measured);
    lua_setfield(L, -2, "__gc");
    lua_pushcfunction(L, close_measured);
    lua_setfield(L, -2, "__close");
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &metatable_key);
}

static void push_measured(lua_State *L, void *from) {
    const size_t *size = from;
    void *m = lua_newuserdatauv(L, *size, 0);
    memset(m, 0, *size);
    push_metatable(L);
    lua_setmetatable(L, -2);
}

Measured *measured_begin(lua_State *L, size_t size, LmpErr *err) {
    static LmpErr said;
    if (module_own_call(L, push_measured, &size, 1) != LUA_OK) {
        lua_error(L);
        return NULL;
    }
    lua_insert(L, 1);
    LmpOwn before = profiler_own_begin(L);
    lua_toclose(L, 1); /* up to Lua 5.4.2 it makes an upvalue */
    profiler_own_end(L, before);
    Measured *m = lua_touserdata(L, 1);
    *err = interval_begin(L, &m->interval);
    if (!*err) return m;
    if (*err != said) dprintf(STDERR_FILENO, "lmp: nothing is measured: %s\n", err_message(*err));
    said = *err;
    return NULL;
}

bool measured_collect(lua_State *L) {
    return lua_gc(L, LUA_GCCOLLECT) >= 0 && lua_gc(L, LUA_GCCOLLECT) >= 0;
}

bool measured_read(lua_State *L, Measured *m, LmpStats *stats) {
    return interval_look(L, &m->interval) && profiler_stats(L, stats) == LMP_OK &&
           profiler_ledger(L, LEDGER_SITES, &m->ledger) == LMP_OK;
}

void measured_check(lua_State *L) {
    luaL_checkany(L, 1);
    if (lua_isfunction(L, 1)) return;
    if (luaL_getmetafield(L, 1, "__call") == LUA_TNIL) luaL_typeerror(L, 1, "function");
    lua_pop(L, 1);
}

enum { SITES_MOST = 1000 };

typedef struct SiteThen {
    uint64_t allocs, made;
    MeasuredHeld held, threads; /* threads: of it, coroutines with frames and stacks */
} SiteThen;

typedef struct Measure {
    Measured of;
    LmpStats before, after; /* the call */
    LmpStats kept;          /* and full collections */
    uint32_t rows;          /* of SiteThen, by LmpSiteRow.id */
    SiteThen *then;         /* in of.rows */
} Measure;

/* A site in the result. */
typedef struct Made {
    const LmpSiteRow *site;
    uint64_t allocs, bytes;
    int64_t held_bytes, held_blocks;
} Made;

typedef struct MadeList {
    const Measure *m;
    Made *row;
    uint32_t rows;
} MadeList;

/* ---- sites ----------------------------------------------------------------------------------- */

static uint32_t end_of_ids(const Ledger *l) {
    uint32_t end = 0;
    for (uint32_t i = 0; i < l->sites; i++)
        if (l->site[i].id >= end) end = l->site[i].id + 1;
    return end;
}

static bool note_sites(Measure *m) {
    const Ledger *l = &m->of.ledger;
    uint32_t most = end_of_ids(l);
    m->of.rows = m->then = calloc((size_t)most + 1, sizeof *m->then);
    if (!m->then) return false;
    m->rows = most;
    for (uint32_t i = 0; i < l->sites; i++) {
        const LmpTally *t = &l->site[i].tally, *threads = &l->site[i].kind[LMP_THREAD].tally;
        m->then[l->site[i].id] = (SiteThen){t->allocs,
                                            tally_made(t),
                                            {t->live_bytes, t->live_blocks},
                                            {threads->live_bytes, threads->live_blocks}};
    }
    return true;
}

static SiteThen then_of(const Measure *m, uint32_t id) {
    return id < m->rows ? m->then[id] : (SiteThen){0};
}

static int by_weight(const void *left, const void *right) {
    const Made *a = left, *b = right;
    if (a->held_bytes != b->held_bytes) return a->held_bytes < b->held_bytes ? 1 : -1;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? 1 : -1;
    return (a->site->id > b->site->id) - (a->site->id < b->site->id);
}

/* What was made is known before the collections, what is held after them. */
static bool list_sites(MadeList *list, const Measure *m, const uint64_t *allocs,
                       const uint64_t *made, uint32_t known) {
    const Ledger *l = &m->of.ledger;
    bool coroutines =
        measured_held(&m->kept, LMP_THREAD).blocks != measured_held(&m->before, LMP_THREAD).blocks;
    list->row = calloc((size_t)l->sites + 1, sizeof *list->row);
    if (!list->row) return false;
    for (uint32_t i = 0; i < l->sites; i++) {
        const LmpSiteRow *s = &l->site[i];
        SiteThen then = then_of(m, s->id);
        Made row = {s, s->id < known ? allocs[s->id] : 0, s->id < known ? made[s->id] : 0,
                    (int64_t)(s->tally.live_bytes - then.held.bytes),
                    (int64_t)(s->tally.live_blocks - then.held.blocks)};
        if (!coroutines) { /* then what is left of their type is the running one's stack */
            const LmpTally *t = &s->kind[LMP_THREAD].tally;
            row.held_bytes -= (int64_t)(t->live_bytes - then.threads.bytes);
            row.held_blocks -= (int64_t)(t->live_blocks - then.threads.blocks);
        }
        if (row.allocs || row.bytes || row.held_bytes || row.held_blocks)
            list->row[list->rows++] = row;
    }
    if (list->rows) qsort(list->row, list->rows, sizeof *list->row, by_weight);
    if (list->rows > SITES_MOST) list->rows = SITES_MOST;
    return true;
}

/* ---- the table ------------------------------------------------------------------------------- */

static uint64_t made_in(uint64_t live, uint64_t freed, uint64_t live_then, uint64_t freed_then) {
    int64_t made = (int64_t)(live + freed - live_then - freed_then);
    return made > 0 ? (uint64_t)made : 0;
}

static void push_types(lua_State *L, const Measure *m) {
    lua_createtable(L, 0, LMP_KINDS);
    for (int k = 0; k < LMP_KINDS; k++) {
        const LmpKindStats *a = &m->before.kind[k], *b = &m->after.kind[k];
        MeasuredHeld then = measured_held(&m->before, (LmpKind)k);
        MeasuredHeld now = measured_held(&m->kept, (LmpKind)k);
        lua_createtable(L, 0, 4);
        field_integer(L, "allocs", (lua_Integer)(b->allocs - a->allocs));
        field_integer(L, "bytes", (lua_Integer)made_in(b->made_bytes, 0, a->made_bytes, 0));
        field_integer(L, "held_bytes", (lua_Integer)(now.bytes - then.bytes));
        field_integer(L, "held_blocks", (lua_Integer)(now.blocks - then.blocks));
        lua_setfield(L, -2, kind_info[k].name);
    }
    lua_setfield(L, -2, "types");
}

static void push_result(lua_State *L, void *from) {
    const MadeList *list = from;
    const Measure *m = list->m;
    const LmpStats *a = &m->before, *b = &m->after;
    MeasuredHeld then = measured_held_all(a), now = measured_held_all(&m->kept);
    lua_createtable(L, 0, 12);
    field_integer(L, "allocs", (lua_Integer)(b->mallocs - a->mallocs));
    field_integer(L, "bytes",
                  (lua_Integer)made_in(b->live_bytes, b->free_bytes, a->live_bytes, a->free_bytes));
    field_integer(L, "reallocs", (lua_Integer)(b->reallocs - a->reallocs));
    field_integer(L, "frees", (lua_Integer)(b->frees - a->frees));
    field_integer(L, "free_bytes", (lua_Integer)(b->free_bytes - a->free_bytes));
    field_integer(L, "peak_bytes", (lua_Integer)(m->of.interval.most - m->of.interval.start));
    field_integer(L, "held_bytes", (lua_Integer)(now.bytes - then.bytes));
    field_integer(L, "held_blocks", (lua_Integer)(now.blocks - then.blocks));
    if (b->sample) field_integer(L, "sample", (lua_Integer)b->sample);
    field_number(L, "seconds", (b->seconds - a->seconds));
    push_types(L, m);
    lua_createtable(L, (int)list->rows, 0);
    for (uint32_t i = 0; i < list->rows; i++) {
        const Made *row = &list->row[i];
        lua_createtable(L, 0, 8);
        fields_site(L, row->site);
        field_integer(L, "allocs", (lua_Integer)row->allocs);
        field_integer(L, "bytes", (lua_Integer)row->bytes);
        field_integer(L, "held_bytes", (lua_Integer)row->held_bytes);
        field_integer(L, "held_blocks", (lua_Integer)row->held_blocks);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "sites");
}

/* ---- the call -------------------------------------------------------------------------------- */

enum { FRAMES = 16, SLOTS = 128 };

/* What so many calls deep need of the interpreter is there from then on: frames that this thread
 * has not had before, and room on its stack, are not the function's making. */
static void push_frames(lua_State *L, void *from) {
    int *frames = from;
    luaL_checkstack(L, SLOTS, "no room");
    if (--*frames > 0 && module_own_call(L, push_frames, frames, 0) != LUA_OK) lua_error(L);
}

/* Reads what the call has made, collects, reads what is left. list->row NULL: it cannot be told. */
static bool finish(lua_State *L, Measure *m, MadeList *list) {
    if (!m->then || !measured_read(L, &m->of, &m->after)) return false;
    uint64_t most = m->of.interval.most;
    const Ledger *l = &m->of.ledger;
    uint32_t known = end_of_ids(l);
    uint64_t *allocs = calloc((size_t)known * 2 + 1, sizeof *allocs);
    if (!allocs) return false;
    for (uint32_t i = 0; i < l->sites; i++) {
        const LmpTally *t = &l->site[i].tally;
        SiteThen then = then_of(m, l->site[i].id);
        allocs[l->site[i].id] = t->allocs - then.allocs;
        allocs[known + l->site[i].id] = made_in(tally_made(t), 0, then.made, 0);
    }
    measured_collect(L);
    bool read =
        measured_read(L, &m->of, &m->kept) && list_sites(list, m, allocs, allocs + known, known);
    m->of.interval.most = most;
    free(allocs);
    return read;
}

/* On the stack: the userdata, the function and its arguments, which are kept (what is freed of them
 * has been there before), and its results: `context` is where the first of them is. */
static int after_call(lua_State *L, int status, lua_KContext context) {
    Measure *m = lua_touserdata(L, 1);
    MadeList list = {.m = m};
    (void)status;
    if (finish(L, m, &list)) {
        int made = module_own_call(L, push_result, &list, 1);
        free(list.row);
        measured_end(L, &m->of);
        if (made != LUA_OK) return lua_error(L);
    } else {
        free(list.row);
        measured_end(L, &m->of);
        lua_pushnil(L);
    }
    lua_insert(L, (int)context);
    return lua_gettop(L) - (int)context + 1;
}

int module_measure(lua_State *L) {
    measured_check(L);
    int values = lua_gettop(L); /* the function and its arguments */
    luaL_checkstack(L, values + 8, "too many arguments");
    LmpErr err;
    Measure *m = (Measure *)(void *)measured_begin(L, sizeof *m, &err);
    if (m) {
        measured_collect(L);
        int frames = FRAMES;
        if (module_own_call(L, push_frames, &frames, 0) != LUA_OK) return lua_error(L);
        if (measured_read(L, &m->of, &m->before)) note_sites(m);
        interval_again(L, &m->of.interval);
    }
    for (int i = 2; i <= values + 1; i++)
        lua_pushvalue(L, i);
    lua_callk(L, values - 1, LUA_MULTRET, values + 2, after_call);
    return after_call(L, LUA_OK, values + 2);
}
