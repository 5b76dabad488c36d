/* heapcells.c - turns each cell into a face (kind, brightness, hidden or outside) and draws it as
 * half a character, or as a letter where there are few colours or no UTF-8. */
#include "panels/heapcells.h"

#include "base/format.h"
#include "widget/describe.h"

HeapShape heapcells_shape(const Ui *ui, Rect rect) {
    HeapShape s = {rect.w > 0 ? rect.w : 1, rect.h, 1, -1, 0};
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

void heapcells_draw(const HeapCell *cell, uint32_t count, const Ui *ui, Canvas *canvas, Rect rect,
                    HeapShape s) {
    HeapCell none = {{0}, 0, 0};
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
    uint32_t used = MODEL_MAP_CELLS;
    while (used > 0 && model->map[used - 1].capacity == 0)
        used--;
    return used;
}

/* Joins recorded cells, if the panel has fewer cells. */
static HeapCell cell_between(const Model *model, uint32_t from, uint32_t to) {
    HeapCell c = {{0}, 0, 0};
    for (uint32_t i = from; i <= to; i++) {
        for (int k = 0; k < LMP_KINDS; k++)
            c.bytes[k] += model->map[i].bytes[k];
        c.blocks += model->map[i].blocks;
        c.capacity += model->map[i].capacity;
    }
    return c;
}

void heapcells_draw_recorded(const Model *model, const Ui *ui, Canvas *canvas, Rect rect,
                             HeapShape s) {
    static HeapCell cell[CELLS_MOST]; /* the display has one thread */
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
    heapcells_draw(cell, (uint32_t)n, ui, canvas, rect, s);
    char text[LMP_NUM];
    if (s.status >= 0)
        canvas_printf(canvas, rect.x, s.status, rect.w, STYLE(TONE_MUTED),
                      "%u cells of %s were recorded", used,
                      describe_cell_size(text, model->map_cell));
}
