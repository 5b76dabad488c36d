/* model_ledger.c - who made what, in the model: refreshed with the parts that are looked at. */
#include "read/model/model.h"

bool model_fill_ledger(Model *model, const LmpView *view, unsigned parts) {
    if (!view->tables.text) return true;
    /* marks from before this reader cannot be counted from: what there was then is not known */
    bool mark = model->ledger_begun && model->marks_all != model->ledger_mark;
    if (mark) parts |= LEDGER_ALL;
    if (ledger_refresh(&model->ledger, &view->tables, parts | LEDGER_RATES, model->clock) != LMP_OK)
        return false;
    model->ledger_parts = parts;
    model->ledger_serial++;
    if (mark && ledger_mark(&model->ledger) == LMP_OK) model->ledger_marked = true;
    model->ledger_mark = model->marks_all;
    model->ledger_begun = true;
    return true;
}
