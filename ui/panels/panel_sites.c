/* panel_sites.c - the lines of the program that make memory: how much of it lives, how that
 * changes, and below the table the source of the line under the cursor. */
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "panels/line_below.h"
#include "widget/describe.h"
#include "widget/spark.h"
#include "widget/tablepanel.h"

extern const Panel panel_sites; /* below */

/* What the cells are made from. */
typedef struct SitesRows {
    const Ledger *ledger;
    LmpTally *shown; /* of the shown types, for the row requested last */
} SitesRows;

typedef struct Sites {
    TablePanel panel;
    SitesRows rows;
    LmpTally shown;
} Sites;

static const LmpSiteRow *row_of(const TableSource *from, uint32_t row) {
    return &((const SitesRows *)from->rows)->ledger->site[row];
}

static bool all_kinds(const TableSource *from) {
    return from->ui->kinds == (1u << LMP_KINDS) - 1;
}

/* Returns the site's figures, of the shown types; valid until the next row is requested. */
static const LmpTally *tally_of(const TableSource *from, uint32_t row) {
    const LmpSiteRow *site = row_of(from, row);
    if (all_kinds(from)) return &site->tally;
    LmpTally *shown = ((const SitesRows *)from->rows)->shown;
    *shown = (LmpTally){0};
    for (int k = 0; k < LMP_KINDS; k++)
        if (UI_SHOWS(from->ui, k)) tally_add(shown, &site->kind[k].tally);
    return shown;
}

/* Leaves out sites that never made anything of the shown types, nor at the mark. */
static bool skips(const TableSource *from, uint32_t row) {
    const LmpSiteRow *site = row_of(from, row);
    if (all_kinds(from)) return false;
    for (int k = 0; k < LMP_KINDS; k++) {
        const LmpTally *t = &site->kind[k].tally;
        if (UI_SHOWS(from->ui, k) && (t->allocs > 0 || t->mark.allocs > 0)) return false;
    }
    return true;
}

/* ---- columns --------------------------------------------------------------------------------- */

static void cell_where(const TableSource *from, uint32_t row, TableCell *cell) {
    const LmpSiteRow *site = row_of(from, row);
    describe_where(cell->text, sizeof cell->text, site->short_src, site->line, !from->ui->utf8);
    int kind = describe_site_kind(site, from->ui->kinds);
    cell->style = STYLE(kind < 0 ? TONE_MUTED : TONE_KIND(kind));
    tallycell_side(cell, site->side);
}

static void cell_function(const TableSource *from, uint32_t row, TableCell *cell) {
    tallycell_name(cell, from->ui, row_of(from, row)->func);
}

/* Draws what the line held after full collections, over the run. */
static void paint_history(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y,
                          int w) {
    uint64_t even[LMP_LIVE_HISTORY];
    const LmpSiteRow *site = row_of(from, row);
    if (!site->live_history || from->model->ledger.live_history_rows < 2) return;
    uint32_t n = ledger_live_history_even(&from->model->ledger, site->live_history, even);
    spark_way(canvas, (Rect){x, y, w, 1}, even, n, STYLE(TONE_MUTED));
}

enum { COL_SHARE, COL_LIVE = COL_AFTER_RANGE, COL_MADE };

static const TableColumn columns[] = {
    [COL_SHARE] = {"%", 6, 6, 2, .cell = tallycell_col_share, .help = SHARE_HELP},
    RANGE_COLUMNS,
    [COL_LIVE] = {NULL, 10, 11, 0, HOLDS(M_LIVE)},
    [COL_MADE] = {NULL, 10, 11, 0, MAKES(M_MADE)},
    {NULL, 8, 13, 7, HOLDS(M_BLOCKS)},
    {NULL, 11, 12, 3, HOLDS_NOW(M_CHANGE)},
    {NULL, 11, 12, 3, MAKES_NOW(M_RATE)},
    {NULL, 10, 11, 3, MAKES(M_PER_LAP), .hidden = shownfigure_no_laps},
    {NULL, 8, 13, 7, MAKES(M_ALLOCS)},
    {NULL, 9, 10, 8, HOLDS(M_EACH_LIVE)},
    {NULL, 9, 10, 8, MAKES(M_EACH)},
    {NULL, 7, 7, 5, HOLDS(M_CHURN)},
    {NULL, 9, 9, 5, MAKES(M_AT_ONCE)},
    {NULL, 7, 7, 6, MAKES(M_IN_CYCLE)},
    {NULL, 7, 7, 6, MAKES(M_LATER)},
    {NULL, 10, 11, 9, MAKES(M_PER_CYCLE)},
    {NULL, 10, 11, 9, HOLDS(M_MADE)},
    {"held so far", 14, 16, 10, .mode = TABLE_HOLDS, .align = TABLE_LEFT, .paint = paint_history,
     .help = "what it held after full collections, from the start to now"},
    {"where", 18, 28, 1, .least = 7, .align = TABLE_TAIL, .rising = true, .cell = cell_where,
     .compare = tallycell_col_by_where, .help = "the line that asked for the memory"},
    {"function", 14, 30, 4, .align = TABLE_LEFT, .flex = true, .rising = true,
     .cell = cell_function, .compare = tallycell_col_by_function,
     .help = "the function that the line stands in"},
    {"text", 44, 44, 12, .align = TABLE_LEFT, .flex = true, .cell = tallycell_col_text_if_any,
     .help = "what stands in that line"},
};

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    const LmpSiteRow *site = row_of(from, row);
    describe_words(out, size, site->func, site->short_src, site->line);
    size_t used = strlen(out);
    for (uint32_t i = 0; i < site->details && used < size; i++) {
        const Ledger *ledger = ((const SitesRows *)from->rows)->ledger;
        const char *name = ledger->detail[site->first_detail + i].name;
        used += (size_t)snprintf(out + used, size - used, " %s", name);
    }
}

static bool rows(void *state, TableSource *from) {
    Sites *s = state;
    s->rows = (SitesRows){&from->model->ledger, &s->shown};
    from->rows = &s->rows;
    from->count = from->model->ledger.sites;
    from->serial = from->model->ledger_serial << 8 ^ from->ui->kinds;
    return true;
}

static Rect table_room(const Ui *ui, Rect rect) {
    return (Rect){rect.x, rect.y, rect.w, rect.h - line_below_source_rows(ui, rect.h)};
}

/* ---- panel ----------------------------------------------------------------------------------- */

/* Lines may have been switched off later: what is there is shown. */
static bool ready(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    (void)state;
    bool off = model->ledger.lines == LMP_LINES_OFF && model->ledger.sites == 0;
    return !off || tallycell_can(model, ui, canvas, rect, NEED_LINES, LEDGER_SITES);
}

static void around(void *state, const TableSource *from, Ui *ui, Canvas *canvas, Rect rect) {
    const Sites *s = state;
    int below = line_below_source_rows(ui, rect.h);
    uint32_t row = table_selected(&s->panel.table);
    if (below > 0 && row != TABLE_NONE)
        line_below_source(from->model, ui, canvas,
                          (Rect){rect.x, rect.y + rect.h - below, rect.w, below},
                          row_of(from, row));
}

static const TablePanelDef def = {
    .table = {.name = "Sites",
              TABLE_COLUMNS_OF(columns),
              TALLY_SORTS(COL_LIVE, COL_MADE),
              .words = words_of,
              .skips = skips,
              .empty = "no site has made anything"},
    .rows = rows,
    .room = table_room,
    .tally = tally_of,
    .ready = ready,
    .around = around,
    .site = row_of,
};

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Sites *s = state;
    char count[LMP_NUM];
    if (!s || model->ledger.sites == 0 || tablepanel_noted(&s->panel, out, size)) return;
    if (model->ledger.folded > 0) {
        snprintf(out, size, "no room for more sites: %s allocations in (others)",
                 format_short(count, model->ledger.folded));
    } else {
        uint64_t sites = s->panel.table.total;
        snprintf(out, size, "%s site%s · %s", format_count(count, sites), sites == 1 ? "" : "s",
                 ui->focus == &panel_sites ? "/ filter" : "6 looks closer");
    }
}

const Panel panel_sites = {.title = "Sites",
                           .about = "The lines of the program that make memory. enter opens the "
                                    "page of a line, e the editor.",
                           .number = 6,
                           .ledger = LEDGER_SITES,
                           .offers = {TABLE_OFFERS_MAKES, ACT_EDIT, ACT_ENTER},
                           .def = &def,
                           .size = sizeof(Sites),
                           .note = note};
