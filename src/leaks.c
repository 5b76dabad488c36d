/* leaks.c - which sites grow: ledger_leaks (ledger.h).
 *
 * After each collector cycle it is known what every site holds. Garbage that waits to be collected,
 * a table that was loaded once, a cache that has filled up: all of these are larger later than
 * earlier, and none of them is a leak. So a site is said to grow only if all of this is true:
 *
 *   1. Later figures are larger than earlier ones so often that it is not chance: the Mann-Kendall
 *      test, at three standard deviations. It looks at the order only, so one odd cycle does
 *      nothing. (Fewer than seven cycles can never be so sure: NEEDED is a little more.)
 *   2. It grew by more than it sways: the least of the later half is above the largest of the first
 *      quarter.
 *   3. It grew all the time, not once: what never went away again (the least of all figures from a
 *      cycle on) rose in each quarter of the cycles by at least a fourth of that quarter's share.
 *      A quarter's share is what it has of the cycles or of the time, whichever is less: under
 *      Lua's usual pause cycles get rarer as the heap grows, and a program may sleep. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "ledger.h"

enum { NEEDED = 8 };

static double lesser(double a, double b) {
    return a < b ? a : b;
}

/* Least squares: how much y rises for each x; 0 when that cannot be said. */
static double slope(const double *x, const double *y, uint32_t n) {
    double mx = 0, my = 0, xx = 0, xy = 0;
    for (uint32_t i = 0; i < n; i++) {
        mx += x[i] / n;
        my += y[i] / n;
    }
    for (uint32_t i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
    }
    double s = xx > 0 ? xy / xx : 0;
    return isfinite(s) ? s : 0;
}

static bool not_chance(const double *y, uint32_t n) {
    int rises = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n; k++)
            rises += (y[k] > y[i]) - (y[k] < y[i]);
    double variance = n * (n - 1.0) * (2.0 * n + 5) / 18;
    return rises > 1 && (rises - 1.0) * (rises - 1.0) >= 9 * variance;
}

static bool beyond_sway(const double *y, uint32_t n) {
    double early = y[0], late = y[n - 1];
    for (uint32_t i = 0; i < n / 4; i++)
        if (y[i] > early) early = y[i];
    for (uint32_t i = n / 2; i < n; i++)
        late = lesser(late, y[i]);
    return late > early;
}

/* floor[i]: what of y[i] never went away again. The last few figures count as one, or the very last
 * would be taken for a floor whatever waits in it. */
static void floors(const double *y, uint32_t n, double *floor) {
    uint32_t last = n - n / 8;
    double least = y[n - 1];
    for (uint32_t i = n; i-- > 0;) {
        least = lesser(least, y[i]);
        floor[i] = least;
    }
    for (uint32_t i = last + 1; i < n; i++)
        floor[i] = floor[last];
}

static bool all_the_time(const double *y, const double *seconds, uint32_t n) {
    double floor[LMP_GROWN];
    floors(y, n, floor);
    double rise = floor[n - 1] - floor[0], time = seconds[n - 1] - seconds[0];
    if (rise <= 0) return false;
    for (uint32_t q = 0; q < 4; q++) {
        uint32_t from = q * (n - 1) / 4, to = (q + 1) * (n - 1) / 4;
        double cycles = (double)(to - from) / (n - 1);
        double share = time > 0 ? lesser(cycles, (seconds[to] - seconds[from]) / time) : cycles;
        double rose = floor[to] - floor[from];
        if (rose <= 0 || rose < rise * share / 4) return false;
    }
    return true;
}

/* ---- the worst so many ------------------------------------------------------------------------
 */

static bool worse(const LmpLeak *a, const LmpLeak *b) {
    if (a->steady != b->steady) return a->steady;
    if (a->bytes_per_cycle != b->bytes_per_cycle) return a->bytes_per_cycle > b->bytes_per_cycle;
    return a->site < b->site;
}

/* Moves leak[at] down until nothing below it is less bad: leak[0] is the least of a heap. */
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

/* ---- words ------------------------------------------------------------------------------------
 */

static const char *rate_words(char out[96], const LmpLeak *l) {
    char a[LMP_NUM], b[LMP_NUM];
    double per_second = lesser(l->bytes_per_second, 1e18),
           per_cycle = lesser(l->bytes_per_cycle, 1e18);
    format_bytes(a, (uint64_t)(per_cycle + 0.5));
    format_bytes(b, (uint64_t)(per_second + 0.5));
    if (l->bytes_per_second > 0)
        snprintf(out, 96, "%s a cycle, %s/s", a, b);
    else
        snprintf(out, 96, "%s a cycle", a);
    return out;
}

static void word(LmpVerdict *v, const Ledger *ledger, const LmpLeak *first) {
    char rate[96], where[96];
    size_t size = sizeof v->words;
    if (ledger->lines == LMP_LINES_OFF)
        snprintf(v->words, size, "growth is not known without lines");
    else if (v->cycles < NEEDED)
        snprintf(v->words, size, "too few collector cycles to tell (%u of at least %d)", v->cycles,
                 NEEDED);
    else if (v->steady == 0)
        snprintf(v->words, size, "no growth over the last %u collector cycles", v->cycles);
    else {
        const LmpSiteRow *row = &ledger->site[first->site];
        if (row->line >= 0)
            snprintf(where, sizeof where, "%s:%d", row->short_src, row->line);
        else
            snprintf(where, sizeof where, "%s", row->short_src);
        if (v->steady == 1)
            snprintf(v->words, size, "%s grows by %s", where, rate_words(rate, first));
        else
            snprintf(v->words, size, "%u sites grow: %s by %s, ...", v->steady, where,
                     rate_words(rate, first));
    }
}

void ledger_leaks(const Ledger *ledger, LmpLeak *leak, uint32_t most, uint32_t *n,
                  LmpVerdict *verdict) {
    double cycle[LMP_GROWN], seconds[LMP_GROWN], y[LMP_GROWN];
    uint32_t cycles = ledger->grown < LMP_GROWN ? ledger->grown : LMP_GROWN;
    LmpLeak first = {0};
    *verdict = (LmpVerdict){.cycles = cycles};
    *n = 0;
    for (uint32_t i = 0; i < cycles; i++) {
        cycle[i] = (double)(int64_t)(ledger->grown_cycle[i] - ledger->grown_cycle[0]);
        seconds[i] = (double)(int64_t)(ledger->grown_clock[i] - ledger->grown_clock[0]) / 1e9;
    }
    for (uint32_t s = 0; cycles >= 2 && s < ledger->sites; s++) {
        const uint64_t *grown = ledger->site[s].grown;
        if (!grown || grown[cycles - 1] <= grown[0]) continue;
        for (uint32_t i = 0; i < cycles; i++)
            y[i] = (double)grown[i];
        LmpLeak one = {.site = s,
                       .bytes_per_cycle = slope(cycle, y, cycles),
                       .bytes_per_second = slope(seconds, y, cycles),
                       .grown = grown[cycles - 1] - grown[0]};
        if (!(one.bytes_per_cycle > 0)) continue;
        one.steady = cycles >= NEEDED && beyond_sway(y, cycles) &&
                     all_the_time(y, seconds, cycles) && not_chance(y, cycles);
        if (one.steady && (verdict->steady == 0 || worse(&one, &first))) first = one;
        verdict->steady += one.steady;
        keep_worst(leak, most, n, &one);
    }
    sort_worst(leak, *n);
    for (uint32_t i = 0; i < *n; i++)
        verdict->leaks += leak[i].steady;
    word(verdict, ledger, &first);
}
