/* Tests of the page of a comparison: its data against both ledgers, whatever the trees; that
 * nothing of the programs can leave it; and golden files. That it works is for
 * tests/readers/diff.js, in a browser. */
#include <unistd.h>

#include "diff_fixture.h"
#include "page_data.h"
#include "recording/format/linetext.h"
#include "recording/format/texts.h"

static const DiffReportKind *const html = &diffreport_kinds[DIFF_HTML];

static char *data_of(const DiffReport *report) {
    return page_data(diff_written(html->write, report));
}

static void check_sum(const char *data, const char *table, const char *column, uint64_t expected) {
    uint32_t rows;
    uint64_t sum = sum_of(data, table, column, &rows);
    ck_assert_msg(sum == expected, "%s of %s: %llu, not %llu", column, table,
                  (unsigned long long)sum, (unsigned long long)expected);
}

/* Each table adds up to the whole of the newer run, and its "was" to that of the older one. */
static void check_sums(const char *data, const DiffReport *r) {
    const char *const tables[] = {"sites", "functions", r->diff->newer->stacks ? "tree" : "sites"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char key[40];
        snprintf(key, sizeof key, "\"%s\":{", tables[i]);
        const char *at = strstr(data, key);
        ck_assert_ptr_nonnull(at);
        for (int was = 0; was < 2; was++) {
            const LmpTally *all = was ? &r->diff->old->all : &r->diff->newer->all;
            const char *name = was ? "was" : tables[i];
            check_sum(at, name, "live", all->live_bytes);
            check_sum(at, name, "allocs", all->allocs);
            check_sum(at, name, "freed", all->free_bytes);
            check_sum(at, name, "peak", all->peak_bytes);
        }
    }
}

TEST(golden_data) {
    for (int stacks = 0; stacks < 2; stacks++) {
        OWN(diff_fixture_free_at)
        DiffFixture *f = diff_fixture_with(true, stacks ? html->parts : 0);
        OWN(free_at) char *data = data_of(&f->report);
        check_sums(data, &f->report);
        suite_golden(stacks ? "diff-stacks.html.json" : "diff-lines.html.json", data);
    }
}

/* ---- two of any kind ------------------------------------------------------------------------- */

typedef struct Pair {
    FakeTables *tables[2];
    LmpLive live[2];
    LmpReport r[2];
    RunDiff diff;
    DiffReport report;
} Pair;

static Pair *pair_new(void) {
    Pair *p = calloc(1, sizeof *p);
    ck_assert_ptr_nonnull(p);
    return p;
}

static void pair_compare(Pair *p, const char *program) {
    static LmpHeader header;
    snprintf(header.program, sizeof header.program, "%s", program);
    for (int i = 0; i < 2; i++)
        report_fill_with(&p->r[i], &header, &p->live[i], &p->tables[i]->t, html->parts, 0, "ended",
                         LEDGER_END);
    ck_assert_int_eq(rundiff_make(&p->diff, &p->r[0].ledger, &p->r[1].ledger, RUNDIFF_LIVE, 100),
                     LMP_OK);
    p->report = (DiffReport){.old = {&p->r[0], program},
                             .newer = {&p->r[1], program},
                             .diff = &p->diff,
                             .noise = 100,
                             .fail = -1};
}

static void pair_free(Pair *p) {
    rundiff_free(&p->diff);
    for (int i = 0; i < 2; i++) {
        report_close(&p->r[i]);
        fake_tables_free(p->tables[i]);
    }
    free(p);
}
RELEASE_AT(pair_free)

TEST(nothing_leaves_it) {
    OWN(pair_free_at) Pair *p = pair_new();
    for (int side = 0; side < 2; side++) {
        FakeTables *f = p->tables[side] = fake_tables_new(&p->live[side]);
        p->live[side].tables.stacks = true;
        for (size_t i = 0; i < HOSTILE; i++) {
            char source[80];
            snprintf(source, sizeof source, "@%s.lua", hostile[i]);
            uint32_t fn = fake_function(f, LMP_F_LUA, source, 1, hostile[i]);
            uint32_t site = fake_site(f, fn, 2 + side * (int)(i % 3), 0);
            FakeSpot at = {site, fake_node(f, 0, site, 0), LMP_C_TABLE, fake_tag(f, hostile[i])};
            fake_made(f, at, 1, 100 + (uint64_t)side * 200);
        }
    }
    pair_compare(p, hostile[0]);
    p->r[0].error = hostile[0];
    p->r[1].ending = hostile[1];
    p->report.old.name = hostile[3];
    OWN(free_at) char *data = data_of(&p->report);
    check_escaped(data);
    check_sums(data, &p->report);
}

TEST(all_adds_up) {
    for (int round = 0; round < 40; round++) {
        OWN(pair_free_at) Pair *p = pair_new();
        for (int i = 0; i < 2; i++)
            p->tables[i] = page_made_up(&p->live[i], 1 + (uint32_t)suite_below(300),
                                        1 + (uint32_t)suite_below(60));
        pair_compare(p, "made up.lua");
        OWN(free_at) char *data = data_of(&p->report);
        check_sums(data, &p->report);
        p->report.top = 3; /* the others are one row */
        OWN(free_at) char *few = data_of(&p->report);
        check_sums(few, &p->report);
    }
}

/* What there is no room for is joined: the sums stay, and the page stays small. */
TEST(what_is_too_much) {
    uint32_t rows, joined;
    OWN(pair_free_at) Pair *p = pair_new();
    for (int i = 0; i < 2; i++)
        p->tables[i] = page_made_up(&p->live[i], 70000, 22000);
    pair_compare(p, "made up.lua");
    OWN(free_at) char *data = data_of(&p->report);
    check_sums(data, &p->report);
    sum_of(data, "sites", "live", &rows);
    ck_assert_uint_eq(rows, 20001);
    sum_of(data, "tree", "joined", &joined);
    sum_of(data, "tree", "live", &rows);
    ck_assert_uint_gt(joined, 0);
    ck_assert_uint_eq(rows, 100000 + joined);
    ck_assert_uint_lt(strlen(data), 12u << 20);
}

/* ---- texts of lines -------------------------------------------------------------------------- */

static char *with_text(const char *ran, const KeptTexts *kept) {
    Pair *p = pair_new();
    for (int i = 0; i < 2; i++) {
        FakeTables *f = p->tables[i] = fake_tables_new(&p->live[i]);
        uint32_t fn = fake_function(f, LMP_F_MAIN, "@diff-page-test.lua", 0, "main chunk");
        uint32_t site = fake_site(f, fn, 2, 0);
        f->t.site[site].text = ran ? linetext_hash(ran, strlen(ran)) : 0;
        fake_made(f, (FakeSpot){site, 0, LMP_C_TABLE, 0}, 1, 100 + 1000 * (uint64_t)i);
    }
    pair_compare(p, "diff-page-test.lua");
    p->r[1].sources = kept;
    char *data = data_of(&p->report);
    pair_free(p);
    return data;
}

/* Only a line that is still what it was when it ran is shown. */
TEST(texts_of_lines) {
    FILE *out = fopen("diff-page-test.lua", "w");
    fputs("local a = 1\n  local b = {\"</script>\"}\nsecret = 42\n", out);
    fclose(out);
    char *data = with_text("local b = {\"</script>\"}", NULL);
    ck_assert_ptr_nonnull(strstr(data, "\"local b = {\\u0022\\u003c/script\\u003e\\u0022}\""));
    free(data);
    data = with_text("local b = {}", NULL);
    ck_assert_ptr_null(strstr(data, "local b"));
    free(data);
    data = with_text(NULL, NULL);
    ck_assert_ptr_null(strstr(data, "local b"));
    free(data);
    KeptTexts *kept =
        NULL; /* what the newer recording has goes before the file, which was edited */
    RecBytes plain = {0};
    kepttexts_put(&plain, "@diff-page-test.lua", "--\nlocal b = {}\n", 16);
    ck_assert_int_eq(kepttexts_add(&kept, plain.at, plain.n), LMP_OK);
    data = with_text("local b = {}", kept);
    ck_assert_ptr_nonnull(strstr(data, "\"local b = {}\""));
    free(data);
    kepttexts_free(kept);
    bytes_free(&plain);
    unlink("diff-page-test.lua");
}

TEST(without_anything) {
    OWN(pair_free_at) Pair *p = pair_new();
    for (int i = 0; i < 2; i++)
        p->tables[i] = fake_tables_new(&p->live[i]);
    pair_compare(p, "");
    OWN(free_at) char *data = data_of(&p->report);
    ck_assert_ptr_nonnull(strstr(data, "\"words\":["));
}
