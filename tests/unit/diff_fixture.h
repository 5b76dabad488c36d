/* diff_fixture.h - two runs of the program of fake_program.h, which was edited in between: a file's
 * lines moved down, one line came, one holds more and one less. */
#ifndef LMP_DIFF_FIXTURE_H
#define LMP_DIFF_FIXTURE_H

#include "fake_program.h"
#include "report/diff/diffreport.h"
#include "suite.h"

typedef struct DiffFixture {
    FakeTables *tables[2];
    LmpLive live[2];
    LmpReport r[2];
    RunDiff diff;
    DiffReport report;
} DiffFixture;

/* As if three lines had been written below the 28th of options.lua. */
static void diff_fixture_move(FakeTables *f) {
    const LmpTablesUsed *u = &f->live->tables;
    for (uint32_t i = 1; i < u->sites; i++) {
        LmpSite *s = &f->t.site[i];
        const LmpFunction *of = &f->t.function[s->function];
        if (strcmp(f->t.text + of->source, "@options.lua") == 0 && s->line > 28) s->line += 3;
    }
    for (uint32_t i = 1; i < u->functions; i++) {
        LmpFunction *of = &f->t.function[i];
        if (strcmp(f->t.text + of->source, "@options.lua") == 0 && of->linedefined > 28)
            of->linedefined += 3;
    }
}

static void diff_fixture_edit(FakeTables *f) {
    diff_fixture_move(f);
    uint32_t function = fake_function(f, LMP_F_LUA, "@cache.lua", 40, "local 'refresh'");
    bool stacks = f->live->tables.stacks;
    FakeSpot spot = {.site = fake_site(f, function, 44, 0), .cls = LMP_C_STRING};
    if (stacks) spot.node = fake_node(f, 0, spot.site, 0);
    fake_made(f, spot, 90000, 90000 * 64);
    for (uint32_t i = 2; i < f->live->tables.records; i++) {
        LmpRecord *r = &f->t.record[i];
        FakeSpot at = {.site = r->site, .cls = r->use.cls, .tag = r->use.tag};
        if (i % 7 == 0 && stacks) at.node = fake_node(f, 0, at.site, 0);
        if (i % 7 == 0) fake_made(f, at, 1000ull * i, 32000ull * i);
    }
}

static DiffFixture *diff_fixture_with(bool edited, unsigned parts) {
    static const LmpHeader header = {
        .program = "options.lua", .lua = "Lua 5.4.4", .pid = 4711, .top = 10};
    DiffFixture *f = calloc(1, sizeof *f);
    ck_assert_ptr_nonnull(f);
    for (int i = 0; i < 2; i++) {
        f->tables[i] = fake_tables_new(&f->live[i]);
        fake_program(f->tables[i], parts & LEDGER_TREE);
        if (i == 1 && edited) diff_fixture_edit(f->tables[i]);
        report_fill_with(&f->r[i], &header, &f->live[i], &f->tables[i]->t, parts, 62412345678,
                         "finished", LEDGER_END);
    }
    uint64_t noise = diffreport_noise(&f->r[0], &f->r[1], RUNDIFF_LIVE);
    const Ledger *old = &f->r[0].ledger, *newer = &f->r[1].ledger;
    ck_assert_int_eq(rundiff_make(&f->diff, old, newer, RUNDIFF_LIVE, noise), LMP_OK);
    f->report = (DiffReport){.old = {&f->r[0], "before.lmprec"},
                             .newer = {&f->r[1], "after.lmprec@peak"},
                             .diff = &f->diff,
                             .noise = noise,
                             .fail = 10};
    return f;
}

static inline DiffFixture *diff_fixture(bool edited) {
    return diff_fixture_with(edited, 0);
}

static void diff_fixture_free(DiffFixture *f) {
    rundiff_free(&f->diff);
    for (int i = 0; i < 2; i++) {
        report_close(&f->r[i]);
        fake_tables_free(f->tables[i]);
    }
    free(f);
}
RELEASE_AT(diff_fixture_free)

/* A comparison as text; the caller frees it. */
static char *diff_written(LmpErr (*write)(const DiffReport *, FILE *), const DiffReport *report) {
    ck_assert_int_eq(write(report, suite_write()), LMP_OK);
    return suite_written();
}

#endif
