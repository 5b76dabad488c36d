/* Tests of the formats of a comparison: golden files, sums, and what a limit of growth lets pass.
 */
#include "diff_fixture.h"

static void golden(const char *name, LmpErr (*write)(const DiffReport *, FILE *),
                   const DiffReport *report) {
    OWN(free_at) char *text = diff_written(write, report);
    suite_golden(name, text);
}

TEST(an_edited_program) {
    OWN(diff_fixture_free_at) DiffFixture *f = diff_fixture(true);
    golden("diff.txt", diffreport_kinds[DIFF_TEXT].write, &f->report);
    f->report.top = 3;
    golden("diff.json", diffreport_kinds[DIFF_JSON].write, &f->report);
}

TEST(doubtful) {
    OWN(diff_fixture_free_at) DiffFixture *f = diff_fixture(false);
    snprintf(f->r[1].program, sizeof f->r[1].program, "other.lua");
    snprintf(f->r[1].lua, sizeof f->r[1].lua, "Lua 5.4.6");
    f->r[1].ledger.sample = 4096;
    f->r[1].ledger.lines = LMP_LINES_APPROXIMATE;
    f->report.top = 1;
    golden("diff-doubtful.txt", diffreport_kinds[DIFF_TEXT].write, &f->report);
}

TEST(nothing_changed) {
    OWN(diff_fixture_free_at) DiffFixture *f = diff_fixture(false);
    f->report.newer = f->report.old;
    rundiff_free(&f->diff);
    const Ledger *side = &f->r[0].ledger;
    ck_assert_int_eq(rundiff_make(&f->diff, side, side, RUNDIFF_LIVE, 0), LMP_OK);
    f->report.fail = 0;
    ck_assert(!diffreport_fails(&f->report));
    golden("diff-same.txt", diffreport_kinds[DIFF_TEXT].write, &f->report);
}

/* Exactly as much as it may passes, one byte more fails. */
TEST(limit_of_growth) {
    static LmpReport a, b;
    RunDiff diff = {.metric = RUNDIFF_PEAK};
    DiffReport r = {.old.report = &a, .newer.report = &b, .diff = &diff};
    static const struct {
        uint64_t was, is;
        double percent;
        bool fails;
    } cases[] = {
        {1000, 1000, 0, false},
        {1000, 1001, 0, true},
        {1000, 1050, 5, false},
        {1000, 1051, 5, true},
        {0, 1, 50, true},
        {0, 0, 0, false},
        {1000, 10, 0, false},
        {1000, 5000, -1, false},
        {3, 4, 33.4, false},
        {3, 4, 33.3, true},
        {1ull << 40, (1ull << 40) + 1, 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int which = 0; which < 3; which++) {
            a.stats = b.stats = (LmpStats){0};
            if (which == 0) a.stats.peak_bytes = cases[i].was, b.stats.peak_bytes = cases[i].is;
            if (which == 1) a.stats.live_bytes = cases[i].was, b.stats.live_bytes = cases[i].is;
            if (which == 2) a.stats.malloc_bytes = cases[i].was, b.stats.malloc_bytes = cases[i].is;
            r.fail = cases[i].percent;
            r.by_metric = false;
            ck_assert_int_eq(diffreport_fails(&r), cases[i].fails);
            r.by_metric = true; /* the peak alone */
            ck_assert_int_eq(diffreport_fails(&r), cases[i].fails && which == 0);
        }
    }
}
