/* report_memprof.c - the four sections of Tarantool's memory profiler, from lines: who allocated,
 * where blocks were resized and freed, and what is held. Whose blocks they were ("Overrides"), and
 * how large they were before, is known where the run kept it (--overrides): a reallocation then has
 * its new size on the one side and its old one on the other. Without that it is new less old, on
 * the side that it falls on. In what is held a reallocation is both, an allocation and a free. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "report/formats/formats_impl.h"
#include "report/formats/value.h"

typedef struct Event {
    const LmpSiteRow *site;
    uint64_t events, plus, minus; /* count, bytes */
} Event;

ORDER_LARGEST(by_events, Event, events, site)

ORDER_LARGEST(by_held, Event, plus, site)

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

/* ---- whose blocks ---------------------------------------------------------------------------- */

static const Ledger *sorted; /* qsort has no argument of the caller's */

/* By where it was done, then by the place whose blocks they were. */
static int by_here(const void *a, const void *b) {
    const LmpOverrideRow *x = &sorted->override[*(const uint32_t *)a];
    const LmpOverrideRow *y = &sorted->override[*(const uint32_t *)b];
    if (x->here != y->here) return x->here < y->here ? -1 : 1;
    const LmpSiteRow *s = &sorted->site[x->made], *t = &sorted->site[y->made];
    int order = strcmp(s->short_src, t->short_src);
    return order ? order : s->line != t->line ? (s->line < t->line ? -1 : 1) : 0;
}

typedef struct Whose {
    uint32_t *order; /* overrides by where they were done; NULL: none are known */
    uint32_t *first; /* of each site, in order[]; one more */
    uint64_t *old;   /* sizes before reallocation at each site (bytes); NULL: not known */
} Whose;

static void free_whose(Whose *w) {
    free(w->order);
    free(w->first);
    free(w->old);
}

static bool find_whose(Whose *w, const Ledger *l) {
    *w = (Whose){0};
    if (!(l->counts & LMP_COUNTS_OVERRIDES)) return true;
    w->old = calloc((size_t)l->sites + 1, sizeof *w->old);
    if (!w->old) return false;
    for (uint32_t i = 0; i < l->overrides; i++)
        w->old[l->override[i].here] += l->override[i].realloc_old;
    if (l->overrides == 0) return true;
    w->order = malloc(l->overrides * sizeof *w->order);
    w->first = calloc((size_t)l->sites + 1, sizeof *w->first);
    if (!w->order || !w->first) return false;
    for (uint32_t i = 0; i < l->overrides; i++) {
        w->order[i] = i;
        w->first[l->override[i].here + 1]++;
    }
    for (uint32_t i = 0; i < l->sites; i++)
        w->first[i + 1] += w->first[i];
    sorted = l;
    qsort(w->order, l->overrides, sizeof *w->order, by_here);
    return true;
}

static void put_whose(const LmpReport *r, FILE *out, const Whose *w, const LmpSiteRow *site,
                      bool frees) {
    const Ledger *l = &r->ledger;
    uint32_t row = (uint32_t)(site - l->site), shown = 0;
    if (!w->order) return;
    for (uint32_t i = w->first[row]; i < w->first[row + 1]; i++) {
        const LmpOverrideRow *o = &l->override[w->order[i]];
        if ((frees ? o->frees : o->reallocs) == 0) continue;
        if (shown++ == 0) fputs("\tOverrides:\n", out);
        fputs("\t\t", out);
        put_place(r, out, &l->site[o->made]);
        fputc('\n', out);
    }
    if (shown > 0) fputc('\n', out);
}

/* ---- sections -------------------------------------------------------------------------------- */

typedef Event Of(const LmpReport *r, const Whose *w, uint32_t site);

static Event allocated(const LmpReport *r, const Whose *w, uint32_t site) {
    const LmpSiteRow *s = &r->ledger.site[site];
    (void)w;
    return (Event){s, s->tally.allocs, s->tally.bytes, 0};
}

static Event changed(const LmpSiteRow *s, uint64_t events, int64_t by, uint64_t old) {
    if (by < 0 && old < 0 - (uint64_t)by) old = 0 - (uint64_t)by; /* some are under "(others)" */
    return (Event){s, events, old + (uint64_t)by, old};
}

static Event resized(const LmpReport *r, const Whose *w, uint32_t site) {
    const LmpSiteRow *s = &r->ledger.site[site];
    return changed(s, s->here_reallocs, s->here_realloc_bytes, w->old ? w->old[site] : 0);
}

static Event freed(const LmpReport *r, const Whose *w, uint32_t site) {
    const LmpSiteRow *s = &r->ledger.site[site];
    (void)w;
    return (Event){s, s->here_frees, 0, s->here_free_bytes};
}

static void put_event(FILE *out, const Event *e) {
    fprintf(out, ": %llu events\t+%llu bytes\t-%llu bytes\n", (unsigned long long)e->events,
            (unsigned long long)e->plus, (unsigned long long)e->minus);
}

/* Blocks that are older than the profile are nobody's, and in no line's figures. */
static void put_before(const LmpReport *r, FILE *out, Of *of) {
    const LmpStats *s = &r->stats;
    Event e = of == resized ? changed(NULL, s->before_reallocs, s->before_realloc_bytes, 0)
              : of == freed ? (Event){NULL, s->before_frees, 0, s->before_free_bytes}
                            : (Event){0};
    if (e.events == 0 || r->from > 0) return;
    fputs("INTERNAL (from before start)", out);
    put_event(out, &e);
}

static void put_section(const LmpReport *r, FILE *out, const Whose *whose, Event *event,
                        const char *title, Of *of) {
    const Ledger *l = &r->ledger;
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->sites; i++) {
        event[n] = of(r, whose, i);
        n += event[n].events > 0;
    }
    qsort(event, n, sizeof *event, by_events);
    fprintf(out, "%s\n", title);
    for (uint32_t i = 0; i < n; i++) {
        put_place(r, out, event[i].site);
        put_event(out, &event[i]);
        if (of != allocated) put_whose(r, out, whose, event[i].site, of == freed);
    }
    put_before(r, out, of);
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
                (unsigned long long)event[i].plus, (unsigned long long)(t->allocs + t->reallocs),
                (unsigned long long)(t->frees + t->reallocs));
    }
    fputc('\n', out);
}

LmpErr report_memprof(const LmpReport *report, FILE *out) {
    char sampled[200];
    Event *event = malloc(((size_t)report->ledger.sites + 1) * sizeof *event);
    Whose whose;
    if (!find_whose(&whose, &report->ledger) || !event) {
        free(event);
        free_whose(&whose);
        return LMP_E_NOMEM;
    }
    ReportValue value = report->leaks_only ? VALUE_LIVE_BYTES : VALUE_ALLOCATED_BYTES;
    if (*value_sampled(sampled, sizeof sampled, report, value)) fprintf(out, "%s\n\n", sampled);
    if (report->stats.counts_why && !(report->stats.counts & LMP_COUNTS_OVERRIDES))
        fprintf(out, "Overrides are not known: %s\n\n", stats_why_words[report->stats.counts_why]);
    if (!report->leaks_only) {
        put_section(report, out, &whose, event, "ALLOCATIONS", allocated);
        put_section(report, out, &whose, event, "REALLOCATIONS", resized);
        put_section(report, out, &whose, event, "DEALLOCATIONS", freed);
    }
    put_held(report, out, event);
    free(event);
    free_whose(&whose);
    return LMP_OK;
}
