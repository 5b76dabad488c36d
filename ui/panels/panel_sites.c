/* panel_sites.c - the lines of the program that make memory: how much of it lives, how it changes,
 * and below the table the source line of the one under the cursor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "panels/site_rate.h"
#include "widget/describe.h"
#include "widget/source.h"
#include "widget/tablepanel.h"
#include "widget/tallycell.h"

/* What the cells are made from. */
typedef struct SitesRows {
    const Ledger *ledger;
    SiteRate rate;
} SitesRows;

typedef struct Sites {
    TablePanel panel;
    SitesRows rows;
} Sites;

static const LmpSiteRow *row_of(const TableSource *from, uint32_t row) {
    return &((const SitesRows *)from->rows)->ledger->site[row];
}

static bool all_kinds(const TableSource *from) {
    return from->ui->kinds == (1u << LMP_KINDS) - 1;
}

/* ---- figures: of the types that are shown ---------------------------------------------------- */

static uint64_t live_of(const TableSource *from, uint32_t row) {
    const LmpSiteRow *site = row_of(from, row);
    if (all_kinds(from)) return site->tally.live_bytes;
    uint64_t bytes = 0;
    for (int k = 0; k < LMP_KINDS; k++)
        if (UI_SHOWS(from->ui, k)) bytes += site->kind[k].live_bytes;
    return bytes;
}

static uint64_t blocks_of(const TableSource *from, uint32_t row) {
    const LmpSiteRow *site = row_of(from, row);
    if (all_kinds(from)) return site->tally.live_blocks;
    uint64_t blocks = 0;
    for (int k = 0; k < LMP_KINDS; k++)
        if (UI_SHOWS(from->ui, k)) blocks += site->kind[k].live_blocks;
    return blocks;
}

/* Of the heap, all types together. */
static double share_of(const TableSource *from, uint32_t row) {
    return tally_share(live_of(from, row), from->model->stats.live_bytes);
}

static double change_of(const TableSource *from, uint32_t row) {
    const LmpSiteRow *site = row_of(from, row);
    if (from->model->ledger_marked) return (double)site->mark_bytes;
    if (from->model->seen != LMP_SEEN_RUNNING) return 0;
    return site_rate_of(&((const SitesRows *)from->rows)->rate, site->id, site->tally.live_bytes);
}

/* Allocations a second; of a program that stands still there are none. */
static double value_rate(const TableSource *from, uint32_t row) {
    return from->model->seen == LMP_SEEN_RUNNING ? row_of(from, row)->allocs_per_s : 0;
}

/* The freed share of the bytes that were made; negative: nothing was. */
static double churn_of(const TableSource *from, uint32_t row) {
    const LmpTally *t = &row_of(from, row)->tally;
    double made = (double)t->live_bytes + (double)t->free_bytes;
    return made > 0 ? (double)t->free_bytes / made : -1;
}

/* Sites that never made anything of the types that are shown. */
static bool skips(const TableSource *from, uint32_t row) {
    const LmpSiteRow *site = row_of(from, row);
    if (all_kinds(from)) return false;
    for (int k = 0; k < LMP_KINDS; k++)
        if (UI_SHOWS(from->ui, k) && site->kind[k].allocs > 0) return false;
    return true;
}

/* ---- columns --------------------------------------------------------------------------------- */

static void cell_live(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    uint64_t bytes = live_of(from, row);
    (void)wide;
    format_bytes(cell->text, bytes);
    cell->style = STYLE(bytes ? TONE_STRONG : TONE_FAINT);
}

static void cell_share(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    double share = share_of(from, row);
    (void)wide;
    snprintf(cell->text, sizeof cell->text, share >= 0.9995 ? "%.0f" : "%.1f", share * 100);
    cell->style = STYLE(share > 0 ? table_heat(share) : TONE_FAINT);
}

static void cell_blocks(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    uint64_t blocks = blocks_of(from, row);
    if (wide) {
        format_count(cell->text, blocks);
    } else {
        format_short(cell->text, blocks);
    }
    if (blocks == 0) cell->style = STYLE(TONE_FAINT);
}

static void cell_change(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    double change = change_of(from, row);
    (void)wide;
    int64_t bytes = change > 9e18 || change < -9e18 ? 0 : (int64_t)change;
    format_delta_bytes(cell->text, bytes);
    cell->style = STYLE(bytes > 0 ? TONE_GROWTH : bytes < 0 ? TONE_SHRINK : TONE_FAINT);
}

static void cell_rate(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    double rate = value_rate(from, row);
    (void)wide;
    format_short(cell->text, rate > 0 && rate < 1e18 ? (uint64_t)(rate + 0.5) : 0);
    if (rate < 0.5) cell->style = STYLE(TONE_FAINT);
}

static void cell_churn(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    double churn = churn_of(from, row);
    (void)wide;
    if (churn < 0) return;
    /* 100% only where all of it was freed */
    int percent = churn >= 1 ? 100 : (int)(churn * 100 + 0.5);
    if (percent == 100 && churn < 1) percent = 99;
    snprintf(cell->text, sizeof cell->text, "%d%%", percent);
    cell->style = STYLE(percent == 0 ? TONE_FAINT : percent >= 80 ? TONE_SHRINK : TONE_TEXT);
}

static void cell_where(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    const LmpSiteRow *site = row_of(from, row);
    (void)wide;
    describe_where(cell->text, sizeof cell->text, site->short_src, site->line, !from->ui->utf8);
    int kind = describe_site_kind(site, from->ui->kinds);
    cell->style = STYLE(kind < 0 ? TONE_MUTED : TONE_KIND(kind));
}

static void cell_function(const TableSource *from, uint32_t row, bool wide, TableCell *cell) {
    (void)wide;
    format_text(cell->text, sizeof cell->text, row_of(from, row)->func, !from->ui->utf8);
}

static double value_live(const TableSource *from, uint32_t row) {
    return (double)live_of(from, row);
}
static double value_blocks(const TableSource *from, uint32_t row) {
    return (double)blocks_of(from, row);
}

static const char *change_heading(const TableSource *from) {
    if (from->model->ledger_marked) return from->ui->utf8 ? "Δ mark" : "since mark";
    return from->ui->utf8 ? "Δ/s" : "change/s";
}

static const TableColumn columns[] = {
    {"live", 10, 11, 0, .cell = cell_live, .value = value_live},
    {"%", 6, 6, 2, .cell = cell_share, .value = value_live},
    {"blocks", 8, 13, 7, .cell = cell_blocks, .value = value_blocks},
    {NULL, 11, 12, 3, .cell = cell_change, .value = change_of, .heading = change_heading},
    {"allocs/s", 10, 10, 6, .cell = cell_rate, .value = value_rate},
    {"churn", 7, 7, 5, .cell = cell_churn, .value = churn_of},
    {"where", 18, 28, 1, .least = 7, .align = TABLE_TAIL, .rising = true, .cell = cell_where,
     .compare = tallycol_by_where},
    {"function", 14, 30, 4, .align = TABLE_LEFT, .flex = true, .rising = true,
     .cell = cell_function, .compare = tallycol_by_function},
};

static uint64_t id_of(const TableSource *from, uint32_t row) {
    return row_of(from, row)->id;
}

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    const LmpSiteRow *site = row_of(from, row);
    int used = snprintf(out, size, "%s:%d %s", site->short_src, site->line, site->func);
    for (uint32_t i = 0; i < site->details && used >= 0 && (size_t)used < size; i++) {
        const Ledger *ledger = ((const SitesRows *)from->rows)->ledger;
        const char *name = ledger->detail[site->first_detail + i].name;
        used += snprintf(out + used, size - (size_t)used, " %s", name);
    }
}

static bool rows(void *state, const Model *model, const Ui *ui, TableSource *from) {
    Sites *s = state;
    s->rows.ledger = &model->ledger;
    from->rows = &s->rows;
    from->count = model->ledger.sites;
    from->serial = model->ledger_serial << 8 ^ ui->kinds;
    return true;
}

/* Lines below the table: the source of the site under the cursor. */
static int source_rows(const Ui *ui, int h) {
    if (h < 6) return 0;
    if (ui->enlarged && h >= 14) return h * 2 / 5;
    return h >= 16 ? 6 : h >= 12 ? 3 : 1;
}

static Rect table_room(const Ui *ui, Rect rect) {
    return (Rect){rect.x, rect.y, rect.w, rect.h - source_rows(ui, rect.h)};
}

static const TablePanelDef def = {
    .table = {.column = columns,
              .columns = sizeof columns / sizeof *columns,
              .id = id_of,
              .words = words_of,
              .skips = skips,
              .empty = "no site has made anything yet"},
    .rows = rows,
    .room = table_room,
    .site = row_of,
};

/* ---- panel ----------------------------------------------------------------------------------- */

static void *create(void) {
    return tablepanel_new(&def, sizeof(Sites));
}

static void destroy(void *state) {
    Sites *s = state;
    site_rate_free(&s->rows.rate);
    tablepanel_free(s);
}

static void update(void *state, const Model *model, Ui *ui, Rect rect) {
    Sites *s = state;
    (void)ui;
    if (s && rect.w > 0) site_rate_update(&s->rows.rate, &model->ledger, model->clock);
}

/* "of which insert [C] 8.0 MiB, gmatch [C] 1.2 MiB": what C functions made on this line. */
static void draw_details(const Ledger *ledger, const LmpSiteRow *site, Canvas *canvas, int x, int y,
                         int w, bool utf8) {
    int used = 0;
    for (uint32_t i = 0; i < site->details; i++) {
        const LmpSiteDetail *detail = &ledger->detail[site->first_detail + i];
        char bytes[LMP_NUM], name[80];
        if (!detail->name[0]) continue;
        format_text(name, sizeof name, detail->name, !utf8);
        used += canvas_printf(canvas, x + used, y, w - used, STYLE(TONE_MUTED), "%s%s ",
                              used ? ", " : "through ", name);
        used += canvas_text(canvas, x + used, y, w - used, STYLE(TONE_TEXT),
                            format_bytes(bytes, detail->tally.live_bytes));
        if (used >= w) break;
    }
}

static bool has_details(const Ledger *ledger, const LmpSiteRow *site) {
    for (uint32_t i = 0; i < site->details; i++)
        if (ledger->detail[site->first_detail + i].name[0]) return true;
    return false;
}

/* A line between table and source, with the name of the file. */
static void draw_rule(Canvas *canvas, Rect rect, const char *name) {
    canvas_fill(canvas, (Rect){rect.x, rect.y, rect.w, 1}, G_HLINE, STYLE(TONE_FRAME));
    canvas_printf(canvas, rect.x + 1, rect.y, rect.w - 2, STYLE(TONE_MUTED), " %s ", name);
}

static void draw_source(const Model *model, Ui *ui, Canvas *canvas, Rect rect,
                        const LmpSiteRow *site) {
    char name[96];
    format_text(name, sizeof name, site->short_src, !ui->utf8);
    if (rect.h >= 6) {
        draw_rule(canvas, rect, name);
        rect = (Rect){rect.x, rect.y + 1, rect.w, rect.h - 1};
    }
    if (rect.h >= 3 && has_details(&model->ledger, site)) {
        rect.h--;
        draw_details(&model->ledger, site, canvas, rect.x + 2, rect.y + rect.h, rect.w - 2,
                     ui->utf8);
    } else if (rect.h == 1 && has_details(&model->ledger, site) && rect.w >= 100) {
        rect.w /= 2; /* beside the line */
        draw_details(&model->ledger, site, canvas, rect.x + rect.w + 2, rect.y, rect.w - 2,
                     ui->utf8);
    }
    if (rect.h == 1) rect = (Rect){rect.x + 2, rect.y, rect.w - 2, 1};
    source_draw(ui->sources, canvas, rect, site->raw_source, name, site->line, ui->now);
}

static void draw_off(Canvas *canvas, Rect rect) {
    static const char *const lines[] = {
        "Lines are off: this run does not know which line makes what.",
        "Start it without --no-lines (or lines = false)."};
    for (int i = 0; i < 2; i++)
        canvas_text(canvas, rect.x + 2, rect.y + i, rect.w - 2, STYLE(TONE_MUTED), lines[i]);
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Sites *s = state;
    TableSource from;
    if (model->ledger.lines == LMP_LINES_OFF && model->ledger.sites == 0) {
        draw_off(canvas, rect);
        return;
    }
    if (!tablepanel_draw(s, model, ui, canvas, rect, &from)) return;
    int below = source_rows(ui, rect.h);
    uint32_t row = table_selected(&s->panel.table);
    if (below > 0 && row != TABLE_NONE) {
        draw_source(model, ui, canvas, (Rect){rect.x, rect.y + rect.h - below, rect.w, below},
                    row_of(&from, row));
    }
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Sites *s = state;
    char count[LMP_NUM];
    if (!s || model->ledger.sites == 0) return;
    const char *dot = ui->utf8 ? "·" : "-";
    table_note(&s->panel.table, ui, out, size);
    if (out[0]) return;
    if (model->ledger.folded > 0) {
        snprintf(out, size, "no room for more sites: %s allocations in (others)",
                 format_short(count, model->ledger.folded));
    } else {
        uint64_t sites = s->panel.table.total;
        snprintf(out, size, "%s site%s %s %s", format_count(count, sites), sites == 1 ? "" : "s",
                 dot, ui->focus == &panel_sites ? "/ filter" : "6 looks closer");
    }
}

const Panel panel_sites = {.title = "Sites",
                           .number = 6,
                           .ledger = LEDGER_SITES,
                           .offers = {TABLE_OFFERS, ACT_EDIT, ACT_ENTER},
                           .min_w = 16,
                           .min_h = 3,
                           .create = create,
                           .destroy = destroy,
                           .update = update,
                           .draw = draw,
                           .act = tablepanel_act,
                           .mouse = tablepanel_mouse,
                           .note = note,
                           .place = tablepanel_place};
