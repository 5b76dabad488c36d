/* Tests of the page for a browser: its data against the ledger, whatever the tree; that nothing of
 * the program can leave it; and a golden file of the data of a program. That it works is for
 * tests/readers/report.js, in a browser. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/formats/formats.h"
#include "report_fixture.h"

static void fill_page(LmpReport *r, FakeTables *f) {
    report_fill_with(r, &header, &live, &f->t, report_kinds[REPORT_HTML].parts, live.clock,
                     "finished");
}

/* The data of the page; the caller frees it. */
static char *data_of(const LmpReport *r) {
    static const char begin[] = "id=\"data\">", end[] = "</script>";
    char *page = written(report_kinds[REPORT_HTML].write, r);
    char *at = strstr(page, begin);
    ck_assert_ptr_nonnull(at);
    at += strlen(begin);
    char *stop = strstr(at, end);
    ck_assert_ptr_nonnull(stop);
    /* after it comes the script of the page alone */
    ck_assert_int_eq(strncmp(stop + strlen(end), "\n<script>\n\"use strict\";", 23), 0);
    char *data = strndup(at, (size_t)(stop - at));
    free(page);
    return data;
}

/* The sum of a column of a table: "table":{ ... "column":[1,2,3] */
static uint64_t sum_of(const char *data, const char *table, const char *column, uint32_t *rows) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\":{", table);
    const char *at = strstr(data, key);
    ck_assert_msg(at != NULL, "no %s", table);
    snprintf(key, sizeof key, "\"%s\":[", column);
    at = strstr(at, key);
    ck_assert_msg(at != NULL, "no %s of %s", column, table);
    at += strlen(key);
    uint64_t sum = 0;
    for (*rows = 0; *at != ']'; (*rows)++) {
        char *end;
        sum += strtoull(at, &end, 10);
        ck_assert_ptr_ne(end, at);
        at = *end == ',' ? end + 1 : end;
    }
    return sum;
}

static void check_sums(const char *data, const LmpReport *r) {
    const LmpTally *all = &r->ledger.all;
    const struct {
        const char *name;
        uint64_t sum;
    } of[] = {{"live", all->live_bytes},  {"blocks", all->live_blocks}, {"allocs", all->allocs},
              {"freed", all->free_bytes}, {"frees", all->frees},        {"peak", all->peak_bytes},
              {"temp", all->temporary}};
    const char *const tables[] = {"sites", "own", r->ledger.stacks ? "tree" : "sites",
                                  r->ledger.tags ? "tags" : "sites"};
    for (size_t t = 0; t < 4; t++)
        for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
            uint32_t rows;
            uint64_t sum = sum_of(data, tables[t], of[i].name, &rows);
            ck_assert_msg(sum == of[i].sum, "%s of %s: %llu, not %llu", of[i].name, tables[t],
                          (unsigned long long)sum, (unsigned long long)of[i].sum);
        }
}

/* ---- a program ------------------------------------------------------------------------------- */

START_TEST(golden_data) {
    for (int stacks = 0; stacks < 2; stacks++) {
        LmpReport r;
        FakeTables *f = program(stacks);
        live.marks = 1;
        live.mark[0].clock = 700000000;
        snprintf(live.mark[0].name, sizeof live.mark[0].name, "loaded");
        live.history.interval = 500000000;
        live.history.used = 2;
        live.history.samples[0].max_bytes = live.history.samples[0].last_bytes = 1000;
        live.history.samples[1].max_bytes = 2000;
        fill_page(&r, f);
        char *data = data_of(&r);
        check_sums(data, &r);
        suite_golden(stacks ? "report-stacks.html.json" : "report-lines.html.json", data);
        free(data);
        report_close(&r);
        fake_tables_free(f);
    }
}
END_TEST

/* ---- names that want out --------------------------------------------------------------------- */

START_TEST(nothing_leaves_it) {
    LmpReport r;
    FakeTables *f = fake_tables_new(&live);
    static const char *const names[] = {"</script><script>alert(1)</script>",
                                        "<!--<script>",
                                        "a\"b\\c'd&amp;",
                                        "\xff\xfe\xc3",
                                        "\x1b[31m\x01\r",
                                        "a\xe2\x80\xae"
                                        "b\xe2\x80\xa8"
                                        "c",
                                        "]]>"};
    snprintf(header.program, sizeof header.program, "%s", names[0]);
    snprintf(live.mark[0].name, sizeof live.mark[0].name, "</script>");
    live.marks = 1;
    live.tables.stacks = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char source[80];
        snprintf(source, sizeof source, "@%s.lua", names[i]);
        uint32_t fn = fake_function(f, LMP_F_LUA, source, 1, names[i]);
        uint32_t site = fake_site(f, fn, 2, 0), node = fake_node(f, 0, site, 0);
        fake_made(f, (FakeSpot){site, node, LMP_C_TABLE, fake_tag(f, names[i])}, 1, 100);
    }
    fill_page(&r, f);
    r.error = names[0];
    r.again = names[1];
    char *data = data_of(&r);
    ck_assert_ptr_null(strpbrk(data, "<>&\r\x1b\x01\xff"));
    ck_assert_ptr_null(strstr(data, "\xe2\x80\xae"));
    ck_assert_ptr_null(strstr(data, "\xe2\x80\xa8"));
    ck_assert_ptr_nonnull(strstr(data, "\\u003c/script\\u003e"));
    ck_assert_ptr_nonnull(strstr(data, "\"a\\u0022b\\u005cc'd\\u0026amp;\""));
    check_sums(data, &r);
    free(data);
    report_close(&r);
    fake_tables_free(f);
}
END_TEST

/* ---- trees made by chance -------------------------------------------------------------------- */

enum { FUNCTIONS = 30 };

/* A node without a look whether there is one like it: that takes too long for many. */
static uint32_t put_node(FakeTables *f, uint32_t parent, uint32_t site) {
    LmpTablesUsed *u = &f->live->tables;
    f->t.node[u->nodes] =
        (LmpNode){.parent = parent, .site = site, .depth = f->t.node[parent].depth + 1};
    return u->nodes++;
}

static FakeTables *made_up(uint32_t nodes, uint32_t lines) {
    FakeTables *f = fake_tables_new(&live);
    uint32_t first = 0;
    live.tables.stacks = true;
    for (uint32_t i = 0; i < lines; i++) {
        char name[32];
        snprintf(name, sizeof name, "local 'f%u'", i % FUNCTIONS);
        uint32_t fn = fake_function(f, LMP_F_LUA, "@made/up.lua", (int)(i % FUNCTIONS), name);
        LmpTablesUsed *u = &f->live->tables;
        f->t.site[u->sites] = (LmpSite){.function = fn, .line = (int)i + 1};
        if (!first) first = u->sites;
        u->sites++;
    }
    uint32_t root = live.tables.nodes;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t site = first + (uint32_t)suite_below(lines);
        uint32_t parent = i == 0 ? 0 : root + (uint32_t)suite_below(i);
        uint32_t node = put_node(f, parent, site);
        FakeSpot at = {site, node, suite_below(2) ? LMP_C_TABLE : LMP_C_STRING, 0};
        uint64_t count = suite_below(4), bytes = count * (1 + suite_below(5000));
        if (count) fake_made(f, at, count, bytes);
        if (count && suite_below(2)) fake_freed(f, at, at, count, bytes, suite_below(count + 1));
    }
    snprintf(header.program, sizeof header.program, "made up.lua");
    return f;
}

START_TEST(all_adds_up) {
    suite_seed();
    for (int round = 0; round < 40; round++) {
        LmpReport r;
        FakeTables *f = made_up(1 + (uint32_t)suite_below(400), 1 + (uint32_t)suite_below(60));
        fill_page(&r, f);
        char *data = data_of(&r);
        check_sums(data, &r);
        free(data);
        report_close(&r);
        fake_tables_free(f);
    }
}
END_TEST

/* What there is no room for is joined: the sums stay, and the page stays small. */
START_TEST(what_is_too_much) {
    LmpReport r;
    suite_seed();
    FakeTables *f = made_up(130000, 25000);
    fill_page(&r, f);
    char *data = data_of(&r);
    uint32_t rows, joined;
    check_sums(data, &r);
    sum_of(data, "sites", "live", &rows);
    ck_assert_uint_eq(rows, 20001);
    uint64_t nodes = sum_of(data, "tree", "joined", &joined);
    sum_of(data, "tree", "live", &rows);
    ck_assert_uint_gt(joined, 0);
    ck_assert_uint_eq(rows, 100000 + joined);
    ck_assert_uint_ge(nodes, joined); /* those just below what is kept, not all */
    ck_assert_uint_lt(strlen(data), 12u << 20);
    free(data);
    report_close(&r);
    fake_tables_free(f);
}
END_TEST

/* ---- source lines ---------------------------------------------------------------------------- */

static char *with_source(const char *name, const char *text, size_t size) {
    char source[300];
    LmpReport r;
    FILE *out = fopen(name, "w");
    fwrite(text, 1, size, out);
    fclose(out);
    snprintf(source, sizeof source, "@%s", name);
    FakeTables *f = fake_tables_new(&live);
    uint32_t fn = fake_function(f, LMP_F_MAIN, source, 0, "main chunk");
    fake_made(f, (FakeSpot){fake_site(f, fn, 2, 0), 0, LMP_C_TABLE, 0}, 1, 100);
    fill_page(&r, f);
    char *data = data_of(&r);
    report_close(&r);
    fake_tables_free(f);
    unlink(name);
    return data;
}

/* Only what looks like a program is taken: a recording may name any file. */
START_TEST(source_lines) {
    static const char lua[] = "local a = 1\nlocal b = {\"</script>\"}\nsecret = 42\n";
    char *data = with_source("htmlpage-test.lua", lua, sizeof lua - 1);
    ck_assert_ptr_nonnull(
        strstr(data, "[1,\"local a = 1\\nlocal b = {\\u0022\\u003c/script\\u003e\\u0022}\\n"));
    free(data);
    data = with_source("htmlpage-test.lua", "\0secret\n\n\n", 10);
    ck_assert_ptr_null(strstr(data, "secret"));
    free(data);
    data = with_source("htmlpage-test.key", lua, sizeof lua - 1);
    ck_assert_ptr_null(strstr(data, "secret"));
    free(data);
    data = with_source("htmlpage-test", "#!/usr/bin/env lua\nprint(1)\n", 28);
    ck_assert_ptr_nonnull(strstr(data, "print(1)"));
    free(data);
    /* a pipe is not waited for */
    ck_assert_int_eq(mkfifo("htmlpage-pipe.lua", 0600), 0);
    FakeTables *f = fake_tables_new(&live);
    uint32_t fn = fake_function(f, LMP_F_MAIN, "@htmlpage-pipe.lua", 0, "main chunk");
    fake_made(f, (FakeSpot){fake_site(f, fn, 2, 0), 0, LMP_C_TABLE, 0}, 1, 100);
    LmpReport r;
    fill_page(&r, f);
    data = data_of(&r);
    ck_assert_ptr_nonnull(strstr(data, "{\"name\":\"htmlpage-pipe.lua\"}"));
    free(data);
    unlink("htmlpage-pipe.lua");
    report_close(&r);
    fake_tables_free(f);
}
END_TEST

START_TEST(without_anything) {
    LmpReport r;
    memset(&live, 0, sizeof live);
    report_fill_with(&r, &header, &live, NULL, report_kinds[REPORT_HTML].parts, 0, "finished");
    char *data = data_of(&r);
    ck_assert_ptr_nonnull(strstr(data, "\"lines\":0"));
    free(data);
    report_close(&r);
}
END_TEST

SUITE("htmlpage", golden_data, nothing_leaves_it, all_adds_up, what_is_too_much, source_lines,
      without_anything)
