/* panel_inspector.c - the memory operation under the pause: what it does, to which block, and the
 * whole Lua call stack that led to it. */
#include <stdio.h>
#include <stdlib.h>

#include "describe.h"
#include "format.h"
#include "panel.h"

/* The list of frames has a line more where frames were left out. */
typedef struct Inspector {
    List list;
    uint64_t number; /* of the operation that was shown: another begins at its top */
    int page;
} Inspector;

static const struct {
    const char *name;
    Tone tone;
} operations[] = {
    [LMP_OP_NONE] = {"", TONE_TEXT},
    [LMP_OP_ALLOC] = {"allocation", TONE_GROWTH},
    [LMP_OP_REALLOC] = {"reallocation", TONE_ACCENT},
    [LMP_OP_FREE] = {"free", TONE_SHRINK},
};

static void *create(void) {
    return calloc(1, sizeof(Inspector));
}

static bool has_operation(const Model *model) {
    return model->op.op > LMP_OP_NONE && model->op.op <= LMP_OP_FREE &&
           model->seen == LMP_SEEN_PAUSED;
}

static uint64_t left_out(const LmpOp *op) {
    return op->depth - op->frames;
}

static uint64_t lines_of(const LmpOp *op) {
    return op->frames + (left_out(op) > 0);
}

/* Writes a label and what follows it; returns the columns used. */
static int labelled(Canvas *canvas, int x, int right, int y, const char *label, Style style,
                    const char *text) {
    if (x >= right) return 0;
    int used = canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), label);
    used += canvas_text(canvas, x + used, y, right - x - used, style, text);
    return used;
}

/* "reallocation #1,234,567 · array or hash part of a table" */
static void draw_what(const LmpOp *op, bool utf8, Canvas *canvas, Rect rect, int y) {
    char number[LMP_NUM];
    int x = rect.x, right = rect.x + rect.w;
    x += canvas_text(canvas, x, y, right - x, STYLE_BOLD(operations[op->op].tone),
                     operations[op->op].name);
    if (op->failed) x += canvas_text(canvas, x, y, right - x, STYLE_BOLD(TONE_SHRINK), ", refused");
    x += canvas_printf(canvas, x, y, right - x, STYLE(TONE_MUTED), " #%s",
                       format_count(number, op->number));
    const char *what = describe_class_long(op->cls);
    int need = canvas_width(what) + 3;
    if (x + need > right) what = describe_class(op->cls);
    bool known = op->cls > LMP_C_NONE && op->cls < LMP_C_COUNTED;
    Style style = STYLE(known ? TONE_KIND(class_owner(op->cls)) : TONE_TEXT);
    labelled(canvas, x, right, y, utf8 ? " · " : " - ", style, what);
}

/* "0x55d0c2a01230 → 0x55d0c2a04560   64 B → 128 B (+64 B)" */
static void draw_block(const LmpOp *op, bool utf8, Canvas *canvas, Rect rect, int y) {
    char text[LMP_NUM], delta[LMP_NUM];
    const char *arrow = utf8 ? " → " : " -> ";
    int x = rect.x, right = rect.x + rect.w;
    Style style = STYLE(TONE_TEXT), strong = STYLE(TONE_STRONG);
    bool moved = op->old_addr && op->new_addr && op->old_addr != op->new_addr;
    uint64_t addr = op->old_addr ? op->old_addr : op->new_addr;
    if (addr)
        x += canvas_printf(canvas, x, y, right - x, style, "0x%llx", (unsigned long long)addr);
    if (moved) {
        x += labelled(canvas, x, right, y, arrow, style, "");
        x += canvas_printf(canvas, x, y, right - x, style, "0x%llx",
                           (unsigned long long)op->new_addr);
    } else if (op->op == LMP_OP_REALLOC && op->new_addr && !op->failed) {
        x += labelled(canvas, x, right, y, " in place", style, "");
    }
    if (x > rect.x) x += 2;
    if (op->op == LMP_OP_FREE || op->op == LMP_OP_REALLOC)
        x += labelled(canvas, x, right, y, "", strong, format_bytes(text, op->old_size));
    if (op->op == LMP_OP_REALLOC) x += labelled(canvas, x, right, y, arrow, strong, "");
    if (op->op == LMP_OP_ALLOC || op->op == LMP_OP_REALLOC)
        x += labelled(canvas, x, right, y, "", strong, format_bytes(text, op->new_size));
    if (op->op == LMP_OP_REALLOC && x < right) {
        int64_t change = (int64_t)(op->new_size - op->old_size);
        canvas_printf(canvas, x, y, right - x, STYLE(change > 0 ? TONE_GROWTH : TONE_SHRINK),
                      " (%s)", format_delta_bytes(delta, change));
    }
}

static void where_of(const LmpFrame *frame, char *out, size_t size, bool utf8) {
    char source[sizeof frame->source];
    format_text(source, sizeof source, frame->source, !utf8);
    if (frame->line > 0) {
        snprintf(out, size, "%s:%d", source, frame->line);
    } else {
        snprintf(out, size, "%s", source);
    }
}

/* A long path loses its beginning: file and line are what one looks for. */
static void draw_where(Canvas *canvas, int x, int y, int max, Style style, const char *where) {
    int width = canvas_width(where);
    if (width > max && max > 1) {
        canvas_put(canvas, x++, y, G_ELLIPSIS, style);
        for (max--; width > max && *where;)
            width -= canvas_glyph_width(canvas_decode(&where));
    }
    canvas_text(canvas, x, y, max, style, where);
}

static void draw_frame_line(const LmpFrame *frame, bool utf8, Canvas *canvas, Rect rect, int y,
                            int where_w) {
    char where[128], name[sizeof frame->name];
    int right = rect.x + rect.w;
    where_of(frame, where, sizeof where, utf8);
    Style style = STYLE(frame->is_c || frame->line <= 0 ? TONE_MUTED : TONE_SOURCE);
    draw_where(canvas, rect.x + 2, y, where_w, style, where);
    int x = rect.x + 2 + where_w + 2;
    format_text(name, sizeof name, frame->name, !utf8);
    x += canvas_text(canvas, x, y, right - x, STYLE(TONE_TEXT), name);
    if (frame->tail) canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), " (tail call)");
}

static void draw_stack(Inspector *in, const Model *model, const Ui *ui, Canvas *canvas, Rect rect) {
    const LmpOp *op = &model->op;
    char where[128], count[LMP_NUM];
    bool bar = lines_of(op) > (uint64_t)rect.h && rect.w > 12;
    if (bar) rect.w--;
    int where_w = 0;
    for (uint32_t i = 0; i < op->frames; i++) {
        where_of(&op->frame[i], where, sizeof where, ui->utf8);
        int w = canvas_width(where);
        if (w > where_w) where_w = w;
    }
    if (where_w > rect.w * 3 / 5) where_w = rect.w * 3 / 5;
    for (int row = 0; row < rect.h; row++) {
        uint64_t line = in->list.top + (uint64_t)row;
        int y = rect.y + row;
        if (line >= lines_of(op)) break;
        uint64_t frame = line;
        if (left_out(op) > 0) {
            if (line == op->cut_at) {
                canvas_printf(canvas, rect.x + 2, y, rect.w - 2, STYLE(TONE_MUTED),
                              ui->utf8 ? "… %s frames …" : "... %s frames ...",
                              format_count(count, left_out(op)));
                frame = UINT64_MAX;
            } else if (line > op->cut_at) {
                frame--;
            }
        }
        if (frame < op->frames)
            draw_frame_line(&op->frame[frame], ui->utf8, canvas, rect, y, where_w);
        if (line == in->list.cursor) {
            canvas_put(canvas, rect.x, y, G_RIGHT, STYLE(TONE_ACCENT));
            if (ui->focus == &panel_inspector)
                canvas_tint(canvas, (Rect){rect.x, y, rect.w, 1}, TONE_SELECT);
        }
    }
    if (bar)
        canvas_scroll(canvas, rect.x + rect.w, rect.y, rect.h, in->list.top, (uint64_t)rect.h,
                      lines_of(op));
}

static void draw_hint(const Model *model, const Ui *ui, Canvas *canvas, Rect rect) {
    const char *text = "space pauses the program inside its next memory operation;";
    const char *more = "what it does, to which block, and the Lua call stack stand here then.";
    if (model->seen == LMP_SEEN_PAUSED) {
        text = "Paused: n lets one memory operation through and shows it here.";
        more = "";
    } else if (model->seen != LMP_SEEN_RUNNING) {
        text = "The program does not run any more: there is no operation to show.";
        more = "";
    }
    (void)ui;
    canvas_text(canvas, rect.x, rect.y, rect.w, STYLE(TONE_MUTED), text);
    if (rect.h > 1) canvas_text(canvas, rect.x, rect.y + 1, rect.w, STYLE(TONE_MUTED), more);
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Inspector none = {0}, *in = state ? state : &none;
    if (rect.w >= 34) {
        rect.x++;
        rect.w -= 2;
    }
    if (!has_operation(model)) {
        draw_hint(model, ui, canvas, rect);
        return;
    }
    const LmpOp *op = &model->op;
    if (in->number != op->number) in->list = (List){0};
    in->number = op->number;
    int y = rect.y, left = rect.h;
    draw_what(op, ui->utf8, canvas, rect, y++);
    if (--left > 0) {
        draw_block(op, ui->utf8, canvas, rect, y++);
        left--;
    }
    if (left > 6) {
        y++;
        left--;
    }
    in->page = left > 0 ? left : 0;
    list_fit(&in->list, lines_of(op), in->page);
    if (left <= 0) return;
    if (op->frames == 0) {
        canvas_text(canvas, rect.x, y, rect.w, STYLE(TONE_MUTED),
                    "no call stack can be told at this operation");
        return;
    }
    draw_stack(in, model, ui, canvas, (Rect){rect.x, y, rect.w, left});
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    Inspector *in = state;
    (void)ui;
    (void)rect;
    return in && has_operation(model) && list_act(&in->list, action, in->page);
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseWhat what, int x, int y,
                  Rect rect) {
    (void)x;
    Inspector *in = state;
    if (!in || !has_operation(model)) return false;
    if (what == MOUSE_WHEEL_UP || what == MOUSE_WHEEL_DOWN) {
        for (int i = 0; i < 3; i++)
            act(state, model, ui, what == MOUSE_WHEEL_UP ? ACT_UP : ACT_DOWN, rect);
        return true;
    }
    int line = y - (rect.h - in->page);
    if (what != MOUSE_CLICK || line < 0 || in->list.top + (uint64_t)line >= in->list.count)
        return false;
    in->list.cursor = in->list.top + (uint64_t)line;
    return true;
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)state;
    char depth[LMP_NUM], more[64] = "";
    if (!has_operation(model)) return;
    if (model->op.coroutines > 1)
        snprintf(more, sizeof more, " through %u coroutine%s %s", model->op.coroutines - 1,
                 model->op.coroutines == 2 ? "" : "s", ui->utf8 ? "·" : "-");
    else
        snprintf(more, sizeof more, " %s", ui->utf8 ? "·" : "-");
    snprintf(out, size, "%s frame%s%s n step %s space resume", format_count(depth, model->op.depth),
             model->op.depth == 1 ? "" : "s", more, ui->utf8 ? "·" : "-");
}

const Panel panel_inspector = {.title = "Inspector",
                               .number = 5,
                               .min_w = 20,
                               .min_h = 3,
                               .create = create,
                               .destroy = free,
                               .draw = draw,
                               .act = act,
                               .mouse = mouse,
                               .note = note};
