/* test_ledger_counts.c - calls, instructions and overrides in the ledger: made-up tables against
 * sums of the test's own; and tables of rubbish. */
#include "fake_tables.h"
#include "read/ledger/ledger.h"
#include "suite.h"

enum { FUNCTIONS = 6, LINES = 9, EDGES = 60, OVERRIDES = 50 };

static FakeTables *f;
static Ledger ledger;
static uint32_t function[FUNCTIONS], site[FUNCTIONS][LINES];

static void end(void) {
    ledger_free(&ledger);
    fake_tables_free(f);
}

static void begin(void) {
    suite_closes(end);
    f = fake_tables_new(NULL);
    ledger = (Ledger){0};
    for (int i = 2; i <= (int)LMP_SITE_COLLECTOR; i++)
        fake_site(f, fake_function(f, LMP_F_PSEUDO, "=(pseudo)", -1 - i, "(pseudo)"), -1, 0);
    for (int i = 0; i < FUNCTIONS; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d", i);
        function[i] = fake_function(f, LMP_F_LUA, "@a.lua", 100 * i, name);
        for (int l = 0; l < LINES; l++)
            site[i][l] = fake_site(f, function[i], 100 * i + l, 0);
    }
    f->live->tables.counts = LMP_COUNTS_ALL;
    f->live->tables.edges = f->live->tables.overrides = 2;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void one_of_calls(void) {
    uint64_t calls[FUNCTIONS] = {0}, all = 0;
    begin();
    for (int i = 0; i < EDGES; i++) {
        LmpEdge *e = &f->t.edge[f->live->tables.edges++];
        int callee = (int)suite_below(FUNCTIONS);
        *e = (LmpEdge){site[suite_below(FUNCTIONS)][suite_below(LINES)], function[callee],
                       suite_below(1000)};
        calls[callee] += e->calls;
        f->t.function[function[callee]].calls += e->calls;
        all += e->calls;
    }
    ck_assert_int_eq(ledger_refresh(&ledger, &f->t, LEDGER_EDGES, 1), LMP_OK);
    ck_assert_uint_eq(ledger.calls, all);
    uint64_t sum = 0, last = UINT64_MAX;
    for (uint32_t i = 0; i < ledger.edges; i++) {
        const LmpEdgeRow *e = &ledger.edge[i];
        const LmpFunctionRow *callee = &ledger.function[e->callee];
        const LmpFunctionRow *caller = &ledger.function[e->caller];
        ck_assert(e->calls <= last);
        ck_assert_int_eq(e->line / 100, caller->linedefined / 100);
        ck_assert_uint_eq(e->site, LEDGER_NO_ROW);
        calls[callee->linedefined / 100] -= e->calls;
        last = e->calls;
        sum += e->calls;
    }
    ck_assert_uint_eq(sum, all);
    for (int i = 0; i < FUNCTIONS; i++)
        ck_assert_uint_eq(calls[i], 0);
    ck_assert_int_eq(ledger_refresh(&ledger, &f->t, LEDGER_SITES, 2), LMP_OK);
    ck_assert_uint_eq(ledger.edges, 0);
    f->live->tables.counts = 0;
    ck_assert_int_eq(ledger_refresh(&ledger, &f->t, LEDGER_ALL | LEDGER_EDGES, 3), LMP_OK);
    ck_assert_uint_eq(ledger.edges + ledger.calls, 0);
}

static void one_of_instructions(void) {
    uint64_t run[FUNCTIONS][LINES], all = 0;
    begin();
    for (int i = 0; i < FUNCTIONS; i++)
        for (int l = 0; l < LINES; l++) {
            run[i][l] = suite_below(3) ? 1 + suite_below(100) : 0;
            f->t.instructions[site[i][l]] = run[i][l];
            all += run[i][l];
        }
    ck_assert_int_eq(ledger_refresh(&ledger, &f->t, LEDGER_SITES, 1), LMP_OK);
    ck_assert_uint_eq(ledger.instructions, all);
    for (uint32_t i = 0; i < ledger.sites; i++) {
        int line = ledger.site[i].line;
        ck_assert_uint_eq(ledger.site[i].instructions, run[line / 100][line % 100]);
        all -= ledger.site[i].instructions;
    }
    ck_assert_uint_eq(all, 0);
}

/* ---- overrides ------------------------------------------------------------------------------- */

static FakeSpot place(uint32_t s) {
    return (FakeSpot){.site = s, .cls = LMP_C_TABLE_PART};
}

static LmpOverride *override_of(uint32_t made, uint32_t here) {
    uint32_t *used = &f->live->tables.overrides;
    for (uint32_t i = 2; i < *used; i++)
        if (f->t.override[i].made == made && f->t.override[i].here == here)
            return &f->t.override[i];
    f->t.override[*used] = (LmpOverride){.made = made, .here = here};
    return &f->t.override[(*used)++];
}

static void one_of_overrides(void) {
    begin();
    for (int i = 0; i < OVERRIDES; i++) {
        uint32_t made = site[suite_below(FUNCTIONS)][suite_below(LINES)];
        uint32_t here = site[suite_below(FUNCTIONS)][suite_below(LINES)];
        fake_made(f, place(made), 5, 500);
        LmpOverride *o = override_of(made, here);
        fake_resized(f, place(made), place(here), 1, -20);
        o->reallocs++;
        o->realloc_bytes -= 20;
        o->realloc_old += 70;
        fake_freed(f, place(made), place(here), 2, 100, 0);
        o->frees += 2;
        o->free_bytes += 100;
        fake_freed(f, place(made), place(LMP_SITE_COLLECTOR), 1, 30, 0);
    }
    unsigned parts = LEDGER_SITES | LEDGER_OVERRIDES;
    ck_assert_int_eq(ledger_refresh(&ledger, &f->t, parts, 1), LMP_OK);
    ck_assert_uint_gt(ledger.overrides, 0);
    uint64_t old = 0;
    for (uint32_t i = 0; i < ledger.overrides; i++)
        old += ledger.override[i].realloc_old;
    ck_assert_uint_eq(old, 70 * OVERRIDES);
    for (uint32_t s = 0; s < ledger.sites; s++) {
        LmpSiteRow row = ledger.site[s];
        for (uint32_t i = 0; i < ledger.overrides; i++) {
            const LmpOverrideRow *o = &ledger.override[i];
            ck_assert(o->frees || o->reallocs);
            if (o->here == s) {
                row.here_frees -= o->frees;
                row.here_free_bytes -= o->free_bytes;
                row.here_reallocs -= o->reallocs;
                row.here_realloc_bytes -= o->realloc_bytes;
            }
            if (o->made == s) {
                row.tally.frees -= o->frees;
                row.tally.free_bytes -= o->free_bytes;
                row.tally.reallocs -= o->reallocs;
                row.tally.realloc_bytes -= o->realloc_bytes;
            }
        }
        ck_assert_uint_eq(row.here_frees + row.here_free_bytes + row.here_reallocs, 0);
        ck_assert_int_eq(row.here_realloc_bytes + row.tally.realloc_bytes, 0);
        ck_assert_uint_eq(row.tally.frees + row.tally.free_bytes + row.tally.reallocs, 0);
    }
}

/* ---- rubbish --------------------------------------------------------------------------------- */

static uint32_t word(void) {
    return suite_below(2) ? (uint32_t)suite_below(200) : (uint32_t)suite_random();
}

static void one_of_rubbish(void) {
    begin();
    LmpTablesUsed *used = &f->live->tables;
    for (int i = 0; i < 200; i++) {
        f->t.edge[i] = (LmpEdge){word(), word(), word()};
        f->t.override[i] =
            (LmpOverride){word(), word(), word(), word(), word(), (int32_t)word(), word()};
        f->t.instructions[i] = word();
    }
    used->edges = suite_below(4) ? 200 : word();
    used->overrides = suite_below(4) ? 200 : word();
    used->counts = word();
    if (suite_below(3) == 0) used->sites = (uint32_t)suite_below(6);
    if (suite_below(3) == 0) used->functions = (uint32_t)suite_below(4);
    for (int i = 0; i < 10; i++)
        fake_made(f, place(FAKE_OTHERS), 1, 10);
    unsigned parts = LEDGER_ALL | LEDGER_EDGES | LEDGER_OVERRIDES;
    ck_assert_int_eq(ledger_refresh(&ledger, &f->t, parts, 1), LMP_OK);
    for (uint32_t i = 0; i < ledger.edges; i++) {
        ck_assert_uint_lt(ledger.edge[i].caller, ledger.functions);
        ck_assert_uint_lt(ledger.edge[i].callee, ledger.functions);
        ck_assert(ledger.edge[i].site == LEDGER_NO_ROW || ledger.edge[i].site < ledger.sites);
    }
    for (uint32_t i = 0; i < ledger.overrides; i++) {
        ck_assert_uint_lt(ledger.override[i].made, ledger.sites);
        ck_assert_uint_lt(ledger.override[i].here, ledger.sites);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static void rounds(void (*one)(void), int n) {
    suite_again();
    for (int i = 0; i < n; i++)
        one();
}

TEST(calls_of_functions_and_lines) {
    rounds(one_of_calls, 30);
}

TEST(instructions_of_lines) {
    rounds(one_of_instructions, 30);
}

TEST(overrides_of_lines) {
    rounds(one_of_overrides, 30);
}

TEST(rubbish) {
    rounds(one_of_rubbish, 300);
}
