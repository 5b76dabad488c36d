/* inspector_locals.c - see inspector_locals.h. */
#include "panels/inspector_locals.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "panels/inspector_op.h"
#include "widget/describe.h"

#define NAME_MOST 16 /* columns of a local's name at most */

/* Kinds of memory have their colours; numbers and booleans are none. */
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
        return "locals: not readable on this interpreter";
    case LMP_LOCALS_NOT_NOW:
        return "locals: not readable while the stack is moved";
    default:
        return op->locals_frame < op->frames && op->frame[op->locals_frame].is_c
                   ? "a C function: it has no locals to see"
                   : "no function's locals to see";
    }
}

int inspector_locals_lines(const LmpOp *op) {
    if (op->locals_state == LMP_LOCALS_NONE) return 0;
    return 1 + (no_locals(op) ? 0 : (int)op->locals + (op->locals_more > 0));
}

static void draw_local(const LmpLocal *local, bool utf8, int name_w, Canvas *canvas, Rect rect,
                       int y) {
    char name[sizeof local->name], value[4 * LMP_LOCAL_BYTES], size[LMP_NUM];
    int x = rect.x, right = rect.x + rect.w;
    format_text(name, sizeof name, local->name, !utf8);
    canvas_text(canvas, x, y, name_w, STYLE(TONE_STRONG), name);
    x += name_w + 1;
    value_text(local, !utf8, value, sizeof value);
    if (local->whole > local->size && right - x > 20) { /* a string that is not shown whole */
        int width = canvas_width(format_bytes(size, local->whole));
        canvas_text_right(canvas, right, y, width, STYLE(TONE_MUTED), size);
        right -= width + 1;
    }
    canvas_text(canvas, x, y, right - x, value_style(local), value);
}

void inspector_locals(const LmpOp *op, bool utf8, Canvas *canvas, Rect rect) {
    char where[128], count[LMP_NUM];
    const char *none = no_locals(op);
    int y = rect.y, bottom = rect.y + rect.h, name_w = 0;
    if (none) {
        canvas_text(canvas, rect.x, y, rect.w, STYLE(TONE_MUTED), none);
        return;
    }
    int x = rect.x + canvas_text(canvas, rect.x, y, rect.w, STYLE(TONE_MUTED), "locals of ");
    inspector_where(&op->frame[op->locals_frame], where, sizeof where, utf8);
    canvas_tail(canvas, x, y, rect.x + rect.w - x, STYLE(TONE_MUTED), STYLE(TONE_MUTED), where);
    for (uint32_t i = 0; i < op->locals; i++) {
        int w = canvas_width(op->local[i].name);
        if (w > name_w) name_w = w < NAME_MOST ? w : NAME_MOST;
    }
    uint64_t left = op->locals + (uint64_t)op->locals_more;
    for (uint32_t i = 0; i < op->locals && ++y < bottom; i++, left--) {
        if (y == bottom - 1 && left > 1) break;
        draw_local(&op->local[i], utf8, name_w, canvas, rect, y);
    }
    if (left > 0 && y < bottom)
        canvas_printf(canvas, rect.x, y == rect.y + (int)op->locals ? y + 1 : y, rect.w,
                      STYLE(TONE_MUTED), utf8 ? "… %s more" : "... %s more",
                      format_count(count, left));
}
