/* htmlpage_facts.c - of the whole run: what it was, its totals and types, verdicts, and the heap
 * over time. */
#include <string.h>

#include "report/page/htmlpage_impl.h"

static const char *const growth_words[] = {
    [LMP_GROWTH_UNKNOWN] = "unknown",
    [LMP_GROWTH_WAIT] = "wait",
    [LMP_GROWTH_NONE] = "none",
    [LMP_GROWTH_FOUND] = "found",
};

static void put_totals(HtmlOut *o, const LmpStats *s) {
    htmlout_begin(o, "all", '{');
    htmlout_count(o, "live", s->live_bytes);
    htmlout_count(o, "blocks", s->live_blocks);
    htmlout_count(o, "peak", s->peak_bytes);
    htmlout_count(o, "made", s->live_bytes + s->free_bytes);
    htmlout_count(o, "allocs", s->mallocs);
    htmlout_count(o, "freed", s->free_bytes);
    htmlout_count(o, "frees", s->frees);
    htmlout_count(o, "resizes", s->reallocs);
    htmlout_count(o, "failed", s->failed);
    htmlout_count(o, "dropped", s->dropped);
    htmlout_count(o, "cycles", s->gc_cycles);
    htmlout_count(o, "collected", s->gc_freed_bytes);
    htmlout_end(o, '}');
}

static void put_types(HtmlOut *o, const LmpStats *s) {
    htmlout_begin(o, "types", '[');
    for (unsigned k = 0; k < LMP_KINDS; k++) {
        const LmpKindStats *t = &s->kind[k];
        htmlout_begin(o, NULL, '{');
        htmlout_text(o, "name", kind_info[k].name);
        htmlout_count(o, "live", t->live_bytes);
        htmlout_count(o, "blocks", t->live_blocks);
        htmlout_count(o, "allocs", t->allocs);
        htmlout_count(o, "made", t->made_bytes);
        htmlout_count(o, "peak", t->peak_bytes);
        htmlout_end(o, '}');
    }
    htmlout_end(o, ']');
}

static void put_verdicts(HtmlOut *o, const Verdicts *list) {
    htmlout_begin(o, "verdicts", '[');
    for (uint32_t i = 0; i < list->count && i < VERDICTS; i++) {
        const Verdict *v = &list->verdict[i];
        htmlout_begin(o, NULL, '{');
        htmlout_text(o, "rule", v->rule);
        htmlout_text(o, "where", v->where);
        htmlout_text(o, "text", v->text);
        htmlout_text(o, "advice", v->advice);
        htmlout_count(o, "site", v->site);
        htmlout_end(o, '}');
    }
    htmlout_end(o, ']');
}

void htmlpage_facts(HtmlOut *o, const LmpReport *r) {
    char lost[STATS_LOST];
    const Ledger *l = &r->ledger;
    htmlout_text(o, "program", r->program);
    htmlout_text(o, "lua", r->lua);
    htmlout_count(o, "pid", r->pid);
    htmlout_text(o, "ending", r->ending ? r->ending : "");
    htmlout_text(o, "error", r->error ? r->error : "");
    if (r->damage) htmlout_text(o, "damage", r->damage);
    if (*r->moment.said) htmlout_text(o, "moment", r->moment.said);
    htmlout_text(o, "again", r->again ? r->again : "");
    htmlout_number(o, "seconds", r->stats.seconds);
    htmlout_count(o, "stacks", l->stacks);
    htmlout_count(o, "sample", l->sample);
    htmlout_count(o, "lines", l->lines != LMP_LINES_OFF);
    htmlout_count(o, "approximate", l->lines == LMP_LINES_APPROXIMATE);
    htmlout_count(o, "folded", l->folded);
    htmlout_text(o, "counts_lost", stats_counts_lost(lost, &r->stats));
    htmlout_count(o, "pathless", l->pathless_bytes);
    htmlout_text(o, "growth", growth_words[r->judgement.growth & 3]);
    htmlout_text(o, "judgement", r->judgement.words);
    put_totals(o, &r->stats);
    put_types(o, &r->stats);
    put_verdicts(o, &r->verdicts);
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

static void put_history(HtmlOut *o, const LmpHistory *h) {
    uint32_t used = h->used < LMP_HISTORY ? h->used : LMP_HISTORY;
    htmlout_begin(o, "time", '{');
    htmlout_count(o, "step", h->interval);
    for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
        htmlout_begin(o, series[i].name, '[');
        for (uint32_t n = 0; n < used; n++) {
            uint64_t value;
            memcpy(&value, (const char *)&h->samples[n] + series[i].at, sizeof value);
            htmlout_count(o, NULL, value);
        }
        htmlout_end(o, ']');
    }
    htmlout_begin(o, "cycles", '[');
    for (uint32_t n = 0; n < used; n++)
        htmlout_count(o, NULL, h->samples[n].gc_cycles);
    htmlout_end(o, ']');
    htmlout_begin(o, "types", '[');
    for (unsigned k = 0; k < LMP_KINDS; k++) {
        htmlout_begin(o, NULL, '[');
        for (uint32_t n = 0; n < used; n++)
            htmlout_count(o, NULL, h->samples[n].kind_bytes[k]);
        htmlout_end(o, ']');
    }
    htmlout_end(o, ']');
    htmlout_end(o, '}');
}

void htmlpage_time(HtmlOut *o, const LmpReport *report) {
    if (report->history && report->history->used > 0) put_history(o, report->history);
    htmlout_count(o, "peak_at", report->peak_clock);
    if (report->from > 0) { /* the range that the page opens with */
        htmlout_begin(o, "open", '[');
        htmlout_count(o, NULL, report->from);
        htmlout_count(o, NULL, report->until);
        htmlout_end(o, ']');
    }
    htmlout_begin(o, "marks", '[');
    for (uint32_t i = 0; i < report->marks; i++) {
        htmlout_begin(o, NULL, '[');
        htmlout_count(o, NULL, report->mark[i].clock);
        htmlout_text(o, NULL, report->mark[i].name);
        htmlout_end(o, ']');
    }
    htmlout_end(o, ']');
}
