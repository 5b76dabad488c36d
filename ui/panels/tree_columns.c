/* tree_columns.c - see tree_columns.h. */
#include "panels/tree_columns.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "widget/tallycell.h"

#define LEVELS_DRAWN 60

static const TreeLook *look_of(const TableSource *from) {
    return from->rows;
}

static TreeRow row_of(const TableSource *from, uint32_t row) {
    return treerows_row(look_of(from)->rows, row);
}

static double share_of(const TableSource *from, uint64_t bytes) {
    uint64_t all = from->model->ledger.tree[0].retained.live_bytes;
    return all ? (double)bytes / (double)all : 0;
}

static uint64_t live_bytes(const LmpTally *total, const LmpTally *own) {
    (void)own;
    return total->live_bytes;
}
static uint64_t own_bytes(const LmpTally *total, const LmpTally *own) {
    return own ? own->live_bytes : total->live_bytes;
}
static uint64_t allocs(const LmpTally *total, const LmpTally *own) {
    (void)own;
    return total->allocs;
}
static uint64_t made(const LmpTally *total, const LmpTally *own) {
    (void)own;
    return tally_made(total);
}
static uint64_t churn(const LmpTally *total, const LmpTally *own) {
    (void)own;
    double share = tally_churn(total);
    return share > 0 ? (uint64_t)(share * 1e9) : 0;
}

static void cell_live(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    uint64_t bytes = row_of(from, row).total->live_bytes;
    (void)wide;
    tallycell_bytes(cell, bytes, STYLE_BOLD(table_heat(share_of(from, bytes))));
}

static void cell_share(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_share(cell, share_of(from, row_of(from, row).total->live_bytes));
}

/* What it made itself in its heat, what it called behind that. */
static void paint_bar(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y, int w) {
    TreeRow r = row_of(from, row);
    double total = share_of(from, r.total->live_bytes);
    double own = r.own ? share_of(from, r.own->live_bytes) : total;
    tallycell_bar(canvas, x, y, w, own, total);
}

static void cell_own(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    const LmpTally *own = row_of(from, row).own;
    (void)wide;
    if (!own) return;
    tallycell_bytes(cell, own->live_bytes, STYLE(table_heat(share_of(from, own->live_bytes))));
}

static void cell_allocs(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_count(cell, row_of(from, row).total->allocs, false);
}

static void cell_made(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_bytes(cell, tally_made(row_of(from, row).total), STYLE(TONE_TEXT));
}

static void cell_churn(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_churn(cell, row_of(from, row).total);
}

static void cell_where(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    TreeRow r = row_of(from, row);
    (void)wide;
    tallycell_where(cell, from->ui, r.short_src, r.line);
    if (!r.exact) cell->style = STYLE(TONE_MUTED); /* where it is defined */
}

/* Lines, the mark of what is open, the name, and how it was reached. */
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
    char text[256];
    if (r.is_line) {
        snprintf(text, sizeof text, r.line < 0 ? "itself" : "line %d", (int)r.line);
    } else {
        format_text(text, sizeof text, r.name, !utf8);
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
    if (r.recursive) canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), " (recursive)");
}

/* Chosen, siblings are sorted by name: treerows.c does it. */
static int by_name(const TableSource *from, uint32_t a, uint32_t b) {
    return strcmp(row_of(from, a).name, row_of(from, b).name);
}

static const char *name_heading(const TableSource *from) {
    return look_of(from)->callers ? "function, below it who called it" : "function";
}

static const char *live_heading(const TableSource *from) {
    return look_of(from)->callers ? "made here" : "live";
}

/* The table asks for the order by figure; siblings are put in it by the measure of the same column
 * (rows come in their own order). */
#define VALUE(measure)                                                                             \
    static double value_##measure(const TableSource *from, uint32_t row) {                         \
        TreeRow r = row_of(from, row);                                                             \
        return (double)measure(r.total, r.own);                                                    \
    }
VALUE(live_bytes)
VALUE(own_bytes)
VALUE(allocs)
VALUE(made)
VALUE(churn)

const TreeMeasure tree_measures[TREE_COLUMNS] = {
    [TREE_LIVE] = live_bytes, [TREE_OWN] = own_bytes, [TREE_ALLOCS] = allocs,
    [TREE_MADE] = made,       [TREE_CHURN] = churn,
};

static bool upside_down(const TableSource *from) {
    return look_of(from)->callers;
}

static const TableColumn columns[TREE_COLUMNS] = {
    [TREE_LIVE] = {NULL, 11, 11, 0, .cell = cell_live, .value = value_live_bytes,
                   .heading = live_heading},
    [TREE_SHARE] = {"%", 6, 6, 2, .cell = cell_share},
    [TREE_BAR] = {"", 7, 12, 5, .paint = paint_bar},
    [TREE_OWN] = {"own", 11, 11, 3, .cell = cell_own, .value = value_own_bytes,
                  .hidden = upside_down},
    [TREE_ALLOCS] = {"allocs", 8, 8, 4, .cell = cell_allocs, .value = value_allocs},
    [TREE_MADE] = {"allocated", 11, 11, 6, .cell = cell_made, .value = value_made},
    [TREE_CHURN] = {"churn", 7, 7, 7, .cell = cell_churn, .value = value_churn},
    [TREE_NAME] = {NULL, 36, 72, 1, .least = 6, .align = TABLE_LEFT, .flex = true, .rising = true,
                   .paint = paint_name, .compare = by_name, .heading = name_heading},
    [TREE_WHERE] = {"where", 18, 28, 3, .align = TABLE_TAIL, .flex = true, .cell = cell_where},
};

static uint64_t id_of(const TableSource *from, uint32_t row) {
    return row_of(from, row).key;
}

const TableDef tree_table = {
    .column = columns,
    .columns = TREE_COLUMNS,
    .sort = TREE_LIVE,
    .id = id_of,
    .empty = "nothing allocated yet",
    .own_order = true,
};
