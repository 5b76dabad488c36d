/* htmlpage_facts.c - of the whole run: what it was, its totals and types, verdicts, and the heap
 * over time and over addresses. */
#include <string.h>

#include "report/page/htmlpage_impl.h"

static void put_totals(Json *json, const LmpStats *s) {
    json_begin(json, "all", '{');
    json_count(json, "live", s->live_bytes);
    json_count(json, "blocks", s->live_blocks);
    json_count(json, "peak", s->peak_bytes);
    json_count(json, "made", s->live_bytes + s->free_bytes);
    json_count(json, "allocs", s->mallocs);
    json_count(json, "freed", s->free_bytes);
    json_count(json, "frees", s->frees);
    json_count(json, "resizes", s->reallocs);
    json_count(json, "failed", s->failed);
    json_count(json, "dropped", s->dropped);
    json_count(json, "cycles", s->gc_cycles);
    json_count(json, "collected", s->gc_freed_bytes);
    json_end(json, '}');
}

static void put_type(Json *json, const char *name, const LmpKindStats *t) {
    json_text(json, "name", name);
    json_count(json, "live", t->live_bytes);
    json_count(json, "blocks", t->live_blocks);
    json_count(json, "allocs", t->allocs);
    json_count(json, "made", t->made_bytes);
    json_count(json, "peak", t->peak_bytes);
}

static void put_verdict(Json *json, const Verdict *v) {
    json_text(json, "rule", v->rule);
    json_text(json, "where", v->where);
    json_text(json, "text", v->text);
    json_text(json, "advice", v->advice);
    json_count(json, "site", v->site);
}

void htmlpage_facts(Json *json, const LmpReport *r) {
    char lost[STATS_LOST];
    const Ledger *l = &r->ledger;
    json_text(json, "program", r->program);
    json_text(json, "lua", r->lua);
    json_count(json, "pid", r->pid);
    json_text(json, "ending", r->ending ? r->ending : "");
    json_text(json, "error", r->error ? r->error : "");
    if (r->damage) json_text(json, "damage", r->damage);
    if (*r->moment.said) json_text(json, "moment", r->moment.said);
    json_text(json, "again", r->again ? r->again : "");
    json_number(json, "seconds", r->stats.seconds);
    if (l->when == LEDGER_NOW) json_flag(json, "running", true);
    if (r->rate_seconds > 0) json_number(json, "rate", (double)r->rate_bytes / r->rate_seconds);
    json_count(json, "stacks", l->stacks);
    json_count(json, "sample", l->sample);
    json_count(json, "lines", l->lines != LMP_LINES_OFF);
    json_count(json, "approximate", l->lines == LMP_LINES_APPROXIMATE);
    json_count(json, "folded", l->folded);
    json_text(json, "counts_lost", stats_counts_lost(lost, &r->stats));
    json_count(json, "pathless", l->pathless_bytes);
    json_text(json, "growth", growth_words[r->judgement.growth]);
    json_text(json, "judgement", r->judgement.words);
    put_totals(json, &r->stats);
    JSON_OBJECTS(json, "types", k, LMP_KINDS, put_type(json, kind_info[k].name, &r->stats.kind[k]));
    JSON_OBJECTS(json, "verdicts", i, r->verdicts.count,
                 put_verdict(json, &r->verdicts.verdict[i]));
}

/* ---- over time ------------------------------------------------------------------------------- */

typedef struct Series {
    const char *name;
    size_t at;
} Series;

static const Series series[] = {
    {"max", offsetof(LmpHistoryPoint, max_bytes)},
    {"min", offsetof(LmpHistoryPoint, min_bytes)},
    {"last", offsetof(LmpHistoryPoint, last_bytes)},
    {"allocs", offsetof(LmpHistoryPoint, allocs)},
    {"frees", offsetof(LmpHistoryPoint, frees)},
    {"made", offsetof(LmpHistoryPoint, alloc_bytes)},
    {"freed", offsetof(LmpHistoryPoint, free_bytes)},
};

static void put_history(Json *json, const LmpHistory *h) {
    uint32_t used = h->used < LMP_HISTORY ? h->used : LMP_HISTORY;
    json_begin(json, "time", '{');
    json_count(json, "step", h->interval);
    for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
        json_begin(json, series[i].name, '[');
        for (uint32_t n = 0; n < used; n++) {
            uint64_t value;
            memcpy(&value, (const char *)&h->samples[n] + series[i].at, sizeof value);
            json_count(json, NULL, value);
        }
        json_end(json, ']');
    }
    JSON_LIST(json, "cycles", n, used, json_count(json, NULL, h->samples[n].gc_cycles));
    json_begin(json, "types", '[');
    for (unsigned k = 0; k < LMP_KINDS; k++) {
        JSON_LIST(json, NULL, n, used, json_count(json, NULL, h->samples[n].kind_bytes[k]));
    }
    json_end(json, ']');
    json_end(json, '}');
}

void htmlpage_time(Json *json, const LmpReport *report) {
    if (report->history && report->history->used > 0) put_history(json, report->history);
    json_count(json, "peak_at", report->peak_clock);
    if (report->from > 0) { /* the range that the page opens with */
        json_begin(json, "open", '[');
        json_count(json, NULL, report->from);
        json_count(json, NULL, report->until);
        json_end(json, ']');
    }
    json_begin(json, "marks", '[');
    for (uint32_t i = 0; i < report->marks; i++) {
        json_begin(json, NULL, '[');
        json_count(json, NULL, report->mark[i].clock);
        json_text(json, NULL, report->mark[i].name);
        json_end(json, ']');
    }
    json_end(json, ']');
}

/* ---- over addresses -------------------------------------------------------------------------- */

/* Which types are there, as bits; then the bytes of each, and blocks. Nothing follows 0. */
static void put_cell(Json *json, const MapCell *cell) {
    unsigned kinds = 0;
    for (unsigned k = 0; k < LMP_KINDS; k++)
        if (cell->bytes[k]) kinds |= 1u << k;
    json_count(json, NULL, kinds);
    for (unsigned k = 0; k < LMP_KINDS; k++)
        if (cell->bytes[k]) json_count(json, NULL, cell->bytes[k]);
    if (kinds) json_count(json, NULL, cell->blocks);
}

void htmlpage_map(Json *json, const LmpReport *report) {
    uint64_t bytes = 0;
    if (!report->map) return;
    for (uint32_t i = 0; i < report->map_cells; i++)
        bytes += report->map[i].capacity;
    json_begin(json, "map", '{');
    json_count(json, "cell", report->map[0].capacity);
    json_count(json, "bytes", bytes);
    JSON_LIST(json, "cells", i, report->map_cells, put_cell(json, &report->map[i]));
    json_end(json, '}');
}
