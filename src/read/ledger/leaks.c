/* leaks.c - which sites grow: ledger_leaks (ledger.h).
 *
 * After each full collection we know what every site holds. Something loaded once, a cache that
 * fills up, a queue that drains late: all of these are larger later than earlier, and none of them
 * is a leak. Only what was held after full collections is looked at: garbage does not count.
 *
 * A *rise* is a row from which on a site always held more than it ever had before, so the gain
 * never went back. A site grows if all of this is true, for its bytes or for its blocks:
 *
 *   1. It rose at least three times: in small steps or in stairs. If it frees most of what it
 *      makes, at least five times, for less can be chance.
 *   2. It still rises: the last rise is no longer ago than twice and a bit the time between rises.
 *      What fills up and stops is excluded here; an array that doubles does not.
 *   3. It does not slow down: the later half of the run, of its later half, or of the newest rows
 *      brought about as much as the earlier one. A cache that is almost full is excluded here.
 *   4. The gain is not nothing.
 *
 * Where what is held fluctuates by more than it grows from row to row, there are no rises. Then the
 * run's eighths are compared, the first two left out: the most that was held in each must be above
 * the one before, by more in all than it fluctuates, in no great step, and without slowing down.
 *
 * No site is reported before twelve full collections, or four and ten seconds in which it grew:
 * most programs build up something first. Where the heap multiplies from one full collection to the
 * next, growth itself brings them about, and loading a file does so, too: twelve come within a
 * second then, and prove nothing. So only the ten seconds count there, and the site must be growing
 * at this very moment, as far as that is known. `no growth` is reported after as many (eight after
 * ten seconds), and only if no site rose considerably in the later half of the run, and the heap is
 * not higher than any full collection has seen. */
#include <math.h>
#include <string.h>

#include "read/ledger/ledger_impl.h"

enum { ENOUGH = 12, LEAST = 4, LEAST_GOOD = 8, PARTS = 8, MANY = 16 };
#define LONG_ENOUGH 10.0 /* seconds */
#define MULTIPLIES 3.0   /* times, over six full collections: even growth does not */
#define BEGUN_PART 0.01  /* of what it holds */
#define PACE_PART 0.05   /* of what so long should have brought: less is no growth */
#define PACE_BLOCKS 32.0 /* if it should have brought so many blocks */
#define SEEN_BY 1.0      /* the same: by then a collector that can be seen has been */
#define STILL 2.25       /* of the longest time between the last rises */
#define PARTING 0.4      /* of the run */
#define HALF 0.5         /* of the earlier half's pace */
#define REGULAR 0.8      /* the same of the newest rows */
#define RISE_PART 0.0005 /* of what was held */

#define ONCE_PART 0.4   /* of the gain, beyond its share: more in one rise is a step */
#define STEP_PART 0.45  /* of the gain: more at once is a step */
#define FREES_PART 0.55 /* of its bytes: what doubles frees half of them, and a little more */
#define KEEPS_PART 0.02 /* of its blocks: a site that frees no more than this keeps all */
#define GAIN_BYTES 256.0
#define GAIN_PART 0.003     /* of what is held */
#define GAIN_SIZE 0.05      /* the same where blocks got larger, not more */
#define LATELY_PART 0.005   /* of the heap */
#define TOP_BEYOND 1.25     /* times the most that a full collection has seen */
#define LATELY_BYTES 4096.0 /* and at least so much */

/* One site's figures: row i has v[i]. What matters is how much was done between rows, not how long
 * it took: w[i] is what the whole program had asked for until then. */
typedef struct Series {
    double w[LMP_LIVE_HISTORY + 1];
    double now, live; /* w at this moment, and what is there, garbage included */
    bool floats;      /* an incremental collection may find garbage alive */
    double v[LMP_LIVE_HISTORY];
    double floor[LMP_LIVE_HISTORY]; /* the least from the row on: what never went back */
    double least, part;             /* a gain that counts: so much, and so much of what is held */
    uint32_t n;
    uint32_t rise[LMP_LIVE_HISTORY], rises;
} Series;

static double lesser(double a, double b) {
    return a < b ? a : b;
}

static double greater(double a, double b) {
    return a > b ? a : b;
}

static void find_rises(Series *s) {
    double most = 0, least = INFINITY;
    s->rises = 0;
    for (uint32_t i = s->n; i-- > 0;)
        s->floor[i] = least = lesser(least, s->v[i]);
    for (uint32_t i = 0; i < s->n; i++) {
        if (i > 0 && s->floor[i] > most * (1 + RISE_PART)) s->rise[s->rises++] = i;
        /* Garbage that was found alive is gone the next time. */
        bool gone = s->floats && s->n >= MANY && i + 1 < s->n;
        most = greater(most, gone ? lesser(s->v[i], s->v[i + 1]) : s->v[i]);
    }
}

/* ---- still, and not slower ------------------------------------------------------------------- */

/* Returns the longest stretch between the last three rises. */
static double stretch(const Series *s) {
    const uint32_t *last = &s->rise[s->rises - 1];
    return greater(s->w[last[0]] - s->w[last[-1]], s->w[last[-1]] - s->w[last[-2]]);
}

/* Generational mode makes no full collection while nothing grows. But what is there, garbage
 * included, is more than is held: if even that did not grow much in as long a stretch, growth has
 * ended. */
static bool still(const Series *s) {
    uint32_t last = s->n - 1;
    double gap = stretch(s), done = s->now - s->w[last];
    double before = (s->v[last] - s->v[0]) / (s->w[last] - s->w[0]);
    if (s->w[last] - s->w[s->rise[s->rises - 1]] > STILL * gap) return false;
    return done <= gap || (s->live - s->v[last]) / done >= HALF * before;
}

/* Returns what the later part of the rows from `from` on brought, for each that the earlier one
 * did: 1 is even growth. The two parts meet a little before the middle, or an array that doubles
 * might do so just before. */
static double pace(const Series *s, uint32_t from) {
    const double *w = s->w;
    double middle = w[from] + PARTING * (w[s->n - 1] - w[from]);
    uint32_t m = from + 1;
    while (m + 2 < s->n && w[m + 1] <= middle)
        m++;
    double early = s->floor[m] - s->floor[from], late = s->floor[s->n - 1] - s->floor[m];
    double a = w[m] - w[from], b = w[s->n - 1] - w[m];
    if (!(late > 0) || !(a > 0) || !(b > 0)) return 0;
    return early > 0 ? (late / b) / (early / a) : INFINITY;
}

static uint32_t rises_after(const Series *s, uint32_t from) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->rises; i++)
        n += s->rise[i] > from;
    return n;
}

static bool gain_counts(const Series *s, uint32_t from) {
    double held = s->floor[s->n - 1], gain = held - s->floor[from];
    return gain >= s->least && gain >= s->part * held;
}

static uint32_t row_at(const Series *s, double w) {
    uint32_t i = 0;
    while (i + 1 < s->n && s->w[i] < w)
        i++;
    return i;
}

static bool goes_on(const Series *s) {
    uint32_t later = row_at(s, s->w[s->n - 1] / 2), newest = s->n > ENOUGH ? s->n - ENOUGH : 0;
    if (gain_counts(s, 0) && pace(s, 0) >= HALF) return true;
    if (s->n > LEAST_GOOD && rises_after(s, later) >= 3 && gain_counts(s, later) &&
        pace(s, later) >= HALF)
        return true;
    return newest > 0 && rises_after(s, newest) >= LEAST_GOOD && gain_counts(s, newest) &&
           pace(s, newest) >= REGULAR;
}

/* ---- growth below a sway --------------------------------------------------------------------- */

static bool grows_below_sway(const Series *s) {
    double part[PARTS], all = s->w[s->n - 1], low = INFINITY, high = 0;
    if (s->n < MANY) return false;
    for (uint32_t p = 0; p < PARTS; p++)
        part[p] = -1;
    for (uint32_t i = 0; i < s->n; i++) {
        double at = all > 0 ? s->w[i] / all * (double)PARTS : 0;
        uint32_t p = at <= 1 ? 0 : at >= (double)PARTS ? PARTS - 1 : (uint32_t)ceil(at) - 1;
        part[p] = greater(part[p], s->v[i]);
        if (i + ENOUGH < s->n) continue;
        low = lesser(low, s->v[i]);
        high = greater(high, s->v[i]);
    }
    double gain = part[PARTS - 1] - part[2], early = part[4] - part[2];
    for (uint32_t p = 2; p < PARTS; p++) {
        double more = part[p] - part[p - 1];
        if (part[p] < 0 || (p > 2 && (more <= 0 || more > STEP_PART * gain))) return false;
    }
    return gain > high - low && gain >= s->least && gain >= s->part * part[PARTS - 1] &&
           part[PARTS - 1] - part[5] >= HALF * early;
}

/* ---- one site -------------------------------------------------------------------------------- */

/* Returns true if one rise brought most of it, far more than its share of the work. The others may
 * be chance then. */
static bool mostly_at_once(const Series *s) {
    double gain = s->floor[s->n - 1] - s->floor[0], all = s->w[s->n - 1] - s->w[0];
    for (uint32_t i = 0; i < s->rises; i++) {
        uint32_t at = s->rise[i];
        double part = (s->floor[at] - s->floor[at - 1]) / gain;
        if (part - (s->w[at] - s->w[at - 1]) / all > ONCE_PART) return true;
    }
    return false;
}

/* What is known of growth beside a site's own figures. */
typedef struct Evidence {
    const double *cycle, *seconds; /* of each row */
    double heap, now;              /* bytes in the last row; seconds */
    double window;                 /* seconds since what LmpTally.was is of; 0: there is none */
    bool multiplies;               /* the heap does, from one full collection to the next */
} Evidence;

/* Seconds, of the last row in which it held next to nothing; 0: it held some from the start. */
static double begun(const Series *s, uint32_t rows, const Evidence *e) {
    for (uint32_t i = rows; i-- > 0;)
        if (s->v[i] < BEGUN_PART * s->v[s->n - 1]) return e->seconds[i];
    return 0;
}

/* Returns true if it has grown for long enough that it is no start any more. */
static bool long_enough(const Series *s, uint32_t rows, const Evidence *e) {
    if (rows >= ENOUGH && !e->multiplies) return true;
    return rows >= LEAST && e->now - begun(s, rows, e) >= LONG_ENOUGH;
}

/* Returns true if next to nothing was made lately, where at its pace there should have come much.
 * The live figures now and then say less: a collection may have freed garbage in between. */
static bool has_ended(const LmpTally *t, double bytes_per_second, const Evidence *e) {
    if (!e->multiplies || e->window <= 0 || t->live_blocks == 0) return false;
    double due = bytes_per_second * e->window;
    double block = (double)t->live_bytes / (double)t->live_blocks;
    return due >= PACE_BLOCKS * block &&
           (double)tally_made(t) - (double)t->was.made < PACE_PART * due;
}

static bool grows(const Series *s, bool keeps) {
    bool enough = keeps ? s->rises >= 3 : s->rises >= 5 && !mostly_at_once(s);
    if (enough && still(s) && goes_on(s)) return true;
    return grows_below_sway(s);
}

/* Returns the first row of a rise in the later half of the run that is worth waiting for; 0: none.
 * The last two rows must agree. */
static uint32_t rose_lately(const Series *s, double least) {
    double before = 0;
    uint32_t i = 0, last = s->n - 1;
    if (s->n < 2) return 0;
    bool stood = s->live < s->v[last] + least;
    for (; i < s->n && s->w[i] <= (stood ? s->now : s->w[last]) / 2; i++)
        before = greater(before, s->v[i]);
    if (i == 0 || i >= s->n || s->floor[last - 1] < before + least) return 0;
    while (i < s->n && s->floor[i] < before + least)
        i++;
    return i;
}

/* Least squares: how much y rises for each x, from row `from` on; 0 when that cannot be said. */
static double slope(const double *x, const double *y, uint32_t from, uint32_t to) {
    double mx = 0, my = 0, xx = 0, xy = 0, n = to - from;
    for (uint32_t i = from; i < to; i++) {
        mx += x[i] / n;
        my += y[i] / n;
    }
    for (uint32_t i = from; i < to; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
    }
    double s = xx > 0 ? xy / xx : 0;
    return isfinite(s) ? s : 0;
}

/* ---- the worst so many ----------------------------------------------------------------------- */

static bool worse(const LmpLeak *a, const LmpLeak *b) {
    if (a->steady != b->steady) return a->steady;
    if (a->lately != b->lately) return a->lately;
    if (a->bytes_per_cycle != b->bytes_per_cycle) return a->bytes_per_cycle > b->bytes_per_cycle;
    return a->site < b->site;
}

/* Sifts leak[at] down until nothing below it is less bad: leak[0] is the least of a heap. */
static void sink(LmpLeak *leak, uint32_t n, uint32_t at) {
    for (;;) {
        uint32_t least = at;
        for (uint32_t k = 2 * at + 1; k <= 2 * at + 2 && k < n; k++)
            if (worse(&leak[least], &leak[k])) least = k;
        if (least == at) return;
        LmpLeak swap = leak[at];
        leak[at] = leak[least];
        leak[least] = swap;
        at = least;
    }
}

static void keep_worst(LmpLeak *leak, uint32_t most, uint32_t *n, const LmpLeak *one) {
    if (*n < most) {
        leak[(*n)++] = *one;
        if (*n < most) return;
        for (uint32_t i = *n / 2; i-- > 0;)
            sink(leak, *n, i);
    } else if (most > 0 && worse(one, &leak[0])) {
        leak[0] = *one;
        sink(leak, *n, 0);
    }
}

static void sort_worst(LmpLeak *leak, uint32_t n) {
    for (uint32_t i = n / 2; i-- > 0;)
        sink(leak, n, i);
    for (uint32_t end = n; end > 1; end--) { /* the least goes last */
        LmpLeak swap = leak[0];
        leak[0] = leak[end - 1];
        leak[end - 1] = swap;
        sink(leak, end - 1, 0);
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

static uint64_t to_count(double n) {
    return n < 1 ? 1 : n > 999999 ? 999999 : (uint64_t)(n + 0.5);
}

/* Returns how many more full collections it takes, at the pace of the last of the `n`, until row i
 * is no longer in the later half of the run. */
static double until_half(const Series *s, const double *cycle, uint32_t n, uint32_t i) {
    uint32_t last = n - 1, from = row_at(s, s->w[last] / 2);
    if (from >= last) return 1;
    double each = (s->w[last] - s->w[from]) / (cycle[last] - cycle[from]);
    return each > 0 ? ceil((2 * s->w[i] - s->w[last]) / each) : 1;
}

static void judge(Series *s, const LmpSiteRow *row, const Evidence *e, LmpLeak *one, double *wait) {
    double bytes[LMP_LIVE_HISTORY], held = 0;
    const double *cycle = e->cycle, *seconds = e->seconds;
    uint32_t from = 0, n = s->n, rise = 0;
    memcpy(bytes, s->v, sizeof bytes);
    bool keeps = (double)row->tally.free_bytes <= (double)row->tally.bytes * FREES_PART;
    bool keeps_all = keeps && (double)row->tally.frees <= (double)row->tally.allocs * KEEPS_PART;
    double before = s->n > 1 ? s->w[n - 1] - s->w[n - 2] : 0;
    /* What was never freed counts as held without waiting for the next full collection. */
    if (keeps_all && s->now - s->w[n - 1] > before && s->n + 1 < LMP_LIVE_HISTORY)
        s->v[s->n++] = greater(s->v[n - 1], s->live);
    s->least = GAIN_BYTES;
    s->part = row->live_history_blocks[n - 1] > row->live_history_blocks[0] ? GAIN_PART : GAIN_SIZE;
    find_rises(s);
    one->seconds = e->now - begun(s, n, e);
    one->multiplies = e->multiplies;
    bool enough = long_enough(s, n, e);
    if (enough) one->steady = grows(s, keeps);
    if (one->steady && s->rises >= 3 && s->rise[0] + 1 < n) from = s->rise[0] - 1;
    rise = rose_lately(s, greater(LATELY_PART * e->heap, LATELY_BYTES));
    one->lately = rise > 0 && !one->steady;
    one->bytes_per_cycle = slope(cycle, bytes, from, n);
    one->bytes_per_second = slope(seconds, bytes, from, n);
    if (has_ended(&row->tally, one->bytes_per_second, e)) {
        one->steady = enough = false;
        one->lately = rise > 0;
    }
    if (one->lately) *wait = greater(*wait, until_half(s, cycle, n, rise));
    if (one->steady && !(one->bytes_per_cycle > 0)) { /* most of it came since the last row */
        double gain = s->v[s->n - 1] - bytes[0];
        one->bytes_per_cycle = gain / (double)n;
        one->bytes_per_second = gain / greater(seconds[n - 1], 1e-3);
    }
    s->n = n;
    if (one->steady || !enough || bytes[n - 1] < bytes[0] || row->tally.live_blocks == 0) return;
    for (uint32_t i = 0; i < n; i++)
        s->v[i] = (double)row->live_history_blocks[i];
    s->live = (double)row->tally.live_blocks;
    find_rises(s);
    held = (double)row->tally.live_bytes / (double)row->tally.live_blocks;
    s->least = GAIN_BYTES / held;
    s->part = GAIN_PART;
    if (!(held > 0) || !grows(s, row->tally.frees <= row->tally.allocs / 2)) return;
    one->steady = true;
    one->lately = false;
    if (one->bytes_per_cycle > 0 && one->bytes_per_second > 0) return;
    one->bytes_per_cycle = slope(cycle, s->v, 0, n) * held;
    one->bytes_per_second = slope(seconds, s->v, 0, n) * held;
}

/* Returns how many rows are in the later half of the run. */
static uint64_t rows_later(const double *work, uint32_t rows, double now) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < rows; i++)
        n += work[i] > now / 2;
    return n;
}

static void conclude(LmpJudgement *v, const Ledger *ledger, double seconds, uint64_t later,
                     bool beyond, double wait) {
    uint32_t n = ledger->live_history_rows;
    uint64_t needed = seconds >= LONG_ENOUGH ? LEAST_GOOD : ENOUGH;
    bool unseen =
        ledger->gc_mode != LMP_GC_INCREMENTAL && ledger->gc_mode != LMP_GC_GENERATIONAL && n == 0;
    if (ledger->lines == LMP_LINES_OFF || (unseen && seconds >= SEEN_BY))
        v->growth = LMP_GROWTH_UNKNOWN;
    else if (v->steady > 0)
        v->growth = LMP_GROWTH_FOUND;
    else if (n < needed || later < LEAST || v->lately > 0 || beyond) {
        v->growth = LMP_GROWTH_WAIT;
        v->missing = n < needed ? needed - n : later < LEAST ? LEAST - later : 1;
        if (n < needed)
            v->lately = 0; /* with so few rows it means nothing */
        else if (v->lately > 0)
            v->missing = to_count(wait);
    } else
        v->growth = LMP_GROWTH_NONE;
}

void ledger_leaks(const Ledger *ledger, LmpLeak *leak, uint32_t most, uint32_t *n,
                  LmpJudgement *judgement) {
    double cycle[LMP_LIVE_HISTORY], work[LMP_LIVE_HISTORY], seconds[LMP_LIVE_HISTORY],
        heap = 0, before = 0, live = 0, made = 0, wait = 0;
    uint32_t rows = ledger->live_history_rows < LMP_LIVE_HISTORY ? ledger->live_history_rows
                                                                 : LMP_LIVE_HISTORY - 1;
    double now = (double)ledger->clock / 1e9;
    LmpLeak first = {0};
    *judgement = (LmpJudgement){.cycles = rows > 0 ? ledger->live_history_cycle[rows - 1] : 0};
    *n = 0;
    for (uint32_t i = 0; i < rows; i++) {
        cycle[i] = (double)ledger->live_history_cycle[i];
        work[i] = (double)ledger->live_history_work[i];
        seconds[i] = (double)ledger->live_history_clock[i] / 1e9;
    }
    for (uint32_t s = 0; s < ledger->sites; s++) {
        if (rows > 0 && ledger->site[s].live_history)
            heap += (double)ledger->site[s].live_history[rows - 1];
        if (rows >= ENOUGH && ledger->site[s].live_history)
            before += (double)ledger->site[s].live_history[rows - 1 - ENOUGH / 2];
        const LmpTally *t = &ledger->site[s].tally;
        live += (double)t->live_bytes;
        made += (double)t->bytes + (double)t->realloc_bytes;
    }
    if (rows > 0) now = greater(now, seconds[rows - 1]);
    const Evidence evidence = {
        .cycle = cycle,
        .seconds = seconds,
        .heap = heap,
        .now = now,
        .window = ledger->since > 0 ? now - (double)ledger->since / 1e9 : 0,
        .multiplies = rows < ENOUGH || heap > MULTIPLIES * before,
    };
    for (uint32_t s = 0; rows >= 2 && s < ledger->sites; s++) {
        const LmpSiteRow *row = &ledger->site[s];
        if (!row->live_history ||
            (row->live_history[rows - 1] <= row->live_history[0] &&
             row->live_history_blocks[rows - 1] <= row->live_history_blocks[0]))
            continue;
        Series series = {.n = rows, .floats = ledger->gc_mode != LMP_GC_GENERATIONAL};
        memcpy(series.w, work, rows * sizeof *work);
        series.now = series.w[rows] = greater(made, work[rows - 1]);
        for (uint32_t i = 0; i < rows; i++)
            series.v[i] = (double)row->live_history[i];
        series.live = (double)row->tally.live_bytes;
        LmpLeak one = {.site = s};
        if (row->live_history[rows - 1] > row->live_history[0])
            one.gain = row->live_history[rows - 1] - row->live_history[0];
        judge(&series, row, &evidence, &one, &wait);
        if (!(one.bytes_per_cycle > 0)) {
            if (!one.lately) continue;
            one.bytes_per_cycle = one.bytes_per_second = 0;
        }
        if ((one.steady || one.lately) &&
            (judgement->steady + judgement->lately == 0 || worse(&one, &first)))
            first = one;
        judgement->steady += one.steady;
        judgement->lately += one.lately;
        keep_worst(leak, most, n, &one);
    }
    sort_worst(leak, *n);
    for (uint32_t i = 0; i < *n; i++)
        judgement->leaks += leak[i].steady;
    bool beyond = rows > 0 && live > TOP_BEYOND * (double)ledger->live_history_top;
    conclude(judgement, ledger, now,
             rows_later(work, rows, greater(made, rows > 0 ? work[rows - 1] : 0)), beyond, wait);
    leaks_word(judgement, ledger, &first, beyond);
}

uint32_t ledger_live_history_even(const Ledger *ledger, const uint64_t *grown,
                                  uint64_t out[LMP_LIVE_HISTORY]) {
    uint32_t n = ledger->live_history_rows, row = 0;
    if (n < 2) return 0;
    double from = (double)ledger->live_history_clock[0],
           to = (double)ledger->live_history_clock[n - 1];
    for (uint32_t i = 0; i < LMP_LIVE_HISTORY; i++) {
        double at = from + (to - from) * i / (LMP_LIVE_HISTORY - 1);
        while (row + 1 < n && (double)ledger->live_history_clock[row] < at)
            row++;
        out[i] = grown[row];
    }
    return LMP_LIVE_HISTORY;
}
