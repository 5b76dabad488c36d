/* test_leaks.c - what is called growth and what is not: series of bytes held after full
 * collections, each many times with other numbers; and the words. Programs are judged in
 * tests/judged/clocked. */
#include "suite.h"

#include <math.h>

#include "base/format.h"
#include "read/ledger/ledger.h"

enum { MOST = LMP_LIVE_HISTORY - 1 };

static uint64_t series[40][LMP_LIVE_HISTORY], blocks[40][LMP_LIVE_HISTORY];
static LmpSiteRow row[40];
static Ledger ledger = {.lines = LMP_LINES_EXACT, .gc_mode = LMP_GC_INCREMENTAL, .site = row};
static LmpLeak leak[40];
static LmpJudgement judgement;
static uint32_t leaks;

static double uniform(void) {
    return (double)(suite_random() >> 11) / 9007199254740992.0;
}

/* Cycles at even times, a second apart, a megabyte of work in each. */
static void begin(uint32_t cycles) {
    ledger.live_history_rows = cycles;
    ledger.sites = 0;
    ledger.live_history_top = 1ull << 40;
    ledger.clock = 0;
    for (uint32_t i = 0; i < cycles; i++) {
        ledger.live_history_cycle[i] = 100 + i;
        ledger.live_history_clock[i] = (7 + i) * 1000000000ull;
        ledger.live_history_work[i] = (i + 1) * 1000000ull;
    }
}

static uint64_t *add_site(void) {
    uint32_t n = ledger.sites++;
    row[n] = (LmpSiteRow){.live_history = series[n],
                          .live_history_blocks = blocks[n],
                          .short_src = "a.lua",
                          .func = "f",
                          .line = (int)n + 1};
    memset(series[n], 0, sizeof series[n]);
    memset(blocks[n], 0, sizeof blocks[n]);
    return series[n];
}

/* Blocks are of 40 bytes. */
static bool judge(void) {
    for (uint32_t s = 0; s < ledger.sites; s++)
        for (uint32_t i = 0; i < ledger.live_history_rows; i++)
            blocks[s][i] = series[s][i] / 40;
    ledger_leaks(&ledger, leak, 40, &leaks, &judgement);
    return judgement.steady > 0;
}

static unsigned freed; /* of a hundred that are made at the sites */

/* Fills the one site by a rule `times` times and counts how often it is called growing. */
static int count(void (*fill)(uint64_t *y, uint32_t n), uint32_t cycles, int times) {
    int steady = 0;
    for (int i = 0; i < times; i++) {
        begin(cycles);
        fill(add_site(), cycles);
        if (freed)
            row[0].tally =
                (LmpTally){.bytes = 100, .free_bytes = freed, .allocs = 100, .frees = freed};
        steady += judge();
    }
    return steady;
}

/* ---- what grows ------------------------------------------------------------------------------ */

static void line(uint64_t *y, uint32_t n) {
    uint64_t base = suite_below(1 << 20), step = base / 500 + 25 + suite_below(1 << 16);
    for (uint32_t i = 0; i < n; i++)
        y[i] = base + i * step;
}

/* On top of it what is in use for a while, up to a sixth of the whole growth. */
static void line_that_sways(uint64_t *y, uint32_t n) {
    uint64_t step = 1000 + suite_below(1 << 16);
    for (uint32_t i = 0; i < n; i++)
        y[i] = i * step + suite_below(n * step / 6 + 1);
}

/* Grows in fits: sometimes not for some cycles, then more. */
static void line_in_fits(uint64_t *y, uint32_t n) {
    uint64_t live = suite_below(1000000);
    for (uint32_t i = 0; i < n; i++) {
        if (suite_below(3)) live += 5000 + suite_below(20000);
        y[i] = live;
    }
}

/* Every so many cycles a large step, nothing between. */
static void stairs(uint64_t *y, uint32_t n) {
    uint32_t each = 1 + (uint32_t)suite_below(n / 5), phase = (uint32_t)suite_below(each);
    uint64_t high = 5000 + suite_below(1 << 20);
    for (uint32_t i = 0; i < n; i++)
        y[i] = 1000 + (i + phase) / each * high;
}

/* One block that doubles each time when it is full. */
static void doubles(uint64_t *y, uint32_t n) {
    double each = 0.4 + uniform();
    for (uint32_t i = 0; i < n; i++)
        for (y[i] = 1024; (double)y[i] < 1000 * each * (i + 1);)
            y[i] *= 2;
}

TEST(growth_is_seen) {
    for (uint32_t cycles = 12; cycles <= MOST; cycles++) {
        ck_assert_int_eq(count(line, cycles, 20), 20);
        ck_assert_str_eq(strchr(judgement.words, ' '), strstr(judgement.words, " grows by "));
        ck_assert_uint_eq(judgement.growth, LMP_GROWTH_FOUND);
        ck_assert_uint_eq(judgement.missing, 0);
    }
    static const struct {
        const char *what;
        void (*fill)(uint64_t *y, uint32_t n);
        int least; /* of 1000 */
    } rules[] = {
        {"sways", line_that_sways, 950},
        {"in fits", line_in_fits, 980},
        {"stairs", stairs, 980},
        {"doubles", doubles, 950},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        int right = count(rules[i].fill, MOST, 1000);
        fprintf(stderr, "%s: %d of 1000\n", rules[i].what, right);
        ck_assert_msg(right >= rules[i].least, "%s: seen %d times", rules[i].what, right);
    }
    freed = 51; /* made anew each time when it is full, and the one before freed */
    ck_assert_int_ge(count(doubles, MOST, 1000), 950);
}

/* A leak under Lua's usual pause: each cycle comes when the heap has doubled, so cycles get rarer
 * and each adds as much as all before it. Four are enough if ten seconds have passed. */
TEST(doubling_heap) {
    begin(4);
    uint64_t *y = add_site();
    for (uint32_t i = 0; i < 4; i++) {
        y[i] = 10000000ull << i;
        ledger.live_history_work[i] = 20000000ull << i;
        ledger.live_history_clock[i] = 1250000000ull << i;
    }
    ck_assert(judge());
    ck_assert_double_eq_tol(leak[0].bytes_per_second, 8000000, 1);
    for (uint32_t i = 0; i < 4; i++)
        ledger.live_history_clock[i] /= 2;
    ck_assert(!judge());
    ck_assert_uint_eq(judgement.growth, LMP_GROWTH_WAIT);
    ck_assert_str_eq(judgement.words, "cannot tell yet: 8 more full cycles");
}

/* The size of what is held sways, but there is more and more of it. */
TEST(blocks_count) {
    begin(MOST);
    uint64_t *y = add_site();
    row[0].tally = (LmpTally){.live_blocks = 1000, .live_bytes = 1000000, .allocs = 1000};
    for (uint32_t i = 0; i < MOST; i++) {
        y[i] = 1000000 + suite_below(900000) * (i + 1 < MOST) + 900000 * (i + 1 == MOST);
        blocks[0][i] = 1000 + i;
    }
    ledger_leaks(&ledger, leak, 40, &leaks, &judgement);
    ck_assert_uint_eq(judgement.steady, 1);
    ck_assert(leak[0].bytes_per_cycle > 0);
}

/* ---- what does not --------------------------------------------------------------------------- */

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

/* A cache of random keys: fast at first, then slower and slower. */
static void saturates(uint64_t *y, uint32_t n) {
    double pace = 4 + 4 * uniform(), full = 1000 + (double)suite_below(1 << 24);
    for (uint32_t i = 0; i < n; i++)
        y[i] = (uint64_t)(full * (1 - exp(-pace * (i + 1) / n)));
}

/* A cache that fills up within the first two thirds and then stays, with a little sway. */
static void plateau(uint64_t *y, uint32_t n) {
    double until = 1 + uniform() * n * 0.6;
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

TEST(what_is_no_growth) {
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
        {"saturates", saturates, 0},
        {"shrinking", shrinking, 0},
        {"dropped", loaded_then_dropped, 0},
    };
    freed = 66;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        int wrong = count(rules[i].fill, MOST, 3000);
        fprintf(stderr, "%s: %d of 3000\n", rules[i].what, wrong);
        ck_assert_msg(wrong <= rules[i].most, "%s: called growing %d times", rules[i].what, wrong);
        ck_assert_uint_ne(judgement.growth, LMP_GROWTH_UNKNOWN);
        if (judgement.growth == LMP_GROWTH_NONE)
            ck_assert_str_eq(judgement.words, "no growth over the last 124 full cycles");
    }
    for (uint32_t cycles = 8; cycles < MOST; cycles += 3) { /* fewer cycles: still careful */
        ck_assert_int_le(count(noise, cycles, 2000), 3);
        ck_assert_int_le(count(step_once, cycles, 2000), 10);
    }
    freed = 0;
    ck_assert_int_le(count(saturates, MOST, 2000), 0);
    ck_assert_int_le(count(loaded_then_dropped, MOST, 2000), 0);
}

/* ---- figures, order, words ------------------------------------------------------------------- */

TEST(slopes) {
    begin(20);
    uint64_t *y = add_site();
    for (uint32_t i = 0; i < 20; i++) {
        y[i] = 1000 + 500 * i;
        ledger.live_history_cycle[i] = 10 + 3 * i; /* every third cycle was kept */
        ledger.live_history_clock[i] = 250000000ull * i;
        ledger.live_history_work[i] = 1000 * i;
    }
    ck_assert(judge());
    ck_assert_double_eq_tol(leak[0].bytes_per_cycle, 500.0 / 3, 1e-6);
    ck_assert_double_eq_tol(leak[0].bytes_per_second, 2000, 1e-6);
    ck_assert_uint_eq(leak[0].gain, 9500);
    ck_assert_str_eq(judgement.words, "a.lua:1 grows by 167 B a full cycle, 2.0 KiB/s");
}

TEST(too_few_cycles) {
    for (uint32_t cycles = 0; cycles < 12; cycles++) {
        begin(cycles);
        line(add_site(), cycles);
        for (uint32_t i = 0; i < cycles; i++)
            ledger.live_history_clock[i] = 9999999999ull - (cycles - i) * 1000;
        ck_assert(!judge());
        char words[80];
        snprintf(words, sizeof words, "cannot tell yet: %u more full cycle%s", 12 - cycles,
                 cycles == 11 ? "" : "s");
        ck_assert_str_eq(judgement.words, words);
        ck_assert_uint_eq(judgement.growth, LMP_GROWTH_WAIT);
        ck_assert_uint_eq(judgement.missing, 12 - cycles);
    }
    begin(8); /* ten seconds: eight are enough to say that nothing grows, seven are not */
    flat(add_site(), 8);
    judge();
    ck_assert_str_eq(judgement.words, "no growth over the last 107 full cycles");
    begin(7);
    flat(add_site(), 7);
    judge();
    ck_assert_str_eq(judgement.words, "cannot tell yet: 1 more full cycle");
}

TEST(never_to_be_known) {
    begin(0);
    ledger.gc_mode = LMP_GC_UNKNOWN;
    ledger.clock = 500000000; /* the first cycle may be yet to come */
    judge();
    ck_assert_uint_eq(judgement.growth, LMP_GROWTH_WAIT);
    ledger.clock = 1000000000;
    judge();
    ck_assert_uint_eq(judgement.growth, LMP_GROWTH_UNKNOWN);
    ck_assert_str_eq(judgement.words,
                     "growth is not known: cycles cannot be seen on this interpreter");
    ledger.gc_mode = LMP_GC_INCREMENTAL;
    ledger.lines = LMP_LINES_OFF;
    judge();
    ck_assert_uint_eq(judgement.growth, LMP_GROWTH_UNKNOWN);
    ck_assert_str_eq(judgement.words, "growth is not known without lines");
    ledger.lines = LMP_LINES_EXACT;
}

/* One step: not known while it is in the later half, known when the half has passed. */
TEST(a_step_is_waited_for) {
    for (uint32_t cycles = 13; cycles <= MOST; cycles++) {
        begin(cycles);
        uint64_t *y = add_site();
        for (uint32_t i = 0; i < cycles; i++)
            y[i] = i < 10 ? 100000 : 200000;
        ck_assert(!judge());
        bool waits = cycles < 22;
        ck_assert_uint_eq(judgement.growth, waits ? LMP_GROWTH_WAIT : LMP_GROWTH_NONE);
        ck_assert_uint_eq(judgement.lately, waits);
        ck_assert_uint_eq(judgement.missing, waits ? 22 - cycles : 0);
        char words[80];
        snprintf(words, sizeof words, "cannot tell yet: a.lua:1 rose lately, %u more full cycle%s",
                 22 - cycles, cycles == 21 ? "" : "s");
        if (waits) ck_assert_str_eq(judgement.words, words);
        ck_assert(!waits || leak[0].lately);
    }
}

/* Whatever loads a file makes the heap double again and again, and each doubling brings about a
 * full collection: twelve of them within seconds prove nothing. */
static void double_heap(uint32_t rows, double seconds) {
    begin(rows);
    uint64_t *y = add_site();
    for (uint32_t i = 0; i < rows; i++) {
        y[i] = 20000ull << i;
        ledger.live_history_work[i] = 40000ull << i;
        ledger.live_history_clock[i] = (uint64_t)(seconds * 1e9 / (double)(1u << (rows - 1 - i)));
    }
    uint64_t held = y[rows - 1];
    row[0].tally = (LmpTally){
        .allocs = held / 40, .bytes = held, .live_bytes = held, .live_blocks = held / 40};
}

TEST(a_start_that_fills) {
    double_heap(14, 6);
    ck_assert(!judge());
    ck_assert_uint_eq(judgement.growth, LMP_GROWTH_WAIT);
    double_heap(14, 11); /* so long a start has to be told */
    ck_assert(judge());
    /* The same work beside a heap that stays as large: nothing but the site brings nothing about.
     */
    double_heap(14, 6);
    flat(add_site(), 14);
    for (uint32_t i = 0; i < 14; i++) {
        series[0][i] = 20000 * (i + 1);
        series[1][i] = 10000000;
        ledger.live_history_work[i] = 1000000 * (i + 1);
        ledger.live_history_clock[i] = 400000000ull * (i + 1);
    }
    ck_assert(judge());
}

/* What was held next to nothing until lately has not grown for ten seconds. */
TEST(a_start_that_is_late) {
    double_heap(14, 6);
    for (uint32_t i = 0; i < 14; i++)
        ledger.live_history_clock[i] += 30000000000ull;
    ck_assert(!judge());
    for (uint32_t i = 8; i < 14; i++)
        ledger.live_history_clock[i] += 10000000000ull;
    ck_assert(judge());
}

/* Where it is seen that nothing has come for a second, it has filled up. */
TEST(a_start_that_has_ended) {
    double_heap(14, 11);
    ledger.clock = 12000000000ull;
    ledger.since = 11000000000ull;
    LmpTally *t = &row[0].tally;
    t->was.made = tally_made(t);
    ck_assert(!judge());
    ck_assert_uint_eq(judgement.growth, LMP_GROWTH_WAIT);
    t->was.made = tally_made(t) * 9 / 10;
    ck_assert(judge());
    /* a collection has freed garbage of the line: that more is made is what counts */
    t->was.live = t->live_bytes * 2;
    ck_assert(judge());
    ledger.since = 0; /* it is not known */
    t->was.made = tally_made(t);
    ck_assert(judge());
}

/* Between full collections the heap may get higher than ever: then nothing is known. */
TEST(heap_beyond_is_not_known) {
    begin(MOST);
    flat(add_site(), MOST);
    ledger.live_history_top = 1000000;
    row[0].tally.live_bytes = 1200000;
    judge();
    ck_assert_uint_eq(judgement.growth, LMP_GROWTH_NONE);
    row[0].tally.live_bytes = 1300000;
    judge();
    ck_assert_uint_eq(judgement.growth, LMP_GROWTH_WAIT);
    ck_assert_str_eq(judgement.words,
                     "cannot tell yet: heap higher than in any full cycle, 1 more full cycle");
}

/* Once nothing more can come, nothing more is waited for. */
TEST(ended_is_not_waited_for) {
    static const struct {
        LedgerWhen when;
        const char *words[4];
    } told[] = {
        {LEDGER_NOW,
         {"cannot tell yet: 3 more full cycles",
          "cannot tell yet: a.lua:1 rose lately, 9 more full cycles",
          "cannot tell yet: 2 sites rose lately, 9 more full cycles",
          "cannot tell yet: heap higher than in any full cycle, 1 more full cycle"}},
        {LEDGER_THEN,
         {"too early to tell: 108 of 111 full cycles", "too early to tell: a.lua:1 rose lately",
          "too early to tell: 2 sites rose lately",
          "too early to tell: heap higher than in any full cycle"}},
        {LEDGER_END,
         {"the run was too short to tell: 108 of 111 full cycles",
          "the run was too short to tell: a.lua:1 rose lately",
          "the run was too short to tell: 2 sites rose lately",
          "the run was too short to tell: heap higher than in any full cycle"}},
    };
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        ledger.when = told[k].when;
        begin(9);
        line(add_site(), 9);
        for (uint32_t i = 0; i < 9; i++)
            ledger.live_history_clock[i] = 9999999999ull - (9 - i) * 1000;
        judge();
        ck_assert_str_eq(judgement.words, told[k].words[0]);
        for (uint32_t sites = 1; sites <= 2; sites++) {
            begin(13);
            for (uint32_t s = 0; s < sites; s++) {
                uint64_t *y = add_site();
                for (uint32_t i = 0; i < 13; i++)
                    y[i] = i < 10 ? 100000 : 200000;
            }
            judge();
            ck_assert_str_eq(judgement.words, told[k].words[sites]);
        }
        begin(MOST);
        flat(add_site(), MOST);
        ledger.live_history_top = 1000000;
        row[0].tally.live_bytes = 1300000;
        judge();
        ck_assert_str_eq(judgement.words, told[k].words[3]);
        ck_assert_uint_eq(judgement.growth, LMP_GROWTH_WAIT);
    }
    ledger.when = LEDGER_NOW;
}

/* Generational mode makes full collections only while something grows: what stands since, garbage
 * included, has ended. */
TEST(ended_between_collections) {
    begin(5);
    uint64_t *y = add_site();
    for (uint32_t i = 0; i < 5; i++)
        y[i] = (i + 1) * 1000000;
    ledger.gc_mode = LMP_GC_GENERATIONAL;
    row[0].tally = (LmpTally){.live_bytes = 5000000, .bytes = 5000000};
    ck_assert(judge());
    row[0].tally.bytes = 20000000; /* as much again and more was done */
    ledger.sites = 2;
    row[1] = row[0];
    row[1].live_history = series[1];
    row[0].tally.bytes = 5000000;
    memset(series[1], 0, sizeof series[1]);
    ck_assert(!judge());
    row[0].tally.live_bytes = 20000000; /* it may have gone on */
    ck_assert(judge());
    ledger.gc_mode = LMP_GC_INCREMENTAL;
}

TEST(order_and_room) {
    begin(MOST);
    for (uint32_t s = 0; s < 20; s++) {
        uint64_t *y = add_site();
        for (uint32_t i = 0; i < MOST; i++)
            y[i] = s % 2 ? i * (1 + s * 7 % 20) * 1000 : i < 3 ? 0 : s * 10000000ull;
    }
    ck_assert(judge());
    ck_assert_uint_eq(judgement.steady, 10);
    ck_assert_uint_eq(judgement.leaks, 10);
    ck_assert_uint_eq(leaks, 19); /* the first one never changes */
    for (uint32_t i = 1; i < leaks; i++) {
        ck_assert(leak[i - 1].steady >= leak[i].steady);
        if (leak[i - 1].steady == leak[i].steady)
            ck_assert(leak[i - 1].bytes_per_cycle >= leak[i].bytes_per_cycle);
    }
    LmpLeak all[40];
    memcpy(all, leak, sizeof all);
    for (uint32_t most = 0; most < 25; most++) { /* less room: the same ones first */
        ledger_leaks(&ledger, leak, most, &leaks, &judgement);
        ck_assert_uint_eq(leaks, most < 19 ? most : 19);
        ck_assert_uint_eq(judgement.leaks, most < 10 ? most : 10);
        ck_assert_uint_eq(judgement.steady, 10);
        ck_assert_str_eq(judgement.words, "10 sites grow, most a.lua:18 by 19.5 KiB a full cycle");
        for (uint32_t i = 0; i < leaks; i++)
            ck_assert_uint_eq(leak[i].site, all[i].site);
    }
}

/* The summary has room for 76 columns of words, whatever the file is called. */
TEST(saved_regs_fit) {
    begin(MOST);
    for (uint32_t s = 0; s < 2; s++)
        line(add_site(), MOST);
    for (int i = 0; i < 400; i++) {
        char name[80] = "";
        uint32_t letters = (uint32_t)suite_below(70), columns = 0, c;
        for (uint32_t k = 0; k < letters && strlen(name) < 76; k++)
            strcat(name, suite_below(4) ? "x" : "\u00e9");
        row[0].short_src = row[1].short_src = name;
        row[0].line = row[1].line = (int)(suite_random() >> suite_below(64));
        ledger.sites = 1 + i % 2;
        ck_assert(judge());
        for (const char *p = judgement.words; *p; p += format_utf8(p, &c))
            columns++;
        ck_assert_msg(columns <= 76, "%s", judgement.words);
        if (letters < 10) ck_assert_ptr_nonnull(strstr(judgement.words, name));
    }
}

TEST(any_figures) {
    for (int round = 0; round < 20000; round++) {
        begin((uint32_t)suite_below(LMP_LIVE_HISTORY));
        unsigned shift = (unsigned)suite_below(64);
        for (int s = 0; s < 3; s++) {
            uint64_t *y = add_site();
            for (uint32_t i = 0; i < ledger.live_history_rows; i++)
                y[i] = suite_random() >> shift;
        }
        for (uint32_t i = 0; suite_below(2) && i < ledger.live_history_rows; i++) {
            ledger.live_history_clock[i] = suite_random() >> shift;
            ledger.live_history_cycle[i] = suite_random() >> shift;
            ledger.live_history_work[i] = suite_random() >> shift;
        }
        judge();
        ck_assert_uint_le(leaks, 3);
        ck_assert_uint_gt(strlen(judgement.words), 10);
    }
}
