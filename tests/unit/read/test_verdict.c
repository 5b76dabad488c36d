/* test_verdict.c - the rules of verdicts on made tables: each where it holds and where it only
 * nearly does, their order, and that whatever stands in the tables does no harm. What grows or was
 * a peak: test_verdict_growth.c; tables that are made anew: test_verdict_tables.c. Whole programs:
 * tests/judged/batch. */
#include "verdict_fixture.h"

/* ---- strings --------------------------------------------------------------------------------- */

TEST(strings_built_up) {
    FakeSpot at = spot(25, LMP_C_STRING);
    drop(at, 100, 100 * MIB, 99, 99);
    joins(at.site, at.site, 9, 9);
    judge();
    expect_text("quadratic-concat",
                "game.lua:25 copies 2.0 MiB at each `..` by now: 100 % of all bytes");
    s.ledger.when = LEDGER_THEN;
    judge();
    expect_text("quadratic-concat",
                "game.lua:25 copies 2.0 MiB at each `..` by then: 100 % of all bytes");
    s.ledger.when = LEDGER_END;
    judge();
    expect_text("quadratic-concat",
                "game.lua:25 copies 2.0 MiB at each `..` at the end: 100 % of all bytes");
    ck_assert_str_eq(s.verdicts.verdict[0].rule, "quadratic-concat");
    ck_assert_int_eq(s.verdicts.verdict[0].line, 25);
    ck_assert_ptr_null(find("short-lived-strings")); /* that would say less of the same */
    /* looks that have met it once say nothing, nor do those that mostly saw something else */
    joins(at.site, at.site, 1, 1);
    ck_assert_ptr_null(judged("quadratic-concat"));
    joins(at.site, at.site, 9, 4);
    ck_assert_ptr_null(judged("quadratic-concat"));
    /* made of another line's string, which is made of none */
    joins(at.site, spot(24, LMP_C_STRING).site, 9, 9);
    ck_assert_ptr_null(judged("quadratic-concat"));
}

TEST(strings_built_up_by_lines) {
    uint32_t site[3];
    for (int i = 0; i < 3; i++) {
        FakeSpot at = spot(25 + i, LMP_C_STRING);
        drop(at, 100, 100 * MIB, 99, 99);
        site[i] = at.site;
    }
    for (int i = 0; i < 3; i++)
        joins(site[i], site[(i + 2) % 3], 9, 9);
    judge();
    expect_text("quadratic-concat",
                "game.lua:25 copies 2.0 MiB at each `..` by now: 33 % of all bytes, "
                "3 lines together");
    /* a way that leads into a circle, but not back */
    joins(site[0], site[1], 9, 9);
    joins(site[1], site[2], 9, 9);
    joins(site[2], site[1], 9, 9);
    judge();
    for (uint32_t i = 0; i < s.verdicts.count; i++)
        if (strcmp(s.verdicts.verdict[i].rule, "quadratic-concat") == 0)
            ck_assert_int_ne(s.verdicts.verdict[i].line, 25);
}

/* As much each time, of what another line made: the copies are dropped. */
TEST(steady_copies) {
    static const struct {
        uint64_t count, bytes, freed;
        uint32_t fed;
        bool told;
    } row[] = {{100, 2 * MIB, 99, 9, true},
               {99, 2 * MIB, 99, 9, false},
               {2100, 2 * MIB, 2000, 9, false}, /* of less than a KiB */
               {100, 2 * MIB, 50, 9, false},    /* kept */
               {100, 2 * MIB, 99, 4, false}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        begin();
        FakeSpot at = spot(12, LMP_C_STRING);
        drop(at, row[i].count, row[i].bytes, row[i].freed, 0);
        joins(at.site, spot(2, LMP_C_STRING).site, 9, row[i].fed);
        ck_assert_msg((judged("steady-copies") != NULL) == row[i].told, "row %zu", i);
        if (row[i].told)
            expect_text("steady-copies",
                        "game.lua:12 copies 20.5 KiB at each `..`, 100 times: 100 % of all bytes");
    }
}

/* Strings that are put together piece by piece are told of table.concat where none is large, too.
 */
TEST(small_strings_built_up) {
    for (int built = 0; built < 2; built++) {
        begin();
        FakeSpot at = spot(6, LMP_C_STRING);
        drop(at, 20000, 2 * MIB, 20000, 20000);
        joins(at.site, built ? at.site : spot(5, LMP_C_STRING).site, 9, 9);
        const Verdict *v = judged("short-lived-strings");
        ck_assert_ptr_nonnull(v);
        ck_assert_int_eq(strstr(v->advice, "table.concat") != NULL, built);
    }
}

TEST(the_same_string) {
    FakeSpot at = spot(7, LMP_C_STRING);
    drop(at, 2000, 2 * MIB, 2000, 2000);
    LmpSite *row = &s.f->t.site[at.site];
    row->texts = 20;
    row->same = 16;
    judge();
    expect_text("same-string",
                "game.lua:7 makes the same string of 1.0 KiB again and again: 16 of 20 looked at, "
                "2.0 k made, 100 % of all bytes");
    row->same = 15;
    ck_assert_ptr_null(judged("same-string"));
    row->texts = row->same = 11;
    ck_assert_ptr_null(judged("same-string"));
    expect_text(
        "short-lived-strings",
        "game.lua:7 makes 100 % of all garbage: 2.0 k strings, 1.0 k a second, each gone by "
        "the next collection");
}

/* ---- tables, functions, coroutines ----------------------------------------------------------- */

TEST(dropped_soon) {
    static const struct {
        unsigned cls;
        const char *rule, *sentence;
    } row[] = {
        {LMP_C_STRING, "short-lived-strings",
         "game.lua:4 makes 100 % of all garbage: 5.0 k strings, 2.5 k a second, nearly all gone by "
         "the next collection"},
        {LMP_C_TABLE, "short-lived-tables",
         "game.lua:4 makes 100 % of all garbage: 5.0 k tables, 2.5 k a second, nearly all gone by "
         "the next collection"},
        {LMP_C_FUNCTION, "short-lived-closures",
         "game.lua:4 makes 99 % of all allocations: 5.0 k functions (counted where they end), 2.5 "
         "k a second, "
         "nearly all gone by the next collection"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        begin();
        FakeSpot at = spot(4, row[i].cls);
        drop(at, 5000, 5000 * 1024, 4500, 4200);
        rest(MIB);
        judge();
        expect_text(row[i].rule, row[i].sentence);

        begin(); /* as many, but they live longer */
        drop(spot(4, row[i].cls), 5000, 5000 * 1024, 4500, 2200);
        ck_assert_ptr_null(judged(row[i].rule));

        begin(); /* or stay */
        drop(spot(4, row[i].cls), 5000, 5000 * 1024, 2500, 2500);
        ck_assert_ptr_null(judged(row[i].rule));

        begin(); /* or are next to nothing beside the rest */
        drop(spot(4, row[i].cls), 1500, 1500 * 64, 1500, 1500);
        fake_made(s.f, spot(500, LMP_C_USERDATA), 1 << 20, 100 * MIB);
        ck_assert_ptr_null(judged(row[i].rule));
    }
}

/* What lives longer, a few at a time. */
TEST(turned_over) {
    drop(spot(3, LMP_C_TABLE), 10000, 4 * MIB, 9600, 100);
    judge();
    expect_text("short-lived-tables",
                "game.lua:3 makes 100 % of all garbage: 10 k tables, 5.0 k a second, 400 live at a "
                "time");
    begin(); /* strings are not filled again */
    drop(spot(3, LMP_C_STRING), 10000, 4 * MIB, 9600, 100);
    ck_assert_ptr_null(judged("short-lived-strings"));
    begin();
    drop(spot(3, LMP_C_TABLE), 10000, 4 * MIB, 9400, 100);
    ck_assert_ptr_null(judged("short-lived-tables"));
}

TEST(coroutines) {
    FakeSpot at = spot(4, LMP_C_THREAD), stack = spot(4, LMP_C_THREAD_PART);
    drop(at, 400, MIB, 330, 100);
    drop(stack, 400, MIB, 330, 100);
    judge();
    expect_text(
        "short-lived-coroutines",
        "game.lua:4 makes 400 coroutines, 200 a second, and drops them, 5.1 KiB each: 100 % "
        "of all bytes");
    begin();
    drop(spot(4, LMP_C_THREAD), 400, 2 * MIB, 310, 310);
    ck_assert_ptr_null(judged("short-lived-coroutines"));
}

TEST(load_in_a_loop) {
    FakeSpot at = {fake_site(s.f, s.function, 3, s.load), 0, LMP_C_FUNCTION, 0}, code = at;
    code.cls = LMP_C_FUNCTION_PART;
    fake_made(s.f, at, 100, MIB);
    fake_made(s.f, code, 900, MIB);
    rest(2 * MIB);
    judge();
    expect_text("load-in-loop",
                "game.lua:3 compiles code 100 times, 50 a second: 50 % of all bytes");
    begin(); /* another function of the same name */
    uint32_t other = fake_function(s.f, LMP_F_C, "=[C]", -1, "function 'cjson.load'");
    FakeSpot by = {fake_site(s.f, s.function, 3, other), 0, LMP_C_FUNCTION, 0};
    fake_made(s.f, by, 100, 2 * MIB);
    ck_assert_ptr_null(judged("load-in-loop"));
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void cycles(uint64_t n, uint64_t freed, uint64_t left) {
    s.gc.cycles = s.gc.full = n;
    for (uint64_t i = 0; i < LMP_GC_RING; i++)
        s.gc.ring[i] = (LmpGcCycle){.freed_bytes = freed, .live_bytes = left};
}

TEST(the_collector) {
    rest(4 * MIB);
    cycles(3, 3 * MIB, MIB);
    judge();
    expect_text(
        "collects-late",
        "collections come late: 75 % of the heap is garbage by then (3.0 MiB freed, 1.0 MiB "
        "left)");
    expect_text("last-collection", "the last full collection freed 75 % of the heap");
    cycles(3, 3 * MIB - MIB / 8, MIB);
    ck_assert_ptr_null(judged("collects-late"));
    cycles(2, 3 * MIB, MIB);
    ck_assert_ptr_null(judged("collects-late"));
    cycles(9, MIB / 16, MIB);
    ck_assert_ptr_null(judged("last-collection"));
    s.stats.gc_mode = LMP_GC_GENERATIONAL;
    cycles(9, 3 * MIB, MIB);
    s.gc.full = 4;
    ck_assert_ptr_null(judged("collects-late"));
    ck_assert_ptr_null(find("last-collection"));
}

TEST(survivors) {
    s.stats.gc_mode = LMP_GC_GENERATIONAL;
    cycles(8, MIB, MIB);
    FakeSpot at = spot(4, LMP_C_TABLE);
    fake_made(s.f, at, 20000, 20 * MIB);
    fake_freed(s.f, at, spot(999, LMP_C_TABLE), 15000, 15 * MIB, 9000);
    judge();
    expect_text("survivors",
                "55 % of all blocks outlive their first collection, in generational mode");
    s.gc.cycles = 7;
    ck_assert_ptr_null(judged("survivors"));
    s.gc.cycles = 8;
    fake_made(s.f, at, 1010, 1 * MIB); /* of 12,010 that outlived it less than half are freed */
    ck_assert_ptr_null(judged("survivors"));
    fake_freed(s.f, at, spot(999, LMP_C_TABLE), 10, 1000, 0);
    ck_assert_ptr_nonnull(judged("survivors"));
    s.stats.gc_mode = LMP_GC_INCREMENTAL;
    ck_assert_ptr_null(judged("survivors"));
}

static void worst_frame(uint64_t number, uint64_t bytes, double at) {
    LmpLapList *worst = &s.stats.worst_frames;
    worst->row[worst->count++] =
        (LmpLapStats){.number = number, .bytes = bytes, .allocs = 9, .at = at};
}

TEST(frames_that_make_far_more) {
    s.stats.frames = 3612;
    s.stats.frame_median_bytes = 1u << 20;
    worst_frame(3120, 14u << 20, 12.4);
    judge();
    expect_text(
        "frame-spikes",
        "1 of 3,612 frames made 14.0 MiB (frame 3,120, at 00:00:12): half of them make at most 1.0 "
        "MiB");
    ck_assert_double_eq(find("frame-spikes")->figure[1].value, 3120);
    worst_frame(7, 7u << 20, 3);
    worst_frame(9, (7u << 20) - 1, 3);
    judge();
    expect_text("frame-spikes",
                "2 of 3,612 frames made up to 14.0 MiB (frame 3,120, at 00:00:12): half of them "
                "make at most 1.0 MiB");
    s.stats.frame_median_bytes = 0;
    s.stats.frames = 60;
    for (uint32_t i = 0; s.stats.worst_frames.count < LMP_LAPS_WORST; i++)
        worst_frame(10 + i, 1, 3);
    for (uint32_t i = 0; i < LMP_LAPS_WORST; i++)
        s.stats.worst_frames.row[i].bytes = 256u << 10;
    judge();
    expect_text("frame-spikes",
                "16 or more of 60 frames made up to 256.0 KiB (frame 3,120, at 00:00:12): half of "
                "them make at most 0 B");
    s.stats.frames = 59; /* too few to say what is usual */
    ck_assert_ptr_null(judged("frame-spikes"));
    s.stats.frames = 60;
    s.stats.frame_median_bytes = 32u << 10;
    ck_assert_ptr_nonnull(judged("frame-spikes"));
    s.stats.frame_median_bytes++; /* less than eight times */
    ck_assert_ptr_null(judged("frame-spikes"));
    s.stats.frame_median_bytes = 0;
    s.stats.worst_frames.row[0].bytes--; /* too little for anybody to notice */
    ck_assert_ptr_null(judged("frame-spikes"));
}

TEST(outside) {
    rest(4 * MIB);
    s.rss = 100 * MIB;
    judge();
    expect_text("outside-lua",
                "at least 96.0 MiB of the program's 100.0 MiB are outside Lua's heap");
    s.stats.peak_bytes = 51 * MIB; /* what was freed may not have been given back */
    ck_assert_ptr_null(judged("outside-lua"));
    s.stats.peak_bytes = 4 * MIB;
    s.rss = 19 * MIB;
    ck_assert_ptr_null(judged("outside-lua"));
}

TEST(always_something) {
    s.f->live->tables.lines = LMP_LINES_OFF;
    judge();
    ck_assert_uint_eq(s.verdicts.count, 1);
    expect_text("unknown", "which line makes what is not known: lines are off");
    s.f->live->tables.lines = LMP_LINES_EXACT;
    s.stats.gc_mode = LMP_GC_UNKNOWN;
    judge();
    expect_text("unknown", "whether anything grows is not known: collections cannot be seen here");
}

/* More lines grow than are kept: the best are, in order. */
TEST(the_best_are_kept) {
    enum { LINES = 2 * VERDICTS };
    for (int round = 1; round <= 20; round++) {
        for (int i = 1; i <= LINES; i++)
            fake_made(s.f, spot(i, LMP_C_TABLE), 100, 100000 + 1000 * (unsigned)i);
        fake_grown(s.f, (uint64_t)round * 1000000000);
    }
    judge();
    ck_assert_uint_eq(s.verdicts.count, VERDICTS);
    for (uint32_t i = 0; i < VERDICTS; i++)
        ck_assert_int_eq(s.verdicts.verdict[i].line, LINES - (int)i);
}

/* Rows that no program writes. */
TEST(damage) {
    FakeSpot at = spot(25, LMP_C_STRING);
    drop(at, 100, 100 * MIB, 99, 99);
    joins(at.site, at.site, 9, 9);
    LmpSite *row = &s.f->t.site[at.site], sound = *row;
    LmpRecord *record = &s.f->t.record[fake_record(s.f, at.site, LMP_C_STRING, 0)];
    for (int i = 0; i < 5000; i++) {
        uint32_t word = (uint32_t)suite_random() >> suite_below(32);
        memcpy((char *)row + 4 * suite_below(sizeof *row / 4), &word, sizeof word);
        record->next = (uint32_t)suite_random() >> suite_below(32);
        s.gc.cycles = suite_random();
        s.history.used = (uint32_t)suite_random();
        judge();
        memcpy(row, &sound, sizeof sound);
    }
}
