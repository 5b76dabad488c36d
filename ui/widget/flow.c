/* flow.c - each function draws one element at the next line (Flow.line), and moves on. */
#include "widget/flow.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "widget/spark.h"

int flow_y(const Flow *f) {
    return f->rect.y + f->line - f->top;
}

void flow_title(Flow *f, const char *title, const char *note) {
    if (f->line > 0) f->line++;
    int used = canvas_text(f->canvas, f->rect.x, flow_y(f), f->rect.w, STYLE(TONE_STRONG), title);
    if (note)
        canvas_printf(f->canvas, f->rect.x + used + 2, flow_y(f), f->rect.w - used - 2,
                      STYLE(TONE_MUTED), "%s", note);
    f->line++;
}

int flow_section_lines(int rows) {
    return 2 + (rows > 0 ? rows : 1);
}

void flow_text(Flow *f, const char *text) {
    canvas_text(f->canvas, f->rect.x + 1, flow_y(f), f->rect.w - 1, STYLE(TONE_MUTED), text);
    f->line++;
}

#define LABEL_W 13
#define FIGURE_W 11
#define BAR_MOST 28 /* columns */

void flow_figure(Flow *f, const char *label, Style style, const char *figure, const char *format,
                 ...) {
    char more[160];
    va_list args;
    va_start(args, format);
    vsnprintf(more, sizeof more, format, args);
    va_end(args);
    int x = f->rect.x + 1, y = flow_y(f);
    canvas_text(f->canvas, x, y, LABEL_W - 1, STYLE(TONE_MUTED), label);
    canvas_text_right(f->canvas, x + LABEL_W + FIGURE_W, y, FIGURE_W, style, figure);
    canvas_text(f->canvas, x + LABEL_W + FIGURE_W + 2, y, f->rect.w - LABEL_W - FIGURE_W - 3,
                STYLE(TONE_TEXT), more);
    f->line++;
}

void flow_bar(Flow *f, const char *label, Style label_style, Style bar, double share,
              uint64_t bytes, uint64_t blocks) {
    char text[LMP_NUM], count[LMP_NUM];
    int x = f->rect.x + 1, y = flow_y(f), w = f->rect.w - 1, figures = 11 + 8;
    canvas_text(f->canvas, x, y, LABEL_W, label_style, label);
    int room = w - LABEL_W - 1 - figures - 2;
    if (room > BAR_MOST) room = BAR_MOST;
    x += LABEL_W + 1;
    if (room >= 4) {
        spark_bar(f->canvas, x + 1, y, room, share, bar);
        x += room + 1;
    }
    canvas_text_right(f->canvas, x + 11, y, 11, STYLE(bytes ? TONE_TEXT : TONE_FAINT),
                      format_bytes(text, bytes));
    canvas_text_right(f->canvas, x + 19, y, 7, STYLE(bytes ? TONE_TEXT : TONE_FAINT),
                      format_short(count, blocks));
    f->line++;
}

void flow_wrapped(Flow *f, int indent, Style style, const char *text) {
    int width = f->rect.w - indent;
    char line[256];
    while (*text && width > 0) {
        size_t end = 0, length = 0;
        for (size_t i = 0; i <= strlen(text) && i < sizeof line; i++) {
            if (text[i] && text[i] != ' ') continue;
            memcpy(line, text, i);
            line[i] = 0;
            if (end > 0 && canvas_width(line) > width) break;
            end = length = i;
        }
        if (end == 0) length = end = strlen(text) < sizeof line ? strlen(text) : sizeof line - 1;
        memcpy(line, text, length);
        line[length] = 0;
        canvas_text(f->canvas, f->rect.x + indent, flow_y(f), width, style, line);
        f->line++;
        text += end + strspn(text + end, " ");
    }
}
