/* rules_holding.c - verdicts on what a line holds: growth after full collections, as judged by
 * leaks.c, and peaks that are long gone. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "read/verdict/verdict_impl.h"

/* Growth comes first when the line holds this share of the heap; below, it is one share among
 * others. */
#define HOLDS 0.05
/* Below that it still has a verdict if it has grown by this, ranked above everything said of a
 * healthy program. What grows by less is counted, not named (some-growth). */
#define GAIN (64u << 10)
#define LEAST 0.06
/* A start that reads for longer is named as what it looks like. */
#define START_MOST 60.0 /* seconds */
#define COUNTED 32u     /* blocks of a kind: with fewer, that none was freed says little */
/* Steps: rows that each brought so much of the gain, and so many times what their part of the time
 * and of the work would bring, are steps; they must have brought most of it, and be few of all rows
 * but more than two, which can be a start and a reload. (A heap that grows evenly is collected at
 * longer and longer intervals, each of which brings more than the one before.) */
#define STEP 0.05
#define STEP_PACE 2
#define STEPS_PART 0.9
#define STEPS_LEAST 3u
#define STEPS_ROWS 9u
/* Lines that grow together: at no time is one further by so much of its gain than the other. */
#define SAME_COURSE 0.1
/* A peak is one line's when it had so much of it and has kept next to none; and it is a spike when
 * the heap was below half of it for half of the time. What a line has at a moment may be garbage
 * that was not collected yet: so much of it must have been left by full collections. A heap that
 * only rises doubles or triples from one of these to the next. */
#define PEAK_PART 0.3
#define PEAK_LEFT 0.1
#define PEAK_IN_USE 0.2
#define PEAK_OVER 2
#define PEAK_LEAST (1u << 20)
#define PEAK_MOMENTS 8u

/* ---- growth ---------------------------------------------------------------------------------- */

static double rank_of(const VerdictFacts *f, double held, double gain) {
    double share = verdict_share(held, (double)f->in->stats->live_bytes);
    if (share >= HOLDS) return 1 + share;
    return gain >= GAIN ? LEAST + share : 0;
}

static double rank_leak(const VerdictFacts *f, const LmpLeak *leak) {
    const LmpSiteRow *row = &f->in->ledger->site[leak->site];
    return rank_of(f, (double)row->tally.live_bytes, (double)leak->gain);
}

static double grows_by(const VerdictFacts *f) {
    return f->leak ? rank_leak(f, f->leak) : 0;
}

/* Returns true if the blocks of two lines became more at the same times, each by the same share of
 * its own. */
static bool same_course(const LmpSiteRow *a, const LmpSiteRow *b, uint32_t rows) {
    const uint64_t *v = a->live_history_blocks, *w = b->live_history_blocks;
    if (!v || !w || rows < 2) return false;
    double gain_v = (double)v[rows - 1] - (double)v[0], gain_w = (double)w[rows - 1] - (double)w[0];
    if (!(gain_v > 0) || !(gain_w > 0)) return false;
    for (uint32_t i = 1; i + 1 < rows; i++) {
        double at_v = ((double)v[i] - (double)v[0]) / gain_v;
        double at_w = ((double)w[i] - (double)w[0]) / gain_w;
        if (fabs(at_v - at_w) > SAME_COURSE) return false;
    }
    return true;
}

/* ", 2 more lines grow alike": what is kept together is mostly made by several lines. */
static const char *alike(char out[48], const VerdictFacts *f) {
    const Ledger *l = f->in->ledger;
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->leak_count; i++) {
        const LmpLeak *other = &f->leaks[i];
        n += other->steady && other->site != f->leak->site && rank_leak(f, other) > 0 &&
             same_course(f->row, &l->site[other->site], l->live_history_rows);
    }
    out[0] = 0;
    if (n > 0) snprintf(out, 48, ", %u more line%s alike", n, n == 1 ? " grows" : "s grow");
    return out;
}

static const struct {
    LmpWay way;
    const char *words;
} objects[] = {
    {LMP_WAY_TABLE, "tables"},         {LMP_WAY_CLOSURE, "functions (counted where they end)"},
    {LMP_WAY_COROUTINE, "coroutines"}, {LMP_WAY_USERDATA, "userdata"},
    {LMP_WAY_CONCAT, "strings"},       {LMP_WAY_STRING, "strings"},
    {LMP_WAY_LOADED, "functions"},     {LMP_WAY_PART, "blocks of table entries"},
};
enum { OBJECTS = sizeof objects / sizeof *objects };

/* Returns what it holds most of. Parts of tables come with tables, unless these are made
 * elsewhere. */
static int mostly(const LmpMakes *m) {
    int best = 0;
    for (int i = 1; i < OBJECTS; i++) {
        uint64_t least = m->way[objects[best].way].live_blocks;
        if (objects[i].way == LMP_WAY_PART) least *= 2;
        if (m->way[objects[i].way].live_blocks > least) best = i;
    }
    return best;
}

/* Returns true if a weak table would let go of it, and nobody would miss it. Strings are never
 * taken out of one, and a function may have no other holder than the table that calls it. */
static bool may_be_weak(const LmpMakes *m) {
    LmpWay way = objects[mostly(m)].way;
    return way == LMP_WAY_TABLE || way == LMP_WAY_USERDATA || way == LMP_WAY_PART;
}

/* Where to take something out: the tables that grow along with what it holds. `alone`: what to do
 * where none is known, and weak tables do not help. */
static void advise_keepers(const VerdictFacts *f, Verdict *v, const char *when, const char *alone) {
    const Ledger *l = f->in->ledger;
    uint32_t at[2];
    char a[VERDICT_NAME], b[VERDICT_NAME];
    if (!f->makes) return;
    const LmpTally *t = &f->makes->way[objects[mostly(f->makes)].way];
    uint32_t n = keepers_of(f->holders, (double)t->live_blocks, at);
    bool weak = may_be_weak(f->makes);
    if (n == 1 && &l->site[at[0]] == f->row)
        verdict_advise(v, "%stake entries out of the table that grows here%s", when,
                       weak ? ", or make it weak" : "");
    else if (n == 1)
        verdict_advise(v, "%stake entries out of the table that %s grows%s", when,
                       verdict_name(a, l, &l->site[at[0]]), weak ? ", or make it weak" : "");
    else if (n == 2)
        verdict_advise(v, "%stake entries out of the tables that %s and %s grow%s", when,
                       verdict_name(a, l, &l->site[at[0]]), verdict_name(b, l, &l->site[at[1]]),
                       weak ? ", or make them weak" : "");
    else if (!weak && *alone)
        verdict_advise(v, "%s", alone);
}

static void growth_figures(const VerdictFacts *f, Verdict *v) {
    verdict_figure(v, "live_bytes", (double)f->row->tally.live_bytes);
    verdict_figure(v, "bytes_per_cycle", f->leak->bytes_per_cycle);
    verdict_figure(v, "bytes_per_second", f->leak->bytes_per_second);
    verdict_figure(v, "grown", (double)f->leak->gain);
}

static const char *bytes_of(char out[LMP_NUM], double bytes) {
    return format_bytes(out, bytes > 0 && bytes < 1e18 ? (uint64_t)(bytes + 0.5) : 0);
}

bool verdict_none_freed(const VerdictFacts *f) {
    const LmpTally *t = &f->makes->way[objects[mostly(f->makes)].way];
    return t->allocs >= COUNTED && t->frees == 0 && f->in->ledger->sample == 0;
}

/* ---- tables that keep it --------------------------------------------------------------------- */

double keeps_holds(const VerdictFacts *f) {
    return f->holder ? rank_of(f, f->holder->held, f->holder->grown) : 0;
}

/* Returns the line that made most of what the tables keep, of objects if it can be: parts of tables
 * are no objects that a snapshot has. */
static const LmpSiteRow *most_kept(const VerdictFacts *f) {
    const VerdictHolder *h = f->holder;
    LmpMakes makes;
    for (uint32_t i = 0; i < h->leaks; i++) {
        uint32_t row = h->leak[i]->site;
        ledger_makes(f->in->ledger, f->in->tables, row, &makes);
        if (objects[mostly(&makes)].way != LMP_WAY_PART) return &f->in->ledger->site[row];
    }
    return &f->in->ledger->site[h->leak[0]->site];
}

/* ", made on lines 27 and 33", ", made by store.lua:27 and 3 more": where most of what the tables
 * keep is made, if that is elsewhere. */
static void who_makes(const VerdictFacts *f, char *out, size_t size) {
    const Ledger *l = f->in->ledger;
    const LmpSiteRow *row[LMP_CONTAINER_LINES + 1];
    char name[VERDICT_NAME];
    uint32_t n = 0, here = 0;
    bool elsewhere = most_kept(f) != f->row;
    for (uint32_t i = 0; elsewhere && i < f->holder->leaks; i++)
        if (f->holder->leak[i]->site != f->holder->row)
            row[n++] = &l->site[f->holder->leak[i]->site];
    for (uint32_t i = 0; i < n && i < 2; i++)
        here += strcmp(row[i]->source, f->row->source) == 0;
    *out = 0;
    if (n == 2 && here == 2)
        snprintf(out, size, ", made on lines %d and %d", row[0]->line, row[1]->line);
    else if (n > 0)
        snprintf(out, size, ", made by %s", verdict_name(name, l, row[0]));
    size_t at = strlen(out);
    if (n > 2 || (n == 2 && here < 2)) snprintf(out + at, size - at, " and %u more", n - 1);
}

/* ", most of 3 that grow", ", less than store.lua:9's": nothing where there is only one. */
static void which_holds_more(const VerdictFacts *f, char *out, size_t size) {
    const VerdictHolder *most = f->holder;
    char a[VERDICT_NAME];
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->holders->count; i++) {
        const VerdictHolder *h = &f->holders->holder[i];
        n += h->leaks > 0;
        if (h->leaks > 0 && h->held > most->held) most = h;
    }
    *out = 0;
    if (n > 1 && most == f->holder)
        snprintf(out, size, ", the most of %u that grow", n);
    else if (n > 1)
        snprintf(out, size, ", less than %s's",
                 verdict_name(a, f->in->ledger, &f->in->ledger->site[most->row]));
}

/* Returns true if it is so young that it may be a start. */
static bool may_be_start(const VerdictHolder *h) {
    for (uint32_t i = 0; i < h->leaks; i++)
        if (h->leak[i]->multiplies && h->leak[i]->seconds < START_MOST) return true;
    return false;
}

void keeps_say(const VerdictFacts *f, Verdict *v) {
    const VerdictHolder *h = f->holder;
    char n[LMP_NUM], a[LMP_NUM], b[LMP_NUM], what[32], with[200], more[100];
    bool start = may_be_start(h), one = h->tables == 1;
    who_makes(f, with, sizeof with);
    which_holds_more(f, more, sizeof more);
    snprintf(what, sizeof what, one ? "a table" : "%u tables", h->tables);
    format_short(n, (uint64_t)h->entries);
    bytes_of(a, h->held);
    bytes_of(b, h->bytes_per_second);
    verdict_text(v, "%s: %s in %s of %s entries, +%s/s%s%s",
                 start ? "fills up or leaks" : "keeps what it is given", a, what, n, b, more, with);
    const LmpSiteRow *kept = most_kept(f);
    format_where(v->kept, sizeof v->kept, kept->short_src, kept->line);
    verdict_figure(v, "live_bytes", h->held);
    verdict_figure(v, "bytes_per_second", h->bytes_per_second);
    verdict_figure(v, "grown", h->grown);
    verdict_figure(v, "entries", h->entries);
    verdict_figure(v, "tables", h->tables);
    verdict_figure(v, "lines", h->leaks);
    verdict_advise(v, "%stake entries out of %s here, or bound %s", start ? "if it leaks: " : "",
                   one ? "the table that grows" : "the tables that grow", one ? "it" : "them");
}

/* ---- lines that no table is known to keep ---------------------------------------------------- */

/* Growth that nothing tells from a start as yet. */
double fills_holds(const VerdictFacts *f) {
    return f->leak && f->leak->multiplies && f->leak->seconds < START_MOST ? grows_by(f) : 0;
}

void fills_say(const VerdictFacts *f, Verdict *v) {
    int i = mostly(f->makes);
    const LmpTally *t = &f->makes->way[objects[i].way];
    char n[LMP_NUM], a[LMP_NUM], b[LMP_NUM], c[LMP_NUM], more[48];
    double share =
        verdict_share((double)f->row->tally.live_bytes, (double)f->in->stats->live_bytes);
    format_span(c, (uint64_t)(f->leak->seconds * 1e9));
    bytes_of(b, f->leak->bytes_per_second);
    if (verdict_none_freed(f))
        verdict_text(v, "fills up or leaks: none of its %s %s freed in %s, %s held, +%s/s%s",
                     format_short(n, t->live_blocks), objects[i].words, c,
                     format_bytes(a, f->row->tally.live_bytes), b, alike(more, f));
    else
        verdict_text(v, "fills up or leaks: %s held after %s, %u %% of the heap, +%s/s%s",
                     format_bytes(a, f->row->tally.live_bytes), c, verdict_percent(share), b,
                     alike(more, f));
    growth_figures(f, v);
    verdict_figure(v, "seconds", f->leak->seconds);
    advise_keepers(f, v, "if it leaks: ", "");
}

double never_freed_holds(const VerdictFacts *f) {
    return verdict_none_freed(f) ? grows_by(f) : 0;
}

void never_freed_say(const VerdictFacts *f, Verdict *v) {
    int i = mostly(f->makes);
    const LmpTally *t = &f->makes->way[objects[i].way];
    char n[LMP_NUM], a[LMP_NUM], b[LMP_NUM], more[48];
    format_short(n, t->live_blocks);
    if (f->row->tally.frees == 0)
        verdict_text(v, "has never freed anything: %s %s, %s held, +%s/s%s", n, objects[i].words,
                     format_bytes(a, f->row->tally.live_bytes),
                     bytes_of(b, f->leak->bytes_per_second), alike(more, f));
    else
        verdict_text(v, "has freed none of its %s %s: %s held, +%s/s%s", n, objects[i].words,
                     format_bytes(a, t->live_bytes), bytes_of(b, f->leak->bytes_per_second),
                     alike(more, f));
    growth_figures(f, v);
    verdict_figure(v, "live_blocks", (double)t->live_blocks);
    advise_keepers(f, v, "", "take out what is no longer needed");
}

typedef struct Steps {
    uint32_t count, last; /* row of the last one */
    double part;          /* of the gain that they brought */
} Steps;

/* Returns the part of a run, of its time or of what was made, that lies between a row and the one
 * before. */
static double part_of(const uint64_t *at, uint32_t rows, uint32_t i) {
    return verdict_share((double)at[i] - (double)at[i - 1], (double)at[rows - 1] - (double)at[0]);
}

static Steps steps_of(const VerdictFacts *f) {
    const uint64_t *v = f->row->live_history;
    uint32_t n = f->in->ledger->live_history_rows;
    const uint64_t *clock = f->in->ledger->live_history_clock;
    const uint64_t *work = f->in->ledger->live_history_work;
    Steps s = {0};
    double gain = (double)f->leak->gain;
    for (uint32_t i = 1; v && i < n; i++) {
        double more = (double)v[i] - (double)v[i - 1];
        double even = gain * fmin(part_of(clock, n, i), part_of(work, n, i));
        if (!(gain > 0) || more < STEP * gain || more < STEP_PACE * even) continue;
        s.count++;
        s.last = i;
        s.part += more / gain;
    }
    return s;
}

double steps_holds(const VerdictFacts *f) {
    uint32_t rows = f->in->ledger->live_history_rows;
    if (!f->leak || rows < STEPS_ROWS) return 0;
    Steps s = steps_of(f);
    return s.count >= STEPS_LEAST && s.count <= rows / 3 && s.part >= STEPS_PART ? grows_by(f) : 0;
}

void steps_say(const VerdictFacts *f, Verdict *v) {
    const Ledger *l = f->in->ledger;
    Steps s = steps_of(f);
    char a[LMP_NUM], b[LMP_NUM], c[LMP_NUM];
    uint64_t since =
        l->clock > l->live_history_clock[s.last] ? l->clock - l->live_history_clock[s.last] : 0;
    verdict_text(v, "grows in steps: %u of them brought %s, the last one %s ago; it holds %s",
                 s.count, bytes_of(a, s.part * (double)f->leak->gain), format_span(b, since),
                 format_bytes(c, f->row->tally.live_bytes));
    growth_figures(f, v);
    verdict_figure(v, "steps", s.count);
}

double grows_holds(const VerdictFacts *f) {
    return grows_by(f);
}

void grows_say(const VerdictFacts *f, Verdict *v) {
    char a[LMP_NUM], b[LMP_NUM], c[LMP_NUM], more[48];
    double share =
        verdict_share((double)f->row->tally.live_bytes, (double)f->in->stats->live_bytes);
    verdict_text(v, "grows by %s a full collection, +%s/s: it holds %s, %u %% of the heap%s",
                 bytes_of(a, f->leak->bytes_per_cycle), bytes_of(b, f->leak->bytes_per_second),
                 format_bytes(c, f->row->tally.live_bytes), verdict_percent(share), alike(more, f));
    growth_figures(f, v);
    advise_keepers(f, v, "", "less is taken out than is put in: bound it");
}

/* ---- a peak that is gone --------------------------------------------------------------------- */

static uint32_t moments(const LmpHistory *h) {
    return h ? (h->used < LMP_HISTORY ? h->used : LMP_HISTORY) : 0;
}

/* Returns for how much of the time the heap was below so many bytes. */
static double below(const LmpHistory *h, double bytes) {
    uint32_t n = moments(h), under = 0;
    for (uint32_t i = 0; i < n; i++)
        under += (double)h->samples[i].max_bytes < bytes;
    return n > 0 ? (double)under / n : 0;
}

/* Returns the most that full collections left of a line, of what it had at the peak. */
static uint64_t in_use(const VerdictFacts *f) {
    uint64_t most = 0, peak = f->row->tally.peak_bytes;
    for (uint32_t i = 0; f->row->live_history && i < f->in->ledger->live_history_rows; i++)
        if (f->row->live_history[i] > most) most = f->row->live_history[i];
    return most < peak ? most : peak;
}

double spike_holds(const VerdictFacts *f) {
    const LmpStats *s = f->in->stats;
    const LmpTally *t = &f->row->tally;
    double share = verdict_share((double)t->peak_bytes, (double)s->peak_bytes);
    if (s->peak_bytes < PEAK_LEAST || moments(f->in->history) < PEAK_MOMENTS) return 0;
    if (share < PEAK_PART || (double)t->live_bytes > PEAK_LEFT * (double)t->peak_bytes) return 0;
    if ((double)in_use(f) < PEAK_IN_USE * (double)t->peak_bytes) return 0;
    return below(f->in->history, (double)s->peak_bytes / PEAK_OVER) >= 0.5 ? share : 0;
}

void spike_say(const VerdictFacts *f, Verdict *v) {
    const LmpStats *s = f->in->stats;
    const LmpTally *t = &f->row->tally;
    char a[LMP_NUM], b[LMP_NUM], c[LMP_NUM], d[LMP_NUM];
    double time = below(f->in->history, (double)s->peak_bytes / PEAK_OVER);
    verdict_text(
        v,
        "had %s of the peak of %s, up to %s in use, and has %s now: for %u %% of the time half "
        "was enough",
        format_bytes(a, t->peak_bytes), format_bytes(b, s->peak_bytes), format_bytes(c, in_use(f)),
        t->live_bytes ? format_bytes(d, t->live_bytes) : "nothing", verdict_percent(time));
    verdict_figure(v, "peak_live_bytes", (double)t->peak_bytes);
    verdict_figure(v, "in_use", (double)in_use(f));
    verdict_figure(v, "peak_bytes", (double)s->peak_bytes);
    verdict_figure(v, "live_bytes", (double)t->live_bytes);
    verdict_figure(v, "time_below_half", time);
}
