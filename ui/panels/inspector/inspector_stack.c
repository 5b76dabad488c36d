/* inspector_stack.c - draws a line for each frame: place, function, kind; columns are as wide as
 * the widest. The line of frames left out (LmpOp.cut_at) shifts those behind it by one. */
#include "panels/inspector/inspector_stack.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "panels/inspector/inspector_op.h"
#include "widget/describe.h"

enum { MARK = 2, BETWEEN = 2 }; /* columns of the cursor's arrow, between the words of a line */

static uint64_t left_out(const LmpOp *op) {
    return op->depth - op->frames;
}

uint64_t inspector_lines(const LmpOp *op) {
    return op->frames + (left_out(op) > 0);
}

uint32_t inspector_frame(const LmpOp *op, uint64_t line) {
    if (left_out(op) > 0 && line == op->cut_at) return op->frames;
    if (left_out(op) > 0 && line > op->cut_at) line--;
    return line < op->frames ? (uint32_t)line : op->frames;
}

uint64_t inspector_line(const LmpOp *op, uint32_t frame) {
    return frame + (uint64_t)(left_out(op) > 0 && frame >= op->cut_at);
}

/* The words of a line of the list, safe to print. */
typedef struct FrameWords {
    char where[128], name[sizeof((LmpFrame *)0)->name], kind[24];
} FrameWords;

static const char tail_words[] = " (tail call)"; /* why the caller is missing */

static FrameWords words_of(const LmpFrame *frame, bool utf8) {
    FrameWords w;
    char plain[sizeof w.name];
    inspector_where(frame, w.where, sizeof w.where, utf8);
    describe_function(plain, sizeof plain, w.kind, sizeof w.kind, inspector_called(frame));
    format_text(w.name, sizeof w.name, plain, !utf8);
    return w;
}

static void draw_frame_line(const LmpFrame *frame, bool utf8, Canvas *canvas, Rect rect, int y,
                            int where_w) {
    FrameWords w = words_of(frame, utf8);
    int right = rect.x + rect.w;
    Style style = STYLE(frame->is_c || frame->line <= 0 ? TONE_MUTED : TONE_SOURCE);
    canvas_tail(canvas, rect.x + MARK, y, where_w, style, style, w.where);
    int x = rect.x + MARK + where_w + BETWEEN;
    x += canvas_text(canvas, x, y, right - x, STYLE(TONE_TEXT), w.name);
    if (frame->tail && x + (int)strlen(tail_words) <= right)
        x += canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), tail_words);
    if (w.kind[0] && x + BETWEEN + canvas_width(w.kind) <= right)
        canvas_printf(canvas, x, y, right - x, STYLE(TONE_FAINT), "  %s", w.kind);
}

static int where_width(const LmpOp *op, bool utf8) {
    char where[128];
    int widest = 0;
    for (uint32_t i = 0; i < op->frames; i++) {
        inspector_where(&op->frame[i], where, sizeof where, utf8);
        int width = canvas_width(where);
        if (width > widest) widest = width;
    }
    return widest;
}

int inspector_stack_width(const LmpOp *op, bool utf8) {
    int widest = 0;
    for (uint32_t i = 0; i < op->frames; i++) {
        FrameWords w = words_of(&op->frame[i], utf8);
        int width = canvas_width(w.name) + (w.kind[0] ? BETWEEN + canvas_width(w.kind) : 0);
        if (op->frame[i].tail) width += (int)strlen(tail_words);
        if (width > widest) widest = width;
    }
    return MARK + where_width(op, utf8) + BETWEEN + widest;
}

void inspector_stack(const LmpOp *op, const List *list, bool chosen, bool utf8, Canvas *canvas,
                     Rect rect) {
    char count[LMP_NUM];
    bool bar = inspector_lines(op) > (uint64_t)rect.h && rect.w > 12;
    if (bar) rect.w--;
    int where_w = where_width(op, utf8), most = rect.w * 3 / 5;
    if (where_w > most && inspector_stack_width(op, utf8) > rect.w) where_w = most;
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
