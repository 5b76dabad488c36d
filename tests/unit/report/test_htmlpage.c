/* Tests of the page for a browser: its data against the ledger, whatever the tree; that nothing of
 * the program can leave it; and a golden file of the data of a program. That it works is for
 * tests/readers/report.js, in a browser. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "page_data.h"
#include "recording/format/texts.h"
#include "report/formats/formats.h"
#include "report/page/htmlpage.h"
#include "report_fixture.h"

RELEASE_AT(kepttexts_free)

static void fill_page(LmpReport *r, FakeTables *f) {
    report_fill_with(r, &header, &live, &f->t, report_kinds[REPORT_HTML].parts, live.clock,
                     "finished", LEDGER_END);
}

/* The data of the page; the caller frees it. */
static char *data_of(const LmpReport *r) {
    return page_data(written(report_kinds[REPORT_HTML].write, r));
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

TEST(golden_data) {
    for (int stacks = 0; stacks < 2; stacks++) {
        OWN(report_close) LmpReport r;
        OWN(fake_tables_free_at) FakeTables *f = program(stacks);
        live.marks = 1;
        live.mark[0].clock = 700000000;
        snprintf(live.mark[0].name, sizeof live.mark[0].name, "loaded");
        live.history.interval = 500000000;
        live.history.used = 2;
        live.history.samples[0].max_bytes = live.history.samples[0].last_bytes = 1000;
        live.history.samples[1].max_bytes = 2000;
        fill_page(&r, f);
        OWN(free_at) char *data = data_of(&r);
        check_sums(data, &r);
        suite_golden(stacks ? "report-stacks.html.json" : "report-lines.html.json", data);
    }
}

/* A range of time is what the page opens with; its figures are all there. */
TEST(opens_with_a_range) {
    OWN(report_close) LmpReport r;
    OWN(fake_tables_free_at) FakeTables *f = program(true);
    fill_page(&r, f);
    OWN(free_at) char *data = data_of(&r);
    ck_assert_ptr_null(strstr(data, "\"open\":"));
    free(data);
    report_set_range(&r, 700000000, 1200000000, 99);
    data = data_of(&r);
    ck_assert_ptr_nonnull(strstr(data, "\"open\":[700000000,1200000000]"));
    check_sums(data, &r);
}

/* ---- names that want out --------------------------------------------------------------------- */

TEST(nothing_leaves_it) {
    OWN(report_close) LmpReport r;
    OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(&live);
    snprintf(header.program, sizeof header.program, "%s", hostile[0]);
    snprintf(live.mark[0].name, sizeof live.mark[0].name, "</script>");
    live.marks = 1;
    live.tables.stacks = true;
    for (size_t i = 0; i < HOSTILE; i++) {
        char source[80];
        snprintf(source, sizeof source, "@%s.lua", hostile[i]);
        uint32_t fn = fake_function(f, LMP_F_LUA, source, 1, hostile[i]);
        uint32_t site = fake_site(f, fn, 2, 0), node = fake_node(f, 0, site, 0);
        fake_made(f, (FakeSpot){site, node, LMP_C_TABLE, fake_tag(f, hostile[i])}, 1, 100);
    }
    fill_page(&r, f);
    r.error = hostile[0];
    r.again = hostile[1];
    OWN(free_at) char *data = data_of(&r);
    check_escaped(data);
    check_sums(data, &r);
}

/* ---- trees made by chance -------------------------------------------------------------------- */

static FakeTables *made_up(uint32_t nodes, uint32_t lines) {
    snprintf(header.program, sizeof header.program, "made up.lua");
    return page_made_up(&live, nodes, lines);
}

TEST(all_adds_up) {
    for (int round = 0; round < 40; round++) {
        OWN(report_close) LmpReport r;
        OWN(fake_tables_free_at)
        FakeTables *f = made_up(1 + (uint32_t)suite_below(400), 1 + (uint32_t)suite_below(60));
        fill_page(&r, f);
        OWN(free_at) char *data = data_of(&r);
        check_sums(data, &r);
    }
}

/* What there is no room for is joined: the sums stay, and the page stays small. */
TEST(what_is_too_much) {
    OWN(report_close) LmpReport r;
    OWN(fake_tables_free_at) FakeTables *f = made_up(130000, 25000);
    fill_page(&r, f);
    OWN(free_at) char *data = data_of(&r);
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
}

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
TEST(source_lines) {
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
    OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(&live);
    uint32_t fn = fake_function(f, LMP_F_MAIN, "@htmlpage-pipe.lua", 0, "main chunk");
    fake_made(f, (FakeSpot){fake_site(f, fn, 2, 0), 0, LMP_C_TABLE, 0}, 1, 100);
    OWN(report_close) LmpReport r;
    fill_page(&r, f);
    data = data_of(&r);
    ck_assert_ptr_nonnull(strstr(data, "{\"name\":\"htmlpage-pipe.lua\"}"));
    free(data);
    unlink("htmlpage-pipe.lua");
}

/* What ran, as a recording has kept it, goes before what the file says now. */
TEST(kept_source_lines) {
    OWN(fake_tables_free_at) FakeTables *f = fake_tables_new(NULL);
    FILE *file = fopen("htmlpage-kept.lua", "w");
    ck_assert_ptr_nonnull(file);
    fputs("edited = {}\n", file);
    fclose(file);
    uint32_t fn = fake_function(f, LMP_F_MAIN, "@htmlpage-kept.lua", 0, "main chunk");
    fake_made(f, (FakeSpot){fake_site(f, fn, 2, 0), 0, LMP_C_TABLE, 0}, 1, 100);
    OWN(report_close) LmpReport r;
    OWN(bytes_free) RecBytes plain = {0};
    OWN(kepttexts_free_at) KeptTexts *kept = NULL;
    kepttexts_put(&plain, "@htmlpage-kept.lua", "-- ran\nkept = {}\n", 17);
    ck_assert_int_eq(kepttexts_add(&kept, plain.at, plain.n), LMP_OK);
    fill_page(&r, f);
    r.sources = kept;
    char *data = data_of(&r);
    ck_assert_ptr_nonnull(strstr(data, "kept = {}"));
    ck_assert_ptr_null(strstr(data, "edited = {}"));
    free(data);
    unlink("htmlpage-kept.lua");
}

/* Of an empty cell there is nothing but that. */
TEST(cells_of_the_heap_map) {
    static const MapCell map[] = {
        {.bytes = {[LMP_STRING] = 7, [LMP_TABLE] = 56}, .blocks = 2, .capacity = 64},
        {.capacity = 64},
        {.bytes = {[LMP_OTHER] = 16}, .capacity = 16}};
    OWN(report_close) LmpReport r;
    OWN(fake_tables_free_at) FakeTables *f = program(true);
    fill_page(&r, f);
    r.map = map;
    r.map_cells = 3;
    OWN(free_at) char *data = written(htmlpage_write_data, &r);
    ck_assert_ptr_nonnull(strstr(data, "\"map\":{\"cell\":64,\"bytes\":144,"
                                       "\"cells\":[17,7,56,2,0,32,16,0]}"));
}

TEST(without_anything) {
    OWN(report_close) LmpReport r;
    memset(&live, 0, sizeof live);
    report_fill_with(&r, &header, &live, NULL, report_kinds[REPORT_HTML].parts, 0, "finished",
                     LEDGER_END);
    OWN(free_at) char *data = data_of(&r);
    ck_assert_ptr_nonnull(strstr(data, "\"lines\":0"));
}
