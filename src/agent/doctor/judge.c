/* judge.c - translates the profiler's sites and nodes into the witness's, once for each row, then
 * compares block by block; the first difference is kept in words. */
#include "agent/doctor/judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/map/shadow.h"
#include "agent/session/profiler.h"
#include "base/format.h"
#include "base/kind.h"

const char *const plant_name[PLANTS] = {"nothing", "line",  "path", "owner",
                                        "total",   "crash", "hang"};
Plant judge_plant;

/* What the profiler's rows are in the witness's terms. */
typedef struct Terms {
    const LmpTables *t;
    Witness *w;
    uint32_t *site;  /* by row: the witness's site + 1, 0: not looked at */
    uint32_t *node;  /* by row: its path + 1 */
    uint32_t *wrong; /* by row of sites: blocks that are not theirs (count) */
    uint32_t sites, nodes;
} Terms;

__attribute__((format(printf, 3, 4))) static void differ(Judged *v, Count *c, const char *format,
                                                         ...) {
    c->differed++;
    if (v->first[0]) return;
    va_list args;
    va_start(args, format);
    vsnprintf(v->first, sizeof v->first, format, args);
    va_end(args);
}

/* ---- the profiler's rows --------------------------------------------------------------------- */

static uint32_t site_of_row(Terms *t, uint32_t row) {
    if (row >= t->sites) return SITE_UNKNOWN;
    if (t->site[row]) return t->site[row] - 1;
    const LmpSite *from = &t->t->site[row];
    const LmpFunction *f = &t->t->function[from->function];
    char text[LUA_IDSIZE + 20];
    uint32_t site;
    switch (f->kind) {
    case LMP_F_LUA:
    case LMP_F_MAIN:
        tables_text(t->t, f->short_src, text, LUA_IDSIZE);
        if (!strncmp(text, "?#", 2)) text[1] = '\0'; /* stripped: lmp tells such functions apart */
        site = witness_site(t->w, text, f->linedefined, from->line);
        break;
    case LMP_F_C:
        site = SITE_C;
        break;
    default:
        tables_text(t->t, f->name, text, sizeof text);
        bool outside = !strcmp(text, "(host)") || !strcmp(text, "(parser)");
        site = outside ? SITE_NONE : SITE_UNKNOWN;
    }
    t->site[row] = site + 1;
    return site;
}

static uint32_t path_of_node(Terms *t, uint32_t row) {
    if (row == 0 || row >= t->nodes) return 0;
    if (t->node[row]) return t->node[row] - 1;
    const LmpNode *node = &t->t->node[row];
    uint32_t caller = node->parent < row ? path_of_node(t, node->parent) : 0;
    uint32_t site = site_of_row(t, node->site);
    /* outside any function there is no frame */
    uint32_t path = site == SITE_NONE ? caller : witness_path(t->w, caller, site);
    t->node[row] = path + 1;
    return path;
}

static void terms_close(Terms *t) {
    free(t->site);
    free(t->node);
    free(t->wrong);
}

static bool terms_open(Terms *t, Stage *s) {
    *t = (Terms){.t = &s->profile->tables, .w = &s->witness};
    t->sites = tables_sites(t->t);
    t->nodes = tables_nodes(t->t);
    t->site = calloc(t->sites + 1, sizeof *t->site);
    t->node = calloc(t->nodes + 1, sizeof *t->node);
    t->wrong = calloc(t->sites + 1, sizeof *t->wrong);
    if (t->site && t->node && t->wrong) return true;
    terms_close(t);
    s->failed = true;
    return false;
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char *site_text(const Witness *w, uint32_t row, char *out, size_t size) {
    const Site *p = &w->site[row];
    return format_where(out, size, p->source, p->line);
}

/* From the outermost frame on; of a long one, the innermost frames. */
static const char *path_text(const Witness *w, uint32_t path, char *out, size_t size) {
    uint32_t frame[8];
    int n = 0;
    size_t used = 0;
    for (; path && n < 8; path = w->path[path].caller)
        frame[n++] = w->path[path].site;
    out[0] = '\0';
    if (path) used += (size_t)snprintf(out, size, "... > ");
    while (n-- > 0 && used < size) {
        site_text(w, frame[n], out + used, size - used);
        used += strlen(out + used);
        if (n && used < size) used += (size_t)snprintf(out + used, size - used, " > ");
    }
    return out;
}

static const char *what_text(const Made *m) {
    static const char *const tag[] = {
        [4] = "string", [5] = "table",   [6] = "function",  [7] = "userdata",
        [8] = "thread", [9] = "upvalue", [10] = "prototype"};
    if (m->type_tag) return tag[m->type_tag];
    static const char *const part[LMP_KINDS] = {"part of a string",   "part of a function",
                                                "part of a userdata", "part of a thread",
                                                "part of a table",    "part"};
    return m->owner < 0 ? "part" : part[m->owner];
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void judge_line(Stage *s, Judged *v, Terms *t, const Made *m, uint32_t number,
                       uint32_t record) {
    char is[120], was[120];
    uint32_t row = s->profile->record[record].site, site = site_of_row(t, row);
    if (site == m->site) {
        v->lines.agreed++;
        return;
    }
    if (site == SITE_UNKNOWN) v->unknown++;
    /* a site says how many of its blocks it may have wrong */
    if (row < t->sites && ++t->wrong[row] <= t->t->site[row].unproven) v->unproven++;
    differ(v, &v->lines, "block %u, %zu B, a %s: made at %s, charged to %s", number, m->size,
           what_text(m), site_text(t->w, m->site, is, sizeof is),
           site_text(t->w, site, was, sizeof was));
}

static void judge_path(Judged *v, Terms *t, const Made *m, uint32_t number, uint32_t node) {
    uint32_t path = path_of_node(t, node);
    if (path == m->path) {
        v->paths.agreed++;
        return;
    }
    if (t->w->path[path].site == SITE_UNKNOWN) return; /* reported as unknown */
    char is[240], was[240];
    differ(v, &v->paths, "block %u, %zu B, a %s: made by %s, charged to %s", number, m->size,
           what_text(m), path_text(t->w, m->path, is, sizeof is),
           path_text(t->w, path, was, sizeof was));
}

static void judge_owner(const Stage *s, Judged *v, const Made *m, uint32_t number, unsigned cls) {
    LmpKind kind = class_owner(cls);
    if (m->owner < 0) {
        v->owners_untold++;
    } else if ((int)kind == m->owner) {
        v->owners.agreed++;
    } else {
        if (kind == LMP_OTHER && v->owners_unproven < s->profile->live->owners_unproven)
            v->owners_unproven++;
        differ(v, &v->owners, "block %u, %zu B: it is a %s's, counted as %s", number, m->size,
               kind_info[m->owner].name, kind_info[kind].name);
    }
}

static void judge_block(Stage *s, Judged *v, Terms *t, uint32_t number) {
    const LmpTables *tables = t->t;
    const Made *m = &s->made[number];
    uint32_t alloc_context = m->read ? m->alloc_context : 0, record = alloc_context;
    if (!m->read) return;
    if (alloc_context && s->profile->tree) {
        const LmpPath *path =
            &tables->path[alloc_context < tables_paths(tables) ? alloc_context : 0];
        record = path->record;
        judge_path(v, t, m, number, path->node);
    }
    if (record >= tables_records(tables)) record = 0;
    if (record) {
        judge_line(s, v, t, m, number, record);
    } else if (s->profile->exact && s->profile->lines) {
        differ(v, &v->lines, "block %u, %zu B, a %s: charged to no line", number, m->size,
               what_text(m));
    }
    judge_owner(s, v, m, number, record ? s->profile->record[record].use.cls : m->cls);
}

/* ---- totals ---------------------------------------------------------------------------------- */

static void judge_totals(Stage *s, Judged *v) {
    LmpStats got;
    const Totals *want = &s->totals;
    stats_derive(s->profile->live, 0, &got);
    const struct {
        const char *name;
        uint64_t want, got;
    } figure[] = {
        {"mallocs", want->mallocs, got.mallocs},
        {"malloc_bytes", want->malloc_bytes, got.malloc_bytes},
        {"reallocs", want->reallocs, got.reallocs},
        {"realloc_bytes", (uint64_t)want->realloc_bytes, (uint64_t)got.realloc_bytes},
        {"frees", want->frees, got.frees},
        {"free_bytes", want->free_bytes, got.free_bytes},
        {"failed", want->failed, got.failed},
        {"live_blocks", want->live_blocks, got.live_blocks},
        {"live_bytes", want->live_bytes, got.live_bytes},
        {"peak_bytes", want->peak_bytes, got.peak_bytes},
        {"before_frees", want->before_frees, got.before_frees},
        {"before_reallocs", want->before_reallocs, got.before_reallocs},
        {"dropped", 0, got.dropped},
    };
    for (size_t i = 0; i < sizeof figure / sizeof *figure; i++) {
        if (figure[i].want == figure[i].got) {
            v->totals.agreed++;
        } else {
            differ(v, &v->totals, "%s is %lld, and %lld is said", figure[i].name,
                   (long long)figure[i].want, (long long)figure[i].got);
        }
    }
    for (uint32_t i = 1; i < s->arena.blocks && s->profile->whole; i++) {
        const ArenaBlock *b = &s->arena.block[i];
        if (!b->addr || !b->number) continue;
        uint64_t size = 0;
        if (shadow_lookup(s->profile, (uintptr_t)b->addr, &size) && size == b->size) {
            v->totals.agreed++;
        } else {
            differ(v, &v->totals, "block %u, %zu B: in the map of the heap it has %llu", b->number,
                   b->size, (unsigned long long)size);
        }
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Plants the error to be found: a block in the middle gets another owner, or the like. */
static void plant(Stage *s) {
    uint32_t n = s->watched.made;
    Made *m = &s->made[n / 2];
    switch (judge_plant) {
    case PLANT_LINE:
    case PLANT_PATH: /* with stacks an alloc context is both */
        for (uint32_t i = 1; i <= n; i++)
            if (s->made[i].site != m->site && s->made[i].alloc_context)
                m->alloc_context = s->made[i].alloc_context;
        break;
    case PLANT_OWNER:
        for (uint32_t i = 1; i <= n; i++)
            if (s->made[i].type_tag == 5) s->made[i].owner = LMP_STRING, i = n;
        break;
    case PLANT_TOTAL:
        s->profile->counters->count[LMP_C_TABLE].allocs++;
        break;
    case PLANT_CRASH:
        abort();
    case PLANT_HANG:
        for (;;)
            __asm__ volatile("" ::: "memory");
    default:
        break;
    }
}

void judge(Stage *s, Judged *v) {
    Terms t;
    const LmpProfile *p = s->profile;
    memset(v, 0, sizeof *v);
    plant(s);
    v->blocks = s->watched.made;
    v->lines_said = p->live->tables.lines;
    v->stacks_said = p->tree != NULL;
    v->owners_said = p->live->owners_known != 0;
    v->samples_said = p->sampling != NULL;
    v->behaved = stage_runs_agree(s);
    if (!v->behaved) {
        snprintf(
            v->first, sizeof v->first,
            "under the profiler the program does something else: status %d, %u blocks, \"%s\"; "
            "without it status %d, %u blocks, \"%s\"",
            s->watched.status, s->watched.made, s->watched.message, s->alone.status, s->alone.made,
            s->alone.message);
        return;
    }
    judge_totals(s, v);
    if (!terms_open(&t, s)) return;
    for (uint32_t i = 1; i <= s->watched.made; i++)
        judge_block(s, v, &t, i);
    terms_close(&t);
}
