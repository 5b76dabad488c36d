/* line.c - fitting a line of pieces, see line.h. */
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

int line_limit(const Line *line, int w) {
    int limit = INT_MAX;
    while (limit > 2 && line_width(line, limit) > w) {
        int worst = 0; /* the largest priority still shown */
        for (int i = 0; i < line->count; i++) {
            int p = line->piece[i].priority;
            if (p < limit && p > worst) worst = p;
        }
        if (worst <= 1) break;
        limit = worst;
    }
    return limit;
}

int line_draw(const Line *line, Canvas *canvas, int x, int y, int w) {
    int limit = line_limit(line, w), used = 0;
    for (int i = 0; i < line->count; i++) {
        const LinePiece *piece = &line->piece[i];
        if (piece->priority >= limit) continue;
        used += canvas_text(canvas, x + used, y, w - used, piece->style, piece->text);
    }
    return used;
}
