/* panel_functions.c - the functions of the program: what each made on its own lines (shallow) and,
 * where call paths are recorded, with all that it called (retained). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "widget/tablepanel.h"
#include "widget/tallycell.h"

static const LmpFunctionRow *row_of(const TableSource *from, uint32_t row) {
    return &((const LmpFunctionRow *)from->rows)[row];
}

static const LmpTally *shallow_of(const TableSource *from, uint32_t row) {
    return &row_of(from, row)->shallow;
}

static double share_of(const TableSource *from, uint64_t bytes) {
    return tally_share(bytes, from->model->stats.live_bytes);
}

static bool has_paths(const TableSource *from) {
    return from->model->ledger.stacks;
}

/* ---- columns --------------------------------------------------------------------------------- */

static void cell_shallow(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    uint64_t bytes = row_of(from, row)->shallow.live_bytes;
    (void)wide;
    tallycell_bytes(cell, bytes, STYLE_BOLD(table_heat(share_of(from, bytes))));
}

static void cell_shallow_share(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_share(cell, share_of(from, row_of(from, row)->shallow.live_bytes));
}

static void cell_retained(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    uint64_t bytes = row_of(from, row)->retained.live_bytes;
    (void)wide;
    if (has_paths(from)) tallycell_bytes(cell, bytes, STYLE(table_heat(share_of(from, bytes))));
}

static void cell_retained_share(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    if (has_paths(from))
        tallycell_share(cell, share_of(from, row_of(from, row)->retained.live_bytes));
}

static void cell_change(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    int64_t bytes = row_of(from, row)->mark_bytes;
    (void)wide;
    format_delta_bytes(cell->text, bytes);
    cell->style = STYLE(bytes > 0 ? TONE_GROWTH : bytes < 0 ? TONE_SHRINK : TONE_FAINT);
}

static void cell_where(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    const LmpFunctionRow *r = row_of(from, row);
    (void)wide;
    tallycell_where(cell, from->ui, r->short_src, r->linedefined);
    cell->style = STYLE(TONE_MUTED);
}

static void cell_name(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    const LmpFunctionRow *r = row_of(from, row);
    (void)wide;
    tallycell_name(cell, from->ui, r->name);
    if (r->linedefined < 0) cell->style = STYLE(TONE_MUTED);
}

static double value_retained(const TableSource *from, uint32_t row) {
    return (double)row_of(from, row)->retained.live_bytes;
}
static double value_change(const TableSource *from, uint32_t row) {
    return (double)row_of(from, row)->mark_bytes;
}
static int by_where(const TableSource *from, uint32_t a, uint32_t b) {
    const LmpFunctionRow *x = row_of(from, a), *y = row_of(from, b);
    int order = strcmp(x->short_src, y->short_src);
    return order ? order : x->linedefined < y->linedefined ? -1 : x->linedefined > y->linedefined;
}

static int by_name(const TableSource *from, uint32_t a, uint32_t b) {
    return strcmp(row_of(from, a)->name, row_of(from, b)->name);
}

static const char *retained_heading(const TableSource *from) {
    return has_paths(from) ? "retained" : "--stacks";
}

static bool no_paths(const TableSource *from) {
    return !has_paths(from);
}

static bool no_mark(const TableSource *from) {
    return !from->model->ledger_marked;
}

static const char *change_heading(const TableSource *from) {
    return from->ui->utf8 ? "Δ mark" : "since mark";
}

static const TableColumn columns[] = {
    {"shallow", 10, 11, 0, .cell = cell_shallow, .value = tallycol_by_live},
    {"%", 6, 6, 3, .cell = cell_shallow_share},
    {NULL, 10, 11, 2, .cell = cell_retained, .value = value_retained, .heading = retained_heading},
    {"%", 6, 6, 3, .cell = cell_retained_share, .hidden = no_paths},
    {"allocs", 7, 12, 5, .cell = tallycol_allocs, .value = tallycol_by_allocs},
    {"each", 9, 10, 6, .cell = tallycol_each, .value = tallycol_by_each},
    {NULL, 11, 12, 8, .cell = cell_change, .value = value_change, .heading = change_heading,
     .hidden = no_mark},
    {"churn", 6, 8, 7, .cell = tallycol_churn, .value = tallycol_by_churn},
    {"function", 28, 60, 1, .least = 6, .align = TABLE_LEFT, .flex = true, .rising = true,
     .cell = cell_name, .compare = by_name},
    {"where", 18, 28, 4, .align = TABLE_TAIL, .flex = true, .rising = true, .cell = cell_where,
     .compare = by_where},
};

static uint64_t id_of(const TableSource *from, uint32_t row) {
    return row_of(from, row)->id;
}

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    const LmpFunctionRow *r = row_of(from, row);
    snprintf(out, size, "%s %s:%d", r->name, r->short_src, (int)r->linedefined);
}

/* Functions that have made nothing, nor has anything that they called. */
static bool skips(const TableSource *from, uint32_t row) {
    const LmpFunctionRow *r = row_of(from, row);
    return r->shallow.allocs == 0 && r->shallow.live_bytes == 0 && r->retained.allocs == 0 &&
           r->retained.live_bytes == 0;
}

static bool rows(void *state, const Model *model, const Ui *ui, TableSource *from) {
    (void)state, (void)ui;
    from->rows = model->ledger.function;
    from->count = model->ledger.functions;
    from->serial = model->ledger_serial;
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
    .table = {.column = columns,
              .columns = sizeof columns / sizeof *columns,
              .id = id_of,
              .words = words_of,
              .skips = skips,
              .empty = "no function has made anything yet"},
    .rows = rows,
    .tally = shallow_of,
    .enter = enter,
    .place = place,
};

/* ---- panel ----------------------------------------------------------------------------------- */

static void *create(void) {
    return tablepanel_new(&def, sizeof(TablePanel));
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    TableSource from;
    if (tallycell_can(model, ui, canvas, rect, NEED_LINES, LEDGER_FUNCTIONS))
        tablepanel_draw(state, model, ui, canvas, rect, &from);
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const TablePanel *s = state;
    char count[LMP_NUM];
    if (!s || model->ledger.functions == 0) return;
    table_note(&s->table, ui, out, size);
    if (out[0]) return;
    const char *dot = ui->utf8 ? "·" : "-";
    snprintf(out, size, "%s function%s %s %s", format_count(count, s->table.total),
             s->table.total == 1 ? "" : "s", dot,
             model->ledger.stacks ? "enter: its lines" : "retained: lmp run --stacks");
}

const Panel panel_functions = {.title = "Functions",
                               .number = 7,
                               .all_types = true,
                               .ledger = LEDGER_FUNCTIONS,
                               .offers = {TABLE_OFFERS, ACT_EDIT, ACT_ENTER},
                               .min_w = 16,
                               .min_h = 3,
                               .create = create,
                               .destroy = tablepanel_free,
                               .draw = draw,
                               .act = tablepanel_act,
                               .mouse = tablepanel_mouse,
                               .note = note,
                               .place = tablepanel_place};
