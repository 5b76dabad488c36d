/* rules_making.c - verdicts on what a line makes: strings, tables, functions and coroutines that
 * are made needlessly, again and again. */
#include <inttypes.h>
#include <stdio.h>

#include "base/format.h"
#include "read/verdict/verdict_impl.h"

/* A tenth of all bytes is what a person would notice; a twentieth where each of the things costs
 * much more than its bytes (compiling, a stack of its own, a needless copy). */
#define MUCH 0.10
#define SOME 0.05
/* This many are made in a loop, not by chance. Of coroutines and compilations fewer are enough. */
#define MANY 1000u
#define SEVERAL 100u
/* Made and dropped: this share of all was freed (what the collector has not reached yet is a few
 * percent in a long run), and at least half of these by the next collection: what lives longer is
 * used. From SOON on they are nearly all. */
#define DROPPED 0.8
#define HALF 0.5
#define SOON 0.9
#define KEPT 0.1
/* Or what lives longer, if only so few of all are live at a time: it is remade all the time. */
#define TURNED_OVER 0.95
/* Below a KiB, joining costs no more than making a string does. */
#define COPY_LEAST 1024u
/* Tables. Bytes of an entry of a hash part (Lua 5.4, 64 bits); up to so many may be fields that the
 * program names; of what is made, the share that took the place of parts as large; and as often as
 * this one table grows at most, about. */
#define SLOT 24u
#define FIELDS 64u
#define SAME_SIZE 0.75
#define STEPS_MOST 16u
/* Looks that must have agreed. Of a dozen with four fifths the same, it is no chance. */
#define LOOKS 12u
#define SAME 0.8

static LmpTally both(const LmpTally *a, const LmpTally *b) {
    LmpTally t = *a;
    t.allocs += b->allocs;
    t.bytes += b->bytes;
    t.realloc_bytes += b->realloc_bytes;
    t.frees += b->frees;
    t.free_bytes += b->free_bytes;
    t.short_lived += b->short_lived;
    return t;
}

static LmpTally strings_of(const VerdictFacts *f) {
    return both(&f->makes->way[LMP_WAY_CONCAT], &f->makes->way[LMP_WAY_STRING]);
}

static LmpTally tables_of(const VerdictFacts *f) {
    return both(&f->makes->way[LMP_WAY_TABLE], &f->makes->way[LMP_WAY_PART]);
}

static double of_made(const VerdictFacts *f, uint64_t bytes) {
    return verdict_share((double)bytes, (double)f->made);
}

/* Returns true if the line kept next to nothing of what it had made, when all of the heap was last
 * looked at, not long ago. In a short run that says it sooner, and does not swing from collection
 * to collection. */
static bool kept_nothing(const VerdictFacts *f) {
    const Ledger *l = f->in->ledger;
    uint32_t rows = l->live_history_rows;
    if (rows == 0 || !f->row->live_history_blocks) return false;
    return (double)l->live_history_work[rows - 1] >= HALF * (double)f->made &&
           (double)f->row->live_history_blocks[rows - 1] <= KEPT * (double)f->row->tally.allocs;
}

static bool dropped(const VerdictFacts *f, const LmpTally *t) {
    double share = verdict_share((double)t->frees, (double)t->allocs);
    return share >= DROPPED || (share >= HALF && kept_nothing(f));
}

static bool dropped_soon(const VerdictFacts *f, const LmpTally *t) {
    return dropped(f, t) && (double)t->short_lived >= HALF * (double)t->frees;
}

static bool turned_over(const LmpTally *t) {
    return (double)t->frees >= TURNED_OVER * (double)t->allocs;
}

static double at_least(double share, double least) {
    return share >= least ? share : 0;
}

/* What dropped_soon() and turned_over() say, in words. */
static const char *gone(char out[64], const LmpTally *t) {
    char n[LMP_NUM];
    double share = verdict_share((double)t->short_lived, (double)t->frees);
    if (share >= 1)
        snprintf(out, 64, "each gone by the next collection");
    else if (share >= SOON)
        snprintf(out, 64, "nearly all gone by the next collection");
    else if (share >= HALF)
        snprintf(out, 64, "%u %% gone by the next collection", verdict_percent(share));
    else
        snprintf(out, 64, "%s live at a time", format_short(n, t->allocs - t->frees));
    return out;
}

/* ", 23 k a second": over the run, if that was a second. */
static const char *rate(char out[48], const VerdictFacts *f, uint64_t count) {
    char n[LMP_NUM];
    double seconds = f->in->stats->seconds;
    out[0] = 0;
    if (seconds >= 1 && (double)count >= seconds)
        snprintf(out, 48, ", %s a second", format_short(n, (uint64_t)((double)count / seconds)));
    return out;
}

static void made_figures(Verdict *v, const LmpTally *t, double share) {
    verdict_figure(v, "share", share);
    verdict_figure(v, "bytes", (double)verdict_bytes(t));
    verdict_figure(v, "allocs", (double)t->allocs);
    verdict_figure(v, "short_lived", (double)t->short_lived);
}

/* ---- strings --------------------------------------------------------------------------------- */

/* `s = s .. x`: each copies all that was there. */
double building_holds(const VerdictFacts *f) {
    const LmpTally *t = &f->makes->way[LMP_WAY_CONCAT];
    if (!f->makes->builds || t->bytes < t->allocs * COPY_LEAST) return 0;
    return at_least(of_made(f, t->bytes), MUCH);
}

void building_say(const VerdictFacts *f, Verdict *v) {
    const LmpTally *t = &f->makes->way[LMP_WAY_CONCAT];
    char a[LMP_NUM], with[48] = "";
    uint64_t each = t->bytes / t->allocs, last = f->makes->build_bytes;
    double share = of_made(f, t->bytes);
    bool grown = last > each + each / 4;
    static const char *const when[] = {
        [LEDGER_NOW] = " by now", [LEDGER_THEN] = " by then", [LEDGER_END] = " at the end"};
    if (f->makes->builds > 1) snprintf(with, sizeof with, ", %u lines together", f->makes->builds);
    verdict_text(v, "copies %s at each `..`%s: %u %% of all bytes%s",
                 format_bytes(a, grown ? last : each), grown ? when[f->in->ledger->when] : "",
                 verdict_percent(share), with);
    verdict_figure(v, "share", share);
    verdict_figure(v, "bytes", (double)t->bytes);
    verdict_figure(v, "allocs", (double)t->allocs);
    verdict_figure(v, "bytes_each", (double)each);
    verdict_figure(v, "bytes_lately", (double)last);
    verdict_figure(v, "lines", f->makes->builds);
}

/* What copies as much each time is told of where the copies are dropped: those that are kept may
 * be what the program is for. */
double copies_holds(const VerdictFacts *f) {
    const LmpTally *t = &f->makes->way[LMP_WAY_CONCAT];
    bool large = t->allocs >= SEVERAL && t->bytes >= t->allocs * COPY_LEAST;
    return f->makes->copies && large && dropped(f, t) ? at_least(of_made(f, t->bytes), MUCH) : 0;
}

void copies_say(const VerdictFacts *f, Verdict *v) {
    const LmpTally *t = &f->makes->way[LMP_WAY_CONCAT];
    char a[LMP_NUM], n[LMP_NUM];
    double share = of_made(f, t->bytes);
    verdict_text(v, "copies %s at each `..`, %s times: %u %% of all bytes",
                 format_bytes(a, t->bytes / t->allocs), format_short(n, t->allocs),
                 verdict_percent(share));
    made_figures(v, t, share);
    verdict_figure(v, "bytes_each", (double)(t->bytes / t->allocs));
}

double same_string_holds(const VerdictFacts *f) {
    const LmpMakes *m = f->makes;
    LmpTally t = strings_of(f);
    if (m->texts < LOOKS || (double)m->same < SAME * (double)m->texts || t.allocs < SEVERAL)
        return 0;
    return at_least(of_made(f, t.bytes), SOME);
}

void same_string_say(const VerdictFacts *f, Verdict *v) {
    const LmpMakes *m = f->makes;
    LmpTally t = strings_of(f);
    char a[LMP_NUM], b[LMP_NUM], c[LMP_NUM], d[LMP_NUM];
    double share = of_made(f, t.bytes);
    verdict_text(v,
                 "makes the same string of %s again and again: %s of %s looked at, %s made, %u %% "
                 "of all bytes",
                 format_bytes(a, t.bytes / t.allocs), format_short(b, m->same),
                 format_short(c, m->texts), format_short(d, t.allocs), verdict_percent(share));
    made_figures(v, &t, share);
    verdict_figure(v, "looked_at", (double)m->texts);
    verdict_figure(v, "same", (double)m->same);
}

double short_strings_holds(const VerdictFacts *f) {
    LmpTally t = strings_of(f);
    return t.allocs >= MANY && dropped_soon(f, &t) ? at_least(of_made(f, t.bytes), MUCH) : 0;
}

/* `objects`: those of `t` that are not parts. */
static void garbage_say(const VerdictFacts *f, Verdict *v, const LmpTally *t,
                        const LmpTally *objects, const char *what) {
    char n[LMP_NUM], a_second[48], soon[64];
    double share = verdict_share((double)t->free_bytes, (double)f->garbage);
    verdict_text(v, "makes %u %% of all garbage: %s %s%s, %s", verdict_percent(share),
                 format_short(n, objects->allocs), what, rate(a_second, f, objects->allocs),
                 gone(soon, objects));
    made_figures(v, t, of_made(f, verdict_bytes(t)));
    verdict_figure(v, "garbage_share", share);
}

void short_strings_say(const VerdictFacts *f, Verdict *v) {
    LmpTally t = strings_of(f);
    garbage_say(f, v, &t, &t, "strings");
    if (f->makes->builds)
        verdict_advise(v, "if one string is put together here: collect its parts in a table, and "
                          "join them once with table.concat");
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Returns true if most parts take the place of one as large. Lua counts what a full table has, and
 * where keys went as others came, that fits into as much room again. A table that doubles gives
 * back half of what it takes at most. */
static bool same_size(const LmpMakes *m) {
    const LmpTally *t = &m->way[LMP_WAY_PART];
    return m->regrown_arrays <= m->regrown / 2 &&
           (double)m->regrown_hash_bytes >= SAME_SIZE * (double)t->bytes;
}

double rebuilt_holds(const VerdictFacts *f) {
    const LmpMakes *m = f->makes;
    if (m->regrown < SEVERAL || !same_size(m)) return 0;
    return at_least(of_made(f, m->way[LMP_WAY_PART].bytes), MUCH);
}

void rebuilt_say(const VerdictFacts *f, Verdict *v) {
    const LmpMakes *m = f->makes;
    const LmpTally *t = &m->way[LMP_WAY_PART];
    char n[LMP_NUM], a[LMP_NUM];
    double share = of_made(f, t->bytes);
    uint64_t each = t->bytes / t->allocs, slots = 1;
    while (slots < each / SLOT)
        slots *= 2;
    verdict_text(v,
                 "had tables made anew at the same size %s times, %s each, as keys came and went: "
                 "%u %% of all bytes",
                 format_short(n, m->regrown), format_bytes(a, each), verdict_percent(share));
    if (slots <= FIELDS)
        verdict_advise(v, "set fields that come back to false, not nil: their slots stay");
    else if ((double)each >= SOON * (double)(slots * SLOT))
        verdict_advise(v,
                       "bound it at %" PRIu64 ", two thirds of its %" PRIu64
                       " slots, or reuse slots 1 to n",
                       slots * 2 / 3, slots);
    made_figures(v, t, share);
    verdict_figure(v, "rehashes", (double)m->regrown);
}

/* Returns true if the tables that grew here are gone, but for a few. Each has one part, however
 * often it was given another; of tables that were made elsewhere the first part is not counted
 * here. */
static bool few_left(const VerdictFacts *f) {
    const LmpMakes *m = f->makes;
    const LmpTally *t = &m->way[LMP_WAY_PART];
    uint64_t back = m->given_back, tables = t->allocs / STEPS_MOST;
    if (t->allocs > back && t->allocs - back > tables) tables = t->allocs - back;
    double left = verdict_share((double)t->live_blocks, (double)tables);
    return left <= 1 - DROPPED || (left <= HALF && kept_nothing(f));
}

double regrown_holds(const VerdictFacts *f) {
    const LmpMakes *m = f->makes;
    const LmpTally *t = &m->way[LMP_WAY_PART];
    /* Where there are constructors, too, their parts must not be mistaken for grown ones. */
    bool grown_only = m->how & LMP_HOW_GROWTH && !(m->how & LMP_HOW_CONSTRUCTOR);
    if (m->regrown < MANY || (!grown_only && m->regrown < t->allocs / 2)) return 0;
    /* Nobody can say of each table how much it will hold: only of fields, and of lists that are
     * made again and again. Where the line keeps other things, and whether these grow is not told
     * yet, advice on lists would lead away from that. */
    bool lists = m->regrown_arrays > m->regrown / 2;
    bool may_leak = f->growth->growth == LMP_GROWTH_WAIT && verdict_none_freed(f);
    if (lists ? !few_left(f) || may_leak : t->bytes > t->allocs * SLOT * FIELDS) return 0;
    return at_least(of_made(f, verdict_bytes(t)), MUCH);
}

void regrown_say(const VerdictFacts *f, Verdict *v) {
    const LmpMakes *m = f->makes;
    const LmpTally *t = &m->way[LMP_WAY_PART];
    char n[LMP_NUM], a_second[48];
    double share = of_made(f, verdict_bytes(t));
    verdict_text(v, "had tables grow by rehash %s times%s: %u %% of all bytes",
                 format_short(n, m->regrown), rate(a_second, f, m->regrown),
                 verdict_percent(share));
    if (m->regrown_arrays > m->regrown / 2)
        verdict_advise(v, "clear one list and fill it again: its room stays");
    else if (few_left(f))
        verdict_advise(v, "name all fields in the constructor, or overwrite those of one table");
    made_figures(v, t, share);
    verdict_figure(v, "rehashes", (double)m->regrown);
}

double short_tables_holds(const VerdictFacts *f) {
    const LmpTally *table = &f->makes->way[LMP_WAY_TABLE];
    LmpTally t = tables_of(f);
    return table->allocs >= MANY && (dropped_soon(f, table) || turned_over(table))
               ? at_least(of_made(f, verdict_bytes(&t)), MUCH)
               : 0;
}

void short_tables_say(const VerdictFacts *f, Verdict *v) {
    const LmpTally *table = &f->makes->way[LMP_WAY_TABLE];
    LmpTally t = tables_of(f);
    garbage_say(f, v, &t, table, "tables");
    if (!dropped_soon(f, table))
        verdict_advise(v, "keep those that are done with, and fill them again");
}

/* ---- functions, coroutines ------------------------------------------------------------------- */

double closures_holds(const VerdictFacts *f) {
    const LmpTally *t = &f->makes->way[LMP_WAY_CLOSURE];
    if (t->allocs < MANY || !dropped_soon(f, t)) return 0;
    double bytes = of_made(f, t->bytes);
    double allocs = verdict_share((double)t->allocs, (double)f->allocs);
    return bytes >= SOME || allocs >= MUCH ? (bytes > allocs ? bytes : allocs) : 0;
}

void closures_say(const VerdictFacts *f, Verdict *v) {
    const LmpTally *t = &f->makes->way[LMP_WAY_CLOSURE];
    char n[LMP_NUM], a_second[48], soon[64];
    double share = verdict_share((double)t->allocs, (double)f->allocs);
    verdict_text(v, "makes %u %% of all allocations: %s functions (counted where they end)%s, %s",
                 verdict_percent(share), format_short(n, t->allocs), rate(a_second, f, t->allocs),
                 gone(soon, t));
    made_figures(v, t, of_made(f, t->bytes));
    verdict_figure(v, "allocs_share", share);
}

double coroutines_holds(const VerdictFacts *f) {
    const LmpTally *t = &f->makes->way[LMP_WAY_COROUTINE];
    if (t->allocs < SEVERAL || !dropped(f, t)) return 0;
    return at_least(of_made(f, ledger_kind(f->row, LMP_THREAD)->tally.bytes), SOME);
}

void coroutines_say(const VerdictFacts *f, Verdict *v) {
    const LmpTally *t = &f->makes->way[LMP_WAY_COROUTINE];
    char n[LMP_NUM], a[LMP_NUM], a_second[48];
    double share = of_made(f, ledger_kind(f->row, LMP_THREAD)->tally.bytes);
    verdict_text(v, "makes %s coroutines%s, and drops them, %s each: %u %% of all bytes",
                 format_short(n, t->allocs), rate(a_second, f, t->allocs),
                 format_bytes(a, ledger_kind(f->row, LMP_THREAD)->tally.bytes / t->allocs),
                 verdict_percent(share));
    made_figures(v, t, share);
}

double loading_holds(const VerdictFacts *f) {
    if (f->makes->loads < SEVERAL) return 0;
    return at_least(of_made(f, f->makes->load_bytes), SOME);
}

void loading_say(const VerdictFacts *f, Verdict *v) {
    char n[LMP_NUM], a_second[48];
    double share = of_made(f, f->makes->load_bytes);
    verdict_text(v, "compiles code %s times%s: %u %% of all bytes",
                 format_short(n, f->makes->loads), rate(a_second, f, f->makes->loads),
                 verdict_percent(share));
    verdict_figure(v, "share", share);
    verdict_figure(v, "bytes", (double)f->makes->load_bytes);
    verdict_figure(v, "loads", (double)f->makes->loads);
}
