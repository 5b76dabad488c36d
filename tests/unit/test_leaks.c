/* test_leaks.c - what is called growth and what is not: series of live bytes after collector
 * cycles, each many times with other numbers. */
#include "suite.h"

#include "ledger.h"

enum { MOST = LMP_GROWN - 1 };

static uint64_t series[40][LMP_GROWN];
static LmpSiteRow row[40];
static Ledger ledger = {.lines = LMP_LINES_EXACT, .site = row};
static LmpLeak leak[40];
static LmpVerdict verdict;
static uint32_t leaks;

static double uniform(void) {
    return (double)(suite_random() >> 11) / 9007199254740992.0;
}

/* Cycles at even times, a second apart. */
static void begin(uint32_t cycles) {
    ledger.grown = cycles;
    ledger.sites = 0;
    for (uint32_t i = 0; i < cycles; i++) {
        ledger.grown_cycle[i] = 100 + i;
        ledger.grown_clock[i] = (7 + i) * 1000000000ull;
    }
}

static uint64_t *add_site(void) {
    uint32_t n = ledger.sites++;
    row[n] =
        (LmpSiteRow){.grown = series[n], .short_src = "a.lua", .func = "f", .line = (int)n + 1};
    memset(series[n], 0, sizeof series[n]);
    return series[n];
}

static bool judge(void) {
    ledger_leaks(&ledger, leak, 40, &leaks, &verdict);
    return verdict.steady > 0;
}

/* Fills the one site by a rule `times` times and counts how often it is called growing. */
static int count(void (*fill)(uint64_t *y, uint32_t n), uint32_t cycles, int times) {
    int steady = 0;
    for (int i = 0; i < times; i++) {
        begin(cycles);
        fill(add_site(), cycles);
        steady += judge();
    }
    return steady;
}

/* ---- what grows -------------------------------------------------------------------------------
 */

static void line(uint64_t *y, uint32_t n) {
    uint64_t base = suite_below(1 << 20), step = 1 + suite_below(1 << 16);
    for (uint32_t i = 0; i < n; i++)
        y[i] = base + i * step;
}

/* With garbage on top that was not yet collected, up to a sixth of the whole growth. */
static void line_with_garbage(uint64_t *y, uint32_t n) {
    uint64_t step = 100 + suite_below(1 << 16);
    for (uint32_t i = 0; i < n; i++)
        y[i] = i * step + suite_below(n * step / 6 + 1);
}

/* Grows in fits: sometimes not for some cycles, then more. */
static void line_in_fits(uint64_t *y, uint32_t n) {
    uint64_t live = suite_below(1000000);
    for (uint32_t i = 0; i < n; i++) {
        if (suite_below(3)) live += 1000 + suite_below(20000);
        y[i] = live;
    }
}

START_TEST(growth_is_seen) {
    suite_seed();
    for (uint32_t cycles = 8; cycles <= MOST; cycles++) {
        ck_assert_int_eq(count(line, cycles, 20), 20);
        ck_assert_str_eq(strchr(verdict.words, ' '), strstr(verdict.words, " grows by "));
    }
    ck_assert_int_ge(count(line_with_garbage, MOST, 1000), 990);
    ck_assert_int_ge(count(line_in_fits, MOST, 1000), 930);
}
END_TEST

/* A leak under Lua's usual pause: each cycle comes when the heap has doubled, so cycles get rarer
 * and each adds as much as all before it. */
START_TEST(doubling_heap) {
    begin(14);
    uint64_t *y = add_site();
    for (uint32_t i = 0; i < 14; i++) {
        y[i] = 100000ull << i;
        ledger.grown_clock[i] = 1000000000ull * (1ull << i) / 8;
    }
    ck_assert(judge());
    ck_assert_double_eq_tol(leak[0].bytes_per_second, 800000, 1);
}
END_TEST

/* ---- what does not ----------------------------------------------------------------------------
 */

static void flat(uint64_t *y, uint32_t n) {
    uint64_t base = suite_below(1 << 20);
    for (uint32_t i = 0; i < n; i++)
        y[i] = base;
}

static void noise(uint64_t *y, uint32_t n) {
    uint64_t base = suite_below(1 << 20), sway = 1 + suite_below(1 << 20);
    for (uint32_t i = 0; i < n; i++)
        y[i] = base + suite_below(sway);
}

/* Garbage that piles up and goes away, in periods of 3 to 12 cycles. */
static void saw(uint64_t *y, uint32_t n) {
    uint32_t period = 3 + (uint32_t)suite_below(10), phase = (uint32_t)suite_below(period);
    uint64_t step = 1000 + suite_below(100000), sway = 1 + suite_below(step);
    for (uint32_t i = 0; i < n; i++)
        y[i] = (i + phase) % period * step + suite_below(sway);
}

static void step_once(uint64_t *y, uint32_t n) {
    uint32_t at = (uint32_t)suite_below(n);
    uint64_t high = 1 + suite_below(1 << 24),
             sway = 1 + (suite_below(2) ? suite_below(high / 8 + 1) : 0);
    for (uint32_t i = 0; i < n; i++)
        y[i] = 5000 + (i >= at ? high : 0) + suite_below(sway);
}

static void two_steps(uint64_t *y, uint32_t n) {
    uint32_t a = (uint32_t)suite_below(n), b = (uint32_t)suite_below(n);
    uint64_t high = 1000 + suite_below(1 << 24), sway = 1 + high / 20;
    for (uint32_t i = 0; i < n; i++)
        y[i] = (i >= a ? high : 0) + (i >= b ? high : 0) + suite_below(sway);
}

/* A cache that fills up within the first two thirds and then stays, with a little garbage. */
static void plateau(uint64_t *y, uint32_t n) {
    double until = 1 + uniform() * n * 0.66;
    uint64_t full = 1000 + suite_below(1 << 24), sway = 1 + (suite_below(2) ? full / 50 : 0);
    for (uint32_t i = 0; i < n; i++) {
        double share = i / until < 1 ? i / until : 1;
        y[i] = (uint64_t)(share * (double)full) + suite_below(sway);
    }
}

static void shrinking(uint64_t *y, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        y[i] = (n - i) * 1000 + suite_below(500);
}

static void loaded_then_dropped(uint64_t *y, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        y[i] = (i < 2 * n / 3 ? i : n / 4) * 100000;
}

START_TEST(what_is_no_growth) {
    suite_seed();
    static const struct {
        const char *what;
        void (*fill)(uint64_t *y, uint32_t n);
        int most; /* of 3000 */
    } rules[] = {
        {"flat", flat, 0},
        {"noise", noise, 0},
        {"saw", saw, 3},
        {"one step", step_once, 3},
        {"two steps", two_steps, 15},
        {"plateau", plateau, 30},
        {"shrinking", shrinking, 0},
        {"dropped", loaded_then_dropped, 0},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        int wrong = count(rules[i].fill, MOST, 3000);
        fprintf(stderr, "%s: %d of 3000\n", rules[i].what, wrong);
        ck_assert_msg(wrong <= rules[i].most, "%s: called growing %d times", rules[i].what, wrong);
        ck_assert(strstr(verdict.words, "no growth over the last 31 collector cycles") ||
                  verdict.steady);
    }
    for (uint32_t cycles = 8; cycles < MOST; cycles += 3) { /* fewer cycles: still careful */
        ck_assert_int_le(count(noise, cycles, 2000), 3);
        ck_assert_int_le(count(step_once, cycles, 2000), 10);
    }
}
END_TEST

/* ---- figures, order, words --------------------------------------------------------------------
 */

START_TEST(slopes) {
    begin(20);
    uint64_t *y = add_site();
    for (uint32_t i = 0; i < 20; i++) {
        y[i] = 1000 + 500 * i;
        ledger.grown_cycle[i] = 10 + 3 * i; /* every third cycle was kept */
        ledger.grown_clock[i] = 250000000ull * i;
    }
    ck_assert(judge());
    ck_assert_double_eq_tol(leak[0].bytes_per_cycle, 500.0 / 3, 1e-6);
    ck_assert_double_eq_tol(leak[0].bytes_per_second, 2000, 1e-6);
    ck_assert_uint_eq(leak[0].grown, 9500);
    ck_assert_str_eq(verdict.words, "a.lua:1 grows by 167 B a cycle, 2.0 KiB/s");
}
END_TEST

START_TEST(too_few_cycles) {
    for (uint32_t cycles = 0; cycles < 8; cycles++) {
        begin(cycles);
        line(add_site(), cycles);
        ck_assert(!judge());
        char words[80];
        snprintf(words, sizeof words, "too few collector cycles to tell (%u of at least 8)",
                 cycles);
        ck_assert_str_eq(verdict.words, words);
    }
    ledger.lines = LMP_LINES_OFF;
    judge();
    ck_assert_str_eq(verdict.words, "growth is not known without lines");
}
END_TEST

START_TEST(order_and_room) {
    begin(MOST);
    for (uint32_t s = 0; s < 20; s++) {
        uint64_t *y = add_site();
        for (uint32_t i = 0; i < MOST; i++)
            y[i] = s % 2 ? i * (1 + s * 7 % 20) * 1000 : i < 20 ? 0 : s * 10000000ull;
    }
    ck_assert(judge());
    ck_assert_uint_eq(verdict.steady, 10);
    ck_assert_uint_eq(verdict.leaks, 10);
    ck_assert_uint_eq(leaks, 19); /* the first one never changes */
    for (uint32_t i = 1; i < leaks; i++) {
        ck_assert(leak[i - 1].steady >= leak[i].steady);
        if (leak[i - 1].steady == leak[i].steady)
            ck_assert(leak[i - 1].bytes_per_cycle >= leak[i].bytes_per_cycle);
    }
    LmpLeak all[40];
    memcpy(all, leak, sizeof all);
    for (uint32_t most = 0; most < 25; most++) { /* less room: the same ones first */
        ledger_leaks(&ledger, leak, most, &leaks, &verdict);
        ck_assert_uint_eq(leaks, most < 19 ? most : 19);
        ck_assert_uint_eq(verdict.leaks, most < 10 ? most : 10);
        ck_assert_uint_eq(verdict.steady, 10);
        ck_assert_str_eq(verdict.words,
                         "10 sites grow: a.lua:18 by 19.5 KiB a cycle, 19.5 KiB/s, ...");
        for (uint32_t i = 0; i < leaks; i++)
            ck_assert_uint_eq(leak[i].site, all[i].site);
    }
}
END_TEST

START_TEST(any_figures) {
    suite_seed();
    for (int round = 0; round < 20000; round++) {
        begin(1 + (uint32_t)suite_below(LMP_GROWN));
        unsigned shift = (unsigned)suite_below(64);
        for (int s = 0; s < 3; s++) {
            uint64_t *y = add_site();
            for (uint32_t i = 0; i < ledger.grown; i++)
                y[i] = suite_random() >> shift;
        }
        for (uint32_t i = 0; suite_below(2) && i < ledger.grown; i++) {
            ledger.grown_clock[i] = suite_random() >> shift;
            ledger.grown_cycle[i] = suite_random() >> shift;
        }
        judge();
        ck_assert_uint_le(leaks, 3);
        ck_assert_uint_gt(strlen(verdict.words), 10);
    }
}
END_TEST

SUITE("leaks", growth_is_seen, doubling_heap, what_is_no_growth, slopes, too_few_cycles,
      order_and_room, any_figures)
