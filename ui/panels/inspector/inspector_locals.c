/* inspector_locals.c - draws a page of VarRows, one line each: name, value, and at the right the
 * size of what is cut; below it how many more there are. */
#include "panels/inspector/inspector_locals.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "panels/inspector/inspector_op.h"
#include "panels/inspector/inspector_rows.h"

enum { INDENT = 2, MARK = 2 /* columns of an entry's indentation, of the sign of what opens */ };

/* Returns why there are no locals to show, NULL: there are. */
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

int inspector_locals_lines(const VarRows *v, const LmpOp *op) {
    return op->locals_state == LMP_LOCALS_NONE ? 0 : 1 + (int)v->rows;
}

/* Returns the rows below the heading; if not all fit, the last line says how many more there
 * are. */
uint32_t inspector_locals_page(const VarRows *v, int h) {
    uint32_t room = h > 1 ? (uint32_t)h - 1 : 0;
    return v->rows <= room || room == 0 ? room : room - 1;
}

uint32_t inspector_locals_last(const VarRows *v, int h) {
    uint32_t page = inspector_locals_page(v, h);
    return page > 0 && v->rows > page ? v->rows - page : 0;
}

static void words_at(const VarRow *row, bool utf8, char *out, size_t size) {
    const char *words = row->words, *dots = "\xe2\x80\xa6";
    bool swap = !utf8 && strncmp(words, dots, 3) == 0;
    snprintf(out, size, "%s%s", swap ? "..." : "", swap ? words + 3 : words);
}

static void draw_value(const VarRows *v, const VarRow *row, bool utf8, Canvas *canvas, Rect rect,
                       int y) {
    char name[INSPECTOR_NAME], value[INSPECTOR_VALUE], extent[LMP_NUM];
    const LmpLocal *local = &row->value;
    int x = rect.x + row->depth * INDENT, right = rect.x + rect.w;
    if (v->opens) {
        if (local->flags & LMP_LOCAL_OPENS || row->open)
            canvas_put(canvas, x, y, row->open ? G_SORT_DOWN : G_RIGHT, STYLE(TONE_MUTED));
        x += MARK;
    }
    Style style = STYLE(row->depth == 0                   ? TONE_STRONG
                        : local->key == LMP_KEY_METATABLE ? TONE_MUTED
                                                          : TONE_TEXT);
    int name_w = row->name_w < right - x ? row->name_w : right - x;
    canvas_text(canvas, x, y, name_w, style, inspector_name(local, !utf8, name));
    x += name_w + 1;
    inspector_extent(local, extent);
    if (extent[0] && right - x > 20) {
        int width = canvas_width(extent);
        canvas_text_right(canvas, right, y, width, STYLE(TONE_MUTED), extent);
        right -= width + 1;
    }
    if (right > x)
        canvas_text(canvas, x, y, right - x, inspector_style(local),
                    inspector_value(local, !utf8, value));
}

static void draw_row(const VarRows *v, uint32_t at, bool utf8, Canvas *canvas, Rect rect, int y) {
    const VarRow *row = &v->row[at];
    char words[sizeof row->words + 4];
    if (row->kind == VAR_VALUE) {
        draw_value(v, row, utf8, canvas, rect, y);
        return;
    }
    int x = rect.x + row->depth * INDENT + (row->depth > 0 && v->opens ? MARK : 0);
    words_at(row, utf8, words, sizeof words);
    canvas_text(canvas, x, y, rect.x + rect.w - x, STYLE(TONE_MUTED), words);
}

/* Draws the heading for the first row: a local, or an upvalue if all locals are scrolled out. */
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

void inspector_locals_text(const VarRows *v, uint32_t at, char *out, size_t size) {
    char name[INSPECTOR_NAME], value[INSPECTOR_VALUE];
    if (at >= v->rows) {
        out[0] = 0;
    } else if (v->row[at].kind != VAR_VALUE) {
        words_at(&v->row[at], true, out, size);
    } else {
        const LmpLocal *local = &v->row[at].value;
        snprintf(out, size, "%s %s", inspector_name(local, false, name),
                 inspector_value(local, false, value));
    }
}

static int value_width(const VarRow *row, bool utf8) {
    char value[INSPECTOR_VALUE], extent[LMP_NUM];
    inspector_value(&row->value, !utf8, value);
    inspector_extent(&row->value, extent);
    return row->name_w + 1 + canvas_width(value) + (extent[0] ? 1 + canvas_width(extent) : 0);
}

int inspector_locals_width(const VarRows *v, const LmpOp *op, bool utf8) {
    char words[sizeof v->row->words + 4] = "", where[128] = "";
    const char *none = no_locals(op);
    if (op->locals_frame < op->frames)
        inspector_where(&op->frame[op->locals_frame], where, sizeof where, utf8);
    int widest = none ? canvas_width(none) : canvas_width("upvalues of ") + canvas_width(where);
    for (uint32_t at = 0; at < v->rows; at++) {
        const VarRow *row = &v->row[at];
        if (row->kind != VAR_VALUE) words_at(row, utf8, words, sizeof words);
        int width = row->kind == VAR_VALUE ? value_width(row, utf8) : canvas_width(words);
        width += row->depth * INDENT + (v->opens ? MARK : 0);
        if (width > widest) widest = width;
    }
    return widest;
}

/* Says how many more variables there are, and the keys that lead there. */
static void draw_rest(const VarRows *v, const LmpOp *op, bool utf8, Canvas *canvas, Rect rect,
                      int y, uint32_t top, uint32_t end, bool chosen) {
    uint32_t left = op->locals_more + op->upvalues_more, ups = op->upvalues_more;
    const char *to = chosen ? "" : utf8 ? " →" : " ->";
    char words[128], count[LMP_NUM], of_them[48] = "", before[48] = "";
    for (uint32_t row = end; row < v->rows; row++) {
        left += v->row[row].kind == VAR_VALUE;
        ups += v->row[row].kind == VAR_VALUE && v->row[row].upvalue;
    }
    if (top > 0) snprintf(before, sizeof before, "%u before", top);
    if (end == v->rows) {
        canvas_text(canvas, rect.x, y, rect.w, STYLE(TONE_MUTED), before);
        return;
    }
    if (ups > 0 && ups < left)
        snprintf(of_them, sizeof of_them, ", of them %u upvalue%s", ups, ups == 1 ? "" : "s");
    snprintf(words, sizeof words, "%s%s%s more%s%s", before, top > 0 ? ", " : "",
             format_count(count, left), of_them, to);
    canvas_text(canvas, rect.x, y, rect.w, STYLE(TONE_MUTED), words);
}

static bool is_heading(const VarRows *v, uint32_t at) {
    const VarRow *row = &v->row[at];
    return row->kind == VAR_WORDS && row->depth == 0 && at + 1 < v->rows && row[1].upvalue;
}

static uint32_t page_end(const VarRows *v, Rect rect, uint32_t top) {
    uint32_t page = inspector_locals_page(v, rect.h);
    return top + page < v->rows ? top + page : v->rows;
}

/* Leaves a blank line above the heading of the upvalues, if there is room. */
int inspector_locals_y(const VarRows *v, Rect rect, uint32_t top, uint32_t at) {
    int y = rect.y + 1 + (int)(at - top);
    if (rect.h <= (int)v->rows + 1) return y;
    for (uint32_t row = top; row <= at; row++)
        y += is_heading(v, row);
    return y;
}

uint32_t inspector_locals_at(const VarRows *v, Rect rect, uint32_t top, int y) {
    uint32_t end = page_end(v, rect, top);
    for (uint32_t row = top; row < end; row++)
        if (inspector_locals_y(v, rect, top, row) == y) return row;
    return UINT32_MAX;
}

void inspector_locals(const VarRows *v, const LmpOp *op, bool utf8, Canvas *canvas, Rect rect,
                      uint32_t top, uint32_t cursor) {
    uint32_t page = inspector_locals_page(v, rect.h), end = page_end(v, rect, top);
    draw_heading(op, utf8, canvas, rect, top < v->rows && v->row[top].upvalue);
    if (op->locals_state != LMP_LOCALS_READ) return;
    for (uint32_t row = top; row < end; row++) {
        int y = inspector_locals_y(v, rect, top, row);
        draw_row(v, row, utf8, canvas, rect, y);
        if (row == cursor) canvas_tint(canvas, (Rect){rect.x, y, rect.w, 1}, TONE_SELECT);
    }
    if (v->rows > page && page > 0)
        draw_rest(v, op, utf8, canvas, rect, rect.y + 1 + (int)(end - top), top, end,
                  cursor != UINT32_MAX);
}
