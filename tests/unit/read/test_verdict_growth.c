/* test_verdict_growth.c - the rules of verdicts on what grows, what only seems to, and peaks that
 * are gone. */
#include "verdict_fixture.h"

/* `step`: grows in so many rounds only; `frees`: of each hundred that are made, so many are freed.
 */
static void grow(Fixture *s, FakeSpot at, int rounds, int step, int frees) {
    FakeSpot collector = spot(s, 999, at.cls), work = spot(s, 40, LMP_C_USERDATA);
    for (int i = 1; i <= rounds; i++) {
        fake_made(s->f, work, 10, MIB / 4);
        fake_freed(s->f, work, collector, 10, MIB / 4, 10);
        if (i % step == 0) {
            fake_made(s->f, at, 100, 100 * 1024);
            if (frees) fake_freed(s->f, at, collector, frees, (uint64_t)frees * 1024, frees);
        }
        fake_grown(s->f, (uint64_t)i * 1000000000);
    }
}

/* Hash parts on a line, each a table's that has grown one by one to `entries`, a power of two. */
static void grow_table(Fixture *s, FakeSpot at, uint64_t tables, uint64_t entries) {
    uint64_t times = 0;
    while (2ull << times <= entries)
        times++;
    fake_made(s->f, at, tables * (times + 1), tables * 24 * (2 * entries - 1));
    fake_freed(s->f, at, at, tables * times, tables * 24 * (entries - 1), 0);
    s->f->t.site[at.site].how = LMP_HOW_GROWTH;
}

/* 2000 tables that are kept, and tables that grow on other lines: the one with about as many
 * entries, and no other, is where to look. */
START_TEST(growing_tables) {
    static const struct {
        uint64_t tables, entries;
        bool told;
    } row[] = {{1, 2048, true},  {1, 4096, true}, {2, 1024, true}, {1, 512, false},
               {1, 8192, false}, {256, 8, false}, {0, 1, false}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Fixture s = fixture_new();
        FakeSpot kept = spot(&s, 13, LMP_C_TABLE), at = spot(&s, 31, LMP_C_TABLE_PART);
        for (int step = 1; step <= 20; step++) {
            fake_made(s.f, kept, 100, 100 * 1024);
            if (step == 10 && row[i].tables) grow_table(&s, at, row[i].tables, row[i].entries);
            fake_grown(s.f, (uint64_t)step * 1000000000);
        }
        judge(&s);
        const Verdict *v = find(&s, "never-freed");
        ck_assert_ptr_nonnull(v);
        ck_assert_int_eq(v->line, 13);
        ck_assert_msg(
            (strstr(v->advice, "the table that game.lua:31 grows") != NULL) == row[i].told,
            "%u tables of %u: %s", (unsigned)row[i].tables, (unsigned)row[i].entries, v->advice);
        fixture_free(&s);
    }
}
END_TEST

/* Of a long path the end is told: file and line are what one looks for. */
START_TEST(a_holder_far_away) {
    Fixture s = fixture_new();
    uint32_t far =
        fake_function(s.f, LMP_F_MAIN, "@/srv/www/desk/gateway/current/modules/sessions/keeper.lua",
                      0, "main chunk");
    FakeSpot kept = spot(&s, 13, LMP_C_TABLE);
    FakeSpot at = {fake_site(s.f, far, 31, 0), 0, LMP_C_TABLE_PART, 0};
    for (int step = 1; step <= 20; step++) {
        fake_made(s.f, kept, 100, 100 * 1024);
        if (step == 10) grow_table(&s, at, 1, 2048);
        fake_grown(s.f, (uint64_t)step * 1000000000);
    }
    judge(&s);
    const char *advice = find(&s, "never-freed")->advice;
    ck_assert_str_eq(advice, "take entries out of the table that "
                             "desk/gateway/current/modules/sessions/keeper.lua:31 grows, or make "
                             "it weak");
    fixture_free(&s);
}
END_TEST

/* A table that was filled before, and does not grow any more, has nothing to do with it. */
START_TEST(tables_that_do_not_grow) {
    Fixture s = fixture_new();
    FakeSpot kept = spot(&s, 13, LMP_C_TABLE);
    grow_table(&s, spot(&s, 31, LMP_C_TABLE_PART), 1, 2048);
    for (int step = 1; step <= 20; step++) {
        fake_made(s.f, kept, 100, 100 * 1024);
        fake_grown(s.f, (uint64_t)step * 1000000000);
    }
    judge(&s);
    ck_assert_ptr_null(strstr(find(&s, "never-freed")->advice, "game.lua"));
    fixture_free(&s);
}
END_TEST

START_TEST(growth) {
    Fixture s = fixture_new();
    grow(&s, spot(&s, 13, LMP_C_TABLE), 20, 1, 0);
    judge(&s);
    expect_text(&s, "never-freed",
                "game.lua:13 has never freed anything: 2.0 k tables, 2.0 MiB held, +100.0 KiB/s");
    ck_assert_str_eq(s.verdicts.verdict[0].rule, "never-freed");
    ck_assert_ptr_null(find(&s, "grows"));
    ck_assert_ptr_null(find(&s, "no-growth"));
    ck_assert_ptr_null(find(&s, "some-growth"));
    fixture_free(&s);

    s = fixture_new();
    grow(&s, spot(&s, 13, LMP_C_TABLE), 20, 1, 30);
    judge(&s);
    expect_text(&s, "grows",
                "game.lua:13 grows by 70.0 KiB a full collection, +70.0 KiB/s: it holds 1.4 MiB, "
                "100 % of the heap");
    ck_assert_ptr_null(find(&s, "never-freed"));
    fixture_free(&s);

    s = fixture_new();
    grow(&s, spot(&s, 13, LMP_C_TABLE), 24, 5, 0);
    judge(&s);
    ck_assert_ptr_nonnull(find(&s, "grows-in-steps"));
    ck_assert_ptr_null(find(&s, "never-freed"));
    fixture_free(&s);

    s = fixture_new(); /* all that is made is freed */
    grow(&s, spot(&s, 13, LMP_C_TABLE), 20, 1, 100);
    judge(&s);
    expect_text(&s, "no-growth", "nothing grows over 20 full collections");
    ck_assert_ptr_null(find(&s, "grows"));
    fixture_free(&s);

    s = fixture_new(); /* too early to say */
    grow(&s, spot(&s, 13, LMP_C_TABLE), 3, 1, 0);
    s.ledger.clock = 0;
    judge(&s);
    expect_text(&s, "wait", "cannot tell yet whether anything grows: 9 more full collections");
    ck_assert_ptr_null(find(&s, "never-freed"));
    fixture_free(&s);
}
END_TEST

/* Each full collection comes after a longer time than the one before, as the heap grows: of each
 * hundred that are made `frees` are freed. */
static void grow_evenly(Fixture *s, double clock, int frees) {
    FakeSpot kept = spot(s, 13, LMP_C_TABLE);
    for (int i = 1; i <= 20; i++) {
        uint64_t n = (uint64_t)(clock * 0.6 / 1e6) * 100 + 100;
        clock *= 1.6;
        fake_made(s->f, kept, n, n * 100);
        if (frees)
            fake_freed(s->f, kept, spot(s, 999, LMP_C_TABLE), n * (uint64_t)frees / 100,
                       n * (uint64_t)frees, 0);
        fake_grown(s->f, (uint64_t)clock);
    }
    s->stats.seconds = clock / 1e9;
    judge_at(s, (uint64_t)clock);
}

/* What such a collection finds more is no step. */
START_TEST(even_growth_is_no_steps) {
    Fixture s = fixture_new();
    grow_evenly(&s, 1e7, 0);
    ck_assert_ptr_null(find(&s, "grows-in-steps"));
    ck_assert_ptr_nonnull(find(&s, "never-freed"));
    fixture_free(&s);
}
END_TEST

/* So does a start that reads for long: in its first minute nobody can tell the two apart. */
START_TEST(a_start_or_a_leak) {
    Fixture s = fixture_new();
    grow_evenly(&s, 1e6, 0); /* 12 seconds, less those until it held something */
    expect_text(&s, "fills-or-leaks",
                "game.lua:13 fills up or leaks: none of its 1.2 M tables freed in 11 s, 115.4 MiB "
                "held, +9.5 MiB/s");
    ck_assert_str_eq(find(&s, "fills-or-leaks")->advice,
                     "see whether it stops; if not, take out what is no longer needed");
    ck_assert_ptr_null(find(&s, "never-freed"));
    ck_assert_ptr_null(find(&s, "some-growth"));
    fixture_free(&s);

    s = fixture_new();
    grow_evenly(&s, 1e6, 20);
    expect_text(&s, "fills-or-leaks",
                "game.lua:13 fills up or leaks: 92.3 MiB held after 11 s, 100 % of the heap, "
                "+7.6 MiB/s");
    ck_assert_ptr_null(find(&s, "grows"));
    fixture_free(&s);

    s = fixture_new();
    grow_evenly(&s, 4.7e6, 0); /* 57 seconds */
    ck_assert_ptr_nonnull(find(&s, "fills-or-leaks"));
    fixture_free(&s);
    s = fixture_new();
    grow_evenly(&s, 5.2e6, 0); /* 63 */
    ck_assert_ptr_null(find(&s, "fills-or-leaks"));
    ck_assert_ptr_nonnull(find(&s, "never-freed"));
    fixture_free(&s);
}
END_TEST

/* A table that grows with it is named, as a condition. */
START_TEST(a_start_or_a_leak_with_a_holder) {
    Fixture s = fixture_new();
    FakeSpot at = spot(&s, 31, LMP_C_TABLE_PART);
    fake_made(s.f, at, 1, 100);
    fake_grown(s.f, 100000);
    grow_table(&s, at, 1, 1 << 20);
    grow_evenly(&s, 1e6, 0);
    const Verdict *v = find(&s, "fills-or-leaks");
    ck_assert_ptr_nonnull(v);
    ck_assert_str_eq(
        v->advice,
        "if it leaks: take entries out of the table that game.lua:31 grows, or make it weak");
    fixture_free(&s);
}
END_TEST

/* A step that the machine had no time for takes long: it is one by what was made meanwhile. */
START_TEST(a_step_that_takes_long) {
    Fixture s = fixture_new();
    FakeSpot kept = spot(&s, 13, LMP_C_TABLE), work = spot(&s, 40, LMP_C_USERDATA);
    uint64_t clock = 0;
    for (int i = 1; i <= 24; i++) {
        fake_made(s.f, work, 10, MIB / 4);
        fake_freed(s.f, work, spot(&s, 999, LMP_C_USERDATA), 10, MIB / 4, 10);
        if (i % 5 == 0) fake_made(s.f, kept, 100, 100 * 1024);
        clock += i == 15 ? 40000000000 : 1000000000;
        fake_grown(s.f, clock);
    }
    judge(&s);
    ck_assert_ptr_nonnull(find(&s, "grows-in-steps"));
    fixture_free(&s);
}
END_TEST

/* Lines that grow alike are one leak most of the time: each says how many others there are. One
 * that begins later, one that grows by next to nothing and one that does not grow are not meant. */
START_TEST(lines_that_grow_together) {
    Fixture s = fixture_new();
    FakeSpot one = spot(&s, 13, LMP_C_TABLE), two = spot(&s, 14, LMP_C_STRING),
             little = spot(&s, 15, LMP_C_STRING), late = spot(&s, 16, LMP_C_TABLE),
             still = spot(&s, 17, LMP_C_TABLE);
    fake_made(s.f, still, 1000, MIB);
    for (int i = 1; i <= 24; i++) {
        fake_made(s.f, one, 100, 200 * 1024);
        fake_made(s.f, two, 100, 100 * 1024);
        fake_made(s.f, little, 1, 100);
        if (i > 12) fake_made(s.f, late, 100, 300 * 1024);
        fake_grown(s.f, (uint64_t)i * 1000000000);
    }
    judge(&s);
    uint32_t lines = 0;
    for (uint32_t i = 0; i < s.verdicts.count; i++) {
        const Verdict *v = &s.verdicts.verdict[i];
        if (strcmp(v->rule, "never-freed") != 0) continue;
        lines++;
        ck_assert_msg((strstr(v->text, ", 1 more line grows alike") != NULL) ==
                          (v->line == 13 || v->line == 14),
                      "%d: %s", v->line, v->text);
    }
    ck_assert_uint_eq(lines, 3);
    fixture_free(&s);

    s = fixture_new();
    one = spot(&s, 13, LMP_C_TABLE), two = spot(&s, 14, LMP_C_STRING);
    FakeSpot three = spot(&s, 18, LMP_C_USERDATA);
    for (int i = 1; i <= 24; i++) {
        fake_made(s.f, one, 100, 200 * 1024);
        fake_made(s.f, two, 100, 100 * 1024);
        fake_made(s.f, three, 30, 100 * 1024);
        fake_grown(s.f, (uint64_t)i * 1000000000);
    }
    judge(&s);
    expect_text(&s, "never-freed",
                "game.lua:13 has never freed anything: 2.4 k tables, 4.7 MiB held, +200.0 KiB/s, 2 "
                "more lines grow alike");
    fixture_free(&s);
}
END_TEST

/* Strings stay in weak tables, and listeners may be in no other. */
START_TEST(weak_is_advised_where_it_helps) {
    static const struct {
        unsigned cls;
        bool weak;
    } row[] = {{LMP_C_TABLE, true},
               {LMP_C_STRING, false},
               {LMP_C_FUNCTION, false},
               {LMP_C_USERDATA, true}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Fixture s = fixture_new();
        grow(&s, spot(&s, 13, row[i].cls), 20, 1, 0);
        judge(&s);
        const Verdict *v = find(&s, "never-freed");
        ck_assert_ptr_nonnull(v);
        ck_assert_msg((strstr(v->advice, "weak") != NULL) == row[i].weak, "%zu: %s", i, v->advice);
        fixture_free(&s);
    }
}
END_TEST

START_TEST(samples_are_no_proof) {
    Fixture s = fixture_new();
    grow(&s, spot(&s, 13, LMP_C_TABLE), 20, 1, 0);
    s.f->live->tables.sample = 4096;
    judge(&s);
    ck_assert_ptr_null(find(&s, "never-freed")); /* of those that were drawn, none was */
    ck_assert_ptr_nonnull(find(&s, "grows"));
    fixture_free(&s);
}
END_TEST

START_TEST(a_string_that_is_built_is_no_leak) {
    Fixture s = fixture_new();
    FakeSpot at = spot(&s, 25, LMP_C_STRING);
    grow(&s, at, 20, 1, 99);
    joins(&s, at.site, at.site, 9, 9);
    judge(&s);
    ck_assert_ptr_nonnull(find(&s, "quadratic-concat"));
    ck_assert_ptr_null(find(&s, "grows"));
    ck_assert_ptr_null(find(&s, "some-growth"));
    fixture_free(&s);
}
END_TEST

START_TEST(a_peak_that_is_gone) {
    Fixture s = fixture_new();
    FakeSpot at = spot(&s, 12, LMP_C_TABLE);
    rest(&s, MIB);
    fake_made(s.f, at, 1000, 9 * MIB);
    s.stats.peak_bytes = 10 * MIB;
    fake_freed(s.f, at, spot(&s, 999, LMP_C_TABLE), 1000, 9 * MIB, 0);
    s.history.used = 10;
    s.history.interval = 1;
    for (int i = 0; i < 10; i++)
        s.history.samples[i].max_bytes = i < 4 ? 10 * MIB : 2 * MIB;
    judge(&s);
    expect_text(
        &s, "peak-from-temporary",
        "game.lua:12 held 9.0 MiB of the peak of 10.0 MiB, and nothing now: for 60 % of the "
        "time half was enough");
    for (int i = 0; i < 10; i++) /* a heap that is so high most of the time has no spike */
        s.history.samples[i].max_bytes = i < 6 ? 10 * MIB : 2 * MIB;
    judge(&s);
    ck_assert_ptr_null(find(&s, "peak-from-temporary"));
    s.history.used = 7;
    for (int i = 0; i < 10; i++)
        s.history.samples[i].max_bytes = i < 1 ? 10 * MIB : 2 * MIB;
    judge(&s);
    ck_assert_ptr_null(find(&s, "peak-from-temporary"));
    fixture_free(&s);
}
END_TEST

SUITE("verdict_growth", lines_that_grow_together, even_growth_is_no_steps, a_start_or_a_leak,
      a_start_or_a_leak_with_a_holder, a_step_that_takes_long, weak_is_advised_where_it_helps,
      growth, growing_tables, a_holder_far_away, tables_that_do_not_grow, samples_are_no_proof,
      a_string_that_is_built_is_no_leak, a_peak_that_is_gone)
