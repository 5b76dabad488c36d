/* report_memprof.c - the four sections of Tarantool's memory profiler, from lines: who allocated,
 * where blocks were resized and freed, and what is held. A reallocation's bytes are new less old
 * there, so one of them stands on the one side or the other. */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "report/formats/formats_impl.h"
#include "report/formats/value.h"

typedef struct Event {
    const LmpSiteRow *site;
    uint64_t events, plus, minus; /* count, bytes */
} Event;

static int by_events(const void *a, const void *b) {
    const Event *x = a, *y = b;
    if (x->events != y->events) return x->events < y->events ? 1 : -1;
    return x->site < y->site ? -1 : x->site > y->site;
}

static int by_held(const void *a, const void *b) {
    const Event *x = a, *y = b;
    if (x->plus != y->plus) return x->plus < y->plus ? 1 : -1;
    return x->site < y->site ? -1 : x->site > y->site;
}

/* "@app.lua:10, line 12"; a pseudo-line "INTERNAL (host)". */
static void put_place(const LmpReport *r, FILE *out, const LmpSiteRow *s) {
    const Ledger *l = &r->ledger;
    int32_t defined = s->function < l->functions ? l->function[s->function].linedefined : 0;
    if (s->line < 0)
        fprintf(out, "INTERNAL %s", s->short_src);
    else
        fprintf(out, "%s%s:%d, line %d", s->source[0] == '@' ? "@" : "", s->short_src,
                defined > 0 ? defined : 0, s->line);
}

typedef Event Of(const LmpSiteRow *s);

static Event allocated(const LmpSiteRow *s) {
    return (Event){s, s->tally.allocs, s->tally.bytes, 0};
}

static Event resized(const LmpSiteRow *s) {
    int64_t bytes = s->here_realloc_bytes;
    return (Event){s, s->here_reallocs, bytes > 0 ? (uint64_t)bytes : 0,
                   bytes < 0 ? 0 - (uint64_t)bytes : 0};
}

static Event freed(const LmpSiteRow *s) {
    return (Event){s, s->here_frees, 0, s->here_free_bytes};
}

static void put_section(const LmpReport *r, FILE *out, Event *event, const char *title, Of *of) {
    const Ledger *l = &r->ledger;
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->sites; i++) {
        event[n] = of(&l->site[i]);
        n += event[n].events > 0;
    }
    qsort(event, n, sizeof *event, by_events);
    fprintf(out, "%s\n", title);
    for (uint32_t i = 0; i < n; i++) {
        put_place(r, out, event[i].site);
        fprintf(out, ": %llu events\t+%llu bytes\t-%llu bytes\n",
                (unsigned long long)event[i].events, (unsigned long long)event[i].plus,
                (unsigned long long)event[i].minus);
    }
    fputc('\n', out);
}

static void put_held(const LmpReport *r, FILE *out, Event *event) {
    const Ledger *l = &r->ledger;
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->sites; i++) {
        uint64_t held = value_of(&l->site[i].tally, VALUE_LIVE_BYTES);
        if (held > 0) event[n++] = (Event){&l->site[i], 0, held, 0};
    }
    qsort(event, n, sizeof *event, by_held);
    fputs("HEAP SUMMARY:\n", out);
    for (uint32_t i = 0; i < n; i++) {
        const LmpTally *t = &event[i].site->tally;
        put_place(r, out, event[i].site);
        fprintf(out, " holds %llu bytes: %llu allocs, %llu frees\n",
                (unsigned long long)event[i].plus, (unsigned long long)t->allocs,
                (unsigned long long)t->frees);
    }
    fputc('\n', out);
}

LmpErr report_memprof(const LmpReport *report, FILE *out) {
    char sampled[200];
    Event *event = malloc(((size_t)report->ledger.sites + 1) * sizeof *event);
    if (!event) return LMP_E_NOMEM;
    ReportValue value = report->leaks_only ? VALUE_LIVE_BYTES : VALUE_ALLOCATED_BYTES;
    if (*value_sampled(sampled, sizeof sampled, report, value)) fprintf(out, "%s\n\n", sampled);
    if (!report->leaks_only) {
        put_section(report, out, event, "ALLOCATIONS", allocated);
        put_section(report, out, event, "REALLOCATIONS", resized);
        put_section(report, out, event, "DEALLOCATIONS", freed);
    }
    put_held(report, out, event);
    free(event);
    return LMP_OK;
}
