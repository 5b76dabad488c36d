/* panel_leaks.c - lines that hold more and more after full collections: the verdict in words, the
 * growth as figures and as a chart over the run. Lines that hold more than at first but are not
 * judged to grow are listed too: in plain amber if they rose lately, muted if they rose long ago or
 * fluctuate. Below the table the source of the line under the cursor, and its chart at large. */
#include <stdio.h>

#include "base/format.h"
#include "panels/line_below.h"
#include "widget/describe.h"
#include "widget/spark.h"
#include "widget/tablepanel.h"

#define MOST 512u /* lines */

typedef struct Leaks {
    TablePanel panel;
    const Ledger *ledger;
    LmpLeak leak[MOST];
    uint32_t count;
    LmpJudgement judgement;
    uint64_t serial; /* of the ledger that the lines come from */
} Leaks;

static const LmpLeak *leak_of(const TableSource *from, uint32_t row) {
    return &((const Leaks *)from->rows)->leak[row];
}

static const void *leak_at(const TableSource *from, uint32_t row) {
    return leak_of(from, row);
}

static const LmpSiteRow *row_of(const TableSource *from, uint32_t row) {
    return &((const Leaks *)from->rows)->ledger->site[leak_of(from, row)->site];
}

static const LmpTally *tally_of(const TableSource *from, uint32_t row) {
    return &row_of(from, row)->tally;
}

/* ---- columns --------------------------------------------------------------------------------- */

static Style style_of(const TableSource *from, uint32_t row, Tone tone) {
    const LmpLeak *leak = leak_of(from, row);
    bool grows = leak->steady && tone == TONE_GROWTH;
    if (grows) return STYLE_BOLD(tone);
    return STYLE(leak->steady || leak->lately ? tone : (Tone)TONE_MUTED);
}

/* Figures of lines that do not grow are muted. */
static void dress(const TableSource *from, uint32_t row, const TableColumn *column,
                  TableCell *cell) {
    if (column->tone) cell->style = style_of(from, row, column->tone);
}

static void paint_chart(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y,
                        int w) {
    const Ledger *ledger = ((const Leaks *)from->rows)->ledger;
    uint64_t value[LMP_LIVE_HISTORY];
    uint32_t n = ledger_live_history_even(ledger, row_of(from, row)->live_history, value);
    spark_way(canvas, (Rect){x, y, w, 1}, value, n, style_of(from, row, TONE_GROWTH));
}

static void cell_trend(const TableSource *from, uint32_t row, TableCell *cell) {
    const LmpLeak *leak = leak_of(from, row);
    snprintf(cell->text, sizeof cell->text, "%s",
             leak->steady   ? "grows"
             : leak->lately ? cell->wide ? "rose lately" : "rose"
             : cell->wide   ? "no growth"
                            : "");
}

static void cell_live(const TableSource *from, uint32_t row, TableCell *cell) {
    tallycell_bytes(cell, row_of(from, row)->tally.live_bytes, style_of(from, row, TONE_TEXT));
}

static void cell_where(const TableSource *from, uint32_t row, TableCell *cell) {
    const LmpSiteRow *site = row_of(from, row);
    tallycell_where(cell, from->ui, site->short_src, site->line);
    int kind = describe_site_kind(site, (1u << LMP_KINDS) - 1);
    cell->style = style_of(from, row, kind < 0 ? (Tone)TONE_MUTED : TONE_KIND(kind));
}

static void cell_name(const TableSource *from, uint32_t row, TableCell *cell) {
    tallycell_name(cell, from->ui, row_of(from, row)->func);
}

/* Puts what grows first, whatever the figure, then what rose lately. */
static double rank(const TableSource *from, uint32_t row, double value) {
    const LmpLeak *leak = leak_of(from, row);
    return leak->steady ? value + 4e19 : leak->lately ? value + 2e19 : value;
}

enum {
    COL_GROWN,
    COL_CYCLE,
    COL_SECOND,
    COL_CHART,
    COL_LIVE,
    COL_SINCE,
    COL_WHERE,
    COL_NAME,
    COL_TREND,
    COL_TEXT,
    COLS
};

static bool no_mark(const TableSource *from) {
    return !from->model->ledger_marked;
}

/* Returns another heading than "grew", which has another meaning in this table. */
static const char *since_heading(const TableSource *from) {
    if (!shownfigure_range(from)) return shownfigure_title(&shown_figure[M_CHANGE], from);
    return shownfigure_word("Δ range", from->ui->utf8);
}

static const TableColumn columns[COLS] = {
    [COL_GROWN] = {"grew", 11, 12, 2, FIGURE(LmpLeak, gain, LOOK_CHANGE), .tone = TONE_STRONG,
                   .help = "bytes it holds more than at first, after full collections"},
    [COL_CYCLE] = {"a cycle", 11, 12, 0, FIGURE(LmpLeak, bytes_per_cycle, LOOK_CHANGE),
                   .tone = TONE_GROWTH,
                   .help = "what it grows by from one collector cycle to the next, on average"},
    [COL_SECOND] = {"a second", 11, 12, 5, FIGURE(LmpLeak, bytes_per_second, LOOK_CHANGE),
                    .tone = TONE_TEXT, .help = "the same a second"},
    [COL_CHART] = {"over the run", 9, 17, 3, .align = TABLE_LEFT, .paint = paint_chart,
                   .help = "what it held after full collections"},
    [COL_LIVE] = {NULL, 10, 11, 6, .shown_figure = &shown_figure[M_LIVE], .cell = cell_live},
    [COL_SINCE] = {NULL, 11, 12, 6, .shown_figure = &shown_figure[M_CHANGE],
                   .heading = since_heading, .hidden = no_mark},
    [COL_WHERE] = {"where", 18, 24, 1, .least = 6, .align = TABLE_TAIL, .rising = true,
                   .cell = cell_where, .compare = tallycell_col_by_where,
                   .help = "the line that asked for the memory"},
    [COL_NAME] = {"function", 14, 30, 4, .align = TABLE_LEFT, .flex = true, .rising = true,
                  .tone = TONE_TEXT, .cell = cell_name, .compare = tallycell_col_by_function,
                  .help = "the function that the line stands in"},
    [COL_TREND] = {"", 7, 17, 7, .align = TABLE_LEFT, .tone = TONE_GROWTH, .cell = cell_trend},
    [COL_TEXT] = {"text", 40, 40, 8, .align = TABLE_LEFT, .flex = true,
                  .cell = tallycell_col_text_if_any, .help = "what stands in that line"},
};

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    const LmpSiteRow *site = row_of(from, row);
    describe_words(out, size, site->func, site->short_src, site->line);
}

static bool rows(void *state, TableSource *from) {
    Leaks *s = state;
    if (s->serial != from->model->ledger_serial || !s->ledger) {
        s->ledger = &from->model->ledger;
        s->serial = from->model->ledger_serial;
        s->count = 0;
        ledger_leaks(s->ledger, s->leak, MOST, &s->count, &s->judgement);
    }
    from->rows = s;
    from->count = s->count;
    from->serial = s->serial;
    return true;
}

/* Returns the lines above the table: the verdict's, and a blank one if there is room. */
static int lines_above(int h) {
    return h >= 14 ? 2 : h >= 2 ? 1 : 0;
}

static Rect table_room(const Ui *ui, Rect rect) {
    int above = lines_above(rect.h);
    return (Rect){rect.x, rect.y + above, rect.w,
                  rect.h - above - line_below_source_rows(ui, rect.h - above)};
}

static const TablePanelDef def = {
    .table = {.name = "Leaks",
              .column = columns,
              .columns = COLS,
              .sort = COL_CYCLE,
              .words = words_of,
              .rank = rank,
              .empty = "no line holds more than it did after the first full cycle"},
    .rows = rows,
    .room = table_room,
    .row = leak_at,
    .dress = dress,
    .tally = tally_of,
    .site = row_of,
};

/* ---- panel ----------------------------------------------------------------------------------- */

static void draw_verdict(const Leaks *s, const Ui *ui, Canvas *canvas, Rect rect) {
    static const struct {
        Style style;
        uint32_t mark;
    } look[] = {
        [LMP_GROWTH_UNKNOWN] = {STYLE(TONE_MUTED), G_ELLIPSIS},
        [LMP_GROWTH_WAIT] = {STYLE_BOLD(TONE_TEXT), G_ELLIPSIS},
        [LMP_GROWTH_NONE] = {STYLE_BOLD(TONE_SHRINK), G_CHECK},
        [LMP_GROWTH_FOUND] = {STYLE_BOLD(TONE_GROWTH), G_UP},
    };
    const LmpJudgement *v = &s->judgement;
    Style style = look[v->growth].style;
    uint32_t mark = look[v->growth].mark;
    char words[sizeof v->words];
    canvas_put(canvas, rect.x, rect.y, mark, style);
    format_text(words, sizeof words, v->words, !ui->utf8);
    int used = canvas_text(canvas, rect.x + 2, rect.y, rect.w - 3, style, words);
    static const char how[] = "C asks for one";
    bool there = s->ledger->when == LEDGER_NOW; /* who could still collect */
    if (v->growth == LMP_GROWTH_WAIT && there && used + 6 + (int)sizeof how <= rect.w)
        canvas_text(canvas, rect.x + 5 + used, rect.y, rect.w - 5 - used, STYLE(TONE_MUTED), how);
}

/* Draws at large what the line held after full collections, from nothing to the most. */
static void draw_chart(const Ledger *ledger, const LmpSiteRow *site, Canvas *canvas, Rect rect) {
    uint64_t value[LMP_LIVE_HISTORY], most = 0;
    char first[LMP_NUM], last[LMP_NUM];
    uint32_t n = ledger_live_history_even(ledger, site->live_history, value);
    for (uint32_t i = 0; i < n; i++)
        most = value[i] > most ? value[i] : most;
    if (n < 2 || most == 0) return;
    canvas_printf(canvas, rect.x, rect.y, rect.w, STYLE(TONE_MUTED), "%s to %s held",
                  format_bytes(first, value[0]), format_bytes(last, value[n - 1]));
    spark_draw(canvas, (Rect){rect.x, rect.y + 1, rect.w, rect.h - 1}, value, n,
               STYLE(TONE_GROWTH));
}

#define CHART_W 56 /* beside the source */

static void draw_below(const Model *model, Ui *ui, Canvas *canvas, Rect rect,
                       const LmpSiteRow *site) {
    bool chart = rect.w >= 110 && rect.h >= 6 && site->live_history;
    int w = rect.w / 3 < CHART_W ? rect.w / 3 : CHART_W;
    if (chart) { /* the rule above goes on over it */
        canvas_fill(canvas, (Rect){rect.x, rect.y, rect.w, 1}, G_HLINE, STYLE(TONE_BORDER));
        draw_chart(&model->ledger, site, canvas,
                   (Rect){rect.x + rect.w - w, rect.y + 1, w - 1, rect.h - 1});
        rect.w -= w + 2;
    }
    line_below_source(model, ui, canvas, rect, site);
}

/* If rows leave lines free below them: describes the line under the cursor, with more of its
 * source. Sizes change in steps, so that the text does not move with each row. */
enum { WORDS = 7, SPARE = 2, STEP = 4 };

static void share_out(const Leaks *s, Rect room, int *words, int *more) {
    int left = room.h - 1 - (int)s->count - WORDS - SPARE;
    *words = left >= 0 ? WORDS : 0;
    *more = left > 0 ? left / STEP * STEP : 0;
}

/* Draws words just above row `bottom`, with a blank line between. */
static void draw_words(const Model *model, const Ui *ui, Canvas *canvas, Rect rect, int bottom,
                       const LmpSiteRow *site) {
    Flow f = {canvas, rect, 0, 0, ui->utf8};
    Rect old = canvas_clip(canvas, (Rect){0}); /* counts the lines */
    line_verdicts(&f, model, site);
    line_holds(&f, site);
    canvas_unclip(canvas, old);
    int lines = f.line < WORDS - 1 ? f.line : WORDS - 1;
    f.rect = (Rect){rect.x, bottom - 1 - lines, rect.w, lines};
    f.line = 0;
    old = canvas_clip(canvas, f.rect);
    line_verdicts(&f, model, site);
    line_holds(&f, site);
    canvas_unclip(canvas, old);
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Leaks *s = state;
    TableSource from;
    if (!tallycell_can(model, ui, canvas, rect, NEED_LINES, LEDGER_SITES)) return;
    if (!tablepanel_fill(s, model, ui, &from)) return;
    draw_verdict(s, ui, canvas, rect);
    Rect room = table_room(ui, rect);
    if (room.h > 0 && room.y > rect.y && (s->count > 0 || s->judgement.growth == LMP_GROWTH_NONE))
        table_draw(&s->panel.table, &from, canvas, room);
    int below = line_below_source_rows(ui, rect.h - lines_above(rect.h)), words = 0, more = 0;
    uint32_t row = table_selected(&s->panel.table);
    if (below == 0 || row == TABLE_NONE) return;
    share_out(s, room, &words, &more);
    below += more;
    Rect at = {rect.x, rect.y + rect.h - below, rect.w, below};
    draw_below(model, ui, canvas, at, row_of(&from, row));
    if (words > 0)
        draw_words(model, ui, canvas, (Rect){at.x + 1, at.y, at.w - 2, 0}, at.y,
                   row_of(&from, row));
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)ui;
    const Leaks *s = state;
    char span[LMP_NUM];
    const Ledger *l = &model->ledger;
    if (!s || tablepanel_noted(&s->panel, out, size) || l->live_history_rows < 2) return;
    char cycles[LMP_NUM];
    uint64_t from = l->live_history_clock[0], to = l->live_history_clock[l->live_history_rows - 1];
    snprintf(out, size, "held after full cycles, %s in %s",
             format_count(cycles, l->live_history_cycle[l->live_history_rows - 1]),
             format_span(span, to > from ? to - from : 0));
}

const Panel panel_leaks = {
    .title = "Leaks",
    .about = "Lines that hold more after every collector cycle, what grows most first.",
    .number = 9,
    .all_types = true,
    .ledger = LEDGER_SITES,
    .offers = {TABLE_OFFERS, ACT_EDIT, ACT_ENTER},
    .def = &def,
    .size = sizeof(Leaks),
    .draw = draw,
    .note = note};
