/* keepers.c - which tables hold what a line keeps: the line that must take something out is seldom
 * the one that makes it.
 *
 * The heap's own references tell where looks have followed them (shared/containers.h): what was
 * found in the entries of a line's tables, and whether these have become more lately. Where there
 * are no looks, a table that grows along with what is kept, and has about as many entries, is where
 * to look; that is said as what it is, a table that grows with them. */
#include <math.h>
#include <string.h>

#include "read/verdict/verdict_impl.h"

#define HASH_ENTRY 24 /* bytes of an entry in the hash part */
#define ENTRIES_LEAST 32u
/* A table has been given more room once for each doubling: with fewer entries for each time the
 * line fills many small ones. */
#define ENTRIES_EACH 5u
/* Tables are many small ones, and none of them is what grows, if there are more of them than
 * entries in each, or so few in each. */
#define MANY_TABLES 2
#define SMALL_ENTRIES 128.0
/* Things for each entry there is room for. A part is more than half full after it has grown; and an
 * entry may be for two things that the line makes. */
#define FEWEST 0.45
#define MOST 2.1
/* Lately: in the last three eighths of the run. What is counted of a large table is a sample. */
#define LATELY_FROM 0.625
#define EARLIER_PART 0.45
#define GAIN_PART 0.08
/* At present: in the last eighth, so much of what even growth would have brought. */
#define NOW_FROM 0.875
#define NOW_PART 0.3
#define GAIN_LEAST 8
/* A table that got most of what it has in the first half of the run fills up, and stops. */
#define LATER_PART 0.2
/* More tables are no growth of a table: so much must have come in those that there were. */
#define ALONE_PART 0.5
#define NEW_TABLES 16
/* Of what a line has, so much must have been found there; an entry leads to more of it than looks
 * find, and much of it may not be collected yet. */
#define HELD_PART 0.15
/* What is found for so many times as there are of it hangs on each entry, and belongs to none. */
#define SHARED_PART 2.0
#define MATTERS_PART 0.05 /* of the bytes that another line has there */
/* What is in tables that have stopped does not leak, if so much of it is in there. */
#define STOPPED_PART 0.5
/* Entries that come all the time: see takes_always. */
#define LONG_ENOUGH 10.0 /* seconds */
#define MOMENTS_LEAST 5u
#define BEGUN_PART 0.01
#define NOISE_PART 0.03 /* of entries that are counted by samples */
#define EVEN_PART 0.5   /* of what the earlier half brought; and of its share in the last quarter */
#define LATELY_PARTS 4u

/* ---- by references --------------------------------------------------------------------------- */

/* Returns the moment before that part of the run; LMP_CONTAINER_MOMENTS: there is none. */
static uint32_t moment_before(const LmpContainers *all, double part) {
    uint32_t i = (uint32_t)(part * all->moments);
    return i > 0 ? i - 1 : LMP_CONTAINER_MOMENTS;
}

static double entries_lately(const LmpContainers *all, const LmpContainer *c) {
    uint32_t i = moment_before(all, LATELY_FROM);
    return (double)c->entries - (i < LMP_CONTAINER_MOMENTS ? (double)c->entries_at[i] : 0);
}

/* Returns true if the tables of a line, and not only others beside them, have taken entries
 * lately. */
static bool takes_entries(const LmpContainers *all, const LmpContainer *c) {
    uint32_t i = moment_before(all, LATELY_FROM), k = moment_before(all, 0.5);
    if (i == LMP_CONTAINER_MOMENTS) return false;
    double now = (double)c->entries, before = (double)c->entries_at[i];
    double half = k < LMP_CONTAINER_MOMENTS ? (double)c->entries_at[k] : 0, gain = now - before;
    if (gain < GAIN_LEAST || gain < GAIN_PART * now || now - half < LATER_PART * half) return false;
    if (c->tables_at[i] == 0 && c->tables > NEW_TABLES) return false;
    while (c->tables > 1 && c->tables_at[i] == 0 && i + 1 < all->moments)
        i++; /* of several new ones what counts is what came after the first */
    double tables = c->tables_at[i], more = (double)c->tables - tables;
    before = (double)c->entries_at[i];
    gain = now - before;
    if (tables < 1 || more <= 0) return gain > 0;
    return gain - more * before / tables >= ALONE_PART * gain;
}

/* Returns for how long a table that takes entries evenly has done so. It was not seen while it was
 * small. */
static double seconds_of(const LmpContainers *all, const LmpContainer *c, uint32_t first) {
    double interval = (double)all->interval / 1e9, now = (double)all->clock / 1e9;
    double from = (double)(first + 1) * interval, entries = (double)c->entries_at[first];
    double rate = ((double)c->entries - entries) / (now - from);
    if (!(now > from) || !(rate > 0)) return 0;
    return fmin(now, now - from + entries / rate);
}

/* Returns for how many seconds they have taken entries, since they had next to nothing, if that was
 * all the time, never lost some, and has lasted too long for a start; else 0. With such tables
 * nobody has to wait for full collections, of which a small heap sees few. */
static double takes_always(const LmpContainers *all, const LmpContainer *c) {
    double now = (double)c->entries, most = 0;
    uint32_t last = all->moments - 1, first = 0;
    while (first < last && (double)c->entries_at[first] < BEGUN_PART * now)
        first++;
    double seconds = last > first ? seconds_of(all, c, first) : 0;
    if (seconds < LONG_ENOUGH || last - first < MOMENTS_LEAST) return 0;
    for (uint32_t i = first; i < last; i++) {
        double then = (double)c->entries_at[i];
        if (then < most * (1 - NOISE_PART)) return 0;
        most = fmax(most, then);
    }
    uint32_t lately = last - (last - first) / LATELY_PARTS;
    double each = (now - (double)c->entries_at[first]) / (last - first);
    if (now - (double)c->entries_at[lately] < EVEN_PART * each * (last - lately)) return 0;
    double half = (double)c->entries_at[first + (last - first) / 2];
    double early = half - (double)c->entries_at[first];
    return now >= most * (1 - NOISE_PART) && now - half >= EVEN_PART * early ? seconds : 0;
}

static VerdictHolder *holder_of(VerdictKeepers *all, uint32_t row) {
    for (uint32_t i = 0; i < all->count; i++)
        if (all->holder[i].row == row) return &all->holder[i];
    if (all->count == VERDICT_KEEPERS) return NULL;
    VerdictHolder *h = &all->holder[all->count++];
    *h = (VerdictHolder){.row = row};
    return h;
}

static void add_line(VerdictHolder *h, uint32_t row, double objects) {
    uint32_t i = 0;
    while (i < h->lines && h->line[i].row != row)
        i++;
    if (i == LMP_CONTAINER_LINES) return;
    if (i == h->lines) h->line[h->lines++] = (VerdictHeld){.row = row};
    h->line[i].objects += objects;
}

/* What of a line's bytes is in there. */
static void weigh(VerdictHeld *held, const Ledger *l) {
    const LmpTally *t = &l->site[held->row].tally;
    double part = verdict_share(held->objects, (double)t->live_blocks);
    bool shared = held->objects > SHARED_PART * (double)t->live_blocks;
    held->bytes = part >= HELD_PART && !shared ? part * (double)t->live_bytes : 0;
}

static void weigh_all(VerdictHolder *h, const Ledger *l) {
    double most = (double)l->site[h->row].tally.live_bytes;
    for (uint32_t i = 0; i < h->lines; i++) {
        weigh(&h->line[i], l);
        most = fmax(most, h->line[i].bytes);
    }
    for (uint32_t i = 0; i < h->lines; i++)
        if (h->line[i].bytes < MATTERS_PART * most) h->line[i].bytes = 0;
}

static bool by_references(const VerdictFacts *f, VerdictKeepers *out) {
    const Ledger *l = f->in->ledger;
    LmpContainers all;
    if (!f->in->tables->live || !containers_copy(&f->in->tables->live->containers, &all))
        return false;
    for (uint32_t i = 0; i < all.rows; i++) {
        const LmpContainer *c = &all.row[i];
        uint32_t row = ledger_row_of(l, f->in->tables, c->site);
        VerdictHolder *h = row < l->sites && l->site[row].line >= 0 ? holder_of(out, row) : NULL;
        if (!h) continue;
        h->entries += (double)c->entries;
        h->tables += c->tables;
        h->more += entries_lately(&all, c);
        if (takes_entries(&all, c)) {
            uint32_t at = moment_before(&all, LATELY_FROM);
            double from = (double)(at + 1) * (double)all.interval / 1e9;
            uint32_t last = moment_before(&all, NOW_FROM);
            double since = all.moments - 1.0 - last, share = since / all.moments;
            h->grows = true;
            h->now |= (double)c->entries - (double)c->entries_at[last] >=
                      NOW_PART * share * (double)c->entries;
            h->seconds = fmax(h->seconds, takes_always(&all, c));
            h->gain += (double)c->entries - (double)c->entries_at[at];
            h->gain_seconds = (double)all.clock / 1e9 - from;
        }
        for (uint32_t k = 0; k < LMP_CONTAINER_LINES; k++) {
            uint32_t line = ledger_row_of(l, f->in->tables, c->line[k].site);
            if (line < l->sites && l->site[line].line >= 0)
                add_line(h, line,
                         (double)c->line[k].each / LMP_CONTAINER_EACH * (double)c->entries);
        }
    }
    for (uint32_t i = 0; i < out->count; i++)
        weigh_all(&out->holder[i], l);
    return true;
}

/* ---- what leaks, by who keeps it ------------------------------------------------------------- */

static double bytes_in(const VerdictHolder *h, const Ledger *l, uint32_t row) {
    for (uint32_t i = 0; i < h->lines; i++)
        if (h->line[i].row == row && h->row != row) return h->line[i].bytes;
    return h->row == row ? (double)l->site[row].tally.live_bytes : 0;
}

/* Returns true if it takes entries within the time that is spoken of. For a start that is the
 * present. */
static bool goes_on(const VerdictHolder *h, const LmpLeak *leak) {
    return h->grows && (h->now || !leak->multiplies);
}

/* Tables that stand still, and that no new ones have joined: what these hold may still leak. */
static bool has_stopped(const VerdictHolder *h, const LmpLeak *leak) {
    return !goes_on(h, leak) && (h->grows || h->more < GAIN_PART * h->entries);
}

static double share_in(const VerdictKeepers *all, const Ledger *l, const LmpLeak *leak,
                       bool (*is)(const VerdictHolder *, const LmpLeak *)) {
    double most = 0, live = (double)l->site[leak->site].tally.live_bytes;
    for (uint32_t i = 0; i < all->count; i++)
        if (is(&all->holder[i], leak))
            most = fmax(most, verdict_share(bytes_in(&all->holder[i], l, leak->site), live));
    return most;
}

static bool add_leak(VerdictFacts *f, const VerdictHolder *h, uint32_t row) {
    double bytes = bytes_in(h, f->in->ledger, row), more = bytes * h->gain / h->entries;
    if (!(bytes > 0) || f->leak_count == VERDICT_LEAKS || verdict_leak(f, row)) return false;
    f->leaks[f->leak_count++] = (LmpLeak){.site = row,
                                          .bytes_per_second = more / h->gain_seconds,
                                          .gain = (uint64_t)bytes,
                                          .seconds = h->seconds,
                                          .multiplies = f->growth->growth == LMP_GROWTH_WAIT,
                                          .steady = true};
    return true;
}

/* What references say better than figures: what a line made lies in tables that have stopped; or in
 * some that take entries all the time, while there were too few full collections to tell. */
static void judge(VerdictFacts *f, const VerdictKeepers *all) {
    const Ledger *l = f->in->ledger;
    LmpJudgement *growth = f->growth;
    bool found = false, stopped = false;
    for (uint32_t i = 0; i < f->leak_count; i++) {
        LmpLeak *leak = &f->leaks[i];
        if (leak->steady && share_in(all, l, leak, goes_on) == 0 &&
            share_in(all, l, leak, has_stopped) >= STOPPED_PART) {
            leak->steady = false;
            stopped = f->told = true; /* its words would accuse that line */
        }
        found |= leak->steady;
    }
    for (uint32_t i = 0; i < all->count && growth->growth != LMP_GROWTH_NONE; i++) {
        const VerdictHolder *h = &all->holder[i];
        if (!(h->seconds > 0)) continue;
        found |= add_leak(f, h, h->row);
        for (uint32_t k = 0; k < h->lines; k++)
            found |= add_leak(f, h, h->line[k].row);
    }
    if (found && growth->growth == LMP_GROWTH_WAIT) {
        growth->growth = LMP_GROWTH_FOUND;
        f->told = true; /* its words would have one wait */
    }
    if (found || !stopped) return;
    growth->growth = LMP_GROWTH_WAIT;
    growth->missing = 1;
}

static void gather(const VerdictFacts *f, VerdictHolder *h) {
    double bytes[LMP_CONTAINER_LINES + 1];
    for (uint32_t i = 0; h->grows && i < f->leak_count; i++) {
        const LmpLeak *leak = &f->leaks[i];
        bool on = leak->steady && goes_on(h, leak);
        double in = on ? bytes_in(h, f->in->ledger, leak->site) : 0;
        VerdictFacts of_line = *f;
        of_line.leak = leak;
        of_line.row = &f->in->ledger->site[leak->site];
        if (steps_holds(&of_line) > 0) continue; /* that says more */
        if (!(in > 0) || h->leaks > LMP_CONTAINER_LINES) continue;
        double part = verdict_share(in, (double)f->in->ledger->site[leak->site].tally.live_bytes);
        uint32_t at = h->leaks++;
        for (; at > 0 && bytes[at - 1] < in; at--) {
            bytes[at] = bytes[at - 1];
            h->leak[at] = h->leak[at - 1];
        }
        bytes[at] = in;
        h->leak[at] = leak;
        h->held += in;
        h->grown += part * (double)leak->gain;
        h->bytes_per_second += part * leak->bytes_per_second;
    }
}

const VerdictHolder *keepers_keep(const VerdictKeepers *all, uint32_t row) {
    for (uint32_t i = 0; i < all->count; i++)
        for (uint32_t k = 0; k < all->holder[i].leaks; k++)
            if (all->holder[i].leak[k]->site == row) return &all->holder[i];
    return NULL;
}

/* ---- by when they grew ----------------------------------------------------------------------- */

/* What is there only doubles, so the last time was in the later half of the run, about. */
static bool grew_lately(const Ledger *l, const LmpSiteRow *row) {
    uint32_t rows = l->live_history_rows, half = 0;
    if (!row->live_history || rows < 2) return false;
    double from = EARLIER_PART * (double)l->live_history_clock[rows - 1];
    while (half + 2 < rows && (double)l->live_history_clock[half + 1] < from)
        half++;
    return row->live_history[rows - 1] > row->live_history[half];
}

/* Returns how many entries the tables that grow on a line have room for: each time that one grew
 * its old part was given back, and these are, one with another, almost as large as the newest. */
static uint64_t entries_of(const LmpMakes *m) {
    return m->regrown_array_bytes / m->slot_bytes + m->regrown_hash_bytes / HASH_ENTRY + 1;
}

/* Returns how many tables have grown there. One that has doubled k times gave back 2^k - 1 entries;
 * so k is known from how much was given back each time. */
static uint32_t tables_of(double entries, double times) {
    double k = 1;
    while ((exp2(k + 1) - 1) / (k + 1) <= entries / times)
        k++;
    return (uint32_t)fmin(times / k, UINT32_MAX);
}

static void by_growth(const VerdictFacts *f, VerdictKeepers *out) {
    const Ledger *l = f->in->ledger;
    LmpMakes makes;
    for (uint32_t i = 0; i < l->sites && out->count < VERDICT_KEEPERS; i++) {
        const LmpSiteRow *row = &l->site[i];
        if (row->line < 0 || row->here_frees + row->here_reallocs < ENTRIES_EACH ||
            !grew_lately(l, row))
            continue;
        ledger_makes(l, f->in->tables, i, &makes);
        uint64_t entries = entries_of(&makes);
        if (!(makes.how & LMP_HOW_GROWTH) || entries < ENTRIES_LEAST ||
            entries < makes.regrown * ENTRIES_EACH ||
            makes.way[LMP_WAY_PART].live_bytes < entries * makes.slot_bytes / 2)
            continue;
        out->holder[out->count++] =
            (VerdictHolder){.row = i,
                            .entries = (double)entries,
                            .tables = tables_of((double)entries, (double)makes.regrown)};
    }
}

void keepers_find(VerdictFacts *f, VerdictKeepers *out) {
    out->count = 0;
    out->known = f->in->tables && by_references(f, out);
    if (f->in->tables && !out->known) by_growth(f, out);
    if (!out->known) return;
    judge(f, out);
    for (uint32_t i = 0; i < out->count; i++)
        gather(f, &out->holder[i]);
}

static bool are_small(const VerdictHolder *h) {
    return h->tables >= MANY_TABLES &&
           h->entries < h->tables * fmax((double)h->tables, SMALL_ENTRIES);
}

/* Holders are in the order of what they have, so the largest come first. Where things are in many
 * small tables, what grows is the table that keeps these. */
uint32_t keepers_of(const VerdictKeepers *all, double things, uint32_t out[2]) {
    uint32_t n = 0, small = 0;
    for (uint32_t i = 0; i < all->count && n < 2 && !all->known; i++) {
        const VerdictHolder *h = &all->holder[i];
        double each = things / h->entries;
        if (each < FEWEST || each > MOST) continue;
        if (!are_small(h))
            out[n++] = h->row;
        else if (!small && h->tables < things / MOST)
            small = h->tables;
    }
    return n == 0 && small ? keepers_of(all, small, out) : n;
}
