/* Tests of callers.c: of samples of who calls a line, as many as chance allows are each caller's,
 * in whatever rhythm it calls. Ticks come after so many operations, as in a program that runs for
 * long, not after a time. */
#include "agent/charge/callers.h"

#include <math.h>

#include "base/os.h"
#include "profiled_state.h"

static LmpOs os;

/* Ticks are as far apart as they are to be. */
static uint64_t clock_of_test(void) {
    return p->start + p->ticked + 2000000;
}

static void begin_ticking(bool stacks) {
    lmp_os = &os_real;
    begin(stacks);
    os = os_real;
    os.clock = clock_of_test;
    lmp_os = &os;
    suite_again();
    p->callers->random = suite_random();
    atomic_store(&p->control->attached, 1);
}

static void run(int32_t ticks, const char *script) {
    p->tick_ops = ticks;
    run_chunk(L, "=program", script);
    ck_assert_int_eq(p->tick_ops, ticks);
}

static bool is_at(uint32_t site, int line) {
    const LmpSite *s = &p->tables.site[site];
    const LmpFunction *f = &p->tables.function[s->function];
    return site && s->line == line && !strcmp(p->tables.text + f->source, "=program");
}

static bool is_c(uint32_t site, const char *name) {
    const LmpFunction *f = &p->tables.function[p->tables.site[site].function];
    return f->kind == LMP_F_C && strstr(p->tables.text + f->name, name);
}

/* Of what a line made: all samples (by_line 0), or those with this direct caller. */
static LmpCallerRow sum_of(int line, int by_line) {
    LmpCallerRow sum = {0};
    for (uint32_t i = 0; i < LMP_CALLERS; i++) {
        const LmpCallerRow *row = &p->live->callers.row[i];
        if (!is_at(row->site, line) || (by_line && !is_at(row->by[0], by_line))) continue;
        sum.samples += row->samples;
        sum.allocs += row->allocs;
        sum.bytes += row->bytes;
    }
    return sum;
}

/* The row of a line with most samples. */
static const LmpCallerRow *row_at(int line) {
    const LmpCallerRow *most = NULL;
    for (uint32_t i = 0; i < LMP_CALLERS; i++) {
        const LmpCallerRow *row = &p->live->callers.row[i];
        if (is_at(row->site, line) && (!most || row->samples > most->samples)) most = row;
    }
    ck_assert_msg(most, "no sample of line %d", line);
    return most;
}

/* The shares of three callers are as they should be, within five standard deviations of as many
 * independent samples; so is how many allocations all stand for. */
static void judge(const char *what, const double share[3], uint32_t least, double made) {
    LmpCallerRow all = sum_of(1, 0);
    ck_assert_msg(all.samples >= least, "%s: %u samples", what, all.samples);
    double n = all.samples;
    for (int i = 0; i < 3; i++) {
        double got = (double)sum_of(1, i + 2).allocs / (double)all.allocs;
        double bound = 5 * sqrt(share[i] * (1 - share[i]) / n * 1.1); /* some weigh more */
        ck_assert_msg(fabs(got - share[i]) <= bound, "%s: caller %d has %.3f, not %.3f (%.0f)",
                      what, i, got, share[i], n);
    }
    ck_assert_double_eq_tol((double)all.allocs / made, 1, 5 / sqrt(n));
}

#define THREE                                                                                      \
    "local function make() return {} end "                                                         \
    "\nlocal function a() local t = make() return t end "                                          \
    "\nlocal function b() local t = make() return t end "                                          \
    "\nlocal function c() local t = make() return t end "                                          \
    "\nlocal function rest() return {} end\n"

TEST(test_rhythms) {
    static const struct {
        const char *name, *script;
        double share[3];
        double made;
        int32_t ticks;
    } rhythm[] = {
        {"of 4", "for i = 1, 250000 do a() b() a() c() end", {.5, .25, .25}, 1e6, 1024},
        {"of 8",
         "for i = 1, 125000 do a() a() a() a() b() b() b() c() end",
         {.5, .375, .125},
         1e6,
         1024},
        {"of 10",
         "for i = 1, 100000 do a() b() a() b() a() c() a() b() a() a() end",
         {.6, .3, .1},
         1e6,
         1024},
        {"of 16",
         "for i = 1, 62500 do for _ = 1, 10 do a() end for _ = 1, 5 do b() end c() end",
         {10 / 16., 5 / 16., 1 / 16.},
         1e6,
         1024},
        {"of one tick",
         "collectgarbage('stop') for i = 1, 60 do for _ = 1, 2048 do a() end "
         "for _ = 1, 1536 do b() end for _ = 1, 512 do c() end end",
         {.5, .375, .125},
         60 * 4096,
         4096},
        {"of bursts",
         "for i = 1, 100 do for _ = 1, 6000 do a() end for _ = 1, 3000 do b() end "
         "for _ = 1, 1000 do c() end end",
         {.6, .3, .1},
         1e6,
         4096},
        {"after strings",
         "for i = 1, 100000 do a() a() a() local s = 'x' .. i b() s = i .. 'y' c() "
         "end",
         {.6, .2, .2},
         5e5,
         1024},
        {"without collections",
         "collectgarbage('stop') for i = 1, 100000 do a() a() b() c() end "
         "collectgarbage('restart')",
         {.5, .25, .25},
         4e5,
         512},
        {"generational",
         "collectgarbage('generational') for i = 1, 200000 do a() a() a() b() c() "
         "end collectgarbage('incremental')",
         {.6, .2, .2},
         1e6,
         1024},
    };
    for (size_t i = 0; i < sizeof rhythm / sizeof *rhythm; i++) {
        char script[1024];
        begin_ticking(false);
        snprintf(script, sizeof script, THREE "%s", rhythm[i].script);
        run(rhythm[i].ticks, script);
        judge(rhythm[i].name, rhythm[i].share, 50, rhythm[i].made);
    }
}

/* Where ticks are further apart, each sample stands for more. */
TEST(test_a_slow_part_counts_as_much) {
    begin_ticking(false);
    run(2048, THREE "for i = 1, 900000 do a() end A, B, C = a, b, c");
    run(128, "for i = 1, 60000 do B() end for i = 1, 40000 do C() end");
    ck_assert_uint_gt(sum_of(1, 3).samples, sum_of(1, 2).samples / 2);
    judge("slow", (const double[]){.9, .06, .04}, 500, 1e6);
}

TEST(test_frames) {
    begin_ticking(false);
    run(64, "local yield = coroutine.yield "
            "\nlocal function make() return {} end "
            "\nlocal function tail() return make() end "
            "\nfor i = 1, 10000 do tail() end " /* 4 */
            "\nlocal function inside() local t = {} return t end "
            "\nlocal function through() pcall(inside) end " /* 6 */
            "\nfor i = 1, 10000 do through() end "          /* 7 */
            "\nlocal co = coroutine.wrap(function() "
            "\n  while true do local t = {} yield() end end) " /* 9 */
            "\nfor i = 1, 10000 do co() end "                  /* 10 */
            "\nlocal function deep() return {}, 1 end "
            "\nlocal co2 = coroutine.wrap(function() "
            "\n  while true do deep() yield() end end) "                    /* 13 */
            "\nfor i = 1, 10000 do co2() end "                              /* 14 */
            "\nfor i = 1, 10000 do local s = ('x'):rep(100 + i % 7) end "); /* 15 */
    ck_assert_uint_ge(sum_of(2, 4).samples, 50);
    ck_assert_uint_ge(sum_of(2, 4).samples + 1, sum_of(2, 0).samples); /* and the closure itself */
    const LmpCallerRow *row = row_at(5);
    ck_assert(is_c(row->by[0], "pcall"));
    ck_assert(is_at(row->by[1], 6) && is_at(row->by[2], 7));
    row = row_at(9);
    ck_assert(is_c(row->by[0], "co"));
    ck_assert(is_at(row->by[1], 10));
    row = row_at(11);
    ck_assert(is_at(row->by[0], 13));
    ck_assert(is_c(row->by[1], "co")); /* the same function */
    ck_assert(is_at(row->by[2], 14));
    row = row_at(15); /* the function called is the line's own; there is C below the main chunk */
    ck_assert(!is_at(row->by[0], 15));
}

TEST(test_no_room) {
    begin_ticking(false);
    run(64, "local text = { 'local f = ... return {' } "
            "for i = 1, 400 do text[#text + 1] = '\\nfunction() local t = f() return t end,' end "
            "text[#text + 1] = '}' "
            "\nlocal function make() return {} end "
            "\nlocal by = load(table.concat(text), '=by')(make) "
            "\nfor i = 1, 400000 do by[i % 2 == 0 and 7 or i // 2 % 400 + 1]() end ");
    uint64_t rest = 0, most = 0, rows = 0;
    int32_t line = 0;
    LmpCallerRow all = sum_of(2, 0);
    for (uint32_t i = 0; i < LMP_CALLERS; i++) {
        const LmpCallerRow *row = &p->live->callers.row[i];
        if (!is_at(row->site, 2)) continue;
        rows++;
        if (row->rest) {
            ck_assert_uint_eq(row->by[0], 0);
            ck_assert_uint_eq(rest, 0);
            rest = row->samples;
        } else if (row->samples > most) {
            most = row->samples;
            line = p->tables.site[row->by[0]].line;
        }
    }
    ck_assert_int_eq(line, 8);
    ck_assert_uint_gt(rows, LMP_CALLERS / 2);
    ck_assert_uint_gt(rest, 0);
    ck_assert_double_eq_tol((double)most / all.samples, .5, 5 * .5 / sqrt(all.samples));
}

TEST(test_nobody_looks) {
    static const char *script = "for i = 1, 100000 do local t = {} end";
    begin_ticking(true); /* call paths are kept */
    run(64, script);
    ck_assert_uint_eq(p->live->callers.seq, 0);
    begin_ticking(false);
    atomic_store(&p->control->attached, 0);
    run(64, script);
    ck_assert_uint_eq(p->live->callers.seq, 0);
    atomic_store(&p->control->peak_wake, UINT64_MAX); /* somebody records */
    run(64, script);
    ck_assert_uint_gt(p->live->callers.seq, 0);
    LmpCallers copy;
    ck_assert(callers_copy(&p->live->callers, &copy));
    ck_assert_mem_eq(&copy, &p->live->callers, sizeof copy);
    atomic_fetch_add(&p->live->callers.seq, 1); /* its writer died there */
    ck_assert(!callers_copy(&p->live->callers, &copy));
    ck_assert_uint_eq(copy.row[0].site, 0);
}
