/* Tests of the reports: golden files from fixed figures; width of the summary and validity of the
 * JSON for any figures and any name. */
#include <ctype.h>

#include "base/format.h"
#include "fake_tables.h"
#include "report/report.h"
#include "suite.h"

#define SUMMARY report_kinds[REPORT_SUMMARY].write
#define JSON report_kinds[REPORT_JSON].write

static LmpHeader header;
static LmpLive live;

static void class_figures(unsigned cls, uint64_t allocs, uint64_t frees, uint64_t size) {
    LmpClassCount *c = &live.counters.count[cls];
    c->allocs = allocs;
    c->alloc_bytes = allocs * size;
    c->frees = frees;
    c->free_bytes = frees * size;
    live.counters.class_peak[cls] = (allocs - frees / 2) * size;
}

/* A run as it might have been. */
static void fill(void) {
    snprintf(header.program, sizeof header.program, "options.lua");
    snprintf(header.lua, sizeof header.lua, "Lua 5.4.4");
    header.pid = 4711;
    class_figures(LMP_C_STRING, 981204, 850112, 31);
    class_figures(LMP_C_FUNCTION, 20110, 15300, 40);
    class_figures(LMP_C_USERDATA, 211, 200, 1040);
    class_figures(LMP_C_THREAD, 1000, 998, 208);
    class_figures(LMP_C_TABLE, 200144, 98120, 56);
    class_figures(LMP_C_TABLE_PART, 310020, 150010, 160);
    class_figures(LMP_C_OTHER, 12, 11, 512);
    live.counters.count[LMP_C_TABLE_PART].reallocs = 128015;
    live.counters.count[LMP_C_TABLE_PART].realloc_bytes = 8204272;
    live.counters.peak_bytes = 0;
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++) {
        const LmpClassCount *c = &live.counters.count[cls];
        live.counters.live_bytes += c->alloc_bytes + (uint64_t)c->realloc_bytes - c->free_bytes;
        live.counters.peak_bytes += live.counters.class_peak[cls];
    }
    live.owners_known = 1;
    live.gc.mode = LMP_GC_INCREMENTAL;
    live.gc.cycles = 300;
    live.gc.freed_bytes = 123456789;
    live.gc.ring[299 % LMP_GC_RING].start = 5000000000;
    live.gc.ring[299 % LMP_GC_RING].end = 5041000000;
}

/* The report as text; the caller frees it. */
static char *written(void (*write)(const LmpReport *, FILE *), const LmpReport *report) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    write(report, out);
    fclose(out);
    return text;
}

static void golden(const char *name, void (*write)(const LmpReport *, FILE *),
                   const LmpReport *report) {
    char *text = written(write, report);
    suite_golden(name, text);
    free(text);
}

START_TEST(finished) {
    LmpReport r;
    fill();
    report_fill(&r, &header, &live, NULL, 62412345678, "finished");
    golden("summary-finished.txt", SUMMARY, &r);
    golden("report-finished.json", JSON, &r);
}
END_TEST

START_TEST(everything_went_wrong) {
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
    snprintf(header.program, sizeof header.program,
             "gr\xc3\xb6\xc3\x9f"
             "e \"1\".lua");
    report_fill(&r, &header, &live, NULL, 400ull * 3600 * 1000000000,
                "killed by signal 9 (SIGKILL)");
    golden("summary-killed.txt", SUMMARY, &r);
    golden("report-killed.json", JSON, &r);
}
END_TEST

START_TEST(still_running) {
    LmpReport r;
    fill();
    report_fill(&r, &header, &live, NULL, 1000000000, "still running");
    r.attached = true;
    golden("summary-running.txt", SUMMARY, &r);
}
END_TEST

START_TEST(nothing_happened) {
    LmpReport r;
    report_fill(&r, &header, &live, NULL, 0, "finished");
    golden("summary-empty.txt", SUMMARY, &r);
}
END_TEST

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

START_TEST(with_frames) {
    LmpReport r;
    fill();
    fill_frames();
    header.top = 10;
    report_fill(&r, &header, &live, NULL, 62412345678, "finished");
    golden("summary-frames.txt", SUMMARY, &r);
    golden("report-frames.json", JSON, &r);
    header.top = 0;
    report_fill(&r, &header, &live, NULL, 62412345678, "finished");
    char *text = written(SUMMARY, &r);
    ck_assert_ptr_nonnull(strstr(text, "\n  Frames               3,612, "));
    ck_assert_ptr_null(strstr(text, "worst frame"));
    free(text);
}
END_TEST

START_TEST(map_incomplete) {
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
END_TEST

/* ---- with lines ------------------------------------------------------------------------------ */

/* The program of fake_program.h. */
static FakeTables *program(bool stacks) {
    FakeTables *f = fake_tables_new(&live);
    fake_program(f, stacks);
    snprintf(header.program, sizeof header.program, "options.lua");
    snprintf(header.lua, sizeof header.lua, "Lua 5.4.4");
    header.pid = 4711;
    header.top = 10;
    return f;
}

static void golden_tables(const char *name, FakeTables *f, const char *ending) {
    LmpReport r;
    char file[64];
    report_fill(&r, &header, &live, &f->t, live.clock, ending);
    snprintf(file, sizeof file, "summary-%s.txt", name);
    golden(file, SUMMARY, &r);
    ck_assert_uint_eq(r.ledger.nodes, 0); /* only who writes the tree has it */
    report_close(&r);
    report_fill_with(&r, &header, &live, &f->t, report_kinds[REPORT_JSON].parts, live.clock,
                     ending);
    snprintf(file, sizeof file, "report-%s.json", name);
    golden(file, JSON, &r);
    report_close(&r);
    fake_tables_free(f);
}

START_TEST(with_lines) {
    golden_tables("lines", program(false), "finished");
}
END_TEST

START_TEST(with_stacks) {
    golden_tables("stacks", program(true), "finished");
}
END_TEST

START_TEST(with_all_that_can_be_said) {
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
END_TEST

#define STACKS_WHY "this interpreter keeps calls in an unknown way"
#define SAMPLE_WHY "not possible on this processor"

/* "exact" says how many are not. */
START_TEST(exact_but_for) {
    LmpReport r;
    FakeTables *f = program(false);
    live.tables.lines = LMP_LINES_EXACT;
    live.tables.unproven = 7;
    live.owners_known = 1;
    live.owners_unproven = 3;
    report_fill(&r, &header, &live, &f->t, live.clock, "finished");
    char *text = written(SUMMARY, &r), *json = written(JSON, &r);
    ck_assert_ptr_nonnull(strstr(text, "(lines: exact but for 7 requests"));
    ck_assert_ptr_nonnull(strstr(text, "(owners: of 3 parts it is not known"));
    ck_assert_ptr_nonnull(strstr(json, "\"lines_unproven\":7,\"owners_unproven\":3,"));
    free(json);
    free(text);
    report_close(&r);
    fake_tables_free(f);
}
END_TEST

/* What was asked for and cannot be had is said, with or without tables. */
START_TEST(what_cannot_be_had) {
    LmpReport r;
    FakeTables *f = program(false);
    live.tables.lines = LMP_LINES_EXACT;
    live.tables.stacks_why = LMP_WHY_FRAMES;
    live.tables.sample_why = LMP_WHY_ENTRY;
    report_fill(&r, &header, &live, &f->t, live.clock, "finished");
    char *text = written(SUMMARY, &r), *json = written(JSON, &r);
    ck_assert_ptr_nonnull(strstr(text, "\n  No call paths        " STACKS_WHY "\n"));
    ck_assert_ptr_nonnull(strstr(text, "\n  Not sampled          " SAMPLE_WHY ": all counted\n"));
    ck_assert_ptr_nonnull(
        strstr(json, ",\"stacks_why\":\"" STACKS_WHY "\",\"sample_why\":\"" SAMPLE_WHY "\""));
    free(json);
    free(text);
    report_close(&r);
    fake_tables_free(f);
    live.tables.lines = LMP_LINES_OFF;
    live.tables.why = LMP_WHY_MEMORY;
    live.tables.stacks_why = live.tables.sample_why = 0;
    report_fill(&r, &header, &live, &(LmpTables){.live = &live}, live.clock, "finished");
    text = written(SUMMARY, &r), json = written(JSON, &r);
    ck_assert_ptr_nonnull(strstr(text, "\n  No lines             no memory for tables\n"));
    ck_assert_ptr_null(strstr(text, "No call paths"));
    ck_assert_ptr_null(strstr(text, "Not sampled"));
    ck_assert_ptr_nonnull(strstr(json, "\"lines_why\":\"no memory for tables\""));
    ck_assert_ptr_nonnull(strstr(json, ",\"stacks_why\":\"\",\"sample_why\":\"\""));
    free(json);
    free(text);
    report_close(&r);
}
END_TEST

/* Where another allocator covers ours that is the reason, and no other is given. */
START_TEST(covered) {
    LmpReport r;
    FakeTables *f = program(false);
    live.tables.lines = LMP_LINES_APPROXIMATE;
    live.owners_known = 0;
    live.strange.covered = 1;
    report_fill(&r, &header, &live, &f->t, live.clock, "finished");
    char *text = written(SUMMARY, &r), *json = written(JSON, &r);
    ck_assert_ptr_nonnull(strstr(text, "  Allocator covered    by another one: lines and owners"));
    ck_assert_ptr_nonnull(strstr(text, "(lines: approximate: another allocator was put over"));
    ck_assert_ptr_null(strstr(text, "table constructors may show"));
    ck_assert_ptr_null(strstr(text, "told by rules"));
    ck_assert_ptr_nonnull(strstr(json, "\"covered\":true,"));
    free(json);
    free(text);
    report_close(&r);
    fake_tables_free(f);
}
END_TEST

START_TEST(top_none) {
    LmpReport r;
    FakeTables *f = program(true);
    header.top = 0;
    report_fill(&r, &header, &live, &f->t, live.clock, "finished");
    char *text = written(SUMMARY, &r);
    ck_assert_ptr_null(strstr(text, "options.lua:9"));
    ck_assert_ptr_nonnull(strstr(text, "Leaks"));
    ck_assert_ptr_null(strstr(text, "(lines:"));
    free(text);
    report_close(&r);
    /* what is named without tables may be as wrong as with them: each summary says so */
    live.tables.lines = LMP_LINES_APPROXIMATE;
    live.strange.covered = 1;
    report_fill(&r, &header, &live, &f->t, live.clock, "finished");
    text = written(SUMMARY, &r);
    ck_assert_ptr_nonnull(
        strstr(text, "\n\n  (lines: approximate: another allocator was put over"));
    free(text);
    report_close(&r);
    live.tables.lines = LMP_LINES_EXACT;
    live.strange.covered = 0;
    live.tables.sample = 4096;
    report_fill(&r, &header, &live, &f->t, live.clock, "finished");
    text = written(SUMMARY, &r);
    ck_assert_ptr_nonnull(strstr(text, "\n\n  (sampled: one block in every 4.0 KiB; what sites"));
    free(text);
    report_close(&r);
    live.tables.sample = 0;
    header.top = 5000;
    report_fill(&r, &header, &live, &f->t, live.clock, "finished");
    ck_assert_uint_eq(r.top, REPORT_TOP_MOST);
    report_close(&r);
    fake_tables_free(f);
}
END_TEST

/* ---- any figures, any name ------------------------------------------------------------------- */

/* The program's tables with other figures and other names. */
static void fake_noise(FakeTables *f, unsigned shift) {
    LmpTablesUsed *u = &f->live->tables;
    for (uint32_t i = 1; i < u->records; i++)
        for (uint64_t *w = &f->t.record[i].use.allocs; w < &f->t.record[i].use.last; w++)
            *w = suite_random() >> shift;
    for (uint32_t i = 0; i < u->text; i++)
        if (f->t.text[i] && suite_below(8) == 0) f->t.text[i] = (char)(1 + suite_below(255));
    for (uint32_t i = 1; i < u->functions; i++)
        if (suite_below(8) == 0) f->t.function[i].name = (uint32_t)suite_below(u->text);
    for (uint32_t i = 1; i < u->sites; i++) {
        if (suite_below(8) == 0) f->t.site[i].line = (int)suite_random();
        for (uint32_t k = 0; k < LMP_LIVE_HISTORY; k++)
            f->t.live_history[i][k] = (suite_random() >> 1 >> shift) + k * suite_below(1000000);
    }
    u->lines = (uint32_t)suite_below(3);
    u->stacks = (uint32_t)suite_below(2);
    u->sample = suite_below(2) ? suite_random() >> shift : 0;
    u->folded = suite_below(2) ? suite_random() >> shift : 0;
}

static void randomly(LmpReport *r, FakeTables *f) {
    unsigned char *p = (unsigned char *)&live;
    unsigned shift = (unsigned)suite_below(64);
    for (size_t i = 0; i + 8 <= offsetof(LmpLive, mark); i += 8) {
        uint64_t word = suite_random() >> shift;
        memcpy(p + i, &word, sizeof word);
    }
    p = (unsigned char *)&live.laps;
    for (size_t i = 0; i + 8 <= sizeof live.laps; i += 8) {
        uint64_t word = suite_random() >> shift;
        memcpy(p + i, &word, sizeof word);
    }
    live.laps.seq &=
        ~1u; /* as if it were written in full: that is read once, not a hundred times */
    size_t n = suite_below(sizeof header.program);
    for (size_t i = 0; i < n; i++)
        header.program[i] = (char)(1 + suite_below(suite_below(2) ? 255 : 126));
    header.program[n] = '\0';
    header.top = (uint32_t)suite_below(40);
    if (f) fake_noise(f, shift);
    report_fill(r, &header, &live, f ? &f->t : NULL, suite_random() >> shift,
                "killed by signal 11 (SIGSEGV)");
    r->attached = suite_below(2);
}

/* 80, with tables 100. */
START_TEST(summary_keeps_to_its_columns) {
    suite_seed();
    for (int i = 0; i < 3000; i++) {
        LmpReport r;
        FakeTables *f = i % 3 ? NULL : program(suite_below(2));
        int most = f ? 100 : 80;
        randomly(&r, f);
        char *text = written(SUMMARY, &r);
        int columns = 0;
        for (const char *p = text; *p;) {
            uint32_t c;
            size_t n = format_utf8(p, &c);
            ck_assert_msg(n > 0 && (c == '\n' || c >= 0x20), "not text: %.2000s", text);
            columns = c == '\n' ? 0 : columns + 1;
            ck_assert_msg(columns <= most, "too wide: %.*s", columns + 8, p - columns);
            p += n;
        }
        free(text);
        report_close(&r);
        if (f) fake_tables_free(f);
    }
}
END_TEST

/* A JSON reader that only says where the value ends, NULL for what is no JSON. */
static const char *json(const char *p, int depth);

static const char *json_string(const char *p) {
    if (*p++ != '"') return NULL;
    while (*p != '"') {
        uint32_t c;
        size_t n = format_utf8(p, &c);
        if (n == 0 || c < 0x20) return NULL;
        if (c == '\\') {
            if (p[1] == 'u') {
                for (int i = 2; i < 6; i++)
                    if (!isxdigit((unsigned char)p[i])) return NULL;
                n = 6;
            } else if (p[1] && strchr("\"\\/bfnrt", p[1])) {
                n = 2;
            } else {
                return NULL;
            }
        }
        p += n;
    }
    return p + 1;
}

static const char *json_object(const char *p, int depth) {
    do {
        p = json_string(p + 1);
        if (!p || *p != ':') return NULL;
        p = json(p + 1, depth + 1);
    } while (p && *p == ',');
    return p && *p == '}' ? p + 1 : NULL;
}

static const char *json_array(const char *p, int depth) {
    if (p[1] == ']') return p + 2;
    do
        p = json(p + 1, depth + 1);
    while (p && *p == ',');
    return p && *p == ']' ? p + 1 : NULL;
}

static const char *json(const char *p, int depth) {
    if (depth > 6) return NULL;
    if (*p == '{' && p[1] == '}') return p + 2;
    if (*p == '{') return json_object(p, depth);
    if (*p == '[') return json_array(p, depth);
    if (*p == '"') return json_string(p);
    if (strncmp(p, "true", 4) == 0) return p + 4;
    if (strncmp(p, "false", 5) == 0) return p + 5;
    if (*p == '-') p++;
    if (!isdigit((unsigned char)*p) || (*p == '0' && isdigit((unsigned char)p[1]))) return NULL;
    while (isdigit((unsigned char)*p))
        p++;
    if (*p == '.') {
        if (!isdigit((unsigned char)*++p)) return NULL;
        while (isdigit((unsigned char)*p))
            p++;
    }
    return p;
}

START_TEST(json_is_valid) {
    suite_seed();
    ck_assert_ptr_null(json("{\"a\":01}", 0)); /* the reader can say no */
    ck_assert_ptr_null(json("{\"a\":1,}", 0));
    ck_assert_ptr_null(json("{\"a\":[1,]}", 0));
    ck_assert_ptr_null(json("{\"\xff\":1}", 0));
    for (int i = 0; i < 3000; i++) {
        LmpReport r;
        FakeTables *f = i % 3 ? NULL : program(suite_below(2));
        randomly(&r, f);
        char *text = written(JSON, &r);
        const char *end = json(text, 0);
        ck_assert_msg(end && strcmp(end, "\n") == 0, "not JSON: %.2000s", text);
        free(text);
        report_close(&r);
        if (f) fake_tables_free(f);
    }
}
END_TEST

START_TEST(texts_without_an_end) {
    LmpReport r;
    memset(&header, 'x', sizeof header);
    report_fill(&r, &header, &live, NULL, 0, "finished");
    ck_assert_uint_eq(strlen(r.program), sizeof header.program - 1);
    ck_assert_uint_eq(strlen(r.lua), sizeof header.lua - 1);
}
END_TEST

START_TEST(table_of_reports) {
    ck_assert_int_eq(REPORT_SUMMARY, 0); /* what is written unless another one is asked for */
    for (int i = 0; i < REPORTS; i++) {
        const LmpReportKind *k = &report_kinds[i];
        ck_assert(k->name && k->write && k->before && k->between && k->after);
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(k->name, report_kinds[j].name);
    }
}
END_TEST

/* Of several states, and so between the first and the last of whatever is there. */
START_TEST(json_of_several_is_json) {
    LmpReport r;
    const LmpReportKind *k = &report_kinds[REPORT_JSON];
    fill();
    report_fill(&r, &header, &live, NULL, 62412345678, "finished");
    char *one = written(k->write, &r), *all = NULL;
    ck_assert_int_ge(asprintf(&all, "%s%s%s%s%s", k->before, one, k->between, one, k->after), 0);
    for (char *c = all; (c = strchr(c, '\n'));) /* the reader knows no blanks; none is in a text */
        memmove(c, c + 1, strlen(c));
    const char *end = json(all, 0);
    ck_assert_msg(end && !*end, "%s", all);
    free(all);
    free(one);
}
END_TEST

SUITE("report", map_incomplete, with_frames, finished, everything_went_wrong, still_running,
      nothing_happened, with_lines, with_stacks, with_all_that_can_be_said, exact_but_for,
      what_cannot_be_had, covered, top_none, summary_keeps_to_its_columns, json_is_valid,
      texts_without_an_end, table_of_reports, json_of_several_is_json)
