/* fake_tables.h - the tables of who made what (layout.h) in private memory, written by hand as the
 * hook would write them, for tests that read them; and the tables of a made-up program such as a
 * real one has.
 *
 * Rows are found again by what they are, by plain search. fake_made, fake_resized and fake_freed
 * keep the same sums as the hook: record, node, counters, high-water mark. */
#ifndef LMP_FAKE_TABLES_H
#define LMP_FAKE_TABLES_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "own.h"

#include "shared/tables.h"

typedef struct FakeTables {
    LmpTables t;
    LmpLive *live;
    void *base;
    bool own_live;
} FakeTables;

/* A site with a call path and a class: where something is made. `node` 0: without a path. */
typedef struct FakeSpot {
    uint32_t site, node;
    unsigned cls, tag;
} FakeSpot;

#define FAKE_OTHERS 1u

/* ---- rows ------------------------------------------------------------------------------------ */

static uint32_t fake_text(FakeTables *f, const char *text) {
    LmpTablesUsed *u = &f->live->tables;
    if (!*text) return 0;
    for (uint32_t at = 1; at < u->text; at += (uint32_t)strlen(f->t.text + at) + 1)
        if (strcmp(f->t.text + at, text) == 0) return at;
    uint32_t at = u->text;
    size_t size = strlen(text) + 1;
    if (at + size > LMP_TEXT_MAX) return 0;
    memcpy(f->t.text + at, text, size);
    u->text += (uint32_t)size;
    return at;
}

/* What Lua makes of a source for people ("@a/b.lua", "=name", or the code of a chunk). */
static void fake_short_src(char out[60], const char *source) {
    size_t line = strcspn(source, "\n");
    if (*source == '@' || *source == '=')
        snprintf(out, 60, "%.59s", source + 1);
    else
        snprintf(out, 60, "[string \"%.*s%s\"]", (int)(line < 40 ? line : 40), source,
                 source[line] || line > 40 ? "..." : "");
}

/* `name`: as a traceback words it. C functions: source "=[C]", told apart by name. */
static uint32_t fake_function(FakeTables *f, LmpFunctionKind kind, const char *source,
                              int linedefined, const char *name) {
    LmpTablesUsed *u = &f->live->tables;
    uint32_t source_at = fake_text(f, source), name_at = fake_text(f, name);
    for (uint32_t i = 1; i < u->functions; i++) {
        const LmpFunction *x = &f->t.function[i];
        if (x->kind == kind && x->source == source_at && x->linedefined == linedefined &&
            (kind != LMP_F_C || x->name == name_at))
            return i;
    }
    if (u->functions == LMP_FUNCTIONS_MAX) return FAKE_OTHERS;
    char short_src[60];
    fake_short_src(short_src, source);
    f->t.function[u->functions] = (LmpFunction){
        .kind = kind,
        .source = source_at,
        .short_src = fake_text(f, short_src),
        .linedefined = linedefined,
        .name = name_at,
        .address = kind == LMP_F_C ? 0x7f0000400000u + u->functions * 64ull : 0,
    };
    return u->functions++;
}

static inline void fake_path(FakeTables *f, uint32_t function, const char *path) {
    f->t.function[function].qualified = fake_text(f, path);
    f->live->tables.names++;
}

static uint32_t fake_site(FakeTables *f, uint32_t function, int line, uint32_t cfunction) {
    LmpTablesUsed *u = &f->live->tables;
    for (uint32_t i = 1; i < u->sites; i++) {
        const LmpSite *s = &f->t.site[i];
        if (s->function == function && s->line == line && s->cfunction == cfunction) return i;
    }
    if (u->sites == LMP_SITES_MAX) return FAKE_OTHERS;
    f->t.site[u->sites] = (LmpSite){.function = function, .line = line, .cfunction = cfunction};
    return u->sites++;
}

static uint32_t fake_record(FakeTables *f, uint32_t site, unsigned cls, unsigned tag) {
    LmpTablesUsed *u = &f->live->tables;
    LmpSite *s = &f->t.site[site];
    for (uint32_t i = atomic_load(&s->records); i; i = f->t.record[i].next) {
        const LmpRecord *r = &f->t.record[i];
        if (r->use.cls == cls && r->use.tag == tag) return i;
    }
    if (u->records == LMP_RECORDS_MAX) abort();
    LmpRecord *r = &f->t.record[u->records];
    r->use.cls = (uint16_t)cls;
    r->use.tag = (uint16_t)tag;
    r->site = site;
    r->next = atomic_load(&s->records);
    atomic_store(&s->records, u->records);
    return u->records++;
}

static inline uint32_t fake_node(FakeTables *f, uint32_t parent, uint32_t site, uint32_t flags) {
    LmpTablesUsed *u = &f->live->tables;
    for (uint32_t i = parent + 1; i < u->nodes; i++) {
        const LmpNode *n = &f->t.node[i];
        if (n->parent == parent && n->site == site && n->flags == flags) return i;
    }
    if (u->nodes == LMP_NODES_MAX) return FAKE_OTHERS;
    f->t.node[u->nodes] = (LmpNode){.parent = parent, .site = site, .flags = flags};
    return u->nodes++;
}

static inline unsigned fake_tag(FakeTables *f, const char *name) {
    LmpTablesUsed *u = &f->live->tables;
    uint32_t at = fake_text(f, name);
    for (uint32_t i = 1; i < u->tags; i++)
        if (u->tag[i] == at) return i;
    if (u->tags == LMP_TAGS) return FAKE_OTHERS;
    u->tag[u->tags] = at;
    return u->tags++;
}

/* Empty tables: row 0 and row 1, "(others)", of each. `live` NULL: one of their own. */
static inline FakeTables *fake_tables_new(LmpLive *live) {
    FakeTables *f = calloc(1, sizeof *f);
    f->base = mmap(NULL, LMP_TABLES_SIZE, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (f->base == MAP_FAILED) abort();
    f->own_live = !live;
    f->live = live ? live : calloc(1, sizeof *live);
    f->t = tables_at(f->base, f->live);
    LmpTablesUsed *u = &f->live->tables;
    memset(u, 0, sizeof *u);
    u->lines = LMP_LINES_EXACT;
    u->text = u->functions = u->sites = u->records = u->nodes = u->paths = u->tags = 1;
    fake_site(f, fake_function(f, LMP_F_PSEUDO, "=(others)", -1, "(others)"), -1, 0);
    fake_node(f, 0, FAKE_OTHERS, 0);
    fake_tag(f, "(others)");
    return f;
}

static inline void fake_tables_free(FakeTables *f) {
    munmap(f->base, LMP_TABLES_SIZE);
    if (f->own_live) free(f->live);
    free(f);
}
RELEASE_AT(fake_tables_free)

/* Has usages as a program has them: of nodes with blocks, the last of them first; young, grown, or
 * never young. */
static inline void fake_own_usages(FakeTables *f) {
    LmpTablesUsed *u = &f->live->tables;
    LmpUsage *of = malloc(u->nodes * sizeof *of), none = {0};
    memcpy(of, f->t.usage, u->nodes * sizeof *of);
    memset(f->t.usage, 0, u->nodes * sizeof *of);
    u->usages = sizeof none / 8; /* of path 0 */
    for (uint32_t node = u->nodes; node-- > 1;) {
        if (memcmp(&of[node], &none, sizeof none) == 0) continue;
        f->t.node[node].path = u->paths;
        f->t.path[u->paths++] = (LmpPath){.node = node, .usage = u->usages};
        const LmpUsage *a = &of[node];
        LmpYoungUsage *young = (void *)tables_usage(&f->t, u->usages);
        uint64_t counts = a->allocs | a->frees | a->short_lived | a->temporary | a->reallocs;
        bool fits = counts <= UINT8_MAX && !((a->bytes | a->free_bytes | a->peak_bytes) >> 31) &&
                    a->realloc_bytes == (int32_t)a->realloc_bytes;
        if (fits || node % 2) u->usages += sizeof *young / 8;
        if (fits) {
            *young = (LmpYoungUsage){LMP_YOUNG | a->peak_serial,
                                     (uint32_t)a->bytes,
                                     (uint32_t)a->free_bytes,
                                     (uint32_t)a->peak_bytes,
                                     (int32_t)a->realloc_bytes,
                                     (uint32_t)a->last,
                                     (uint16_t)(a->last >> 32),
                                     (uint8_t)a->allocs,
                                     (uint8_t)a->frees,
                                     (uint8_t)a->short_lived,
                                     (uint8_t)a->temporary,
                                     (uint8_t)a->reallocs,
                                     0};
            continue;
        }
        if (node % 2) *young = (LmpYoungUsage){.serial = LMP_GROWN, .last = u->usages};
        *tables_usage(&f->t, u->usages) = *a;
        u->usages += sizeof none / 8;
    }
    free(of);
}

/* ---- what happens ---------------------------------------------------------------------------- */

static uint64_t fake_live(const LmpUsage *u) {
    return u->bytes - u->free_bytes;
}

/* Before a usage changes: keeps what was live at the high-water mark. */
static void fake_keep_peak(const FakeTables *f, LmpUsage *u) {
    const LmpCounters *c = &f->live->counters;
    if (u->peak_serial == c->peak_serial) return;
    u->peak_serial = c->peak_serial;
    u->peak_bytes = fake_live(u);
}

/* Before the heap shrinks: notes the high-water mark. */
static void fake_note_peak(FakeTables *f) {
    LmpCounters *c = &f->live->counters;
    if (c->live_bytes <= c->peak_bytes) return;
    c->peak_bytes = c->live_bytes;
    c->peak_serial++;
    for (int i = 0; i < LMP_CLASSES; i++)
        c->class_peak[i] =
            c->count[i].alloc_bytes + (uint64_t)c->count[i].realloc_bytes - c->count[i].free_bytes;
}

static void fake_begin(FakeTables *f, const FakeSpot *at, LmpUsage **r, LmpUsage **n) {
    *r = &f->t.record[fake_record(f, at->site, at->cls, at->tag)].use;
    *n = at->node ? &f->t.usage[at->node] : NULL;
    fake_keep_peak(f, *r);
    if (*n) fake_keep_peak(f, *n);
}

/* `count` blocks of `bytes` in all are made. */
static inline void fake_made(FakeTables *f, FakeSpot at, uint64_t count, uint64_t bytes) {
    LmpUsage *r, *n;
    fake_begin(f, &at, &r, &n);
    LmpClassCount *c = &f->live->counters.count[at.cls];
    LmpUsage *u[2] = {r, n};
    for (int i = 0; i < 2 && u[i]; i++) {
        u[i]->allocs += count;
        u[i]->bytes += bytes;
    }
    c->allocs += count;
    c->alloc_bytes += bytes;
    f->live->counters.live_bytes += bytes;
}

/* `count` blocks made there grow by `bytes` in all (negative: shrink), while `here` runs. */
static inline void fake_resized(FakeTables *f, FakeSpot at, FakeSpot here, uint64_t count,
                                int64_t bytes) {
    LmpUsage *r, *n;
    if (bytes < 0) fake_note_peak(f);
    fake_begin(f, &at, &r, &n);
    LmpClassCount *c = &f->live->counters.count[at.cls];
    r->bytes += (uint64_t)bytes;
    r->realloc_bytes += bytes;
    r->reallocs += count;
    if (n) {
        n->bytes += (uint64_t)bytes;
        n->realloc_bytes += bytes;
        n->reallocs += count;
    }
    c->reallocs += count;
    c->realloc_bytes += bytes;
    f->live->counters.live_bytes += (uint64_t)bytes;
    LmpRecord *h = &f->t.record[fake_record(f, here.site, here.cls, here.tag)];
    h->here_reallocs += count;
    h->here_realloc_bytes += bytes;
}

/* `count` blocks made there, `bytes` in all, are freed while `here` runs; of them `temporary` were
 * so short-lived. */
static inline void fake_freed(FakeTables *f, FakeSpot at, FakeSpot here, uint64_t count,
                              uint64_t bytes, uint64_t temporary) {
    LmpUsage *r, *n;
    fake_note_peak(f);
    fake_begin(f, &at, &r, &n);
    LmpClassCount *c = &f->live->counters.count[at.cls];
    r->frees += count;
    r->free_bytes += bytes;
    r->temporary += temporary;
    r->short_lived += temporary;
    if (n) {
        n->frees += count;
        n->free_bytes += bytes;
        n->temporary += temporary;
        n->short_lived += temporary;
    }
    c->frees += count;
    c->free_bytes += bytes;
    f->live->counters.live_bytes -= bytes;
    LmpRecord *h = &f->t.record[fake_record(f, here.site, here.cls, here.tag)];
    h->here_frees += count;
    h->here_free_bytes += bytes;
}

/* A full collection has ended: what each site holds now is kept. */
static inline void fake_grown(FakeTables *f, uint64_t clock) {
    LmpTablesUsed *u = &f->live->tables;
    struct LmpLiveHistoryList list = u->live_history_list[u->live_history % 2];
    if (list.rows == LMP_LIVE_HISTORY - 1) /* the oldest goes */
        memmove(list.slot, list.slot + 1, --list.rows);
    uint32_t slot = (uint32_t)(u->live_history % LMP_LIVE_HISTORY);
    for (uint32_t s = 1; s < u->sites; s++) {
        uint64_t bytes = 0, blocks = 0;
        for (uint32_t i = atomic_load(&f->t.site[s].records); i; i = f->t.record[i].next) {
            bytes += fake_live(&f->t.record[i].use);
            blocks += f->t.record[i].use.allocs - f->t.record[i].use.frees;
        }
        f->t.live_history[s][slot] = bytes;
        f->t.live_history_blocks[s][slot] = (uint32_t)blocks;
    }
    u->live_history_clock[slot] = clock;
    u->live_history_cycle[slot] = u->live_history + 1;
    u->live_history_work[slot] = 0;
    for (uint32_t i = 1; i < u->records; i++)
        u->live_history_work[slot] += f->t.record[i].use.bytes;
    list.slot[list.rows++] = (uint8_t)slot;
    u->live_history++;
    u->live_history_list[u->live_history % 2] = list;
    if (f->live->counters.live_bytes > u->live_history_top)
        u->live_history_top = f->live->counters.live_bytes;
}

#include "fake_program.h"

/* A mark, as the program sets it. */
static inline void fake_mark(FakeTables *f) {
    LmpLive *live = f->t.live;
    uint32_t column = live->marked % LMP_MARKED;
    for (uint32_t i = 1; i < live->tables.records; i++) {
        const LmpUsage *use = &f->t.record[i].use;
        f->t.marked_record[i][column] =
            (LmpMarked){use->allocs, use->bytes, use->bytes - use->free_bytes};
    }
    for (uint32_t i = 1; i < live->tables.nodes; i++) {
        LmpUsage room;
        const LmpUsage *use = tables_node_usage(&f->t, i, &room);
        f->t.marked_node[i][column] =
            (LmpMarked){use->allocs, use->bytes, use->bytes - use->free_bytes};
    }
    LmpMark *mark = &live->mark[live->marks % LMP_MARKS];
    *mark = (LmpMark){.rows = ++live->marked,
                      .records = live->tables.records,
                      .nodes = live->tables.nodes,
                      .number = ++live->marks};
}

#endif
