/* ledger_fixture.h - a model whose ledger is that of the program of fake_program.h, for panels that
 * show who made what. */
#ifndef LMP_LEDGER_FIXTURE_H
#define LMP_LEDGER_FIXTURE_H

#include "suite.h"

#include "fake_tables.h"
#include "heap_fixture.h"

typedef struct LedgerFixture {
    FakeTables *tables;
    Model *model;
} LedgerFixture;

/* Reads the tables again, as the viewer does with every refresh. */
static inline void ledger_fixture_refresh(LedgerFixture *s) {
    Model *m = s->model;
    ck_assert_int_eq(ledger_refresh(&m->ledger, &s->tables->t, LEDGER_ALL | LEDGER_RATES, m->clock),
                     LMP_OK);
    m->ledger_parts = LEDGER_ALL;
    m->ledger_serial++;
    m->stats.live_bytes = s->tables->live->counters.live_bytes;
}

/* `empty`: before the program has made anything. */
static inline LedgerFixture ledger_fixture(bool stacks, bool empty) {
    LedgerFixture s = {fake_tables_new(NULL), heap_fixture_model(NULL)};
    if (!empty) fake_program(s.tables, stacks);
    s.tables->live->tables.stacks = stacks;
    ledger_fixture_refresh(&s);
    return s;
}

static inline void ledger_fixture_free(LedgerFixture *s) {
    ledger_free(&s->model->ledger);
    free(s->model);
    fake_tables_free(s->tables);
}

#endif
