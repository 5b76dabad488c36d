/* Limits on a program of fixed figures: exactly at one is kept, one more is broken; what is said.
 */
#include "gate/gate.h"
#include "report_fixture.h"

static LmpLimit limit_of(const char *text) {
    LmpLimit l;
    char problem[320];
    ck_assert_msg(limits_parse(text, &l, problem, sizeof problem), "%s: %s", text, problem);
    return l;
}

static LmpFinding judged(const char *text, const LmpGateInput *in) {
    static LmpLimit l;
    LmpFinding f;
    l = limit_of(text);
    gate_judge(&l, in, &f);
    return f;
}

typedef struct State {
    FakeTables *tables;
    LmpReport report;
    LmpGateInput in;
} State;

static State *state(void) {
    static State s;
    s.tables = program(false);
    live.tables.lines = LMP_LINES_EXACT;
    report_fill(&s.report, &header, &live, &s.tables->t, live.clock, "finished");
    s.in = (LmpGateInput){&s.report, &s.tables->t, true, NULL, "no snapshot was asked for"};
    return &s;
}

static void state_free(State *s) {
    report_close(&s->report);
    fake_tables_free(s->tables);
}
RELEASE_AT(state_free)

/* Of each figure that there is: its value, as limit, is kept; one less is broken, and lines are
 * named. */
TEST(boundary) {
    OWN(state_free_at) State *s = state();
    char text[400];
    static const char *const of[] = {"", "at options.lua ", "type table ", "type string ",
                                     "tag pricing "};
    int met = 0;
    for (int figure = 0; figure < LIMIT_FIGURE_COUNT; figure++) {
        const LmpLimitInfo *info = &limit_figures[figure];
        for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
            if (figure == LIMIT_HELD || (*of[i] && !info->scopes)) continue;
            snprintf(text, sizeof text, "%s%s %llu", of[i], info->word, ~0ull);
            LmpFinding f = judged(text, &s->in);
            ck_assert(f.told && !f.broken && f.lines == 0);
            if (f.value == 0) continue;
            snprintf(text, sizeof text, "%s%s %llu", of[i], info->word,
                     (unsigned long long)f.value);
            ck_assert_msg(!judged(text, &s->in).broken, "%s", text);
            snprintf(text, sizeof text, "%s%s %llu", of[i], info->word,
                     (unsigned long long)f.value - 1);
            f = judged(text, &s->in);
            ck_assert_msg(f.broken && f.lines > 0, "%s", text);
            for (uint32_t k = 1; k < f.lines; k++)
                ck_assert_uint_ge(f.line[k - 1].value, f.line[k].value);
            met++;
        }
    }
    ck_assert_int_gt(met, 15);
    ck_assert_uint_eq(judged("peak 0", &s->in).value, s->report.stats.peak_bytes);
    ck_assert_uint_eq(judged("allocs 0", &s->in).value, s->report.stats.mallocs);
    ck_assert_uint_eq(judged("type table live 0", &s->in).value,
                      s->report.stats.kind[LMP_TABLE].live_bytes);
    ck_assert_uint_eq(judged("bytes 0", &s->in).value,
                      s->report.stats.malloc_bytes + (uint64_t)s->report.stats.realloc_bytes);
}

/* What needs the end, lines, or a snapshot, and does not have it, is broken; leaks are not. */
TEST(cannot_be_told) {
    OWN(state_free_at) State *s = state();
    LmpFinding f = judged("held 1GiB", &s->in);
    ck_assert(f.broken && !f.told);
    ck_assert_str_eq(f.note, "cannot be told: no snapshot was asked for");
    s->in.ended = false;
    s->report.ending = "killed by signal 9 (SIGKILL)";
    f = judged("leaks 9", &s->in);
    ck_assert(f.broken && !f.told);
    ck_assert_str_eq(f.note, "cannot be told: killed by signal 9 (SIGKILL), and this needs the "
                             "program's end");
    ck_assert(judged("held 1GiB", &s->in).broken);
    ck_assert(!judged("peak 1GiB", &s->in).broken);
    s->in.ended = true;
    s->report.judgement =
        (LmpJudgement){.growth = LMP_GROWTH_WAIT, .words = "the run was too short to tell"};
    f = judged("leaks 0", &s->in);
    ck_assert(!f.broken && f.told);
    ck_assert_str_eq(f.note, "the run was too short to tell");
    f = judged("at nowhere.lua:1 live 0", &s->in);
    ck_assert_str_eq(f.note, "nothing was made there");
    f = judged("tag nobody live 0", &s->in);
    ck_assert_str_eq(f.note, "this tag was never set");
    s->report.ledger.lines = LMP_LINES_OFF;
    f = judged("at options.lua live 1GiB", &s->in);
    ck_assert(f.broken && !f.told);
    ck_assert(!judged("type table live 1GiB", &s->in).broken);
}

TEST(said) {
    static const char *const typed[] = {"peak 1GiB",
                                        "allocs 1000",
                                        "at options.lua:9 live 100B",
                                        "type string bytes 1 KiB",
                                        "leaks 0",
                                        "held 1KiB",
                                        "tag pricing allocs 3",
                                        "tag <a & \"b\"> live 0",
                                        "at \x01\xff]]>.lua live 0"};
    enum { N = sizeof typed / sizeof *typed };
    static LmpLimit limit[N];
    static LmpFinding finding[N];
    OWN(state_free_at) State *s = state();
    for (int i = 0; i < N; i++) {
        limit[i] = limit_of(typed[i]);
        gate_judge(&limit[i], &s->in, &finding[i]);
    }
    LmpGateOf of = {"options.lua", "exited with status 1", 4711, 62.5, true};
    FILE *out = suite_write();
    gate_text(&of, finding, N, out);
    gate_text(&(LmpGateOf){"a.lua", "finished", 0, 1, false}, finding, 1, out);
    OWN(free_at) char *text = suite_written();
    suite_golden("gate.txt", text);
    out = suite_write();
    gate_junit_begin(out);
    gate_junit_suite(&of, finding, N, out);
    gate_junit_suite(&(LmpGateOf){"\x02<&>\xc3.lua", "finished", 0, 1e300, false}, finding, 1, out);
    gate_junit_end(out);
    OWN(free_at) char *xml = suite_written();
    suite_golden("gate.xml", xml);
}
