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

uint32_t inspector_locals_rows(const LmpOp *op) {
    if (op->locals_state == LMP_LOCALS_NONE) return 0;
    uint32_t rows = op->locals + upvalues(op) + (upvalues(op) > 0);
    return rows + (op->locals_more + op->upvalues_more > 0) + upvalues_hidden(op);
}

int inspector_locals_lines(const LmpOp *op) {
    return op->locals_state == LMP_LOCALS_NONE ? 0 : 1 + (int)inspector_locals_rows(op);
}

/* Below the heading; of more than fit the last says how many. */
uint32_t inspector_locals_page(const LmpOp *op, int h) {
    uint32_t rows = inspector_locals_rows(op), room = h > 1 ? (uint32_t)h - 1 : 0;
    return rows <= room || room == 0 ? room : room - 1;
}

uint32_t inspector_locals_last(const LmpOp *op, int h) {
    uint32_t rows = inspector_locals_rows(op), page = inspector_locals_page(op, h);
    return page > 0 && rows > page ? rows - page : 0;
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

/* What the first row below is: a local, or an upvalue where all locals are scrolled out. */
static void draw_heading(const LmpOp *op, bool utf8, Canvas *canvas, Rect rect, bool ups) {
    char where[128];
    const char *none = no_locals(op);
    int x = rect.x + canvas_text(canvas, rect.x, rect.y, rect.w, STYLE(TONE_MUTED),
                                 ups    ? "upvalues of "
                                 : none ? none
                                        : "locals of ");
    if (none && !ups) return;
    inspector_where(&op->frame[op->locals_frame], where, sizeof where, utf8);
    canvas_tail(canvas, x, rect.y, rect.x + rect.w - x, STYLE(TONE_MUTED), STYLE(TONE_MUTED),
                where);
}

/* The variable of a row; NULL: it is none. */
static const LmpLocal *local_at(const LmpOp *op, uint32_t row) {
    if (row < op->locals) return &op->local[row];
    row -= op->locals;
    return row > 0 && row <= upvalues(op) ? &op->upvalue[row - 1] : NULL;
}

/* What stands in a row that is no variable. */
static void words_at(const LmpOp *op, uint32_t row, bool utf8, char *out, size_t size) {
    char count[LMP_NUM];
    uint32_t ups = upvalues(op), more = op->locals_more + op->upvalues_more;
    if (ups > 0 && row == op->locals)
        snprintf(out, size, "upvalues");
    else if (more > 0 && row == op->locals + ups + (ups > 0))
        snprintf(out, size, "%s %s more, not recorded", utf8 ? "…" : "...",
                 format_count(count, more));
    else
        snprintf(out, size, "upvalues: unreadable just now");
}

void inspector_locals_text(const LmpOp *op, uint32_t row, char *out, size_t size) {
    char name[sizeof op->local[0].name], value[4 * LMP_LOCAL_BYTES];
    const LmpLocal *local = local_at(op, row);
    if (!local) {
        words_at(op, row, true, out, size);
        return;
    }
    format_text(name, sizeof name, local->name, false);
    value_text(local, false, value, sizeof value);
    snprintf(out, size, "%s %s", name, value);
}

/* How many more variables there are, and the keys that lead there. */
static void draw_rest(const LmpOp *op, bool utf8, Canvas *canvas, Rect rect, int y, uint32_t top,
                      uint32_t end) {
    uint32_t left = op->locals_more + op->upvalues_more, ups = op->upvalues_more;
    char words[80], count[LMP_NUM], of_them[48] = "";
    for (uint32_t row = end; row < inspector_locals_rows(op); row++) {
        left += local_at(op, row) != NULL;
        ups += local_at(op, row) != NULL && row > op->locals;
    }
    if (end == inspector_locals_rows(op)) {
        canvas_printf(canvas, rect.x, y, rect.w, STYLE(TONE_MUTED), "%s %u before",
                      utf8 ? "←" : "<-", top);
        return;
    }
    if (ups > 0 && ups < left)
        snprintf(of_them, sizeof of_them, ", of them %u upvalue%s", ups, ups == 1 ? "" : "s");
    snprintf(words, sizeof words, "%s more%s", format_count(count, left), of_them);
    canvas_printf(canvas, rect.x, y, rect.w, STYLE(TONE_MUTED), "%s%s %s",
                  top == 0 ? ""
                  : utf8   ? "← "
                           : "<- ",
                  words, utf8 ? "→" : "->");
}

void inspector_locals(const LmpOp *op, bool utf8, Canvas *canvas, Rect rect, uint32_t top) {
    uint32_t rows = inspector_locals_rows(op), page = inspector_locals_page(op, rect.h);
    int y = rect.y + 1, name_w = name_width(op->upvalue, upvalues(op), 0);
    bool roomy = rect.h > inspector_locals_lines(op); /* for a blank line between */
    name_w = name_width(op->local, op->locals, name_w);
    bool ups = upvalues(op) > 0 && top > op->locals;
    draw_heading(op, utf8, canvas, rect, ups);
    if (op->locals_state != LMP_LOCALS_READ) return;
    uint32_t end = top + page < rows ? top + page : rows;
    for (uint32_t row = top; row < end; row++) {
        const LmpLocal *local = local_at(op, row);
        char words[64];
        if (local) {
            draw_local(local, utf8, name_w, canvas, rect, y++);
            continue;
        }
        y += roomy && row == op->locals && upvalues(op) > 0;
        words_at(op, row, utf8, words, sizeof words);
        canvas_text(canvas, rect.x, y++, rect.w, STYLE(TONE_MUTED), words);
    }
    if (rows > page && page > 0) draw_rest(op, utf8, canvas, rect, y, top, end);
}
