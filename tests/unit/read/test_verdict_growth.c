/* test_verdict_growth.c - the rules of verdicts on what grows, what only seems to, and peaks that
 * are gone. */
#include "verdict_fixture.h"

#include "read/verdict/verdict_impl.h"

/* `step`: grows in so many rounds only; `frees`: of each hundred that are made, so many are freed.
 */
static void grow(FakeSpot at, int rounds, int step, int frees) {
    FakeSpot collector = spot(999, at.cls), work = spot(40, LMP_C_USERDATA);
    for (int i = 1; i <= rounds; i++) {
        fake_made(s.f, work, 10, MIB / 4);
        fake_freed(s.f, work, collector, 10, MIB / 4, 10);
        if (i % step == 0) {
            fake_made(s.f, at, 100, 100 * 1024);
            if (frees) fake_freed(s.f, at, collector, frees, (uint64_t)frees * 1024, frees);
        }
        fake_grown(s.f, (uint64_t)i * 1000000000);
    }
}

/* Hash parts on a line, each a table's that has grown one by one to `entries`, a power of two. */
static void grow_table(FakeSpot at, uint64_t tables, uint64_t entries) {
    uint64_t times = 0;
    while (2ull << times <= entries)
        times++;
    fake_made(s.f, at, tables * (times + 1), tables * 24 * (2 * entries - 1));
    fake_freed(s.f, at, at, tables * times, tables * 24 * (entries - 1), 0);
    s.f->t.site[at.site].how = LMP_HOW_GROWTH;
}

/* 2000 tables that are kept, and tables that grow on other lines: the one with about as many
 * entries, and no other, is where to look. */
TEST(growing_tables) {
    static const struct {
        uint64_t tables, entries;
        bool told;
    } row[] = {{1, 2048, true},  {1, 4096, true}, {2, 1024, true}, {1, 512, false},
               {1, 8192, false}, {256, 8, false}, {0, 1, false}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        begin();
        FakeSpot kept = spot(13, LMP_C_TABLE), at = spot(31, LMP_C_TABLE_PART);
        for (int step = 1; step <= 20; step++) {
            fake_made(s.f, kept, 100, 100 * 1024);
            if (step == 10 && row[i].tables) grow_table(at, row[i].tables, row[i].entries);
            fake_grown(s.f, (uint64_t)step * 1000000000);
        }
        const Verdict *v = judged("never-freed");
        ck_assert_ptr_nonnull(v);
        ck_assert_int_eq(v->line, 13);
        ck_assert_msg(
            (strstr(v->advice, "the table that game.lua:31 grows") != NULL) == row[i].told,
            "%u tables of %u: %s", (unsigned)row[i].tables, (unsigned)row[i].entries, v->advice);
    }
}

/* Each of a hundred coroutines fills a list of its own on line 13; what grows is where they are
 * kept, on line 31. */
TEST(many_small_tables) {
    static const struct {
        uint64_t tables, entries;
        const char *told;
    } row[] = {{100, 32, "game.lua:31 grows"}, {1, 2048, "grows here"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        begin();
        FakeSpot kept = spot(13, LMP_C_TABLE), part = spot(13, LMP_C_TABLE_PART);
        for (int step = 1; step <= 20; step++) {
            fake_made(s.f, kept, 100, 100 * 1024);
            if (step == 10) grow_table(part, row[i].tables, row[i].entries);
            if (step == 10) grow_table(spot(31, LMP_C_TABLE_PART), 1, 128);
            fake_grown(s.f, (uint64_t)step * 1000000000);
        }
        const Verdict *v = judged("never-freed");
        ck_assert_ptr_nonnull(v);
        ck_assert_int_eq(v->line, 13);
        ck_assert_msg(strstr(v->advice, row[i].told) != NULL, "row %zu: %s", i, v->advice);
    }
}

/* Of a long path the end is told: file and line are what one looks for. */
TEST(a_holder_far_away) {
    uint32_t far =
        fake_function(s.f, LMP_F_MAIN, "@/srv/www/desk/gateway/current/modules/sessions/keeper.lua",
                      0, "main chunk");
    FakeSpot kept = spot(13, LMP_C_TABLE);
    FakeSpot at = {fake_site(s.f, far, 31, 0), 0, LMP_C_TABLE_PART, 0};
    for (int step = 1; step <= 20; step++) {
        fake_made(s.f, kept, 100, 100 * 1024);
        if (step == 10) grow_table(at, 1, 2048);
        fake_grown(s.f, (uint64_t)step * 1000000000);
    }
    judge();
    const char *advice = find("never-freed")->advice;
    ck_assert_str_eq(advice,
                     "take entries out of the table that keeper.lua:31 grows, or make it weak");
}

/* Of a path as much is told as no other file's ends in. */
TEST(paths_are_as_short_as_can_be) {
    static const struct {
        const char *path, *other, *name;
    } row[] = {
        {"@./cache.lua", "@/srv/app/server.lua", "cache.lua:13"},
        {"@/srv/app/init.lua", "@/srv/lib/init.lua", "app/init.lua:13"},
        {"@init.lua", "@lib/init.lua", "init.lua:13"},
        {"@a/x/init.lua", "@b/x/init.lua", "a/x/init.lua:13"},
        {"@xinit.lua", "@init.lua", "xinit.lua:13"},
        {"=[string]", "@init.lua", "[string]:13"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        begin();
        char name[80];
        const char *at[2] = {row[i].path, row[i].other};
        for (int k = 0; k < 2; k++) {
            uint32_t f = fake_function(s.f, LMP_F_MAIN, at[k], 0, "main chunk");
            fake_made(s.f, (FakeSpot){fake_site(s.f, f, 13 + k, 0), 0, LMP_C_TABLE, 0}, 10, 1000);
        }
        ck_assert_int_eq(ledger_refresh(&s.ledger, &s.f->t, LEDGER_SITES, 1), LMP_OK);
        for (uint32_t k = 0; k < s.ledger.sites; k++)
            if (s.ledger.site[k].line == 13)
                ck_assert_str_eq(verdict_name(name, &s.ledger, &s.ledger.site[k]), row[i].name);
    }
}

/* ---- by references --------------------------------------------------------------------------- */

/* A table that a line grows, with so many entries at each of ten moments; under each is an object
 * of line 13. */
static void contain(uint32_t row, int line, const uint64_t entries[10]) {
    LmpContainers *all = &s.f->live->containers;
    LmpContainer *c = &all->row[row];
    FakeSpot part = spot(line, LMP_C_TABLE_PART);
    fake_made(s.f, part, 1, entries[9] * 24);
    *c = (LmpContainer){.site = part.site, .tables = 1, .entries = entries[9]};
    for (int i = 0; i < 10; i++) {
        c->entries_at[i] = entries[i];
        c->tables_at[i] = 1;
    }
    c->line[0] = (LmpContained){spot(13, LMP_C_TABLE).site, LMP_CONTAINER_EACH};
    all->rows = row + 1;
    all->moments = 10;
    all->looks = 10;
    all->interval = 2000000000;
    all->clock = 20000000000;
}

static const uint64_t even[] = {200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000};
static const uint64_t full[] = {2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000};
static const uint64_t fills[] = {800, 1300, 1600, 1750, 1820, 1850, 1870, 1880, 1880, 1880};
static const uint64_t stops[] = {250, 500, 750, 1000, 1250, 1500, 1750, 2000, 2000, 2000};
static const uint64_t sways[] = {900, 1900, 300, 1200, 2000, 600, 1500, 400, 1300, 2000};

/* Who keeps what line 13 makes and never frees is told by the references, if it still takes
 * entries; where it does not, line 13 does not leak. */
TEST(who_keeps_it) {
    static const struct {
        const uint64_t *first, *second; /* lines 31 and 8 */
        bool told;                      /* line 31 */
    } row[] = {{even, NULL, true}, {even, full, true}, {full, NULL, false}, {fills, NULL, false}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        begin();
        grow(spot(13, LMP_C_TABLE), 20, 1, 0);
        contain(0, 31, row[i].first);
        if (row[i].second) contain(1, 8, row[i].second);
        ck_assert_msg((judged("table-grows") != NULL) == row[i].told, "row %zu", i);
        if (row[i].told)
            expect_text("table-grows",
                        "game.lua:31 keeps what it is given: 2.0 MiB in a table of 2.0 k entries, "
                        "+102.3 KiB/s, made by game.lua:13");
        ck_assert_ptr_null(find("never-freed"));
        ck_assert_ptr_null(find("some-growth"));
    }
}

/* Another line that makes a little of what is kept is not said to make it. */
TEST(who_makes_most_of_it) {
    FakeSpot own = spot(31, LMP_C_TABLE), little = spot(13, LMP_C_STRING);
    for (int i = 1; i <= 20; i++) {
        fake_made(s.f, own, 100, 100 * 1024);
        fake_made(s.f, little, 100, 7 * 1024);
        fake_grown(s.f, (uint64_t)i * 1000000000);
    }
    contain(0, 31, even);
    const Verdict *v = judged("table-grows");
    ck_assert_ptr_nonnull(v);
    ck_assert_ptr_null(strstr(v->text, "made by"));
}

/* Tables that are all new: more of them are no growth of a table, and are not told of; where each
 * takes entries they are. */
TEST(new_tables) {
    static const uint64_t more[] = {0, 0, 0, 0, 0, 0, 40, 120, 200, 300};
    static const uint32_t tables[] = {0, 0, 0, 0, 0, 0, 2, 6, 10, 15};
    for (int takes = 0; takes < 2; takes++) {
        begin();
        grow(spot(13, LMP_C_TABLE), 20, 1, 0);
        contain(0, 31, more);
        LmpContainer *c = &s.f->live->containers.row[0];
        c->line[0].each = 7 * LMP_CONTAINER_EACH;
        c->tables = takes ? 2 : 15;
        for (int i = 0; i < 10; i++)
            c->tables_at[i] = takes && tables[i] ? 2 : tables[i];
        ck_assert_int_eq(judged("table-grows") != NULL, takes);
    }
}

/* Both keep it: which holds more is said. */
TEST(two_that_keep_it) {
    grow(spot(13, LMP_C_TABLE), 20, 1, 0);
    contain(0, 31, even);
    contain(1, 8, even);
    s.f->live->containers.row[1].line[0].each /= 2;
    judge();
    ck_assert_uint_ge(s.verdicts.count, 2);
    ck_assert_int_eq(s.verdicts.verdict[0].line, 31);
    ck_assert_ptr_nonnull(strstr(s.verdicts.verdict[0].text, ", the most of 2 that grow"));
    ck_assert_int_eq(s.verdicts.verdict[1].line, 8);
    ck_assert_ptr_nonnull(strstr(s.verdicts.verdict[1].text, ", less than game.lua:31's"));
}

/* Before there are enough full collections: a table that took entries all the time is told of after
 * ten seconds; one that fills up, or loses some, is not. */
TEST(before_it_can_be_told) {
    static const struct {
        const uint64_t *entries;
        uint64_t interval;
        bool told;
    } row[] = {{even, 1200000000, true},   {even, 900000000, false},   {full, 1200000000, false},
               {fills, 1200000000, false}, {stops, 1600000000, false}, {sways, 1200000000, false}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        begin();
        fake_made(s.f, spot(13, LMP_C_TABLE), 2000, MIB);
        contain(0, 31, row[i].entries);
        s.f->live->containers.interval = row[i].interval;
        s.f->live->containers.clock = 10 * row[i].interval;
        ck_assert_msg((judged("table-grows") != NULL) == row[i].told, "row %zu", i);
        ck_assert_msg((find("wait") != NULL) == !row[i].told, "row %zu", i);
    }
}

/* What a table takes all the time, but next to nothing of the heap, is not named; then one waits.
 */
TEST(too_little_to_be_named) {
    rest(100 * MIB);
    fake_made(s.f, spot(13, LMP_C_TABLE), 2000, 8000);
    contain(0, 31, even);
    ck_assert_ptr_null(judged("table-grows"));
    ck_assert_ptr_nonnull(find("wait"));
}

/* A script that is too short for full collections, whose heap rises: what is held goes before what
 * is freed. */
TEST(held_before_freed) {
    for (int rises = 0; rises < 2; rises++) {
        begin();
        s.stats.seconds = 8;
        s.history.used = 64;
        for (uint64_t i = 0; i < 64; i++) {
            uint64_t bytes = rises ? i * MIB : 64 * MIB;
            s.history.samples[i].max_bytes = bytes + MIB;
            s.history.samples[i].min_bytes = bytes;
        }
        fake_made(s.f, spot(13, LMP_C_TABLE), 100000, 60 * MIB);
        drop(spot(14, LMP_C_STRING), 1000000, 100000000, 990000, 990000);
        judge();
        ck_assert_str_eq(s.verdicts.verdict[0].rule,
                         rises ? "fills-or-leaks" : "short-lived-strings");
        if (rises)
            expect_text("fills-or-leaks",
                        "game.lua:13 fills up or leaks: none of its 100 k tables freed in 8.0 s, "
                        "60.0 MiB held, +7.5 MiB/s");
    }
}

/* A table that was filled before, and does not grow any more, has nothing to do with it. */
TEST(tables_that_do_not_grow) {
    FakeSpot kept = spot(13, LMP_C_TABLE);
    grow_table(spot(31, LMP_C_TABLE_PART), 1, 2048);
    for (int step = 1; step <= 20; step++) {
        fake_made(s.f, kept, 100, 100 * 1024);
        fake_grown(s.f, (uint64_t)step * 1000000000);
    }
    ck_assert_ptr_null(strstr(judged("never-freed")->advice, "game.lua"));
}

/* What never goes, in words of Lua. */
TEST(what_is_held_is_named) {
    static const struct {
        unsigned cls;
        const char *words;
    } row[] = {{LMP_C_TABLE, "2.0 k tables,"},
               {LMP_C_FUNCTION, "2.0 k functions (counted where they end),"},
               {LMP_C_TABLE_PART, "2.0 k blocks of table entries,"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        begin();
        grow(spot(13, row[i].cls), 20, 1, 0);
        ck_assert_ptr_nonnull(strstr(judged("never-freed")->text, row[i].words));
    }
}

TEST(growth) {
    grow(spot(13, LMP_C_TABLE), 20, 1, 0);
    judge();
    expect_text("never-freed",
                "game.lua:13 has never freed anything: 2.0 k tables, 2.0 MiB held, +100.0 KiB/s");
    ck_assert_str_eq(s.verdicts.verdict[0].rule, "never-freed");
    ck_assert_ptr_null(find("grows"));
    ck_assert_ptr_null(find("no-growth"));
    ck_assert_ptr_null(find("some-growth"));

    begin();
    grow(spot(13, LMP_C_TABLE), 20, 1, 30);
    judge();
    expect_text("grows",
                "game.lua:13 grows by 70.0 KiB a full collection, +70.0 KiB/s: it holds 1.4 MiB, "
                "100 % of the heap");
    ck_assert_ptr_null(find("never-freed"));

    begin();
    grow(spot(13, LMP_C_TABLE), 24, 5, 0);
    ck_assert_ptr_nonnull(judged("grows-in-steps"));
    ck_assert_ptr_null(find("never-freed"));

    begin(); /* all that is made is freed */
    grow(spot(13, LMP_C_TABLE), 20, 1, 100);
    judge();
    expect_text("no-growth", "nothing grows over 20 full collections");
    ck_assert_ptr_null(find("grows"));

    begin(); /* too early to say */
    grow(spot(13, LMP_C_TABLE), 3, 1, 0);
    s.ledger.clock = 0;
    judge();
    expect_text("wait", "cannot tell yet whether anything grows: 9 more full collections");
    s.ledger.when = LEDGER_THEN;
    judge();
    expect_text("wait", "too early to tell whether anything grows: 3 of 12 full collections");
    s.ledger.when = LEDGER_END;
    judge();
    expect_text("wait",
                "the run was too short to tell whether anything grows: 3 of 12 full collections");
    ck_assert_ptr_null(find("never-freed"));
}

/* Each full collection comes after a longer time than the one before, as the heap grows: of each
 * hundred that are made `frees` are freed. */
static void grow_evenly(double clock, int frees) {
    FakeSpot kept = spot(13, LMP_C_TABLE);
    for (int i = 1; i <= 20; i++) {
        uint64_t n = (uint64_t)(clock * 0.6 / 1e6) * 100 + 100;
        clock *= 1.6;
        fake_made(s.f, kept, n, n * 100);
        if (frees)
            fake_freed(s.f, kept, spot(999, LMP_C_TABLE), n * (uint64_t)frees / 100,
                       n * (uint64_t)frees, 0);
        fake_grown(s.f, (uint64_t)clock);
    }
    s.stats.seconds = clock / 1e9;
    judge_at((uint64_t)clock);
}

/* What such a collection finds more is no step. */
TEST(even_growth_is_no_steps) {
    grow_evenly(1e7, 0);
    ck_assert_ptr_null(find("grows-in-steps"));
    ck_assert_ptr_nonnull(find("never-freed"));
}

/* So does a start that reads for long: in its first minute nobody can tell the two apart. */
TEST(a_start_or_a_leak) {
    grow_evenly(1e6, 0); /* 12 seconds, less those until it held something */
    expect_text("fills-or-leaks",
                "game.lua:13 fills up or leaks: none of its 1.2 M tables freed in 11 s, 115.4 MiB "
                "held, +9.5 MiB/s");
    ck_assert_str_eq(find("fills-or-leaks")->advice,
                     "see whether it stops; if not, take out what is no longer needed");
    ck_assert_ptr_null(find("never-freed"));
    ck_assert_ptr_null(find("some-growth"));

    begin();
    grow_evenly(1e6, 20);
    expect_text("fills-or-leaks",
                "game.lua:13 fills up or leaks: 92.3 MiB held after 11 s, 100 % of the heap, "
                "+7.6 MiB/s");
    ck_assert_ptr_null(find("grows"));

    begin();
    grow_evenly(4.7e6, 0); /* 57 seconds */
    ck_assert_ptr_nonnull(find("fills-or-leaks"));
    begin();
    grow_evenly(5.2e6, 0); /* 63 */
    ck_assert_ptr_null(find("fills-or-leaks"));
    ck_assert_ptr_nonnull(find("never-freed"));
}

/* A table that has grown before has nothing to do with it. */
TEST(a_start_or_a_leak_with_a_holder) {
    FakeSpot at = spot(31, LMP_C_TABLE_PART);
    fake_made(s.f, at, 1, 100);
    fake_grown(s.f, 100000);
    grow_table(at, 1, 1 << 20);
    grow_evenly(1e6, 0);
    const Verdict *v = find("fills-or-leaks");
    ck_assert_ptr_nonnull(v);
    ck_assert_str_eq(v->advice, "see whether it stops; if not, take out what is no longer needed");
}

/* A step that the machine had no time for takes long: it is one by what was made meanwhile. */
TEST(a_step_that_takes_long) {
    FakeSpot kept = spot(13, LMP_C_TABLE), work = spot(40, LMP_C_USERDATA);
    uint64_t clock = 0;
    for (int i = 1; i <= 24; i++) {
        fake_made(s.f, work, 10, MIB / 4);
        fake_freed(s.f, work, spot(999, LMP_C_USERDATA), 10, MIB / 4, 10);
        if (i % 5 == 0) fake_made(s.f, kept, 100, 100 * 1024);
        clock += i == 15 ? 40000000000 : 1000000000;
        fake_grown(s.f, clock);
    }
    ck_assert_ptr_nonnull(judged("grows-in-steps"));
}

/* Lines that grow alike are one leak most of the time: each says how many others there are. One
 * that begins later, one that grows by next to nothing and one that does not grow are not meant. */
TEST(lines_that_grow_together) {
    FakeSpot one = spot(13, LMP_C_TABLE), two = spot(14, LMP_C_STRING),
             little = spot(15, LMP_C_STRING), late = spot(16, LMP_C_TABLE),
             still = spot(17, LMP_C_TABLE);
    fake_made(s.f, still, 1000, MIB);
    for (int i = 1; i <= 24; i++) {
        fake_made(s.f, one, 100, 200 * 1024);
        fake_made(s.f, two, 100, 100 * 1024);
        fake_made(s.f, little, 1, 100);
        if (i > 12) fake_made(s.f, late, 100, 300 * 1024);
        fake_grown(s.f, (uint64_t)i * 1000000000);
    }
    judge();
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

    begin();
    one = spot(13, LMP_C_TABLE), two = spot(14, LMP_C_STRING);
    FakeSpot three = spot(18, LMP_C_USERDATA);
    for (int i = 1; i <= 24; i++) {
        fake_made(s.f, one, 100, 200 * 1024);
        fake_made(s.f, two, 100, 100 * 1024);
        fake_made(s.f, three, 30, 100 * 1024);
        fake_grown(s.f, (uint64_t)i * 1000000000);
    }
    judge();
    expect_text("never-freed",
                "game.lua:13 has never freed anything: 2.4 k tables, 4.7 MiB held, +200.0 KiB/s, 2 "
                "more lines grow alike");
}

/* Strings stay in weak tables, and listeners may be in no other. */
TEST(weak_is_advised_where_it_helps) {
    static const struct {
        unsigned cls;
        bool weak;
    } row[] = {{LMP_C_TABLE, true},
               {LMP_C_STRING, false},
               {LMP_C_FUNCTION, false},
               {LMP_C_USERDATA, true}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        begin();
        grow(spot(13, row[i].cls), 20, 1, 0);
        const Verdict *v = judged("never-freed");
        ck_assert_ptr_nonnull(v);
        ck_assert_msg((strstr(v->advice, "weak") != NULL) == row[i].weak, "%zu: %s", i, v->advice);
    }
}

TEST(samples_are_no_proof) {
    grow(spot(13, LMP_C_TABLE), 20, 1, 0);
    s.f->live->tables.sample = 4096;
    ck_assert_ptr_null(judged("never-freed")); /* of those that were drawn, none was */
    ck_assert_ptr_nonnull(find("grows"));
}

TEST(a_string_that_is_built_is_no_leak) {
    FakeSpot at = spot(25, LMP_C_STRING);
    grow(at, 20, 1, 99);
    joins(at.site, at.site, 9, 9);
    ck_assert_ptr_nonnull(judged("quadratic-concat"));
    ck_assert_ptr_null(find("grows"));
    ck_assert_ptr_null(find("some-growth"));
}

TEST(a_peak_that_is_gone) {
    FakeSpot at = spot(12, LMP_C_TABLE);
    rest(MIB);
    fake_made(s.f, at, 1000, 5 * MIB);
    fake_grown(s.f, 1000);
    fake_made(s.f, at, 1000, 4 * MIB);
    s.stats.peak_bytes = 10 * MIB;
    fake_freed(s.f, at, spot(999, LMP_C_TABLE), 2000, 9 * MIB, 0);
    s.history.used = 10;
    s.history.interval = 1;
    for (int i = 0; i < 10; i++)
        s.history.samples[i].max_bytes = i < 4 ? 10 * MIB : 2 * MIB;
    judge();
    expect_text("peak-from-temporary",
                "game.lua:12 had 9.0 MiB of the peak of 10.0 MiB, up to 5.0 MiB in use, and has "
                "nothing now: for 60 % of the time half was enough");
    uint64_t *left = s.f->t.live_history[at.site]; /* garbage that was not collected yet */
    for (uint32_t i = 0; i < LMP_LIVE_HISTORY; i++)
        left[i] /= 3;
    ck_assert_ptr_null(judged("peak-from-temporary"));
    for (uint32_t i = 0; i < LMP_LIVE_HISTORY; i++)
        left[i] *= 3;
    ck_assert_ptr_nonnull(judged("peak-from-temporary"));
    for (int i = 0; i < 10; i++) /* a heap that is so high most of the time has no spike */
        s.history.samples[i].max_bytes = i < 6 ? 10 * MIB : 2 * MIB;
    ck_assert_ptr_null(judged("peak-from-temporary"));
    s.history.used = 7;
    for (int i = 0; i < 10; i++)
        s.history.samples[i].max_bytes = i < 1 ? 10 * MIB : 2 * MIB;
    ck_assert_ptr_null(judged("peak-from-temporary"));
}
