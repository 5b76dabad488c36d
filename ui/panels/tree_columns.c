/* tree_columns.c - the table of columns, the name with its tree lines and marks, and the measures
 * that siblings are sorted by: all read the row from TreeRows. */
#include "panels/tree_columns.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "widget/describe.h"
#include "widget/tallycell.h"

#define LEVELS_DRAWN 60

static const TreeLook *look_of(const TableSource *from) {
    return from->rows;
}

static TreeRow row_of(const TableSource *from, uint32_t row) {
    return treerows_row(look_of(from)->rows, row);
}

const LmpTally *tree_total(const TableSource *from, uint32_t row) {
    return row_of(from, row).total;
}

static const LmpTally *own_of(const TableSource *from, uint32_t row) {
    return row_of(from, row).own;
}

/* Draws what the function made itself, in its heat; behind that what it called. */
static void paint_bar(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y, int w) {
    const Measure *by = table_by(from->table)->measure;
    TreeRow r = row_of(from, row);
    double all = measure_value(by, from->model, from->whole);
    double total = all > 0 ? measure_value(by, from->model, r.total) / all : 0;
    double own = r.own && all > 0 ? measure_value(by, from->model, r.own) / all : total;
    tallycell_bar(canvas, x, y, w, own, total);
}

/* Returns which of two runs has come this way. */
static LmpSide side_of(const LmpTally *total) {
    bool is = tally_made(total) > 0, was = total->mark.made > 0;
    return is == was ? LMP_SIDE_BOTH : is ? LMP_SIDE_CAME : LMP_SIDE_WENT;
}

static void cell_where(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    TreeRow r = row_of(from, row);
    (void)wide;
    tallycell_where(cell, from->ui, r.short_src, r.line);
    if (!r.exact) cell->style = STYLE(TONE_MUTED); /* where the function is defined */
    if (from->model->against.read) tallycell_side(cell, side_of(r.total));
}

/* Draws tree lines, the open/closed mark, the name, and how it was reached. */
static void paint_name(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y, int w) {
    const TreeLook *s = look_of(from);
    TreeRow r = row_of(from, row);
    bool utf8 = from->ui->utf8;
    int right = x + w;
    uint32_t levels = r.depth > s->skip ? r.depth - s->skip : 0;
    if (levels > LEVELS_DRAWN) levels = LEVELS_DRAWN;
    uint64_t more = treerows_lines(s->rows, row, levels + 1);
    Style line = STYLE(TONE_FRAME);
    for (uint32_t k = levels; k-- > 0; x += s->indent) { /* k levels above the row */
        bool last = k == 0, goes_on = more >> k & 1;
        uint32_t glyph = last ? goes_on ? 0x251cu : 0x2514u : goes_on ? G_VLINE : ' ';
        canvas_put(canvas, x, y, glyph, line);
        if (s->indent > 1) canvas_put(canvas, x + 1, y, last ? G_HLINE : ' ', line);
    }
    uint32_t mark = !r.children ? (utf8 ? G_MIDDOT : ' ')
                    : r.open    ? (utf8 ? G_SORT_DOWN : '-')
                                : (utf8 ? G_RIGHT : '+');
    canvas_put(canvas, x, y, mark, STYLE(r.children ? TONE_ACCENT : TONE_FRAME));
    x += 2;
    bool filtered = s->filter[0] != 0;
    char text[256], plain[256], kind[24] = "";
    if (r.is_line) {
        snprintf(text, sizeof text, r.line < 0 ? "itself" : "line %d", (int)r.line);
    } else {
        describe_function(plain, sizeof plain, kind, sizeof kind, r.name);
        format_text(text, sizeof text, plain, !utf8);
    }
    Style style = filtered && r.matches                           ? STYLE_BOLD(TONE_ACCENT)
                  : filtered                                      ? STYLE(TONE_MUTED)
                  : r.is_line                                     ? STYLE(TONE_SOURCE)
                  : from->model->ledger.function[r.function].is_c ? STYLE(TONE_MUTED)
                                                                  : STYLE(TONE_TEXT);
    x += canvas_text(canvas, x, y, right - x, style, text);
    static const struct {
        uint32_t flag;
        const char *text;
    } marks[] = {{LMP_NODE_TAIL, " (tail call)"}, {LMP_NODE_COROUTINE, " (coroutine)"}};
    for (int i = 0; i < 2; i++)
        if (r.flags & marks[i].flag)
            x += canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), marks[i].text);
    if (r.recursive) x += canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), " (recursive)");
    if (kind[0] && x + 1 + (int)strlen(kind) <= right)
        canvas_text(canvas, x + 1, y, right - x - 1, STYLE(TONE_MUTED), kind);
}

/* Makes the column sortable; treerows.c sorts siblings by name itself. */
static int by_name(const TableSource *from, uint32_t a, uint32_t b) {
    return strcmp(row_of(from, a).name, row_of(from, b).name);
}

static const char *name_heading(const TableSource *from) {
    return look_of(from)->callers ? "function, below it who called it" : "function";
}

static const char *total_heading(const TableSource *from) {
    bool makes = from->ui->makes;
    return look_of(from)->callers ? makes ? "made here" : "held here" : makes ? "made" : "live";
}

static const char *own_heading(const TableSource *from) {
    return look_of(from)->callers ? "" : "own";
}

static const TableColumn columns[TREE_COLUMNS] = {
    [TREE_SHARE] = {"%", 6, 6, 2, .cell = tallycol_share, .help = SHARE_HELP},
    [TREE_LIVE] = {NULL, 11, 11, 0, HOLDS(M_LIVE), .yields = 3, .heading = total_heading,
                   .help = "live bytes that were made there, with all that it called"},
    [TREE_MADE] = {NULL, 11, 11, 0, MAKES(M_MADE), .yields = 3, .heading = total_heading,
                   .help = "all bytes that were made there, with all that it called"},
    [TREE_BAR] = {"", 7, 12, 5, .paint = paint_bar,
                  .help = "its share; the bright part is its own"},
    [TREE_SURVIVE] = {NULL, 11, 11, 0, IN_SINCE(M_SURVIVE)},
    [TREE_SURVIVORS] = {NULL, 11, 13, 1, IN_SINCE(M_SURVIVORS)},
    [TREE_RANGE_MADE] = {"allocated", 11, 11, 0, IN_RANGE(M_RATE), .help = RANGE_MADE_HELP},
    [TREE_RANGE_FREED] = {NULL, 10, 10, 0, IN_RANGE(M_FREED)},
    [TREE_RANGE_GREW] = {"grew", 11, 11, 0, IN_RANGE(M_CHANGE), .help = RANGE_GREW_HELP},
    [TREE_OWN] = {"own", 11, 11, 3, HOLDS(M_LIVE), .tally = own_of, .heading = own_heading,
                  .help = "without what it called"},
    [TREE_OWN_MADE] = {"own", 11, 11, 3, MAKES(M_MADE), .tally = own_of, .heading = own_heading,
                       .help = "without what it called"},
    [TREE_BLOCKS] = {NULL, 8, 13, 6, HOLDS(M_BLOCKS)},
    [TREE_CHANGE] = {NULL, 11, 11, 7, HOLDS_NOW(M_CHANGE)},
    [TREE_RATE] = {NULL, 10, 11, 6, MAKES_NOW(M_RATE)},
    [TREE_ALLOCS] = {NULL, 8, 13, 7, MAKES(M_ALLOCS)},
    [TREE_CHURN] = {NULL, 7, 7, 8, HOLDS(M_CHURN)},
    [TREE_AT_ONCE] = {NULL, 9, 9, 8, MAKES(M_AT_ONCE)},
    [TREE_IN_CYCLE] = {NULL, 7, 7, 9, MAKES(M_IN_CYCLE)},
    [TREE_LATER] = {NULL, 7, 7, 9, MAKES(M_LATER)},
    [TREE_NAME] = {"function", 34, 72, 1, .least = 6, .align = TABLE_LEFT, .flex = true,
                   .rising = true, .paint = paint_name, .compare = by_name, .heading = name_heading,
                   .help = "who is called, below it whom that calls; I turns it upside down"},
    [TREE_WHERE] = {"where", 18, 28, 3, .align = TABLE_TAIL, .flex = true, .cell = cell_where,
                    .help = "the line that the call stands at"},
};

/* ---- order ----------------------------------------------------------------------------------- */

static double figure(const TableSource *from, const Measure *by, const LmpTally *tally) {
    double value = measure_value(by, from->model, tally);
    return isnan(value) ? -DBL_MAX : value; /* rows without a figure come last */
}

static double by_column(const void *about, const LmpTally *total, const LmpTally *own) {
    const TableSource *from = about;
    const TableColumn *column = &columns[from->table->sort];
    double value = figure(from, column->measure, column->tally == own_of && own ? own : total);
    return value > -DBL_MAX ? measure_key(column->measure, from->model, value) : value;
}

TreeMeasure tree_order(int column) {
    return columns[column].measure ? by_column : NULL;
}

/* The heat of the whole, even if rows are sorted by their own share. */
double tree_heat(const void *about, const LmpTally *total, const LmpTally *own) {
    const TableSource *from = about;
    (void)own;
    return figure(from, table_by(from->table)->measure, total);
}

static uint64_t id_of(const TableSource *from, uint32_t row) {
    return row_of(from, row).key;
}

const TableDef tree_table = {
    .name = "Tree",
    .column = columns,
    .columns = TREE_COLUMNS,
    .sort = TREE_LIVE,
    .sort_makes = TREE_MADE,
    .sort_range = TREE_RANGE_MADE,
    .sort_since = TREE_SURVIVE,
    .id = id_of,
    .empty = "nothing was allocated",
    .own_order = true,
};
