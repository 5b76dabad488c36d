/* inspector_locals.c - see inspector_locals.h. */
#include "panels/inspector_locals.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "panels/inspector_op.h"
#include "widget/describe.h"

#define NAME_MOST 16 /* columns of a local's name at most */

/* Kinds of memory have colours; numbers and booleans have none. */
static Style value_style(const LmpLocal *local) {
    for (int k = 0; k < LMP_KINDS; k++)
        if (strcmp(local->type, kind_info[k].name) == 0) return STYLE(TONE_KIND(k));
    return STYLE(strcmp(local->type, "nil") == 0 ? TONE_FAINT : TONE_TEXT);
}

/* "nil", "12.5", "\"text\"…", "table 0x55d0c2a01230" */
static void value_text(const LmpLocal *local, bool ascii, char *out, size_t size) {
    char value[LMP_LOCAL_BYTES + 1], text[LMP_LOCAL_BYTES + 1];
    memcpy(value, local->value, local->size);
    value[local->size] = 0;
    format_text(text, sizeof text, value, 1);
    if (strcmp(local->type, "string") == 0) {
        LmpPreview preview = {.size = local->whole, .shown = local->size};
        memcpy(preview.bytes, local->value, local->size);
        describe_preview(out, size, &preview, ascii);
    } else if (strcmp(local->type, "number") == 0 || strcmp(local->type, "boolean") == 0) {
        snprintf(out, size, "%s", text);
    } else {
        snprintf(out, size, "%s%s%s", local->type, *text ? " " : "", text);
    }
}

/* Why there are no locals to show, NULL: there are. */
static const char *no_locals(const LmpOp *op) {
    switch (op->locals_state) {
    case LMP_LOCALS_READ:
        return op->locals ? NULL : "no locals here yet";
    case LMP_LOCALS_UNKNOWN:
        return "not readable on this interpreter";
    case LMP_LOCALS_NOT_NOW:
        return "unreadable: the stack is moved";
    default:
        return op->locals_frame < op->frames && op->frame[op->locals_frame].is_c
                   ? "a C function: no locals to see"
                   : "no function's locals to see";
    }
}

/* Upvalues have a heading of their own, unless there are none, or none can be read. */
static uint32_t upvalues(const LmpOp *op) {
    return op->locals_state == LMP_LOCALS_READ && op->upvalues_state == LMP_LOCALS_READ
               ? op->upvalues
               : 0;
}

/* There may be some, but they cannot be read during this operation. */
static bool upvalues_hidden(const LmpOp *op) {
    return op->locals_state == LMP_LOCALS_READ && op->upvalues_state == LMP_LOCALS_NOT_NOW;
}

int inspector_locals_lines(const LmpOp *op) {
    if (op->locals_state == LMP_LOCALS_NONE) return 0;
    int lines = 1 + (int)op->locals + (int)upvalues(op) + (upvalues(op) > 0);
    return lines + (op->locals_more + op->upvalues_more > 0) + upvalues_hidden(op);
}

static void draw_local(const LmpLocal *local, bool utf8, int name_w, Canvas *canvas, Rect rect,
                       int y) {
    char name[sizeof local->name], value[4 * LMP_LOCAL_BYTES], size[LMP_NUM];
    int x = rect.x, right = rect.x + rect.w;
    format_text(name, sizeof name, local->name, !utf8);
    canvas_text(canvas, x, y, name_w, STYLE(TONE_STRONG), name);
    x += name_w + 1;
    value_text(local, !utf8, value, sizeof value);
    if (local->whole > local->size && right - x > 20) { /* a string that is not shown in full */
        int width = canvas_width(format_bytes(size, local->whole));
        canvas_text_right(canvas, right, y, width, STYLE(TONE_MUTED), size);
        right -= width + 1;
    }
    canvas_text(canvas, x, y, right - x, value_style(local), value);
}

/* The widest name, so that all values begin in the same column. */
static int name_width(const LmpLocal *local, uint32_t count, int least) {
    for (uint32_t i = 0; i < count; i++) {
        int w = canvas_width(local[i].name);
        if (w > least) least = w < NAME_MOST ? w : NAME_MOST;
    }
    return least;
}

static void draw_heading(const LmpOp *op, bool utf8, Canvas *canvas, Rect rect) {
    char where[128];
    const char *none = no_locals(op);
    int x = rect.x + canvas_text(canvas, rect.x, rect.y, rect.w, STYLE(TONE_MUTED),
                                 none ? none : "locals of ");
    if (none) return;
    inspector_where(&op->frame[op->locals_frame], where, sizeof where, utf8);
    canvas_tail(canvas, x, rect.y, rect.x + rect.w - x, STYLE(TONE_MUTED), STYLE(TONE_MUTED),
                where);
}

void inspector_locals(const LmpOp *op, bool utf8, Canvas *canvas, Rect rect) {
    char count[LMP_NUM];
    uint32_t ups = upvalues(op), all = op->locals + ups, i = 0;
    int y = rect.y, bottom = rect.y + rect.h;
    int name_w = name_width(op->upvalue, ups, name_width(op->local, op->locals, 0));
    uint64_t left = all + (uint64_t)op->locals_more + (ups ? op->upvalues_more : 0);
    bool roomy = rect.h > inspector_locals_lines(op); /* for a blank line between */
    draw_heading(op, utf8, canvas, rect);
    if (op->locals_state != LMP_LOCALS_READ) return;
    for (y++; i < all && y < bottom; y++) {
        if (i == op->locals) {
            if (bottom - y - roomy < 2 + (left > 1)) break;
            y += roomy;
            canvas_text(canvas, rect.x, y++, rect.w, STYLE(TONE_MUTED), "upvalues");
        }
        if (y >= bottom - 1 && left > 1) break;
        draw_local(i < op->locals ? &op->local[i] : &op->upvalue[i - op->locals], utf8, name_w,
                   canvas, rect, y);
        i++;
        left--;
    }
    if (left > 0 && y < bottom)
        canvas_printf(canvas, rect.x, y++, rect.w, STYLE(TONE_MUTED),
                      utf8 ? "… %s more" : "... %s more", format_count(count, left));
    if (upvalues_hidden(op) && y < bottom)
        canvas_text(canvas, rect.x, y, rect.w, STYLE(TONE_MUTED), "upvalues: unreadable just now");
}
