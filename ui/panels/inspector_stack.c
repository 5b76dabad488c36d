/* inspector_stack.c - see inspector_stack.h. */
#include "panels/inspector_stack.h"

#include <stdio.h>

#include "base/format.h"
#include "panels/inspector_op.h"
#include "widget/describe.h"

static uint64_t left_out(const LmpOp *op) {
    return op->depth - op->frames;
}

uint64_t inspector_lines(const LmpOp *op) {
    return op->frames + (left_out(op) > 0);
}

/* The frame on a line of the list; op->frames for the line of those left out. */
uint32_t inspector_frame(const LmpOp *op, uint64_t line) {
    if (left_out(op) > 0 && line == op->cut_at) return op->frames;
    if (left_out(op) > 0 && line > op->cut_at) line--;
    return line < op->frames ? (uint32_t)line : op->frames;
}

uint64_t inspector_line(const LmpOp *op, uint32_t frame) {
    return frame + (uint64_t)(left_out(op) > 0 && frame >= op->cut_at);
}

static void draw_frame_line(const LmpFrame *frame, bool utf8, Canvas *canvas, Rect rect, int y,
                            int where_w) {
    char where[128], plain[sizeof frame->name], name[sizeof frame->name], kind[24];
    int right = rect.x + rect.w;
    inspector_where(frame, where, sizeof where, utf8);
    Style style = STYLE(frame->is_c || frame->line <= 0 ? TONE_MUTED : TONE_SOURCE);
    canvas_tail(canvas, rect.x + 2, y, where_w, style, style, where);
    int x = rect.x + 2 + where_w + 2;
    describe_function(plain, sizeof plain, kind, sizeof kind, inspector_called(frame));
    format_text(name, sizeof name, plain, !utf8);
    x += canvas_text(canvas, x, y, right - x, STYLE(TONE_TEXT), name);
    if (frame->tail && x + 12 <= right) /* it explains why the caller is missing */
        x += canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), " (tail call)");
    if (kind[0] && x + 2 + canvas_width(kind) <= right)
        canvas_printf(canvas, x, y, right - x, STYLE(TONE_FAINT), "  %s", kind);
}

/* Columns for the places of all frames, at most three fifths of the width. */
static int where_width(const LmpOp *op, bool utf8, int w) {
    char where[128];
    int widest = 0;
    for (uint32_t i = 0; i < op->frames; i++) {
        inspector_where(&op->frame[i], where, sizeof where, utf8);
        int width = canvas_width(where);
        if (width > widest) widest = width;
    }
    return widest < w * 3 / 5 ? widest : w * 3 / 5;
}

void inspector_stack(const LmpOp *op, const List *list, bool chosen, bool utf8, Canvas *canvas,
                     Rect rect) {
    char count[LMP_NUM];
    bool bar = inspector_lines(op) > (uint64_t)rect.h && rect.w > 12;
    if (bar) rect.w--;
    int where_w = where_width(op, utf8, rect.w);
    for (int row = 0; row < rect.h; row++) {
        uint64_t line = list->top + (uint64_t)row;
        int y = rect.y + row;
        if (line >= inspector_lines(op)) break;
        uint32_t frame = inspector_frame(op, line);
        if (frame < op->frames) {
            draw_frame_line(&op->frame[frame], utf8, canvas, rect, y, where_w);
        } else {
            canvas_printf(canvas, rect.x + 2, y, rect.w - 2, STYLE(TONE_MUTED),
                          utf8 ? "… %s frames …" : "... %s frames ...",
                          format_count(count, left_out(op)));
        }
        if (line == list->cursor) {
            canvas_put(canvas, rect.x, y, G_RIGHT, STYLE(TONE_ACCENT));
            if (chosen) canvas_tint(canvas, (Rect){rect.x, y, rect.w, 1}, TONE_SELECT);
        }
    }
    if (bar)
        canvas_scroll(canvas, rect.x + rect.w, rect.y, rect.h, list->top, (uint64_t)rect.h,
                      inspector_lines(op));
}
