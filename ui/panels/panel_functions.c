/* panel_functions.c - the functions of the program: what each made on its own lines (shallow) and,
 * if call paths are recorded, including everything it called (retained). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "panels/opened.h"
#include "widget/describe.h"
#include "widget/tablepanel.h"

static const LmpFunctionRow *row_of(const TableSource *from, uint32_t row) {
    return &((const LmpFunctionRow *)from->rows)[row];
}

static const LmpTally *shallow_of(const TableSource *from, uint32_t row) {
    return &row_of(from, row)->shallow;
}

/* Returns the tally including everything it called; NULL if call paths are not kept. */
static const LmpTally *retained_of(const TableSource *from, uint32_t row) {
    return from->model->ledger.stacks ? &row_of(from, row)->retained : NULL;
}

/* ---- columns --------------------------------------------------------------------------------- */

static void cell_where(const TableSource *from, uint32_t row, TableCell *cell) {
    const LmpFunctionRow *r = row_of(from, row);
    tallycell_where(cell, from->ui, r->short_src, r->linedefined);
    cell->style = STYLE(TONE_MUTED);
    tallycell_side(cell, r->side);
}

static void cell_name(const TableSource *from, uint32_t row, TableCell *cell) {
    const LmpFunctionRow *r = row_of(from, row);
    tallycell_name(cell, from->ui, r->name);
    if (r->linedefined < 0) cell->style = STYLE(TONE_MUTED);
}

static bool no_calls(const TableSource *from) {
    return !(from->model->ledger.counts & LMP_COUNTS_CALLS);
}

static double value_calls(const TableSource *from, uint32_t row) {
    uint64_t calls = row_of(from, row)->calls;
    return calls ? (double)calls : NAN; /* "(parser)" and such have none */
}

static int by_where(const TableSource *from, uint32_t a, uint32_t b) {
    const LmpFunctionRow *x = row_of(from, a), *y = row_of(from, b);
    int order = strcmp(x->short_src, y->short_src);
    return order ? order : x->linedefined < y->linedefined ? -1 : x->linedefined > y->linedefined;
}

static const char *retained_heading(const TableSource *from) {
    return from->model->ledger.stacks ? "retained" : "--stacks";
}

enum { COL_SHARE, COL_LIVE = COL_AFTER_RANGE, COL_MADE };

static const TableColumn columns[] = {
    [COL_SHARE] = {"%", 6, 6, 3, .cell = tallycell_col_share, .help = SHARE_HELP},
    RANGE_COLUMNS,
    [COL_LIVE] = {"shallow", 10, 11, 0, HOLDS(M_LIVE),
                  .help =
                      "live bytes that its own lines made, by themselves or through C functions"},
    [COL_MADE] = {"shallow", 10, 11, 0, MAKES(M_MADE),
                  .help =
                      "all bytes that its own lines made, by themselves or through C functions"},
    {"retained", 10, 11, 2, HOLDS(M_LIVE), .tally = retained_of, .heading = retained_heading,
     .help = "live bytes that it made with all that it called; known with --stacks"},
    {"retained", 10, 11, 2, MAKES(M_MADE), .tally = retained_of, .heading = retained_heading,
     .help = "all bytes that it made with all that it called; known with --stacks"},
    {NULL, 8, 13, 8, HOLDS(M_BLOCKS)},
    {NULL, 11, 12, 5, HOLDS_NOW(M_CHANGE)},
    {NULL, 11, 12, 5, MAKES_NOW(M_RATE)},
    {NULL, 8, 13, 7, MAKES(M_ALLOCS)},
    {NULL, 9, 10, 8, HOLDS(M_EACH_LIVE)},
    {NULL, 9, 10, 8, MAKES(M_EACH)},
    {NULL, 7, 7, 7, HOLDS(M_CHURN)},
    {NULL, 9, 9, 6, MAKES(M_AT_ONCE)},
    {NULL, 7, 7, 9, MAKES(M_IN_CYCLE)},
    {NULL, 7, 7, 9, MAKES(M_LATER)},
    {NULL, 10, 11, 10, MAKES(M_PER_CYCLE)},
    {NULL, 10, 11, 10, HOLDS(M_MADE)},
    {"calls", 8, 13, 3, .value = value_calls, .look = LOOK_COUNT, .hidden = no_calls,
     .help = "how often it was called; known with --calls"},
    {"function", 22, 60, 1, .least = 6, .align = TABLE_LEFT, .flex = true, .rising = true,
     FIELD(LmpFunctionRow, name), .cell = cell_name,
     .help = "its name, as a traceback has it; the program: C code without a name, "
             "which is the interpreter's own, mostly"},
    {"where", 18, 28, 4, .align = TABLE_TAIL, .flex = true, .rising = true, .cell = cell_where,
     .compare = by_where, .help = "the line that it begins in"},
};

static uint64_t id_of(const TableSource *from, uint32_t row) {
    return row_of(from, row)->id;
}

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    const LmpFunctionRow *r = row_of(from, row);
    describe_words(out, size, r->name, r->short_src, r->linedefined);
}

/* Leaves out functions that made nothing, neither themselves nor through what they called, unless
 * it is known how often they were called. */
static bool skips(const TableSource *from, uint32_t row) {
    const LmpFunctionRow *r = row_of(from, row);
    return r->shallow.allocs == 0 && r->shallow.live_bytes == 0 && r->retained.allocs == 0 &&
           r->retained.live_bytes == 0 && r->calls == 0;
}

static bool rows(void *state, TableSource *from) {
    (void)state;
    from->rows = from->model->ledger.function;
    from->count = from->model->ledger.functions;
    from->serial = from->model->ledger_serial;
    return true;
}

static bool enter(const TableSource *from, uint32_t row, Ui *ui) {
    ui->function = row_of(from, row)->id;
    ui_open(ui, &panel_function);
    return true;
}

static bool place(const TableSource *from, uint32_t row, PanelPlace *out) {
    const LmpFunctionRow *r = row_of(from, row);
    *out = (PanelPlace){.source = r->raw_source,
                        .short_src = r->short_src,
                        .line = r->linedefined ? r->linedefined : 1,
                        .defined = true};
    return true;
}

static const TablePanelDef def = {
    .table = {.name = "Functions",
              TABLE_COLUMNS_OF(columns),
              TALLY_SORTS(COL_LIVE, COL_MADE),
              .id = id_of,
              .words = words_of,
              .skips = skips,
              .empty = "no function has made anything"},
    .rows = rows,
    .row_size = sizeof(LmpFunctionRow),
    .tally = shallow_of,
    .need = NEED_LINES,
    .enter = enter,
    .place = place,
};

/* ---- panel ----------------------------------------------------------------------------------- */

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)ui;
    const TablePanel *s = state;
    char count[LMP_NUM];
    if (!s || model->ledger.functions == 0 || tablepanel_noted(s, out, size)) return;
    if (model->stats.hook_lost > 0 && model->ledger.counts & LMP_COUNTS_CALLS) {
        snprintf(out, size, "calls are not all there: another debug hook");
        return;
    }
    snprintf(out, size, "%s function%s · %s", format_count(count, s->table.total),
             s->table.total == 1 ? "" : "s",
             model->ledger.stacks ? "enter: its lines" : "retained: lmp run --stacks");
}

const Panel panel_functions = {.title = "Functions",
                               .about =
                                   "The functions that make memory. enter shows the lines of one.",
                               .number = 7,
                               .all_types = true,
                               .ledger = LEDGER_FUNCTIONS,
                               .offers = {TABLE_OFFERS_MAKES, ACT_EDIT, ACT_ENTER},
                               .def = &def,
                               .size = sizeof(TablePanel),
                               .note = note};
