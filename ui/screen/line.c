/* line.c - drops the pieces of the worst priority until the rest fits the width. */
#include "screen/line.h"

#include <limits.h>
#include <stdarg.h>

void line_add(Line *line, int priority, Style style, const char *format, ...) {
    if (line->count == LINE_PIECES) return;
    LinePiece *piece = &line->piece[line->count++];
    piece->style = style;
    piece->priority = priority;
    piece->key = K_NONE;
    va_list args;
    va_start(args, format);
    vsnprintf(piece->text, sizeof piece->text, format, args);
    va_end(args);
}

void line_key(Line *line, Key key) {
    if (line->count > 0 && line->count < LINE_PIECES) line->piece[line->count - 1].key = key;
}

int line_width(const Line *line, int limit) {
    int width = 0;
    for (int i = 0; i < line->count; i++) {
        if (line->piece[i].priority < limit) width += canvas_width(line->piece[i].text);
    }
    return width;
}

/* Returns the largest priority below `limit`, or `worst`. */
static int worst_below(const Line *line, int limit, int worst) {
    for (int i = 0; i < line->count; i++) {
        int p = line->piece[i].priority;
        if (p < limit && p > worst) worst = p;
    }
    return worst;
}

int line_fit(LineFit *fit, const Line *left, const Line *right, int w) {
    static const Line none;
    if (!right) right = &none;
    int pieces = left->count + right->count;
    int limit = fit && fit->w == w && fit->pieces == pieces ? fit->limit : INT_MAX;
    while (limit > 2 && line_width(left, limit) + line_width(right, limit) > w) {
        int worst = worst_below(left, limit, worst_below(right, limit, 0));
        if (worst <= 1) break;
        limit = worst;
    }
    if (fit) *fit = (LineFit){w, pieces, limit};
    return limit;
}

int line_limit(const Line *line, int w) {
    return line_fit(NULL, line, NULL, w);
}

int line_draw_below(const Line *line, int limit, Canvas *canvas, int x, int y, int w) {
    int used = 0;
    for (int i = 0; i < line->count; i++) {
        const LinePiece *piece = &line->piece[i];
        if (piece->priority >= limit) continue;
        used += canvas_text(canvas, x + used, y, w - used, piece->style, piece->text);
    }
    return used;
}

int line_draw(const Line *line, Canvas *canvas, int x, int y, int w) {
    return line_draw_below(line, line_limit(line, w), canvas, x, y, w);
}
