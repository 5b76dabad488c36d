/* ledger_scene.h - a model whose ledger is that of the program of fake_program.h, for panels that
 * show who made what. */
#ifndef LMP_LEDGER_SCENE_H
#define LMP_LEDGER_SCENE_H

#include "suite.h"

#include "fake_scene.h"
#include "fake_tables.h"

typedef struct LedgerScene {
    FakeTables *tables;
    Model *model;
} LedgerScene;

/* Reads the tables again, as the viewer does with every refresh. */
__attribute__((unused)) static void ledger_scene_refresh(LedgerScene *s) {
    Model *m = s->model;
    ck_assert_int_eq(ledger_refresh(&m->ledger, &s->tables->t, LEDGER_ALL | LEDGER_RATES, m->clock),
                     LMP_OK);
    m->ledger_parts = LEDGER_ALL;
    m->ledger_serial++;
    m->stats.live_bytes = s->tables->live->counters.live_bytes;
}

/* `empty`: before the program has made anything. */
__attribute__((unused)) static LedgerScene ledger_scene(bool stacks, bool empty) {
    LedgerScene s = {fake_tables_new(NULL), scene_model(NULL)};
    if (!empty) fake_program(s.tables, stacks);
    s.tables->live->tables.stacks = stacks;
    ledger_scene_refresh(&s);
    return s;
}

__attribute__((unused)) static void ledger_scene_free(LedgerScene *s) {
    ledger_free(&s->model->ledger);
    free(s->model);
    fake_tables_free(s->tables);
}

#endif
