/* panel_function.c - one function, opened by enter in the table of functions: its figures, and its
 * lines that made something, with their text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "format.h"
#include "source.h"
#include "tallycell.h"

/* What the cells are made from: the ledger's sites, and which function's are wanted. Of a C
 * function these are the lines that called it, with what it made there. */
typedef struct FunctionRows {
    const Ledger *ledger;
    uint32_t row; /* of the function */
    bool is_c;
    LmpTally all; /* what is shared out among the lines */
} FunctionRows;

typedef struct Function {
    Table table;
    FunctionRows rows;
    uint32_t shown; /* id of the function that the cursor is for */
} Function;

static const FunctionRows *rows_of(const TableSource *from) {
    return from->rows;
}

static const LmpSiteRow *row_of(const TableSource *from, uint32_t row) {
    return &rows_of(from)->ledger->site[row];
}

/* What a C function made on a line; NULL: nothing. */
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

static double share_of(const TableSource *from, uint32_t row) {
    uint64_t all = rows_of(from)->all.live_bytes;
    return all ? (double)tally_of(from, row)->live_bytes / (double)all : 0;
}

static void cell_live(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_bytes(cell, tally_of(from, row)->live_bytes, STYLE(TONE_STRONG));
}

static void cell_share(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_share(cell, share_of(from, row));
}

static void cell_blocks(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    tallycell_count(cell, tally_of(from, row)->live_blocks, wide);
}

static void cell_allocs(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    tallycell_count(cell, tally_of(from, row)->allocs, wide);
}

static void cell_each(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_bytes(cell, tally_each(tally_of(from, row)), STYLE(TONE_TEXT));
}

static void cell_churn(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    tallycell_churn(cell, tally_of(from, row));
}

static void cell_line(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    const LmpSiteRow *site = row_of(from, row);
    (void)wide;
    if (site->line < 0) return;
    snprintf(cell->text, sizeof cell->text, "%d", (int)site->line);
    int kind = describe_site_kind(site, (1u << LMP_KINDS) - 1);
    cell->style = STYLE(kind < 0 ? TONE_MUTED : TONE_KIND(kind));
}

static void cell_where(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    const LmpSiteRow *site = row_of(from, row);
    (void)wide;
    tallycell_where(cell, from->ui, site->short_src, site->line);
}

static bool is_c(const TableSource *from) {
    return rows_of(from)->is_c;
}

static bool is_lua(const TableSource *from) {
    return !rows_of(from)->is_c;
}

static void cell_text(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    const LmpSiteRow *site = row_of(from, row);
    struct Sources *sources = from->ui->sources;
    (void)wide;
    const SourceText *text = sources_get(sources, site->raw_source, from->ui->now);
    if (text->problem || site->line < 1) {
        snprintf(cell->text, sizeof cell->text, "%s", text->problem ? text->problem : "");
        cell->style = STYLE(TONE_FAINT);
        return;
    }
    char line[TABLE_TEXT];
    sources_line(sources, (uint32_t)site->line, !from->ui->utf8, line, sizeof line);
    snprintf(cell->text, sizeof cell->text, "%s", line + strspn(line, " "));
    cell->style = STYLE(TONE_SOURCE);
}

static double value_live(const TableSource *from, uint32_t row) {
    return (double)tally_of(from, row)->live_bytes;
}
static double value_blocks(const TableSource *from, uint32_t row) {
    return (double)tally_of(from, row)->live_blocks;
}
static double value_allocs(const TableSource *from, uint32_t row) {
    return (double)tally_of(from, row)->allocs;
}
static double value_each(const TableSource *from, uint32_t row) {
    return (double)tally_each(tally_of(from, row));
}
static double value_churn(const TableSource *from, uint32_t row) {
    return tally_churn(tally_of(from, row));
}
static double value_line(const TableSource *from, uint32_t row) {
    return row_of(from, row)->line;
}

static const TableColumn columns[] = {
    {"live", 10, 11, 0, .cell = cell_live, .value = value_live},
    {"%", 6, 6, 2, .cell = cell_share},
    {"blocks", 7, 12, 6, .cell = cell_blocks, .value = value_blocks},
    {"allocs", 7, 13, 4, .cell = cell_allocs, .value = value_allocs},
    {"each", 9, 10, 5, .cell = cell_each, .value = value_each},
    {"churn", 6, 7, 3, .cell = cell_churn, .value = value_churn},
    {"line", 6, 7, 0, .rising = true, .cell = cell_line, .value = value_line, .hidden = is_c},
    {"where", 18, 28, 0, .least = 6, .align = TABLE_TAIL, .rising = true, .cell = cell_where,
     .value = value_line, .hidden = is_lua},
    {"text", 24, 40, 1, .least = 8, .align = TABLE_LEFT, .flex = true, .cell = cell_text},
};

static uint64_t id_of(const TableSource *from, uint32_t row) {
    return row_of(from, row)->id;
}

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    TableCell cell;
    cell_text(from, row, true, &cell);
    snprintf(out, size, "%d %s", (int)row_of(from, row)->line, cell.text);
}

static bool skips(const TableSource *from, uint32_t row) {
    const FunctionRows *rows = rows_of(from);
    if (!rows->is_c) return row_of(from, row)->function != rows->row;
    return !made_by(rows->ledger, row_of(from, row), rows->ledger->function[rows->row].id);
}

static const TableDef def = {
    .column = columns,
    .columns = sizeof columns / sizeof *columns,
    .id = id_of,
    .words = words_of,
    .skips = skips,
    .empty = "made nothing by itself: its memory is that of what it called",
};

/* ---- panel ------------------------------------------------------------------------------------
 */

static void *create(void) {
    Function *s = calloc(1, sizeof *s);
    if (s) table_init(&s->table, &def);
    return s;
}

static void destroy(void *state) {
    Function *s = state;
    table_free(&s->table);
    free(s);
}

static uint32_t find(const Ledger *ledger, uint32_t id) {
    for (uint32_t i = 0; i < ledger->functions; i++)
        if (ledger->function[i].id == id) return i;
    return LEDGER_NO_ROW;
}

/* What a C function made, on whatever line. */
static LmpTally all_made(const Ledger *ledger, uint32_t id) {
    LmpTally all = {0};
    for (uint32_t i = 0; i < ledger->details; i++) {
        const LmpSiteDetail *detail = &ledger->detail[i];
        if (detail->function != id) continue;
        all.allocs += detail->tally.allocs;
        all.live_bytes += detail->tally.live_bytes;
        all.free_bytes += detail->tally.free_bytes;
    }
    return all;
}

static bool fill(Function *s, const Model *model, const Ui *ui, TableSource *from) {
    if (s->shown != ui->function) {
        table_free(&s->table);
        table_init(&s->table, &def);
        s->shown = ui->function;
    }
    const Ledger *ledger = &model->ledger;
    s->rows = (FunctionRows){.ledger = ledger, .row = find(ledger, ui->function)};
    if (s->rows.row == LEDGER_NO_ROW) return false;
    s->rows.is_c = ledger->function[s->rows.row].is_c;
    s->rows.all = ledger->function[s->rows.row].shallow;
    if (s->rows.is_c) s->rows.all = all_made(ledger, ui->function);
    *from = (TableSource){.rows = &s->rows,
                          .count = model->ledger.sites,
                          .serial = model->ledger_serial,
                          .model = model,
                          .ui = ui};
    table_fill(&s->table, from);
    return true;
}

/* "live 12.1 MiB · retained 14.0 MiB · 1,204 allocations · 96 B each" */
static void draw_figures(const Function *s, const Model *model, const Ui *ui, Canvas *canvas,
                         Rect rect) {
    const LmpFunctionRow *r = &model->ledger.function[s->rows.row];
    const LmpTally *all = &s->rows.all;
    char number[LMP_NUM], name[128], where[96];
    int x = rect.x + 2, right = rect.x + rect.w;
    format_text(name, sizeof name, r->name, !ui->utf8);
    x += canvas_text(canvas, x, rect.y, right - x, STYLE(TONE_STRONG), name) + 2;
    describe_where(where, sizeof where, r->short_src, r->linedefined, !ui->utf8);
    x += canvas_text(canvas, x, rect.y, right - x, STYLE(TONE_SOURCE), where) + 2;
    const struct {
        const char *label, *text;
        bool shown;
    } part[] = {
        {r->is_c ? "live " : "shallow ", format_bytes((char[LMP_NUM]){0}, all->live_bytes), true},
        {"retained ", format_bytes((char[LMP_NUM]){0}, r->retained.live_bytes),
         model->ledger.stacks},
        {"allocs ", format_count(number, all->allocs), true},
        {"each ", format_bytes((char[LMP_NUM]){0}, tally_each(all)), true},
    };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        int need = (int)strlen(part[i].label) + (int)strlen(part[i].text);
        if (!part[i].shown || x + need > right) continue;
        x += canvas_text(canvas, x, rect.y, right - x, STYLE(TONE_MUTED), part[i].label);
        x += canvas_text(canvas, x, rect.y, right - x, STYLE(TONE_TEXT), part[i].text) + 2;
    }
}

static Rect table_rect(Rect rect) {
    int above = rect.h >= 5 ? 1 : 0;
    return (Rect){rect.x, rect.y + above, rect.w, rect.h - above};
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Function *s = state;
    TableSource from;
    if (!s || rect.w <= 0 || rect.h <= 0) return;
    if (!tallycell_can(model, ui, canvas, rect, NEED_LINES, LEDGER_FUNCTIONS | LEDGER_SITES))
        return;
    if (!fill(s, model, ui, &from)) return;
    Rect table = table_rect(rect);
    if (table.y > rect.y) draw_figures(s, model, ui, canvas, rect);
    table_draw(&s->table, &from, canvas, table);
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    Function *s = state;
    TableSource from;
    (void)rect;
    if (!s || !fill(s, model, ui, &from)) return false;
    uint32_t row = table_selected(&s->table);
    if (row != TABLE_NONE && action == ACT_ENTER) {
        ui->site = row_of(&from, row)->id;
        ui_open(ui, &panel_site);
        return true;
    }
    return table_act(&s->table, &from, ui, action);
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseWhat what, int x, int y,
                  Rect rect) {
    Function *s = state;
    TableSource from;
    Rect table = table_rect(rect);
    if (!s || !fill(s, model, ui, &from)) return false;
    return table_mouse(&s->table, &from, what, x, y - (table.y - rect.y), table);
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Function *s = state;
    char count[LMP_NUM];
    (void)model;
    if (!s) return;
    table_note(&s->table, ui, out, size);
    if (out[0]) return;
    const char *dot = ui->utf8 ? "·" : "-";
    snprintf(out, size, "%s line%s %s enter: look inside %s esc back",
             format_count(count, s->table.total), s->table.total == 1 ? "" : "s", dot, dot);
}

static bool place(void *state, const Model *model, const Ui *ui, PanelPlace *out) {
    Function *s = state;
    TableSource from;
    if (!s || !fill(s, model, ui, &from)) return false;
    uint32_t row = table_selected(&s->table);
    if (row == TABLE_NONE) return false;
    const LmpSiteRow *site = row_of(&from, row);
    *out =
        (PanelPlace){.source = site->raw_source, .short_src = site->short_src, .line = site->line};
    return true;
}

const Panel panel_function = {.title = "Function",
                              .ledger = LEDGER_FUNCTIONS | LEDGER_SITES,
                              .offers = TABLE_OFFERS | ACT_BIT(ACT_EDIT) | ACT_BIT(ACT_ENTER),
                              .min_w = 18,
                              .min_h = 3,
                              .create = create,
                              .destroy = destroy,
                              .draw = draw,
                              .act = act,
                              .mouse = mouse,
                              .note = note,
                              .place = place};
