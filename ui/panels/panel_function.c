/* panel_function.c - one function, opened by enter in the table of functions: its figures, and
 * those of its lines that made something, with their text. */
#include <stdio.h>

#include "base/format.h"
#include "widget/describe.h"
#include "widget/tablepanel.h"

/* What the cells are made from: the ledger's sites, and the wanted function. For a C function the
 * sites are the lines that called it, with what it made there. */
typedef struct FunctionRows {
    const Ledger *ledger;
    uint32_t row; /* of the function */
    bool is_c;
    LmpTally all; /* the whole that the lines share */
} FunctionRows;

typedef struct Function {
    TablePanel panel;
    FunctionRows rows;
    uint32_t shown; /* id of the function that the cursor belongs to */
} Function;

static const FunctionRows *rows_of(const TableSource *from) {
    return from->rows;
}

static const LmpSiteRow *row_of(const TableSource *from, uint32_t row) {
    return &rows_of(from)->ledger->site[row];
}

static const LmpTally *made_by(const Ledger *ledger, const LmpSiteRow *site, uint32_t id) {
    for (uint32_t i = 0; i < site->details; i++)
        if (ledger->detail[site->first_detail + i].function == id)
            return &ledger->detail[site->first_detail + i].tally;
    return NULL;
}

static const LmpTally *tally_of(const TableSource *from, uint32_t row) {
    const FunctionRows *rows = rows_of(from);
    const LmpSiteRow *site = row_of(from, row);
    if (!rows->is_c) return &site->tally;
    const LmpTally *made = made_by(rows->ledger, site, rows->ledger->function[rows->row].id);
    return made ? made : &site->tally;
}

static void cell_line(const TableSource *from, uint32_t row, TableCell *cell) {
    const LmpSiteRow *site = row_of(from, row);
    if (site->line < 0) return;
    snprintf(cell->text, sizeof cell->text, "%d", (int)site->line);
    int kind = describe_site_kind(site, (1u << LMP_KINDS) - 1);
    cell->style = STYLE(kind < 0 ? TONE_MUTED : TONE_KIND(kind));
}

static bool is_c(const TableSource *from) {
    return rows_of(from)->is_c;
}

static bool is_lua(const TableSource *from) {
    return !rows_of(from)->is_c;
}

static double value_line(const TableSource *from, uint32_t row) {
    return row_of(from, row)->line;
}

static const TableColumn columns[] = {
    TALLY_PAGE_COLUMNS,
    {"line", 6, 7, 0, .rising = true, .cell = cell_line, .value = value_line, .hidden = is_c,
     .help = "of the function's source"},
    {"where", 18, 28, 0, .least = 6, .align = TABLE_TAIL, .rising = true,
     .cell = tallycell_col_where, .value = value_line, .hidden = is_lua,
     .help = "the line that calls it"},
    {"text", 24, 40, 1, .least = 8, .align = TABLE_LEFT, .flex = true, .cell = tallycell_col_text,
     .help = "what stands there"},
};

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    TableCell cell;
    tallycell_col_text(from, row, &cell);
    snprintf(out, size, "%d %s", (int)row_of(from, row)->line, cell.text);
}

static bool skips(const TableSource *from, uint32_t row) {
    const FunctionRows *rows = rows_of(from);
    if (!rows->is_c) return row_of(from, row)->function != rows->row;
    return !made_by(rows->ledger, row_of(from, row), rows->ledger->function[rows->row].id);
}

static uint32_t find(const Ledger *ledger, uint32_t id) {
    for (uint32_t i = 0; i < ledger->functions; i++)
        if (ledger->function[i].id == id) return i;
    return LEDGER_NO_ROW;
}

static LmpTally all_made(const Ledger *ledger, uint32_t id) {
    LmpTally all = {0};
    for (uint32_t i = 0; i < ledger->details; i++) {
        const LmpSiteDetail *detail = &ledger->detail[i];
        if (detail->function != id) continue;
        tally_add(&all, &detail->tally);
    }
    return all;
}

static bool rows(void *state, TableSource *from) {
    Function *s = state;
    if (s->shown != from->ui->function) {
        tablepanel_reset(&s->panel);
        s->shown = from->ui->function;
    }
    const Ledger *ledger = &from->model->ledger;
    s->rows = (FunctionRows){.ledger = ledger, .row = find(ledger, from->ui->function)};
    if (s->rows.row == LEDGER_NO_ROW) return false;
    s->rows.is_c = ledger->function[s->rows.row].is_c;
    s->rows.all = ledger->function[s->rows.row].shallow;
    if (s->rows.is_c) s->rows.all = all_made(ledger, from->ui->function);
    from->rows = &s->rows;
    from->whole = &s->rows.all;
    from->count = ledger->sites;
    from->serial = from->model->ledger_serial;
    return true;
}

/* Draws "live 12.1 MiB · retained 14.0 MiB · 1,204 allocations · 96 B each". */
static void around(void *state, const TableSource *from, Ui *ui, Canvas *canvas, Rect rect) {
    const Function *s = state;
    const Ledger *ledger = &from->model->ledger;
    const LmpFunctionRow *r = &ledger->function[s->rows.row];
    if (tablepanel_room(&s->panel, ui, rect).y == rect.y) return;
    const LmpTally *all = &s->rows.all;
    char number[LMP_NUM], name[128], where[96];
    int x = rect.x + 2, right = rect.x + rect.w;
    char plain[128], kind[24];
    describe_function(plain, sizeof plain, kind, sizeof kind, r->name);
    format_text(name, sizeof name, plain, !ui->utf8);
    x += canvas_text(canvas, x, rect.y, right - x, STYLE(TONE_STRONG), name) + 1;
    if (kind[0]) x += canvas_text(canvas, x, rect.y, right - x, STYLE(TONE_FAINT), kind) + 1;
    x++;
    describe_where(where, sizeof where, r->short_src, r->linedefined, !ui->utf8);
    x += canvas_text(canvas, x, rect.y, right - x, STYLE(TONE_SOURCE), where) + 2;
    const char *retained = format_bytes((char[LMP_NUM]){0}, r->retained.live_bytes);
    const PageFigure figure[] = {
        {r->is_c ? "live " : "shallow ", format_bytes((char[LMP_NUM]){0}, all->live_bytes)},
        {"retained ", ledger->stacks ? retained : ""},
        {"made ", format_bytes((char[LMP_NUM]){0}, tally_made(all))},
        {"allocs ", format_count(number, all->allocs)},
        {"each ", format_bytes((char[LMP_NUM]){0}, shownfigure_each(all))},
    };
    tablepanel_draw_figures(canvas, x, right, rect.y, figure, sizeof figure / sizeof *figure);
}

static const TablePanelDef def = {
    .table = {.name = "Function",
              TABLE_COLUMNS_OF(columns),
              TALLY_SORTS(PAGE_LIVE, PAGE_MADE),
              .words = words_of,
              .skips = skips,
              .empty = "made nothing by itself: its memory is that of what it called"},
    .rows = rows,
    .above = 1,
    .tally = tally_of,
    .need = NEED_LINES,
    .around = around,
    .site = row_of,
};

const Panel panel_function = {.title = "Function",
                              .about =
                                  "The lines of one function, or those that call a C function.",
                              .all_types = true,
                              .ledger = LEDGER_FUNCTIONS | LEDGER_SITES,
                              .offers = {TABLE_OFFERS_MAKES, ACT_EDIT, ACT_ENTER},
                              .def = &def,
                              .size = sizeof(Function),
                              .note = tablepanel_note_lines};
