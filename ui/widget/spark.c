/* spark.c - scales the values to 2 x 4 braille dots a cell. */
#include "widget/spark.h"

/* Draws equal values as a line: in the middle, or at the ground if they are 0. */
static void draw_constant(Canvas *canvas, Rect rect, uint64_t high) {
    int y = rect.y + (high > 0 ? rect.h / 2 : rect.h - 1);
    canvas_fill(canvas, (Rect){rect.x, y, rect.w, 1}, G_HLINE, STYLE(TONE_FAINT));
}

static void range_of(const uint64_t *value, uint32_t n, uint64_t *least, uint64_t *most) {
    *least = UINT64_MAX;
    *most = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (value[i] < *least) *least = value[i];
        if (value[i] > *most) *most = value[i];
    }
}

void spark_draw(Canvas *canvas, Rect rect, const uint64_t *value, uint32_t n, Style style) {
    /* points of a cell, from the lowest: left column, right column */
    static const unsigned char dot[2][4] = {{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}};
    if (rect.w < 1 || rect.h < 1 || n == 0) return;
    uint64_t least, most;
    range_of(value, n, &least, &most);
    int columns = rect.w * 2, rows = rect.h * 4;
    if ((double)(most - least) * 2 * rows <= (double)most) { /* differ by less than half a dot */
        draw_constant(canvas, rect, most);
        return;
    }
    for (int x = 0; x < rect.w; x++) {
        for (int row = 0; row < rect.h; row++) {
            unsigned bits = 0;
            for (int half = 0; half < 2; half++) {
                int column = x * 2 + half;
                uint32_t at = (uint32_t)((uint64_t)column * n / (uint64_t)columns);
                double share = (double)value[at] / (double)most;
                int height = (int)(share * rows + 0.5);
                if (height == 0 && value[at] > 0) height = 1;
                for (int d = 0; d < 4; d++)
                    if (height > (rect.h - 1 - row) * 4 + d) bits |= dot[half][d];
            }
            if (bits) canvas_put(canvas, rect.x + x, rect.y + row, G_BRAILLE + bits, style);
        }
    }
}

void spark_way(Canvas *canvas, Rect rect, uint64_t *value, uint32_t n, Style style) {
    uint64_t least, most;
    range_of(value, n, &least, &most);
    if (most == 0) return;
    if (most == least) {
        draw_constant(canvas, rect, most);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        value[i] += (most - least) / 8 - least;
    spark_draw(canvas, rect, value, n, style);
}

void spark_bar(Canvas *canvas, int x, int y, int w, double share, Style style) {
    if (w < 1 || !(share > 0)) return;
    int halves = (int)((share > 1 ? 1 : share) * w * 2 + 0.5);
    if (halves == 0) halves = 1;
    for (int i = 0; i < halves / 2; i++)
        canvas_put(canvas, x + i, y, G_BAR, style);
    if (halves % 2) canvas_put(canvas, x + halves / 2, y, canvas->utf8 ? 0x2578 : '-', style);
}
