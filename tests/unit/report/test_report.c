/* Tests of the reports: golden files from fixed figures. Any figures: test_report_random.c. */
#include "report_fixture.h"

static void golden(const char *name, LmpErr (*write)(const LmpReport *, FILE *),
                   const LmpReport *report) {
    OWN(free_at) char *text = written(write, report);
    suite_golden(name, text);
}

TEST(finished) {
    LmpReport r;
    fill();
    report_fill(&r, &header, &live, NULL, 62412345678, "finished");
    golden("summary-finished.txt", SUMMARY, &r);
    golden("report-finished.json", JSON, &r);
}

TEST(everything_went_wrong) {
    LmpReport r;
    fill();
    live.owners_known = 0;
    live.gc.mode = LMP_GC_UNKNOWN;
    live.counters.failed = 1234;
    live.counters.dropped = 5;
    live.counters.dropped_bytes = 5000;
    live.counters.before_frees = 77;
    live.counters.before_free_bytes = 7700;
    live.counters.before_reallocs = 2;
    live.counters.before_realloc_bytes = -4096;
    live.counters.count[LMP_C_TABLE_PART].realloc_bytes = -8204272;
    live.strange.apart = 12;
    live.strange.mixed = 3;
    live.strange.passed = 45678;
    live.strange.clashes = 23;
    live.strange.other_sizes = 6789;
    snprintf(header.program, sizeof header.program,
             "gr\xc3\xb6\xc3\x9f"
             "e \"1\".lua");
    report_fill(&r, &header, &live, NULL, 400ull * 3600 * 1000000000,
                "killed by signal 9 (SIGKILL)");
    golden("summary-killed.txt", SUMMARY, &r);
    golden("report-killed.json", JSON, &r);
}

TEST(still_running) {
    LmpReport r;
    fill();
    report_fill(&r, &header, &live, NULL, 1000000000, "still running");
    r.attached = true;
    golden("summary-running.txt", SUMMARY, &r);
}

TEST(nothing_happened) {
    LmpReport r;
    report_fill(&r, &header, &live, NULL, 0, "finished");
    golden("summary-empty.txt", SUMMARY, &r);
}

/* A game: a minute of frames, of which few make far more than the others. */
static void fill_frames(void) {
    LmpLapMoment now = {.clock = 2000000000, .alloc_bytes = 5u << 20};
    LmpLap lap;
    laps_end(&live.laps, &now, NULL, &lap);
    for (uint32_t i = 1; i <= 3612; i++) {
        bool level = i == 3120 || i == 700;
        now.clock += level ? 48000000 : 16600000 + i % 100;
        now.allocs += level ? 81203 : 5000 + i % 64;
        now.alloc_bytes += level ? (14u << 20) + i : (1u << 20) + i % 64 * 4096;
        now.cycles += level ? 2 : i % 4 == 0;
        laps_end(&live.laps, &now, level ? "level \"2\"\n, which has a name" : NULL, &lap);
    }
}

TEST(with_frames) {
    LmpReport r;
    fill();
    fill_frames();
    header.top = 10;
    report_fill(&r, &header, &live, NULL, 62412345678, "finished");
    golden("summary-frames.txt", SUMMARY, &r);
    golden("report-frames.json", JSON, &r);
    header.top = 0;
    report_fill(&r, &header, &live, NULL, 62412345678, "finished");
    OWN(free_at) char *text = written(SUMMARY, &r);
    ck_assert_ptr_nonnull(strstr(text, "\n  Frames               3,612, "));
    ck_assert_ptr_null(strstr(text, "worst frame"));
}

TEST(map_incomplete) {
    LmpReport r;
    fill();
    report_fill(&r, &header, &live, NULL, 1000000000, "finished");
    char *text = written(SUMMARY, &r);
    ck_assert_ptr_null(strstr(text, "Heap map"));
    free(text);
    live.hidden_leaves = 3;
    report_fill(&r, &header, &live, NULL, 1000000000, "finished");
    text = written(SUMMARY, &r);
    ck_assert_ptr_nonnull(
        strstr(text, "\n  Heap map             lacks 3 x 64 MiB: the program closed lmp's file\n"));
    free(text);
    text = written(JSON, &r);
    ck_assert_ptr_nonnull(strstr(text, "\"hidden_regions\":3,"));
    free(text);
    live.hidden_leaves = 0;
}

/* A snapshot was not finished: viewers are told, the program itself has its own figures. */
TEST(lines_end) {
    LmpReport r;
    LmpTables own = {.writer = true};
    fill();
    live.lines_end = 1500000000;
    for (int i = 0; i < 2; i++) {
        report_fill(&r, &header, &live, i ? &own : NULL, 2000000000, "finished");
        char *text = written(SUMMARY, &r), *json = written(JSON, &r);
        const char *said = strstr(
            text,
            "\n  Figures by line      as they were after 1.5 s: a snapshot was not finished\n");
        ck_assert((said != NULL) == (i == 0));
        ck_assert_ptr_nonnull(
            strstr(json, i ? "\"lines_end_seconds\":0.000000" : "\"lines_end_seconds\":1.500000"));
        free(text);
        free(json);
    }
    live.lines_end = 0;
}

/* ---- with lines ------------------------------------------------------------------------------ */

static void golden_tables(const char *name, FakeTables *f, const char *ending) {
    LmpReport r;
    char file[64];
    report_fill(&r, &header, &live, &f->t, live.clock, ending);
    snprintf(file, sizeof file, "summary-%s.txt", name);
    golden(file, SUMMARY, &r);
    ck_assert_uint_eq(r.ledger.nodes, 0); /* only who writes the tree has it */
    report_close(&r);
    report_fill_with(&r, &header, &live, &f->t, report_kinds[REPORT_JSON].parts, live.clock, ending,
                     LEDGER_END);
    snprintf(file, sizeof file, "report-%s.json", name);
    golden(file, JSON, &r);
    report_close(&r);
    fake_tables_free(f);
}

TEST(with_lines) {
    golden_tables("lines", program(false), "finished");
}

TEST(with_stacks) {
    golden_tables("stacks", program(true), "finished");
}

TEST(with_all_that_can_be_said) {
    FakeTables *f = program(true);
    live.tables.lines = LMP_LINES_APPROXIMATE;
    live.tables.sample = 512 << 10;
    live.tables.folded = 1234;
    live.tables.live_history = 5;
    FakeSpot others = {.site = FAKE_OTHERS, .node = FAKE_OTHERS, .cls = LMP_C_TABLE};
    fake_made(f, others, 1234, 98720);
    header.top = 2;
    golden_tables("conditions", f, "killed by signal 9 (SIGKILL)");
}

#define STACKS_WHY "this interpreter keeps calls in an unknown way"
#define SAMPLE_WHY "not possible on this processor"

static char *text, *json; /* of the last report */
static void forget(void) {
    free(text);
    free(json);
}

/* What is said of the run as it is. */
static void tell(const LmpTables *tables) {
    LmpReport r;
    suite_closes(forget);
    report_fill(&r, &header, &live, tables, live.clock, "finished");
    text = written(SUMMARY, &r);
    json = written(JSON, &r);
    report_close(&r);
}

/* "exact" says how many are not. */
TEST(exact_but_for) {
    OWN(fake_tables_free_at) FakeTables *f = program(false);
    live.tables.lines = LMP_LINES_EXACT;
    live.tables.unproven = 7;
    live.owners_known = 1;
    live.owners_unproven = 3;
    tell(&f->t);
    ck_assert_ptr_nonnull(strstr(text, "(lines: exact but for 7 requests"));
    ck_assert_ptr_nonnull(strstr(text, "(owners: of 3 parts it is not known"));
    ck_assert_ptr_nonnull(strstr(json, "\"lines_unproven\":7,\"owners_unproven\":3,"));
}

/* What was asked for and cannot be had is said, with or without tables. */
TEST(what_cannot_be_had) {
    OWN(fake_tables_free_at) FakeTables *f = program(false);
    live.tables.lines = LMP_LINES_EXACT;
    live.tables.stacks_why = LMP_WHY_FRAMES;
    live.tables.sample_why = LMP_WHY_ENTRY;
    tell(&f->t);
    ck_assert_ptr_nonnull(strstr(text, "\n  No call paths        " STACKS_WHY "\n"));
    ck_assert_ptr_nonnull(strstr(text, "\n  Not sampled          " SAMPLE_WHY ": all counted\n"));
    ck_assert_ptr_nonnull(
        strstr(json, ",\"stacks_why\":\"" STACKS_WHY "\",\"sample_why\":\"" SAMPLE_WHY "\""));
    live.tables.lines = LMP_LINES_OFF;
    live.tables.why = LMP_WHY_MEMORY;
    live.tables.stacks_why = live.tables.sample_why = 0;
    tell(&(LmpTables){.live = &live});
    ck_assert_ptr_nonnull(strstr(text, "\n  No lines             no memory for tables\n"));
    ck_assert_ptr_null(strstr(text, "No call paths"));
    ck_assert_ptr_null(strstr(text, "Not sampled"));
    ck_assert_ptr_nonnull(strstr(json, "\"lines_why\":\"no memory for tables\""));
    ck_assert_ptr_nonnull(strstr(json, ",\"stacks_why\":\"\",\"sample_why\":\"\""));
}

/* Nor does anybody take calls for exact that are not all there. */
TEST(what_is_not_all_counted) {
    OWN(fake_tables_free_at) FakeTables *f = program(false);
    live.tables.counts = LMP_COUNTS_CALLS;
    live.tables.counts_why = LMP_WHY_LINES;
    live.tables.hook_lost = 3;
    live.tables.hook_lost_clock = 2500000000;
    tell(&f->t);
    ck_assert_ptr_nonnull(strstr(text, "\n  Not all counted      lines are not exact\n"));
    ck_assert_ptr_nonnull(
        strstr(text, "\n  Calls                not all there: another debug hook after 2.5 s\n"));
    ck_assert_ptr_nonnull(strstr(json, "\"counts_why\":\"lines are not exact\",\"hook_lost\":3,"
                                       "\"hook_lost_seconds\":2.5"));
    live.tables.counts = LMP_COUNTS_INSTRUCTIONS;
    live.tables.counts_why = LMP_WHY_NOT;
    tell(&f->t);
    ck_assert_ptr_null(strstr(text, "Not all counted"));
    ck_assert_ptr_nonnull(strstr(text, "\n  Instructions         not all there: another"));
    live.tables.counts = LMP_COUNTS_OVERRIDES; /* which no hook tells of */
    tell(&f->t);
    ck_assert_ptr_null(strstr(text, "not all there"));
}

/* Where another allocator covers ours that is the reason, and no other is given. */
TEST(covered) {
    OWN(fake_tables_free_at) FakeTables *f = program(false);
    live.tables.lines = LMP_LINES_APPROXIMATE;
    live.owners_known = 0;
    live.strange.covered = 1;
    tell(&f->t);
    ck_assert_ptr_nonnull(strstr(text, "  Allocator covered    by another one: lines and owners"));
    ck_assert_ptr_nonnull(strstr(text, "(lines: approximate: another allocator was put over"));
    ck_assert_ptr_null(strstr(text, "table constructors may show"));
    ck_assert_ptr_null(strstr(text, "told by rules"));
    ck_assert_ptr_nonnull(strstr(json, "\"covered\":true,"));
}

TEST(top_none) {
    OWN(fake_tables_free_at) FakeTables *f = program(true);
    header.top = 0;
    tell(&f->t);
    ck_assert_ptr_null(strstr(text, "options.lua:9"));
    ck_assert_ptr_nonnull(strstr(text, "Leaks"));
    ck_assert_ptr_null(strstr(text, "(lines:"));
    /* what is named without tables may be as wrong as with them: each summary says so */
    live.tables.lines = LMP_LINES_APPROXIMATE;
    live.strange.covered = 1;
    live.strange.other_sizes = 1;
    tell(&f->t);
    ck_assert_ptr_nonnull(strstr(text, "1 block was given back with another size"));
    ck_assert_ptr_nonnull(
        strstr(text, "\n\n  (lines: approximate: another allocator was put over"));
    live.tables.lines = LMP_LINES_EXACT;
    live.strange.covered = 0;
    live.tables.sample = 4096;
    tell(&f->t);
    ck_assert_ptr_nonnull(strstr(text, "\n\n  (sampled: one block in every 4.0 KiB; what sites"));
    live.tables.sample = 0;
    header.top = 5000;
    OWN(report_close) LmpReport r;
    report_fill(&r, &header, &live, &f->t, live.clock, "finished");
    ck_assert_uint_eq(r.top, REPORT_TOP_MOST);
}

/* ---- the table of reports -------------------------------------------------------------------- */

TEST(texts_without_an_end) {
    LmpReport r;
    memset(&header, 'x', sizeof header);
    report_fill(&r, &header, &live, NULL, 0, "finished");
    ck_assert_uint_eq(strlen(r.program), sizeof header.program - 1);
    ck_assert_uint_eq(strlen(r.lua), sizeof header.lua - 1);
}

TEST(table_of_reports) {
    ck_assert_int_eq(REPORT_SUMMARY, 0); /* what is written unless another one is asked for */
    for (int i = 0; i < REPORTS; i++) {
        const LmpReportKind *k = &report_kinds[i];
        ck_assert(k->name && k->help && k->write && k->before && k->after);
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(k->name, report_kinds[j].name);
    }
}
