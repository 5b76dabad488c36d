/* model_ledger.c - who made what, in the model: refreshed with the parts that are on screen. */
#include "read/model/model.h"

bool model_fill_ledger(Model *model, const LmpView *view, unsigned parts) {
    if (!view->tables.text) return true;
    uint64_t clock = model->tables_clock ? model->tables_clock : model->clock;
    model->ledger.count_from = model->tables_held ? LEDGER_HELD
                               : model->marked && !model->held && !model->tables_clock
                                   ? model->mark[model->base].number
                                   : 0;
    model->ledger.spoken = true;
    if (ledger_refresh(&model->ledger, &view->tables, parts | LEDGER_RATES, clock) != LMP_OK)
        return false;
    model->ledger_parts = parts;
    model->ledger_serial++;
    model->ledger_marked = model->ledger.marked;
    return true;
}

void model_fill_verdicts(Model *model, const LmpTables *tables) {
    const VerdictInput input = {&model->stats, &model->gc, &model->history, &model->ledger,
                                tables,        model->rss, model->own_bytes};
    verdicts_make(&input, &model->verdicts);
}
