/* panel_heapmap.c - the heap as a picture: each cell stands for a number of bytes of addresses,
 * coloured by the kind that has most of it, brighter the fuller it is; the lines below describe the
 * cursor's cell. The block of the paused operation is lit up.
 *
 * With colours and UTF-8 a character holds two cells, one above the other; otherwise one, drawn as
 * the letter of the kind. Rows are read like text: addresses rise to the right, then downwards. */
#include <stdio.h>

#include "base/format.h"
#include "panels/mapwindow.h"
#include "panels/opened.h"
#include "widget/describe.h"
#include "widget/panel.h"

/* How the inside of the panel's border is used. */
typedef struct MapShape {
    int cols, rows; /* of cells */
    int half;       /* cells in a character: 2 or 1 */
    int status;     /* first line about the cursor's cell, -1: none */
    int lines;      /* how many: 1, or 2 if lines are short */
} MapShape;

/* ---- cells ----------------------------------------------------------------------------------- */

static MapShape mapcells_shape(const Ui *ui, Rect rect) {
    MapShape s = {rect.w > 0 ? rect.w : 1, rect.h, 1, -1, 0};
    if (rect.h >= 4) {
        s.lines = rect.w < 56 && rect.h >= 8 ? 2 : 1;
        s.rows -= s.lines;
        s.status = rect.y + s.rows;
    }
    if (s.rows < 1) s.rows = 1;
    if (ui->utf8 && ui->colours >= 8) s.half = 2;
    s.rows *= s.half;
    return s;
}

/* How a cell looks: the kind to show (-1: nothing lives here), how bright, and whether only hidden
 * kinds live in it. */
typedef struct Face {
    int kind, level;
    bool off, outside;
} Face;

static Face face_of(const MapCell *cell, const Ui *ui) {
    static const unsigned steps[THEME_LEVELS - 1] = {8, 30, 60}; /* percent of the cell in use */
    Face f = {.kind = mapcell_kind(cell, ui->kinds), .outside = cell->capacity == 0};
    if (f.outside) return f;
    if (f.kind < 0) {
        f.kind = mapcell_kind(cell, ~ui->kinds);
        f.off = f.kind >= 0;
        return f;
    }
    uint64_t bytes = mapcell_bytes(cell, ui->kinds);
    while (f.level < THEME_LEVELS - 1 && bytes * 100 >= cell->capacity * steps[f.level])
        f.level++;
    /* shown kinds stand out from hidden ones, even in small amounts */
    if (f.level == 0 && ui->kinds != (1u << LMP_KINDS) - 1) f.level = 1;
    return f;
}

static Tone tone_of(Face f, const Ui *ui) {
    if (f.outside) return TONE_OUTSIDE;
    if (f.kind < 0) return TONE_EMPTY;
    if (f.off) return ui->colours >= 256 ? TONE_KIND_LEVEL(f.kind, 0) : TONE_EMPTY;
    return TONE_KIND_LEVEL(f.kind, f.level);
}

static void draw_letter(Canvas *canvas, int x, int y, Face f) {
    if (f.outside) return;
    if (f.kind < 0) {
        canvas_put(canvas, x, y, '.', STYLE(TONE_FAINT));
        return;
    }
    char letter = kind_info[f.kind].letter;
    if (f.level >= 2 && !f.off) letter = (char)(letter - 'a' + 'A');
    canvas_put(canvas, x, y, (uint32_t)letter,
               STYLE(f.off ? TONE_FAINT : TONE_KIND_LEVEL(f.kind, f.level)));
}

static void mapcells_draw(const MapCell *cell, uint32_t count, const Ui *ui, Canvas *canvas,
                          Rect rect, MapShape s) {
    MapCell none = {{0}, 0, 0};
    for (int row = 0; row < s.rows; row += s.half) {
        for (int col = 0; col < s.cols; col++) {
            uint32_t i = (uint32_t)row * (uint32_t)s.cols + (uint32_t)col;
            uint32_t j = i + (uint32_t)s.cols;
            int x = rect.x + col, y = rect.y + row / s.half;
            Face upper = face_of(i < count ? &cell[i] : &none, ui);
            if (s.half == 1) {
                draw_letter(canvas, x, y, upper);
                continue;
            }
            Face lower = face_of(j < count ? &cell[j] : &none, ui);
            canvas_put(canvas, x, y, G_UPPER_HALF,
                       STYLE_ON(tone_of(upper, ui), tone_of(lower, ui)));
        }
    }
}

/* ---- recorded -------------------------------------------------------------------------------- */

enum { CELLS_MOST = 200 * 1000 };

/* Returns which recorded cell stands at cell i of n: they share the room as evenly as possible. */
static uint32_t recorded_at(uint64_t i, uint64_t n, uint32_t used) {
    return (uint32_t)(i * used / n);
}

static uint32_t cells_used(const Model *model) {
    uint32_t used = MAPCELL_RECORDED;
    while (used > 0 && model->map[used - 1].capacity == 0)
        used--;
    return used;
}

/* Joins recorded cells, if the panel has fewer cells. */
static MapCell cell_between(const Model *model, uint32_t from, uint32_t to) {
    MapCell c = {{0}, 0, 0};
    for (uint32_t i = from; i <= to; i++) {
        for (int k = 0; k < LMP_KINDS; k++)
            c.bytes[k] += model->map[i].bytes[k];
        c.blocks += model->map[i].blocks;
        c.capacity += model->map[i].capacity;
    }
    return c;
}

static void mapcells_draw_recorded(const Model *model, const Ui *ui, Canvas *canvas, Rect rect,
                                   MapShape s) {
    static MapCell cell[CELLS_MOST]; /* the display has one thread */
    uint32_t used = model->map_cell > 0 ? cells_used(model) : 0;
    uint64_t n = (uint64_t)s.cols * (uint64_t)s.rows;
    if (n > CELLS_MOST) n = CELLS_MOST;
    if (used == 0 || n == 0) {
        canvas_text(canvas, rect.x, rect.y, rect.w, STYLE(TONE_MUTED),
                    "No map was recorded by then.");
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint32_t from = recorded_at(i, n, used), next = recorded_at(i + 1, n, used);
        cell[i] = cell_between(model, from, next > from ? next - 1 : from);
    }
    mapcells_draw(cell, (uint32_t)n, ui, canvas, rect, s);
    char text[LMP_NUM];
    if (s.status >= 0)
        canvas_printf(canvas, rect.x, s.status, rect.w, STYLE(TONE_MUTED),
                      "%u cells of %s were recorded", used,
                      describe_cell_size(text, model->map_cell));
}

extern const Panel panel_heapmap; /* below */

#define REFRESH_TIME 4000000ull /* nanoseconds of each repaint for looking at what changed */
#define FIRST_TIME 60000000ull  /* the first time there is no earlier picture to show */
#define STILL_TIME 100000000ull /* when the program stands still: be exact at once */

typedef struct HeapmapPanel {
    const LmpView *view; /* that the map belongs to */
    MapWindow window;
    uint64_t sought; /* number of the paused operation whose block was last brought into view */
    bool begun;      /* the cursor has been put on the fullest cell */
    bool moved;      /* the cursor has moved since: the line below describes its cell */
} HeapmapPanel;

static void end(void *state) {
    HeapmapPanel *heap = state;
    mapwindow_free(&heap->window);
}

static void update(void *state, const Model *model, Ui *ui, Rect rect) {
    (void)ui;
    HeapmapPanel *heap = state;
    if (!heap || !model->view) return;
    uint64_t time = rect.w > 0 ? REFRESH_TIME : REFRESH_TIME / 8;
    if (model->seen != LMP_SEEN_RUNNING) time = STILL_TIME;
    if (heap->view != model->view || !heap->window.map) {
        heapmap_free(heap->window.map);
        heap->window.map = heapmap_new(model->view);
        heap->view = model->view;
        time = FIRST_TIME;
    }
    if (!heap->window.map) return;
    heapmap_refresh(heap->window.map, time);
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Draws cell i of the window in this tone; reversed if a character is one cell. */
static void light_cell(Canvas *canvas, Rect rect, MapShape s, uint64_t i, Tone tone) {
    int row = (int)(i / (uint64_t)s.cols);
    int x = rect.x + (int)(i % (uint64_t)s.cols), y = rect.y + row / s.half;
    const Cell *cell = canvas_at(canvas, x, y);
    if (!cell) return;
    if (s.half == 1) {
        if (cell->glyph == ' ')
            canvas_put(canvas, x, y, '_',
                       STYLE_WITH(STYLE_ON(tone, TONE_CURSOR_GROUND), ATTR_BOLD));
        canvas_attr(canvas, (Rect){x, y, 1, 1}, ATTR_REVERSE);
    } else {
        Tone upper = style_fg(cell->style), lower = style_bg(cell->style);
        canvas_put(canvas, x, y, G_UPPER_HALF,
                   row % 2 ? STYLE_ON(upper, tone) : STYLE_ON(tone, lower));
    }
}

/* Draws brackets around the characters of the cells from `first` to `last`, on each line. */
static void draw_brackets(Canvas *canvas, Rect rect, MapShape s, uint64_t first, uint64_t last,
                          Tone tone) {
    Style style = STYLE_WITH(STYLE_ON(tone, TONE_CURSOR_GROUND), ATTR_BOLD);
    uint64_t cols = (uint64_t)s.cols, half = (uint64_t)s.half;
    int left = (int)(first % cols), right = (int)(last % cols);
    int y = rect.y + (int)(first / cols / half);
    if (left > 0) canvas_put(canvas, rect.x + left - 1, y, '[', style);
    y = rect.y + (int)(last / cols / half);
    if (right + 1 < s.cols) canvas_put(canvas, rect.x + right + 1, y, ']', style);
}

/* Draws brackets around the cursor's character; inside, its half is white. */
static void draw_cursor(const MapWindow *window, Canvas *canvas, Rect rect, MapShape s) {
    uint64_t i = (mapwindow_cursor(window) - window->first) / window->size;
    if (i >= window->count) return;
    draw_brackets(canvas, rect, s, i, i, TONE_CURSOR);
    light_cell(canvas, rect, s, i, TONE_CURSOR);
}

/* ---- the block of the paused operation ------------------------------------------------------- */

/* Gives the paused block's positions [*from, *to). Returns false if the program is not paused, or
 * the block is not in the map. */
static bool paused_block(const MapWindow *window, const Model *model, uint64_t *from,
                         uint64_t *to) {
    const LmpOp *op = &model->op;
    if (model->seen != LMP_SEEN_PAUSED || op->op == LMP_OP_NONE) return false;
    bool is_new = op->new_addr != 0;
    uint64_t addr = is_new ? op->new_addr : op->old_addr;
    uint64_t size = is_new ? op->new_size : op->old_size;
    if (addr == 0 || !heapmap_position(window->map, addr, from)) return false;
    uint64_t left = heapmap_total(window->map) - *from;
    *to = *from + (size < left ? size > 0 ? size : 1 : left);
    return true;
}

/* Brings the block into view, once for every operation, for a person who has zoomed in. */
static void seek_block(HeapmapPanel *heap, const Model *model) {
    MapWindow *window = &heap->window;
    uint64_t from, to;
    if (heap->sought == model->op.number || !paused_block(window, model, &from, &to)) return;
    heap->sought = model->op.number;
    heap->moved = false;
    uint64_t end = window->first + window->size * window->count;
    if (window->zoomed && (from < window->first || from >= end)) mapwindow_move_to(window, from);
}

static void draw_block(const MapWindow *window, const Model *model, Canvas *canvas, Rect rect,
                       MapShape s) {
    uint64_t from, to, end = window->first + window->size * window->count;
    if (!paused_block(window, model, &from, &to) || from >= end || to <= window->first) return;
    uint64_t first = from > window->first ? (from - window->first) / window->size : 0;
    uint64_t last = ((to < end ? to : end) - 1 - window->first) / window->size;
    draw_brackets(canvas, rect, s, first, last, TONE_ACCENT);
    for (uint64_t i = first; i <= last; i++)
        light_cell(canvas, rect, s, i, TONE_CURSOR);
}

/* Returns the cell that the line below describes: the cursor's, or that of the paused operation's
 * block until the cursor moves. */
static uint64_t told_cell(const HeapmapPanel *heap, const Model *model) {
    const MapWindow *window = &heap->window;
    uint64_t from, to, at = mapwindow_cursor(window);
    if (!heap->moved && paused_block(window, model, &from, &to)) at = from;
    return (at - window->first) / window->size;
}

/* Puts the cursor on the fullest cell, as long as nobody has moved it and something lives there. */
static void begin_cursor(HeapmapPanel *heap) {
    MapWindow *window = &heap->window;
    uint64_t at = (mapwindow_cursor(window) - window->first) / window->size, fullest = 0;
    if (heap->moved || heap->sought || window->zoomed) return;
    if (heap->begun && at < window->count && mapcell_bytes(&window->cell[at], ~0u) > 0) return;
    for (uint64_t i = 1; i < window->count; i++)
        if (mapcell_bytes(&window->cell[i], ~0u) > mapcell_bytes(&window->cell[fullest], ~0u))
            fullest = i;
    mapwindow_move_to(window, window->first + fullest * window->size);
    heap->begun = true;
}

/* ---- the line below -------------------------------------------------------------------------- */

/* Sorts the kinds of a cell by descending bytes; returns how many have any. */
static int sort_kinds(const MapCell *cell, int order[LMP_KINDS]) {
    int n = 0;
    for (int k = 0; k < LMP_KINDS; k++) {
        if (cell->bytes[k] == 0) continue;
        int at = n++;
        for (; at > 0 && cell->bytes[order[at - 1]] < cell->bytes[k]; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
    return n;
}

/* Draws " · table 40.1 KiB · string 12.0 KiB", with letters instead of names if room is short. */
static void draw_kinds(const MapCell *cell, const Ui *ui, Canvas *canvas, int x, int right, int y,
                       bool alone) {
    int order[LMP_KINDS], n = sort_kinds(cell, order), need = alone ? -1 : 0;
    char text[LMP_NUM];
    for (int i = 0; i < n; i++)
        need += 4 + canvas_width(kind_info[order[i]].name) +
                canvas_width(format_bytes(text, cell->bytes[order[i]]));
    bool names = x + need <= right;
    for (int i = 0; i < n; i++) {
        int k = order[i];
        char letter[2] = {kind_info[k].letter, 0};
        const char *name = names ? kind_info[k].name : letter;
        const char *before = names ? (" · ") : "  ";
        if (alone && i == 0) before = "  ";
        format_bytes(text, cell->bytes[k]);
        if (x + canvas_width(before) + canvas_width(name) + 1 + canvas_width(text) > right) break;
        x += canvas_text(canvas, x, y, right - x, STYLE(TONE_FAINT), before);
        x += canvas_text(canvas, x, y, right - x,
                         STYLE(UI_SHOWS(ui, k) ? TONE_KIND(k) : TONE_FAINT), name);
        x += canvas_printf(canvas, x, y, right - x, STYLE(TONE_TEXT), " %s", text);
    }
}

/* Draws "0x55d0c2a01000 +64 KiB · 812 blocks · table 40.1 KiB · string 12.0 KiB", as much as fits;
 * in a narrow panel the kinds have a line of their own. */
static void draw_status(const HeapmapPanel *heap, const Model *model, const Ui *ui, Canvas *canvas,
                        Rect rect, MapShape s) {
    const MapWindow *window = &heap->window;
    uint64_t i = told_cell(heap, model);
    if (i >= window->count) return;
    const MapCell *cell = &window->cell[i];
    MapRange range = heapmap_range(window->map, window->first + i * window->size, window->size);
    char text[LMP_NUM], what[64], size[64];
    int x = rect.x, y = s.status, right = rect.x + rect.w;
    if (mapcell_bytes(cell, ~0u) == 0) {
        snprintf(what, sizeof what, "nothing lives here");
    } else if (cell->blocks == 0) {
        snprintf(what, sizeof what, "inside a block");
    } else {
        snprintf(what, sizeof what, "%s block%s", format_count(text, cell->blocks),
                 cell->blocks == 1 ? "" : "s");
    }
    snprintf(size, sizeof size, " +%s", describe_cell_size(text, cell->capacity));
    if (range.pieces > 1 && rect.w > 60)
        snprintf(size, sizeof size, " +%s in %u ranges", text, range.pieces);
    x += canvas_printf(canvas, x, y, right - x, STYLE(TONE_TEXT), "0x%llx",
                       (unsigned long long)range.start);
    if (x + canvas_width(size) + 3 + canvas_width(what) <= right)
        x += canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), size);
    if (x + 3 + canvas_width(what) <= right) {
        x += canvas_text(canvas, x, y, right - x, STYLE(TONE_FAINT), " · ");
        x += canvas_text(canvas, x, y, right - x, STYLE(TONE_TEXT), what);
    }
    if (s.lines > 1) x = rect.x - 2;
    draw_kinds(cell, ui, canvas, x, right, y + s.lines - 1, s.lines > 1);
}

/* Returns NULL: nothing to show yet. */
static MapWindow *window_of(HeapmapPanel *heap) {
    bool any = heap && heap->window.map && heapmap_total(heap->window.map) > 0;
    return any ? &heap->window : NULL;
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    HeapmapPanel *heap = state;
    if (rect.w <= 0 || rect.h <= 0) return;
    if (ui->time.past) {
        mapcells_draw_recorded(model, ui, canvas, rect, mapcells_shape(ui, rect));
        return;
    }
    if (heap && !heap->window.map && model->view) update(heap, model, ui, rect);
    MapShape s = mapcells_shape(ui, rect);
    MapWindow *window = window_of(heap);
    if (!window) {
        bool gone = model->view && atomic_load(&model->view->control->given_back);
        canvas_text(canvas, rect.x, rect.y, rect.w, STYLE(TONE_MUTED),
                    gone ? "the program has ended, and its map is not kept" : "no live blocks");
        return;
    }
    mapwindow_arrange(window, s.cols, s.rows);
    seek_block(heap, model);
    mapwindow_fill(window, s.cols, s.rows, ui->frozen);
    if (!window->cell) return;
    begin_cursor(heap);
    mapcells_draw(window->cell, window->count, ui, canvas, rect, s);
    draw_block(window, model, canvas, rect, s);
    /* even while its blocks are listed beside it */
    if (ui->focus == &panel_heapmap || (ui->over == &panel_blocks && !ui->look_site))
        draw_cursor(window, canvas, rect, s);
    if (s.status >= 0) draw_status(heap, model, ui, canvas, rect, s);
}

/* ---- keys and mouse -------------------------------------------------------------------------- */

static bool look_inside(const MapWindow *window, Ui *ui) {
    uint64_t at = mapwindow_cursor(window) & ~(window->size - 1);
    MapRange range = heapmap_range(window->map, at, window->size);
    if (range.pieces == 0) return false;
    ui->look_site = false;
    ui->look_from = range.start;
    ui->look_to = range.last;
    ui_open(ui, &panel_blocks);
    return true;
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    (void)model;
    MapWindow *window = ui->time.past ? NULL : window_of(state);
    if (!window) return false;
    MapShape s = mapcells_shape(ui, rect);
    mapwindow_arrange(window, s.cols, s.rows);
    ((HeapmapPanel *)state)->moved = true;
    switch (action) {
    case ACT_LEFT:
        mapwindow_move_by(window, -1);
        return true;
    case ACT_RIGHT:
        mapwindow_move_by(window, 1);
        return true;
    case ACT_UP:
        mapwindow_move_by(window, -window->cols);
        return true;
    case ACT_DOWN:
        mapwindow_move_by(window, window->cols);
        return true;
    case ACT_PAGE_UP:
    case ACT_PAGE_DOWN:
        mapwindow_page(window, action == ACT_PAGE_UP);
        return true;
    case ACT_HOME:
        mapwindow_move_to(window, 0);
        return true;
    case ACT_END:
        mapwindow_move_to(window, UINT64_MAX);
        return true;
    case ACT_ZOOM_IN:
    case ACT_ZOOM_OUT:
        mapwindow_zoom(window, action == ACT_ZOOM_IN);
        return true;
    case ACT_ENTER:
        return look_inside(window, ui);
    case ACT_BACK:
        if (!window->zoomed) return false;
        window->zoomed = false;
        mapwindow_arrange(window, s.cols, s.rows);
        return true;
    default:
        return false;
    }
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    MapWindow *window = ui->time.past ? NULL : window_of(state);
    if (!window) return false;
    MapShape s = mapcells_shape(ui, rect);
    mapwindow_arrange(window, s.cols, s.rows);
    int x = event.x, row = event.y * s.half;
    if (x < 0 || x >= s.cols || row < 0 || row >= s.rows) return false;
    ((HeapmapPanel *)state)->moved = true;
    uint64_t at = window->first + ((uint64_t)row * (uint64_t)s.cols + (uint64_t)x) * window->size;
    uint64_t here = mapwindow_cursor(window) & ~(window->size - 1);
    /* a cursor in the lower half of the clicked character stays there */
    bool same = s.half == 2 && here == at + (uint64_t)s.cols * window->size;
    if (at < heapmap_total(window->map) && !same) mapwindow_move_to(window, at);
    switch (event.what) {
    case MOUSE_WHEEL_UP:
        return act(state, model, ui, ACT_ZOOM_IN, rect);
    case MOUSE_WHEEL_DOWN:
        return act(state, model, ui, ACT_ZOOM_OUT, rect);
    case MOUSE_DOUBLE:
        return look_inside(window, ui);
    default:
        return true;
    }
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    char cell[LMP_NUM], all[LMP_NUM];
    const MapWindow *window = ui->time.past ? NULL : window_of(state);
    if (ui->time.past && model->map_cell > 0)
        snprintf(out, size, "%s/cell", describe_cell_size(cell, model->map_cell));
    if (!window || window->size == 0) return;
    uint64_t total = heapmap_total(window->map), left = total - window->first;
    uint64_t shown = window->size * window->count;
    describe_cell_size(cell, window->size);
    if (window->cols < 30) {
        snprintf(out, size, "%s", cell);
    } else if (window->cols < 60) {
        snprintf(out, size, "%s/cell", cell);
    } else {
        snprintf(out, size, "%s/cell · 0x%llx +%s", cell,
                 (unsigned long long)heapmap_address(window->map, window->first),
                 format_bytes(all, left < shown ? left : shown));
    }
}

const Panel panel_heapmap = {
    .title = "Heap map",
    .about = "A cell is so many bytes of addresses: its colour is the type with most bytes in it, "
             "its brightness how full it is. In a pause the block of the operation is white, in "
             "brackets. enter lists the blocks of a cell.",
    .number = 1,
    .size = sizeof(HeapmapPanel),
    .end = end,
    .update = update,
    .draw = draw,
    .act = act,
    .mouse = mouse,
    .note = note};
