/* panel_heap.c - the heap as a picture: one cell for so many bytes of addresses, coloured by the
 * kind that has most of it, brighter the fuller it is; a cursor that tells what is in its cell.
 *
 * With colours and UTF-8 a character holds two cells, one above the other; without, one, drawn as
 * the letter of the kind. Rows are read like text: addresses rise to the right, then downwards. */
#include <stdio.h>
#include <stdlib.h>

#include "base/format.h"
#include "read/heap/heapmap.h"
#include "screen/canvas.h"
#include "widget/describe.h"
#include "widget/panel.h"

#define REFRESH_TIME 4000000ull /* nanoseconds of each repaint for looking at what changed */
#define FIRST_TIME 60000000ull  /* the first time there is no picture to show meanwhile */
#define STILL_TIME 100000000ull /* when the program stands: the picture is to be exact at once */
#define WHOLE_LEAST 16u         /* bytes of a cell, however small the heap */

/* Invariants: first is a multiple of size; while `zoomed` is false first is 0 and size follows the
 * heap. The cursor is an address, so that it stays on its block when the regions move. */
typedef struct Heap {
    const LmpView *view; /* that `map` is of */
    HeapMap *map;
    bool zoomed;
    uint64_t size;   /* bytes of a cell */
    uint64_t first;  /* position of the first cell */
    uint64_t anchor; /* address of the first cell while zoomed */
    uint64_t cursor; /* address; 0: not set yet */
    HeapCell *cell;
    uint32_t count, room; /* cells in the window; space in `cell` */
    int cols;
    uint32_t layout; /* of the regions, when `cell` was filled */
} Heap;

/* How the inside of the frame is used. */
typedef struct Shape {
    int cols, rows; /* of cells */
    int half;       /* cells in a character: 2 or 1 */
    int status;     /* first line about the cursor's cell, -1: there is none */
    int lines;      /* of them: 1, or 2 where they are short */
} Shape;

static Shape shape_of(const Ui *ui, Rect rect) {
    Shape s = {rect.w > 0 ? rect.w : 1, rect.h, 1, -1, 0};
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

static uint32_t cells_of(Shape s) {
    return (uint32_t)s.cols * (uint32_t)s.rows;
}

static void *create(void) {
    return calloc(1, sizeof(Heap));
}

static void destroy(void *state) {
    Heap *heap = state;
    heapmap_free(heap->map);
    free(heap->cell);
    free(heap);
}

/* ---- window ---------------------------------------------------------------------------------- */

/* Position of the cursor; 0 when the heap is empty. */
static uint64_t cursor_position(const Heap *heap) {
    uint64_t position, total = heapmap_total(heap->map);
    heapmap_position(heap->map, heap->cursor, &position);
    return position < total ? position : total ? total - 1 : 0;
}

/* Keeps the window inside the heap: its end at the heap's end, or its beginning at 0. */
static uint64_t fit_first(const Heap *heap, uint64_t first, uint32_t count, int cols) {
    uint64_t total = heapmap_total(heap->map), row = heap->size * (uint64_t)cols;
    uint64_t window = heap->size * count;
    if (total <= window) return 0;
    uint64_t most = (total - window + row - 1) / row * row;
    if (first > most) first = most;
    return first & ~(heap->size - 1);
}

static void set_first(Heap *heap, uint64_t first) {
    heap->first = fit_first(heap, first, heap->count, heap->cols);
    heap->anchor = heapmap_address(heap->map, heap->first);
}

/* Scrolls by whole rows until the cursor is in the window. */
static void follow_cursor(Heap *heap) {
    uint64_t at = cursor_position(heap), row = heap->size * (uint64_t)heap->cols;
    uint64_t window = heap->size * heap->count, first = heap->first;
    if (at < first) {
        uint64_t up = (first - at + row - 1) / row * row;
        first = first > up ? first - up : 0;
    } else if (at >= first + window) {
        first += (at - first - window) / row * row + row; /* NOLINT: a row has a column */
    }
    if (first != heap->first) set_first(heap, first);
}

/* Works out what the window shows after the heap, the size of the panel or the zoom changed. */
static void arrange(Heap *heap, Shape s) {
    uint32_t count = cells_of(s);
    uint64_t fit = heapmap_fit(heap->map, count, WHOLE_LEAST);
    if (heap->zoomed && heap->size < fit) {
        uint64_t first;
        heapmap_position(heap->map, heap->anchor, &first);
        heap->first = fit_first(heap, first, count, s.cols);
    } else {
        heap->zoomed = false;
        heap->size = fit;
        heap->first = 0;
    }
    heap->count = count;
    heap->cols = s.cols;
    if (heap->cursor == 0) heap->cursor = heapmap_address(heap->map, 0);
    if (heap->zoomed) follow_cursor(heap);
}

/* Changes the size of the cells; what is under the cursor stays where it is on the screen. */
static void zoom(Heap *heap, Shape s, bool in) {
    uint64_t at = cursor_position(heap);
    uint64_t cell = at >= heap->first ? (at - heap->first) / heap->size : 0;
    if (in && heap->size / 2 < HEAPMAP_MIN_CELL) return;
    if (!in && !heap->zoomed) return;
    heap->size = in ? heap->size / 2 : heap->size * 2;
    heap->zoomed = true;
    uint64_t before = cell * heap->size;
    set_first(heap, at > before ? at - before : 0);
    arrange(heap, s);
}

static void fill(Heap *heap, const Ui *ui, Shape s) {
    uint64_t first = heap->first, size = heap->size;
    uint32_t count = heap->count;
    arrange(heap, s);
    if (ui->frozen && heap->cell && first == heap->first && size == heap->size &&
        count == heap->count && heap->layout == heapmap_layout(heap->map))
        return;
    if (heap->count > heap->room) {
        HeapCell *cell = realloc(heap->cell, heap->count * sizeof *cell);
        if (!cell) {
            heap->count = heap->room;
            return;
        }
        heap->cell = cell;
        heap->room = heap->count;
    }
    heap->layout = heapmap_layout(heap->map);
    heapmap_cells(heap->map, heap->first, heap->size, heap->count, heap->cell);
}

static void update(void *state, const Model *model, Ui *ui, Rect rect) {
    Heap *heap = state;
    if (!heap || !model->view) return;
    uint64_t time = rect.w > 0 ? REFRESH_TIME : REFRESH_TIME / 8;
    if (model->seen != LMP_SEEN_RUNNING) time = STILL_TIME;
    if (heap->view != model->view || !heap->map) {
        heapmap_free(heap->map);
        heap->map = heapmap_new(model->view);
        heap->view = model->view;
        time = FIRST_TIME;
    }
    if (!heap->map) return;
    heapmap_refresh(heap->map, time);
    (void)ui;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* What a cell looks like: the kind to show (-1: nothing lives here), how bright, and whether it is
 * only there because of kinds that are switched off. */
typedef struct Face {
    int kind, level;
    bool off, outside;
} Face;

static Face face_of(const HeapCell *cell, const Ui *ui) {
    static const unsigned steps[THEME_LEVELS - 1] = {8, 30, 60}; /* percent of the cell in use */
    Face f = {.kind = heapcell_kind(cell, ui->kinds), .outside = cell->capacity == 0};
    if (f.outside) return f;
    if (f.kind < 0) {
        f.kind = heapcell_kind(cell, ~ui->kinds);
        f.off = f.kind >= 0;
        return f;
    }
    uint64_t bytes = heapcell_bytes(cell, ui->kinds);
    while (f.level < THEME_LEVELS - 1 && bytes * 100 >= cell->capacity * steps[f.level])
        f.level++;
    /* what is chosen stands out from what is off, be it ever so little */
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

static void draw_cells(const Heap *heap, const Ui *ui, Canvas *canvas, Rect rect, Shape s) {
    HeapCell none = {{0}, 0, 0};
    for (int row = 0; row < s.rows; row += s.half) {
        for (int col = 0; col < s.cols; col++) {
            uint32_t i = (uint32_t)row * (uint32_t)s.cols + (uint32_t)col;
            uint32_t j = i + (uint32_t)s.cols;
            int x = rect.x + col, y = rect.y + row / s.half;
            Face upper = face_of(i < heap->count ? &heap->cell[i] : &none, ui);
            if (s.half == 1) {
                draw_letter(canvas, x, y, upper);
                continue;
            }
            Face lower = face_of(j < heap->count ? &heap->cell[j] : &none, ui);
            canvas_put(canvas, x, y, G_UPPER_HALF,
                       STYLE_ON(tone_of(upper, ui), tone_of(lower, ui)));
        }
    }
}

/* Brackets around the cursor's character; in it, the half that is meant is white. */
static void draw_cursor(const Heap *heap, const Ui *ui, Canvas *canvas, Rect rect, Shape s) {
    uint64_t i = (cursor_position(heap) - heap->first) / heap->size;
    if (i >= heap->count) return;
    int col = (int)(i % (uint64_t)s.cols), row = (int)(i / (uint64_t)s.cols);
    int x = rect.x + col, y = rect.y + row / s.half;
    Style bracket = STYLE_WITH(STYLE_ON(TONE_CURSOR, TONE_CURSOR_GROUND), ATTR_BOLD);
    if (col > 0) canvas_put(canvas, x - 1, y, '[', bracket);
    if (col + 1 < s.cols) canvas_put(canvas, x + 1, y, ']', bracket);
    const Cell *cell = canvas_at(canvas, x, y);
    if (!cell) return;
    if (s.half == 1) {
        if (cell->glyph == ' ') canvas_put(canvas, x, y, '_', bracket);
        canvas_attr(canvas, (Rect){x, y, 1, 1}, ATTR_REVERSE);
    } else {
        Tone upper = style_fg(cell->style), lower = style_bg(cell->style);
        canvas_put(canvas, x, y, G_UPPER_HALF,
                   row % 2 ? STYLE_ON(upper, TONE_CURSOR) : STYLE_ON(TONE_CURSOR, lower));
    }
    (void)ui;
}

/* The kinds of a cell by falling bytes; returns how many have any. */
static int sort_kinds(const HeapCell *cell, int order[LMP_KINDS]) {
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

/* " · table 40.1 KiB · string 12.0 KiB", with letters for names where there is no room. */
static void draw_kinds(const HeapCell *cell, const Ui *ui, Canvas *canvas, int x, int right, int y,
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
        const char *before = names ? (ui->utf8 ? " · " : " - ") : "  ";
        if (alone && i == 0) before = "  ";
        format_bytes(text, cell->bytes[k]);
        if (x + canvas_width(before) + canvas_width(name) + 1 + canvas_width(text) > right) break;
        x += canvas_text(canvas, x, y, right - x, STYLE(TONE_FAINT), before);
        x += canvas_text(canvas, x, y, right - x,
                         STYLE(UI_SHOWS(ui, k) ? TONE_KIND(k) : TONE_FAINT), name);
        x += canvas_printf(canvas, x, y, right - x, STYLE(TONE_TEXT), " %s", text);
    }
}

/* "0x55d0c2a01000 +64 KiB · 812 blocks · table 40.1 KiB · string 12.0 KiB", as much as fits; in a
 * narrow panel the kinds have a line of their own. */
static void draw_status(const Heap *heap, const Ui *ui, Canvas *canvas, Rect rect, Shape s) {
    uint64_t i = (cursor_position(heap) - heap->first) / heap->size;
    if (i >= heap->count) return;
    const HeapCell *cell = &heap->cell[i];
    HeapRange range = heapmap_range(heap->map, heap->first + i * heap->size, heap->size);
    char text[LMP_NUM], what[64], size[64];
    int x = rect.x, y = s.status, right = rect.x + rect.w;
    if (heapcell_bytes(cell, ~0u) == 0) {
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
        x += canvas_text(canvas, x, y, right - x, STYLE(TONE_FAINT), ui->utf8 ? " · " : " - ");
        x += canvas_text(canvas, x, y, right - x, STYLE(TONE_TEXT), what);
    }
    if (s.lines > 1) x = rect.x - 2;
    draw_kinds(cell, ui, canvas, x, right, y + s.lines - 1, s.lines > 1);
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Heap *heap = state;
    if (rect.w <= 0 || rect.h <= 0) return;
    if (heap && !heap->map && model->view) update(heap, model, ui, rect);
    Shape s = shape_of(ui, rect);
    if (!heap || !heap->map || heapmap_total(heap->map) == 0) {
        canvas_text(canvas, rect.x, rect.y, rect.w, STYLE(TONE_MUTED), "no live blocks yet");
        return;
    }
    fill(heap, ui, s);
    if (!heap->cell) return;
    draw_cells(heap, ui, canvas, rect, s);
    /* also while its blocks are listed beside it */
    if (ui->focus == &panel_heap || ui->over == &panel_blocks)
        draw_cursor(heap, ui, canvas, rect, s);
    if (s.status >= 0) draw_status(heap, ui, canvas, rect, s);
}

/* ---- keys and mouse -------------------------------------------------------------------------- */

static void move_to(Heap *heap, uint64_t position) {
    uint64_t total = heapmap_total(heap->map);
    if (position >= total) position = total ? total - 1 : 0;
    heap->cursor = heapmap_address(heap->map, position);
    follow_cursor(heap);
}

/* Moves by so many cells, staying inside; sets the cursor on the beginning of its cell. */
static void move_by(Heap *heap, int64_t cells) {
    uint64_t total = heapmap_total(heap->map);
    uint64_t last = total ? (total - 1) / heap->size : 0, at = cursor_position(heap) / heap->size;
    uint64_t step = (uint64_t)(cells < 0 ? -cells : cells);
    uint64_t room = cells < 0 ? at : last - at;
    if (step > room) {
        if (step <= (uint64_t)heap->cols) return; /* there is no such row */
        step = room;
    }
    at = cells < 0 ? at - step : at + step;
    move_to(heap, at * heap->size);
}

/* A page: all rows but one, which stays for orientation. */
static void page_by(Heap *heap, bool up) {
    uint64_t cells = heap->count - (uint64_t)heap->cols;
    if (cells == 0) cells = heap->count;
    uint64_t bytes = cells * heap->size, first = heap->first;
    set_first(heap, !up ? first + bytes : first > bytes ? first - bytes : 0);
    move_by(heap, up ? -(int64_t)cells : (int64_t)cells);
}

static bool look_inside(const Heap *heap, Ui *ui) {
    uint64_t at = cursor_position(heap) & ~(heap->size - 1);
    HeapRange range = heapmap_range(heap->map, at, heap->size);
    if (range.pieces == 0) return false;
    ui->look_from = range.start;
    ui->look_to = range.last;
    ui_open(ui, &panel_blocks);
    return true;
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    Heap *heap = state;
    (void)model;
    if (!heap || !heap->map || heapmap_total(heap->map) == 0) return false;
    Shape s = shape_of(ui, rect);
    arrange(heap, s);
    switch (action) {
    case ACT_LEFT:
        move_by(heap, -1);
        return true;
    case ACT_RIGHT:
        move_by(heap, 1);
        return true;
    case ACT_UP:
        move_by(heap, -heap->cols);
        return true;
    case ACT_DOWN:
        move_by(heap, heap->cols);
        return true;
    case ACT_PAGE_UP:
    case ACT_PAGE_DOWN:
        page_by(heap, action == ACT_PAGE_UP);
        return true;
    case ACT_HOME:
        move_to(heap, 0);
        return true;
    case ACT_END:
        move_to(heap, UINT64_MAX);
        return true;
    case ACT_ZOOM_IN:
    case ACT_ZOOM_OUT:
        zoom(heap, s, action == ACT_ZOOM_IN);
        return true;
    case ACT_ENTER:
        return look_inside(heap, ui);
    case ACT_BACK:
        if (!heap->zoomed) return false;
        heap->zoomed = false;
        arrange(heap, s);
        return true;
    default:
        return false;
    }
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    Heap *heap = state;
    if (!heap || !heap->map || heapmap_total(heap->map) == 0) return false;
    Shape s = shape_of(ui, rect);
    arrange(heap, s);
    int x = event.x, row = event.y * s.half;
    if (x < 0 || x >= s.cols || row < 0 || row >= s.rows) return false;
    uint64_t at = heap->first + ((uint64_t)row * (uint64_t)s.cols + (uint64_t)x) * heap->size;
    uint64_t here = cursor_position(heap) & ~(heap->size - 1);
    /* the lower half of the character that has the cursor already keeps it */
    bool same = s.half == 2 && here == at + (uint64_t)s.cols * heap->size;
    if (at < heapmap_total(heap->map) && !same) move_to(heap, at);
    switch (event.what) {
    case MOUSE_WHEEL_UP:
        return act(heap, model, ui, ACT_ZOOM_IN, rect);
    case MOUSE_WHEEL_DOWN:
        return act(heap, model, ui, ACT_ZOOM_OUT, rect);
    case MOUSE_DOUBLE:
        return look_inside(heap, ui);
    default:
        return true;
    }
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Heap *heap = state;
    char cell[LMP_NUM], all[LMP_NUM];
    (void)model;
    if (!heap || !heap->map || heapmap_total(heap->map) == 0 || heap->size == 0) return;
    uint64_t total = heapmap_total(heap->map), left = total - heap->first;
    uint64_t window = heap->size * heap->count;
    describe_cell_size(cell, heap->size);
    if (heap->cols < 30) {
        snprintf(out, size, "%s", cell);
    } else if (heap->cols < 60) {
        snprintf(out, size, "%s/cell", cell);
    } else {
        snprintf(out, size, "%s/cell %s 0x%llx +%s", cell, ui->utf8 ? "·" : "-",
                 (unsigned long long)heapmap_address(heap->map, heap->first),
                 format_bytes(all, left < window ? left : window));
    }
}

const Panel panel_heap = {.title = "Heap map",
                          .number = 1,
                          .min_w = 8,
                          .min_h = 2,
                          .create = create,
                          .destroy = destroy,
                          .update = update,
                          .draw = draw,
                          .act = act,
                          .mouse = mouse,
                          .note = note};
