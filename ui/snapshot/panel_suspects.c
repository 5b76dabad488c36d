/* panel_suspects.c - Lua's own usual suspects, one page each (suspects.h): references in the
 * registry, coroutines, closures, loaded code ... Each page has its own columns; the table has room
 * for two texts and the figures. */
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "snapshot/objectcell.h"
#include "snapshot/snapshot_pages.h"
#include "widget/tablepanel.h"

#define ABOVE 2 /* lines: the page's name; what the page is */

typedef struct Suspects {
    TablePanel panel;
    LmpSuspectPage page;
    uint64_t asked;
} Suspects;

static const LmpSuspectTable *page_of(const TableSource *from) {
    return from->rows;
}

/* ---- columns --------------------------------------------------------------------------------- */

static uint32_t texts_of(const LmpSuspectPageInfo *info) {
    uint32_t n = 0;
    while (n < 2 && info->column[n].title && info->column[n].cell == LMP_CELL_TEXT)
        n++;
    return n;
}

/* Returns the page's column of the n-th figure; SUSPECTS_COLUMNS: none. */
static uint32_t figure_of(const TableSource *from, uint32_t n) {
    const LmpSuspectPageInfo *info = page_of(from)->page;
    uint32_t at = texts_of(info) + n;
    return at < SUSPECTS_COLUMNS && info->column[at].title ? at : SUSPECTS_COLUMNS;
}

static void put_figure(const TableSource *from, uint32_t row, uint32_t n, TableCell *cell) {
    uint32_t column = figure_of(from, n);
    if (column == SUSPECTS_COLUMNS) return;
    const LmpSuspectTable *page = page_of(from);
    suspects_cell(page, row, column, cell->text, sizeof cell->text);
    cell->style =
        STYLE(page->page->column[column].cell == LMP_CELL_BYTES ? TONE_STRONG : TONE_TEXT);
}

static void put_text(const TableSource *from, uint32_t row, uint32_t n, TableCell *cell) {
    const LmpSuspectTable *page = page_of(from);
    if (n >= texts_of(page->page)) return;
    format_text(cell->text, sizeof cell->text, page->row[row].text[n], !from->ui->utf8);
    uint32_t object = page->row[row].object;
    if (n == 0 && object < from->model->heap->now.g.objects)
        cell->style = STYLE(objectcell_tone(&from->model->heap->now, object));
}

/* For each figure and text: cell, order, heading, whether the page has it. */
#define PAGE_FIGURE(n)                                                                             \
    static void cell_##n(const TableSource *from, uint32_t row, TableCell *cell) {                 \
        put_figure(from, row, n, cell);                                                            \
    }                                                                                              \
    static double value_##n(const TableSource *from, uint32_t row) {                               \
        uint32_t column = figure_of(from, n);                                                      \
        return column < SUSPECTS_COLUMNS ? (double)page_of(from)->row[row].number[column] : 0;     \
    }                                                                                              \
    static const char *heading_##n(const TableSource *from) {                                      \
        uint32_t column = figure_of(from, n);                                                      \
        return column < SUSPECTS_COLUMNS ? page_of(from)->page->column[column].title : "";         \
    }                                                                                              \
    static bool lacks_##n(const TableSource *from) {                                               \
        return figure_of(from, n) == SUSPECTS_COLUMNS;                                             \
    }
PAGE_FIGURE(0)
PAGE_FIGURE(1)
PAGE_FIGURE(2)
PAGE_FIGURE(3)
PAGE_FIGURE(4)
PAGE_FIGURE(5)

#define WORDS(n)                                                                                   \
    static void text_##n(const TableSource *from, uint32_t row, TableCell *cell) {                 \
        put_text(from, row, n, cell);                                                              \
    }                                                                                              \
    static int order_##n(const TableSource *from, uint32_t a, uint32_t b) {                        \
        return strcmp(page_of(from)->row[a].text[n], page_of(from)->row[b].text[n]);               \
    }                                                                                              \
    static const char *title_##n(const TableSource *from) {                                        \
        const char *title = page_of(from)->page->column[n].title;                                  \
        return title && n < texts_of(page_of(from)->page) ? title : "";                            \
    }
WORDS(0)
WORDS(1)

static bool lacks_text(const TableSource *from) {
    return texts_of(page_of(from)->page) < 2;
}

static const TableColumn columns[] = {
    {"%", 6, 6, 3, FIGURE(LmpSuspectRow, bytes, LOOK_SHARE),
     .help = "of the heap: what the page's rows are in order by"},
#define FIGURE_COLUMN(n, room)                                                                     \
    {                                                                                              \
        NULL, 10, 12, room, .cell = cell_##n, .value = value_##n, .heading = heading_##n,          \
                            .hidden = lacks_##n, .help = "a figure of the page"                    \
    }
    FIGURE_COLUMN(0, 0),
    FIGURE_COLUMN(1, 1),
    FIGURE_COLUMN(2, 2),
    FIGURE_COLUMN(3, 4),
    FIGURE_COLUMN(4, 5),
    FIGURE_COLUMN(5, 6),
#undef FIGURE_COLUMN
    {NULL, 20, 40, 0, .least = 8, .align = TABLE_LEFT, .rising = true, .cell = text_0,
     .compare = order_0, .heading = title_0, .help = "what the row is about"},
    {NULL, 14, 40, 2, .least = 8, .align = TABLE_LEFT, .flex = true, .rising = true, .cell = text_1,
     .compare = order_1, .heading = title_1, .hidden = lacks_text, .help = "more about it"},
};

static const void *row_at(const TableSource *from, uint32_t row) {
    return &page_of(from)->row[row];
}

static uint32_t object_of(const TableSource *from, uint32_t row) {
    return page_of(from)->row[row].object;
}

static void words_of(const TableSource *from, uint32_t row, char *out, size_t size) {
    const LmpSuspectRow *r = &page_of(from)->row[row];
    snprintf(out, size, "%s %s", r->text[0], r->text[1]);
}

static bool rows(void *state, TableSource *from) {
    const Suspects *p = state;
    const LmpSuspectTable *page =
        from->model->heap ? opened_page(from->model->heap, p->page) : NULL;
    if (!page) return false;
    from->rows = page;
    from->count = page->rows;
    from->all = objectcell_whole(&from->model->heap->now);
    from->serial = from->model->heap->serial;
    return true;
}

static bool look_inside(const TableSource *from, uint32_t row, Ui *ui) {
    const LmpSuspectTable *page = page_of(from);
    const LmpSuspectRow *r = &page->row[row];
    if (r->objects > 1)
        ui_open_members(ui, from->model->heap, page->member + r->first, r->objects, r->text[0]);
    else
        ui_open_object(ui, r->object);
    return true;
}

/* ---- panel ----------------------------------------------------------------------------------- */

/* Draws the names of the pages, the current one lit, as many around it as fit. Returns the page at
 * column x of them, -1: none. */
static int draw_pages(const Suspects *p, const Ui *ui, Canvas *canvas, Rect rect, int x_of) {
    int found = -1, first = 0, need = 0;
    for (int i = 0; i <= (int)p->page; i++)
        need += (int)strlen(suspects_pages[i].name) + 2;
    for (; first < (int)p->page && need > rect.w - 6; first++)
        need -= (int)strlen(suspects_pages[first].name) + 2;
    int x = rect.x + 1;
    for (int i = first; i < LMP_PAGES; i++) {
        const char *name = suspects_pages[i].name;
        int w = (int)strlen(name);
        if (x + w > rect.x + rect.w) break;
        if (canvas)
            canvas_text(canvas, x, rect.y, w, STYLE(i == (int)p->page ? TONE_ACCENT : TONE_TEXT),
                        name);
        if (x_of >= x - rect.x && x_of < x - rect.x + w) found = i;
        x += w + 2;
    }
    if (canvas && rect.x + rect.w - x > 12)
        canvas_text(canvas, x, rect.y, rect.x + rect.w - x, STYLE(TONE_MUTED),
                    ui->utf8 ? "← →" : "left, right");
    return found;
}

/* Draws what stands above the page, and sums it up. */
static bool ready(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Suspects *p = state;
    Rect table = tablepanel_room(&p->panel, ui, rect);
    if (table.h < rect.h) {
        draw_pages(p, ui, canvas, rect, -1);
        canvas_text(canvas, rect.x + 1, rect.y + 1, rect.w - 2, STYLE(TONE_MUTED),
                    suspects_pages[p->page].help);
    }
    return opened_has_page(model->heap, p->page) ||
           !objectcell_wait(model->heap, &p->asked, p->page, "for this page", ui, canvas, table);
}

static void around(void *state, const TableSource *from, Ui *ui, Canvas *canvas, Rect rect) {
    const Suspects *p = state;
    Rect table = tablepanel_room(&p->panel, ui, rect);
    if (from->count == 0 && table.h > 1)
        canvas_text(canvas, table.x + 1, table.y + 1, table.w - 2, STYLE(TONE_TEXT),
                    suspects_pages[p->page].none);
}

static void turn(Suspects *p, int to) {
    p->page = (LmpSuspectPage)((to + LMP_PAGES) % LMP_PAGES);
    tablepanel_reset(&p->panel);
}

static bool why(const TableSource *from, uint32_t row, Ui *ui) {
    const LmpSuspectTable *page = page_of(from);
    const LmpSuspectRow *r = &page->row[row];
    if (r->objects > 1)
        ui_open_why_of(ui, from->model->heap, page->member + r->first, r->objects, r->text[0]);
    else
        ui_open_why(ui, from->model->heap, r->object);
    return true;
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    (void)rect, (void)ui;
    Suspects *p = state;
    bool turns = action == ACT_LEFT || action == ACT_RIGHT || action == ACT_OWNER;
    if (turns && model->heap) turn(p, (int)p->page + (action == ACT_LEFT ? -1 : 1));
    return turns && model->heap;
}

static const TablePanelDef def = {
    .table = {.name = "Lua", TABLE_COLUMNS_OF(columns), .words = words_of},
    .rows = rows,
    .above = ABOVE,
    .row = row_at,
    .object = object_of,
    .enter = look_inside,
    .place = objectcell_col_place,
    .act = act,
    .why = why,
    .can = objectcell_can,
    .ready = ready,
    .around = around,
};

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    Suspects *p = state;
    if (!p || !model->heap) return false;
    if (event.what == MOUSE_CLICK && event.y == 0 &&
        tablepanel_room(&p->panel, ui, rect).h < rect.h) {
        int page = draw_pages(p, ui, NULL, rect, event.x);
        if (page >= 0) turn(p, page);
        return true;
    }
    return tablepanel_mouse(state, model, ui, event, rect);
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)ui;
    const Suspects *p = state;
    char bytes[LMP_NUM], more[LMP_NUM];
    if (!p || !model->heap || !opened_has_page(model->heap, p->page)) return;
    const LmpSuspectTable *page = opened_page(model->heap, p->page);
    if (tablepanel_noted(&p->panel, out, size) || !page) return;
    int used =
        snprintf(out, size, "%s · %s", page->page->title, format_bytes(bytes, page->all_bytes));
    if (page->more > 0 && used > 0 && (size_t)used < size)
        snprintf(out + used, size - (size_t)used, " · %s more rows",
                 format_count(more, page->more));
}

const Panel panel_suspects = {
    .title = "Lua",
    .about = "What in the heaps of Lua programs tends to be there for no good reason, one page for "
             "each; left and right choose. enter leads to the objects, w says why they are alive.",
    .number = 5,
    .all_types = true,
    .offers = {TABLE_OFFERS, ACT_EDIT, ACT_ENTER, ACT_WHY},
    .def = &def,
    .size = sizeof(Suspects),
    .mouse = mouse,
    .note = note};
