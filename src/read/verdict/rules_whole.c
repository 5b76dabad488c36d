/* rules_whole.c - verdicts on the whole: the collector, memory outside Lua, growth in general, what
 * is not known, and which frames of the program's own made far more than is usual. */
#include "base/format.h"
#include "read/verdict/verdict_impl.h"

/* An interpreter with its libraries has a few MiB that are not Lua's; four times that is more. */
#define OUTSIDE_LEAST (16u << 20)
#define OUTSIDE_PART 0.5
/* The collector: by default it starts again when the heap has doubled, so half of it is garbage
 * then. Three quarters come of a pause of 400. On a small heap that does not matter. */
#define LATE_PART 0.75
#define LATE_CYCLES 3u
#define LATE_LOOK 8u
#define HEAP_LEAST (1u << 20)
/* Generational mode is for what dies young, and for what stays; where half does not die young, and
 * half of that dies later, it keeps garbage for long. */
#define SURVIVE_PART 0.5
#define LATER_PART 0.5
#define SURVIVE_CYCLES 8u
#define SURVIVE_ALLOCS 10000u
/* A full collection that freed less is not worth a line. */
#define FREED_PART 0.1

/* ---- outside Lua ----------------------------------------------------------------------------- */

/* What the heap had at its peak may still be the process's: freed, and not given back. */
static uint64_t surely_outside(const VerdictInput *in) {
    uint64_t lua = in->own + in->stats->peak_bytes;
    return in->rss > lua ? in->rss - lua : 0;
}

double outside_holds(const VerdictFacts *f) {
    uint64_t bytes = surely_outside(f->in);
    double share = verdict_share((double)bytes, (double)f->in->rss);
    return bytes >= OUTSIDE_LEAST && share >= OUTSIDE_PART ? share : 0;
}

void outside_say(const VerdictFacts *f, Verdict *v) {
    uint64_t bytes = surely_outside(f->in);
    char a[LMP_NUM], b[LMP_NUM];
    verdict_text(v, "at least %s of the program's %s are outside Lua's heap",
                 format_bytes(a, bytes), format_bytes(b, f->in->rss));
    verdict_figure(v, "outside_bytes", (double)bytes);
    verdict_figure(v, "resident_bytes", (double)f->in->rss);
}

/* ---- the collector --------------------------------------------------------------------------- */

/* Of the last cycles: freed and left, on average. Returns how many. */
static uint32_t last_cycles(const LmpGc *gc, uint32_t most, double *freed, double *left) {
    uint64_t n = gc->cycles < LMP_GC_RING ? gc->cycles : LMP_GC_RING;
    if (n > most) n = most;
    *freed = *left = 0;
    for (uint64_t i = 0; i < n; i++) {
        const LmpGcCycle *c = &gc->ring[(gc->cycles - 1 - i) % LMP_GC_RING];
        *freed += (double)c->freed_bytes / (double)n;
        *left += (double)c->live_bytes / (double)n;
    }
    return (uint32_t)n;
}

double late_holds(const VerdictFacts *f) {
    double freed, left;
    if (f->in->stats->gc_mode != LMP_GC_INCREMENTAL) return 0;
    if (last_cycles(f->in->gc, LATE_LOOK, &freed, &left) < LATE_CYCLES) return 0;
    double share = verdict_share(freed, freed + left);
    return freed + left >= HEAP_LEAST && share >= LATE_PART ? share : 0;
}

void late_say(const VerdictFacts *f, Verdict *v) {
    double freed, left;
    uint32_t n = last_cycles(f->in->gc, LATE_LOOK, &freed, &left);
    char a[LMP_NUM], b[LMP_NUM];
    verdict_text(v,
                 "collections come late: %u %% of the heap is garbage by then (%s freed, %s left)",
                 verdict_percent(freed / (freed + left)), format_bytes(a, (uint64_t)freed),
                 format_bytes(b, (uint64_t)left));
    verdict_figure(v, "freed_bytes", freed);
    verdict_figure(v, "live_bytes", left);
    verdict_figure(v, "cycles", n);
}

double survivors_holds(const VerdictFacts *f) {
    const VerdictInput *in = f->in;
    if (in->stats->gc_mode != LMP_GC_GENERATIONAL || in->gc->cycles < SURVIVE_CYCLES) return 0;
    if (f->allocs < SURVIVE_ALLOCS || in->ledger->sites == 0 || in->stats->live_bytes < HEAP_LEAST)
        return 0;
    double share = 1 - verdict_share((double)f->short_lived, (double)f->allocs);
    double later = verdict_share((double)f->frees - (double)f->short_lived,
                                 (double)f->allocs - (double)f->short_lived);
    return share >= SURVIVE_PART && later >= LATER_PART ? share : 0;
}

void survivors_say(const VerdictFacts *f, Verdict *v) {
    double share = 1 - verdict_share((double)f->short_lived, (double)f->allocs);
    verdict_text(v, "%u %% of all blocks outlive their first collection, in generational mode",
                 verdict_percent(share));
    verdict_figure(v, "surviving", share);
    verdict_figure(v, "cycles", (double)f->in->gc->cycles);
    verdict_figure(v, "full_cycles", (double)f->in->gc->full);
}

/* Whether the last cycle was a full one is only known where all are; of a minor one the share of
 * the heap that it freed says nothing. */
static bool all_full(const LmpGc *gc) {
    return gc->full == gc->cycles;
}

static double last_freed(const VerdictFacts *f) {
    double freed, left;
    const LmpGc *gc = f->in->gc;
    if (f->in->stats->gc_mode != LMP_GC_INCREMENTAL && !all_full(gc)) return 0;
    if (last_cycles(gc, 1, &freed, &left) == 0) return 0;
    return verdict_share(freed, freed + left);
}

double last_full_holds(const VerdictFacts *f) {
    return last_freed(f) >= FREED_PART ? 1 : 0;
}

void last_full_say(const VerdictFacts *f, Verdict *v) {
    double share = last_freed(f);
    verdict_text(v, "the last %scollection freed %u %% of the heap",
                 all_full(f->in->gc) ? "full " : "", verdict_percent(share));
    verdict_figure(v, "share", share);
}

/* ---- growth in general ----------------------------------------------------------------------- */

double some_growth_holds(const VerdictFacts *f) {
    return f->growth->growth == LMP_GROWTH_FOUND && !f->told ? 1 : 0;
}

void some_growth_say(const VerdictFacts *f, Verdict *v) {
    verdict_text(v, "%s", f->growth->words);
    verdict_figure(v, "growing", f->growth->steady);
    verdict_figure(v, "full_cycles", (double)f->growth->cycles);
}

double no_growth_holds(const VerdictFacts *f) {
    return f->growth->growth == LMP_GROWTH_NONE ? 1 : 0;
}

void no_growth_say(const VerdictFacts *f, Verdict *v) {
    char n[LMP_NUM];
    verdict_text(v, "nothing grows over %s full collections", format_count(n, f->growth->cycles));
    verdict_figure(v, "full_cycles", (double)f->growth->cycles);
}

double wait_holds(const VerdictFacts *f) {
    return f->growth->growth == LMP_GROWTH_WAIT ? 1 : 0;
}

void wait_say(const VerdictFacts *f, Verdict *v) {
    const Ledger *ledger = f->in->ledger;
    char lacking[LEDGER_LACKING];
    verdict_text(v, "%s whether anything grows: %s", ledger_untold(ledger),
                 ledger_lacking(lacking, ledger, f->growth, "collection"));
    verdict_figure(v, "full_cycles", (double)f->growth->cycles);
    verdict_figure(v, "missing", (double)f->growth->missing);
}

/* Applies if no other verdict does. */
double unknown_holds(const VerdictFacts *f) {
    return f->growth->growth == LMP_GROWTH_UNKNOWN ? 1 : 0;
}

void unknown_say(const VerdictFacts *f, Verdict *v) {
    verdict_text(v, "%s",
                 f->in->ledger->lines == LMP_LINES_OFF
                     ? "which line makes what is not known: lines are off"
                     : "whether anything grows is not known: collections cannot be seen here");
}

/* ---- frames of the program's own ------------------------------------------------------------- */

double frame_spikes_holds(const VerdictFacts *f) {
    const LmpStats *s = f->in->stats;
    if (stats_spikes(s) == 0) return 0;
    uint64_t worst = s->worst_frames.row[0].bytes;
    return verdict_share((double)(worst - s->frame_median_bytes), (double)worst);
}

void frame_spikes_say(const VerdictFacts *f, Verdict *v) {
    const LmpStats *s = f->in->stats;
    const LmpLapStats *worst = &s->worst_frames.row[0];
    uint32_t n = stats_spikes(s);
    char all[LMP_NUM], most[LMP_NUM], number[LMP_NUM], at[LMP_NUM], usual[LMP_NUM];
    verdict_text(v, "%u%s of %s frames made %s%s (frame %s, at %s): half of them make at most %s",
                 n, n == LMP_LAPS_WORST ? " or more" : "", format_count(all, s->frames),
                 n > 1 ? "up to " : "", format_bytes(most, worst->bytes),
                 format_count(number, worst->number), format_clock(at, (uint64_t)(worst->at * 1e9)),
                 format_bytes(usual, s->frame_median_bytes));
    verdict_figure(v, "frames", (double)s->frames);
    verdict_figure(v, "frame", (double)worst->number);
    verdict_figure(v, "bytes", (double)worst->bytes);
    verdict_figure(v, "usual_bytes", (double)s->frame_median_bytes);
    verdict_figure(v, "seconds", worst->at);
}
