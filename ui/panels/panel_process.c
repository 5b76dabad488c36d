/* panel_process.c - where the process's memory is: Lua's blocks, what the allocator loses and keeps
 * around them, what C code has, files, stacks, lmp's own. For "Lua says 70 MiB, the process has
 * 300". The panel reads this itself (read/process/process.h), a little with each repaint while it
 * is on the screen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "read/process/process.h"
#include "widget/flow.h"
#include "widget/tablepanel.h"

#define BUDGET 5000000u        /* nanoseconds a repaint */
#define BUDGET_FIRST 40000000u /* while there is little to show */
#define ABOVE 2                /* lines: the sentence, the picture */
#define SIDE 112               /* columns from which on sentences stand beside the table */
#define TABLE_W 66             /* then */
#define AIRY 18                /* lines from which on there are blank ones between sentences */

typedef struct ProcessPanel {
    TablePanel panel;
    Process *reader; /* NULL: none yet */
    uint64_t serial, ended;
} ProcessPanel;

/* ---- columns --------------------------------------------------------------------------------- */

static const ProcessFigures *figures_of(const TableSource *from) {
    return from->rows;
}

static uint64_t bytes_of(const TableSource *from, uint32_t row) {
    return figures_of(from)->row[row];
}

static double share_of(const TableSource *from, uint32_t row) {
    uint64_t all = figures_of(from)->resident;
    return all > 0 ? (double)bytes_of(from, row) / (double)all : 0;
}

/* The style of a sort of memory, with the tones of kinds: Lua's, C code's, the program's. */
static const Style styles[PROCESS_ROWS] = {
    [PROCESS_LUA] = STYLE(TONE_KIND(LMP_TABLE)),
    [PROCESS_BEFORE] = STYLE(TONE_KIND_LEVEL(LMP_TABLE, 2)),
    [PROCESS_AROUND] = STYLE(TONE_KIND(LMP_STRING)),
    [PROCESS_FREE_PARTS] = STYLE(TONE_MUTED),
    [PROCESS_FREE_PAGES] = STYLE(TONE_FAINT),
    [PROCESS_MALLOC] = STYLE(TONE_KIND(LMP_USERDATA)),
    [PROCESS_MAPPED] = STYLE(TONE_KIND_LEVEL(LMP_USERDATA, 2)),
    [PROCESS_PROGRAM] = STYLE(TONE_KIND(LMP_FUNCTION)),
    [PROCESS_FILES] = STYLE(TONE_KIND_LEVEL(LMP_FUNCTION, 2)),
    [PROCESS_SHARED] = STYLE(TONE_KIND_LEVEL(LMP_FUNCTION, 2)),
    [PROCESS_STACKS] = STYLE(TONE_KIND(LMP_THREAD)),
    [PROCESS_OWN] = STYLE(TONE_KIND(LMP_OTHER)),
    [PROCESS_KERNEL] = STYLE(TONE_KIND(LMP_OTHER)),
    [PROCESS_UNTOLD] = STYLE(TONE_KIND(LMP_OTHER)),
};

static const char letters[] = "LLafFCCPmstokn"; /* of the rows, where there are no colours */
_Static_assert(sizeof letters == PROCESS_ROWS + 1, "one for each row");

static void paint_letter(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y,
                         int w) {
    if (w < 1) return;
    canvas_put(canvas, x, y, from->ui->colours < 8 ? (uint32_t)letters[row] : G_SQUARE,
               styles[row]);
}

static void cell_share(const TableSource *from, uint32_t row, TableCell *cell) {
    snprintf(cell->text, sizeof cell->text, "%.1f", share_of(from, row) * 100);
    cell->style = STYLE(table_heat(share_of(from, row)));
}

static void paint_bar(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y, int w) {
    uint64_t part = bytes_of(from, row), all = figures_of(from)->resident;
    Style style = row == PROCESS_FREE_PAGES ? STYLE(TONE_MUTED) : styles[row]; /* on the track */
    canvas_stack(canvas, x, y, w - 1, 1, &part, all, &style, NULL, G_BAR, STYLE(TONE_FAINT));
}

static void cell_words(const TableSource *from, uint32_t row, TableCell *cell) {
    (void)from;
    snprintf(cell->text, sizeof cell->text, "%s", process_rows[row].words);
    cell->style = STYLE(row == PROCESS_LUA ? TONE_STRONG : TONE_TEXT);
}

static void cell_help(const TableSource *from, uint32_t row, TableCell *cell) {
    (void)from;
    snprintf(cell->text, sizeof cell->text, "%s", process_rows[row].help);
    cell->style = STYLE(TONE_MUTED);
}

static double value_bytes(const TableSource *from, uint32_t row) {
    return (double)bytes_of(from, row);
}

static int by_words(const TableSource *from, uint32_t a, uint32_t b) {
    (void)from;
    return strcmp(process_rows[a].words, process_rows[b].words);
}

enum { COL_LETTER, COL_BYTES };

static const TableColumn columns[] = {
    [COL_LETTER] = {"", 3, 3, 5, .align = TABLE_LEFT, .paint = paint_letter},
    [COL_BYTES] = {"memory", 10, 11, 0, .value = value_bytes, .look = LOOK_BYTES,
                   .tone = TONE_STRONG,
                   .help = "bytes of it that are in memory; all rows come to the process's RSS"},
    {"%", 6, 6, 3, .cell = cell_share, .value = value_bytes, .help = "of the process's RSS"},
    {"", 5, 13, 4, .paint = paint_bar, .help = "the same as a bar"},
    {"what", 25, 26, 0, .least = 8, .align = TABLE_LEFT, .rising = true, .cell = cell_words,
     .compare = by_words, .help = "sort of memory"},
    {"which is", 40, 86, 6, .align = TABLE_LEFT, .flex = true, .cell = cell_help,
     .help = "what belongs to it"},
};

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    (void)from;
    snprintf(out, size, "%s %s", process_rows[row].words, process_rows[row].help);
}

static bool skips(const TableSource *from, uint32_t row) {
    return bytes_of(from, row) == 0;
}

static bool rows(void *state, TableSource *from) {
    ProcessPanel *p = state;
    const ProcessFigures *f = p->reader ? process_figures(p->reader) : NULL;
    if (!f) return false;
    if (f->ended != p->ended) p->serial++;
    p->ended = f->ended;
    from->rows = f;
    from->count = PROCESS_ROWS;
    from->serial = p->serial;
    return true;
}

static int lines_above(Rect rect) {
    return rect.h >= 8 ? ABOVE : rect.h >= 4 ? 1 : 0;
}

static bool is_beside(Rect rect) {
    return rect.w >= SIDE && rect.h >= 6;
}

static Rect room(const Ui *ui, Rect rect) {
    (void)ui;
    int above = lines_above(rect), all = PROCESS_ROWS + 1;
    Rect table = {rect.x, rect.y + above, rect.w, rect.h - above};
    if (is_beside(rect))
        table.w = TABLE_W;
    else if (table.h > all + 3) /* sentences stand below it */
        table.h = all;
    return table;
}

static const TablePanelDef def = {
    .table = {.name = "Process",
              TABLE_COLUMNS_OF(columns),
              .sort = COL_BYTES,
              .words = words_of,
              .skips = skips},
    .rows = rows,
    .room = room,
};

/* ---- panel ----------------------------------------------------------------------------------- */

static void end(void *state) {
    process_free(((ProcessPanel *)state)->reader);
}

/* Goes on looking. The program is asked for what only it knows when a look begins, so its answer is
 * some moments old. */
static void look(ProcessPanel *p, const Model *model, Ui *ui) {
    if (!model->view || ui->frozen) return;
    if (!p->reader) p->reader = process_new(model->view);
    if (!p->reader) return;
    if (process_due(p->reader, ui->now) && model->seen == LMP_SEEN_RUNNING)
        request_put_kind(&ui->requests, REQUEST_MEMORY);
    const ProcessFigures *f = process_figures(p->reader);
    uint64_t budget = f && !f->partial ? BUDGET : BUDGET_FIRST;
    if (process_step(p->reader, ui->now, budget)) ui->restless = true;
}

/* Draws all rows in one line. */
static void draw_picture(const ProcessFigures *f, const Ui *ui, Canvas *canvas, Rect rect) {
    canvas_stack(canvas, rect.x, rect.y, rect.w, PROCESS_ROWS, f->row, f->resident, styles,
                 ui->colours < 8 ? letters : NULL, G_FULL, STYLE(TONE_FAINT));
}

/* Draws "pages   empty ▂▁▁▃▁▁▂▁▄▆█ full": how many pages there are of each fill. */
static void draw_pages(Flow *flow, const ProcessFigures *f) {
    uint64_t most = 0;
    int y = flow_y(flow), x = flow->rect.x;
    for (uint32_t i = 0; i < CHUNKS_FILL; i++)
        most = f->pages[i] > most ? f->pages[i] : most;
    if (most == 0 || flow->rect.w < 36) return;
    x += canvas_text(flow->canvas, x, y, -1, STYLE(TONE_MUTED), "pages of the heap  empty ");
    for (uint32_t i = 0; i < CHUNKS_FILL; i++) {
        uint64_t level = (f->pages[i] * 8 + most - 1) / most;
        uint32_t glyph = !flow->utf8 ? (uint32_t)('0' + level)
                         : level > 0 ? 0x2580 + (uint32_t)level
                                     : G_MIDDOT;
        canvas_put(flow->canvas, x++, y, glyph, STYLE(level > 0 ? TONE_TEXT : TONE_FAINT));
    }
    canvas_text(flow->canvas, x, y, -1, STYLE(TONE_MUTED), " full");
    flow->line++;
}

static void draw_words(const ProcessPanel *p, const ProcessFigures *f, const Ui *ui, Canvas *canvas,
                       Rect rect) {
    ProcessWords words;
    Flow flow = {canvas, rect, 0, 0, ui->utf8};
    Rect old = canvas_clip(canvas, rect);
    uint32_t at = table_selected(&p->panel.table);
    char text[PROCESS_SENTENCE];
    if (at < PROCESS_ROWS) {
        snprintf(text, sizeof text, "%s: %s.", process_rows[at].words, process_rows[at].help);
        flow_wrapped(&flow, 0, STYLE(TONE_STRONG), text);
    }
    process_words(&words, f);
    int between = rect.h >= AIRY; /* a blank line */
    for (uint32_t i = 0; i < words.count; i++) {
        flow.line += between;
        flow_wrapped(&flow, 0, STYLE(TONE_TEXT), words.line[i]);
    }
    flow.line += between;
    draw_pages(&flow, f);
    canvas_unclip(canvas, old);
}

static void draw_missing(const ProcessPanel *p, const Model *model, Canvas *canvas, Rect rect) {
    bool over = model->seen == LMP_SEEN_FINISHED || model->seen == LMP_SEEN_KILLED;
    const char *text = !p || !p->reader            ? "no memory to look at the process"
                       : over                      ? "the process is gone: nothing was seen of it"
                       : process_hidden(p->reader) ? "its memory may not be looked at from here"
                                                   : "";
    canvas_text(canvas, rect.x + 1, rect.y, rect.w - 1, STYLE(TONE_MUTED), text);
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    ProcessPanel *p = state;
    TableSource from;
    char text[PROCESS_SENTENCE];
    if (rect.w <= 0 || rect.h <= 0) return;
    if (p) look(p, model, ui);
    const ProcessFigures *f = p && p->reader ? process_figures(p->reader) : NULL;
    if (!f) {
        draw_missing(p, model, canvas, rect);
        return;
    }
    int above = lines_above(rect);
    if (above > 0)
        canvas_text(canvas, rect.x + 1, rect.y, rect.w - 2, STYLE(TONE_STRONG),
                    process_headline(text, f));
    if (above > 1) draw_picture(f, ui, canvas, (Rect){rect.x + 1, rect.y + 1, rect.w - 2, 1});
    if (!tablepanel_draw(p, model, ui, canvas, rect, &from)) return;
    Rect table = room(ui, rect);
    int below = table.y + 1 + (int)p->panel.table.list.count + 1;
    if (is_beside(rect))
        draw_words(p, f, ui, canvas,
                   (Rect){table.x + table.w + 2, table.y, rect.w - table.w - 3, table.h});
    else if (table.y + table.h < rect.y + rect.h)
        draw_words(p, f, ui, canvas,
                   (Rect){rect.x + 1, below, rect.w - 2, rect.y + rect.h - below});
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const ProcessPanel *p = state;
    const ProcessFigures *f = p && p->reader ? process_figures(p->reader) : NULL;
    char bytes[LMP_NUM], span[LMP_NUM];
    if (!f || tablepanel_noted(&p->panel, out, size)) return;
    const char *more = "";
    if (f->partial) {
        snprintf(out, size, "RSS %s · looking at the heap: %.0f %%",
                 format_bytes(bytes, f->resident), process_progress(p->reader) * 100);
        return;
    }
    if (f->malloc != PROCESS_MALLOC_READ)
        more = ui->utf8 ? " · parts not known" : " - parts not known";
    uint64_t age = ui->now > f->ended ? ui->now - f->ended : 0;
    if (model->seen == LMP_SEEN_RUNNING && age >= 2000000000ull)
        snprintf(out, size, "RSS %s · %s ago%s", format_bytes(bytes, f->resident),
                 format_span(span, age), more);
    else
        snprintf(out, size, "RSS %s%s", format_bytes(bytes, f->resident), more);
}

const Panel panel_process = {
    .title = "Process",
    .about =
        "All that the process has in memory, Lua's heap and what is not Lua's; the rows come to "
        "its RSS. It is read from outside while the panel is on the screen: the program does "
        "not stop for it. Beside the rows stands what could be given back, and what is not "
        "known.",
    .not_past = "The rest of the process is read while it runs and not recorded; "
                "its RSS of that moment is in the header.",
    .all_types = true,
    .offers = {TABLE_OFFERS},
    .def = &def,
    .size = sizeof(ProcessPanel),
    .end = end,
    .draw = draw,
    .note = note};
