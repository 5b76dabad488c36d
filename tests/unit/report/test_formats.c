/* Tests of the formats of other tools: of call trees made by chance each format is read back, and
 * what it says in all is what the ledger says; and golden files of a program. Programs that read
 * these formats: tests/readers. */
#include "base/format.h"
#include "format_readers.h"

/* Of calls that are not all there, and of what is not counted though asked for. */
TEST(what_is_not_all_counted) {
    static const struct {
        int kind;
        const char *lost, *lacks;
    } say[] = {
        {REPORT_FLAT, "calls and instructions are not all there: another", "lines are not exact\n"},
        {REPORT_CALLGRAPH, "calls and instructions are not all there", "lines are not exact\n"},
        {REPORT_CALLGRIND, "\ndesc: Counted: calls and instructions are not all there: another",
         ""},
        {REPORT_MEMPROF, "", "Overrides are not known: lines are not exact\n"},
    };
    for (size_t i = 0; i < 2 * sizeof say / sizeof *say; i++) {
        memset(&live, 0, sizeof live);
        OWN(fake_tables_free_at) FakeTables *f = made_up(true);
        bool lost = i % 2;
        live.tables.counts = LMP_COUNTS_CALLS | LMP_COUNTS_INSTRUCTIONS;
        live.tables.hook_lost = lost;
        live.tables.counts_why = lost ? LMP_WHY_LINES : LMP_WHY_NOT;
        OWN(report_close) LmpReport r;
        fill_for(&r, f, say[i / 2].kind);
        OWN(free_at) char *text = text_of(say[i / 2].kind, &r);
        if (lost) {
            ck_assert_ptr_nonnull(strstr(text, say[i / 2].lost));
            ck_assert_ptr_nonnull(strstr(text, say[i / 2].lacks));
        } else {
            ck_assert_ptr_null(strstr(text, "not all"));
            ck_assert_ptr_null(strstr(text, "not known: lines"));
        }
    }
}

TEST(all_say_one_sum) {
    enum { ROUNDS = 30 };
    for (int round = 0; round < ROUNDS; round++) {
        memset(&live, 0, sizeof live);
        OWN(fake_tables_free_at) FakeTables *f = made_up(round % 3 != 0);
        if (round % 5 == 4) live.tables.sample = 4096;
        for (int kind = 0; kind < REPORTS; kind++) {
            OWN(report_close) LmpReport r;
            fill_for(&r, f, kind);
            if (r.ledger.sites > 0) read_all_figures(kind, &r);
        }
    }
}

/* ---- as they are ----------------------------------------------------------------------------- */

static void golden_formats(bool stacks) {
    OWN(fake_tables_free_at) FakeTables *f = program(stacks);
    live.history.interval = 25500000000;
    live.history.used = 4;
    for (uint32_t i = 0; i < 4; i++)
        live.history.samples[i] = (LmpHistoryPoint){.max_bytes = (i + 1) * 41000000u,
                                                    .min_bytes = i * 40000000u,
                                                    .last_bytes = (i + 1) * 40000000u,
                                                    .kind_bytes = {[LMP_TABLE] = i * 1000u},
                                                    .allocs = i * 1000u,
                                                    .gc_cycles = i};
    for (int kind = REPORT_JSON + 1; kind < REPORTS; kind++) {
        OWN(report_close) LmpReport r;
        char name[80];
        if (kind == REPORT_PPROF || (!stacks && kind == REPORT_TIMELINE)) continue;
        if (kind == REPORT_HTML) continue;                  /* test_htmlpage.c */
        if (stacks && kind == REPORT_OPENMETRICS) continue; /* it has no paths */
        fill_for(&r, f, kind);
        OWN(free_at) char *text = text_of(kind, &r);
        snprintf(name, sizeof name, "run-%s.%s", stacks ? "stacks" : "lines",
                 report_kinds[kind].name);
        suite_golden(name, text);
    }
}

TEST(as_they_are) {
    golden_formats(true);
    golden_formats(false);
}

/* Names of the program stand in labels, whatever they are; lines that look alike are one sample. */
TEST(openmetrics_labels) {
    memset(&live, 0, sizeof live);
    OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(&live);
    static const char *const sources[] = {"@a\"b\\c\nd\xff\xfe\x1b[1m.lua", "x = {} -- 1",
                                          "x = {} -- 1\nand more", "x = {} -- 1\nand other"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        uint32_t fn = fake_function(f, LMP_F_MAIN, sources[i], 0, "main \"chunk\"");
        fake_made(f, (FakeSpot){fake_site(f, fn, 1, 0), 0, LMP_C_TABLE, 0}, 1, 100 + i);
    }
    snprintf(header.program, sizeof header.program, "a\"\\\n\xff");
    OWN(report_close) LmpReport r;
    fill_for(&r, f, REPORT_OPENMETRICS);
    OWN(free_at) char *text = text_of(REPORT_OPENMETRICS, &r);
    read_openmetrics(&r, text);
    ck_assert_ptr_null(strpbrk(text, "\xff\x1b"));
    ck_assert_ptr_nonnull(strstr(text, "{program=\"a\\\"\\\\??\","));
    ck_assert_ptr_nonnull(strstr(text, "\nlmp_line_live_bytes{source=\"a\\\"b\\\\c?d???[1m.lua\","
                                       "line=\"1\",function=\"main \\\"chunk\\\"\"} 100\n"));
    ck_assert_ptr_nonnull(strstr(text,
                                 "\nlmp_line_live_bytes{source=\"[string \\\"x = {} -- 1...\\\"]\","
                                 "line=\"1\",function=\"main \\\"chunk\\\"\"} 205\n"));
    ck_assert_ptr_null(strstr(text, "\nlmp_allocation_rate_bytes_per_second "));
    r.rate_bytes = 3000;
    r.rate_seconds = 1.5;
    OWN(free_at) char *rate = text_of(REPORT_OPENMETRICS, &r);
    ck_assert_ptr_nonnull(strstr(rate, "\nlmp_allocation_rate_bytes_per_second 2000.000000\n"));
}

/* What is estimated is said, beside what is known exactly: in the words of all that have words, as
 * figures in the others. A timeline is exact. */
TEST(sampled) {
    static const char words[] = "sampled, one block in every 512.0 KiB: ";
    static const char *const said[REPORTS] = {
        [REPORT_SUMMARY] = "(sampled: one block in every 512.0 KiB; what sites hold is estimated)",
        [REPORT_JSON] = "\"sample\":524288,",
        [REPORT_CSV] = ",524288\n",
        [REPORT_TIMELINE] = "ms,live_bytes",
        [REPORT_OPENMETRICS] = "\nlmp_sample_bytes 524288\n",
        [REPORT_HTML] = "\"sample\":524288,",
    };
    char exact[LMP_NUM + 16], number[LMP_NUM];
    OWN(fake_tables_free_at) FakeTables *f = program(true);
    for (int range = 0; range < 2; range++)
        for (int kind = 0; kind < REPORTS; kind++) {
            LmpReport r;
            ReportBefore before = {0}; /* of nothing: all has happened since */
            live.tables.sample = 512 << 10;
            live.counters.count[LMP_C_TABLE].alloc_bytes += 1000;
            report_fill_since(&r, range ? &before : NULL, &header, &live, &f->t,
                              report_kinds[kind].parts, live.clock, "finished", LEDGER_END);
            r.metric = REPORT_ALLOCATED;
            uint64_t made = r.stats.live_bytes + r.stats.free_bytes;
            ck_assert_uint_ne(made, value_of(&r.ledger.all, VALUE_ALLOCATED_BYTES));
            snprintf(exact, sizeof exact, ", exactly %s", format_bytes(number, made));
            if (kind == REPORT_PPROF) { /* compressed: it is a comment there */
                report_close(&r);
                continue;
            }
            char *text = text_of(kind, &r);
            ck_assert_msg(strstr(text, said[kind] ? said[kind] : words) != NULL, "%s",
                          report_kinds[kind].name);
            bool one = kind == REPORT_FLAT || kind == REPORT_CALLGRAPH || kind == REPORT_TREE ||
                       kind == REPORT_FOLDED;
            if (one) ck_assert_msg(strstr(text, exact), "%s: %s", report_kinds[kind].name, exact);
            if (kind == REPORT_JSON)
                ck_assert_uint_eq((uint64_t)field(text, "mallocs"), r.stats.mallocs);
            free(text);
            report_close(&r);
            live.counters.count[LMP_C_TABLE].alloc_bytes -= 1000;
        }
}

/* Runs and figures of which a format has nothing to say. */
TEST(what_they_lack) {
    LmpReport r;
    FakeTables *f = program(true);
    live.tables.lines = LMP_LINES_OFF;
    fill_for(&r, f, REPORT_MASSIF);
    ck_assert_str_eq(report_lacks(&report_kinds[REPORT_FLAT], &r), "it is of a run without lines");
    ck_assert_ptr_null(report_lacks(&report_kinds[REPORT_SUMMARY], &r));
    ck_assert_ptr_null(report_lacks(&report_kinds[REPORT_MASSIF], &r));
    char *text = text_of(REPORT_MASSIF, &r);
    ck_assert_ptr_null(strstr(text, "heap_tree=peak"));
    free(text);
    report_close(&r);
    live.tables.lines = LMP_LINES_EXACT;
    fill_for(&r, f, REPORT_FOLDED);
    r.metric = REPORT_PEAK;
    r.unit = REPORT_BLOCKS;
    ck_assert_ptr_nonnull(report_lacks(&report_kinds[REPORT_FOLDED], &r));
    r.metric = REPORT_TEMPORARY;
    r.unit = REPORT_BYTES;
    ck_assert_ptr_nonnull(report_lacks(&report_kinds[REPORT_FOLDED], &r));
    report_close(&r);
    fake_tables_free(f);
    ck_assert_ptr_null(report_find("flatt"));
    ck_assert_ptr_eq(report_find("flat"), &report_kinds[REPORT_FLAT]);
}

/* A path of a hundred thousand calls, with something made in each: the files stay bounded, and so
 * does the sum. */
TEST(deep) {
    static const int kinds[] = {REPORT_FOLDED, REPORT_SPEEDSCOPE, REPORT_CALLGRIND};
    memset(&live, 0, sizeof live);
    OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(&live);
    uint32_t fn = fake_function(f, LMP_F_LUA, "@deep.lua", 1, "local 'down'"), node = 0;
    uint32_t site = fake_site(f, fn, 2, 0);
    live.tables.stacks = 1;
    for (int i = 0; i < 100000; i++) {
        f->t.node[live.tables.nodes] = (LmpNode){.parent = node, .site = site};
        node = live.tables.nodes++;
        fake_made(f, (FakeSpot){site, node, LMP_C_TABLE, 0}, 1, 56);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        OWN(report_close) LmpReport r;
        fill_for(&r, f, kinds[i]);
        OWN(free_at) char *text = text_of(kinds[i], &r);
        ck_assert_uint_lt(suite_wrote, 200u << 20);
        read_back(kinds[i], &r, text, suite_wrote);
    }
}
