/* inspector_op.c - draws the paused operation as labelled pieces in lines, each as far as there is
 * room. */
#include "panels/inspector/inspector_op.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "shared/breaks.h"
#include "widget/describe.h"

static const struct {
    const char *name;
    Tone tone;
} operations[] = {
    [LMP_OP_NONE] = {"", TONE_TEXT},
    [LMP_OP_ALLOC] = {"allocation", TONE_GROWTH},
    [LMP_OP_REALLOC] = {"reallocation", TONE_ACCENT},
    [LMP_OP_FREE] = {"free", TONE_SHRINK},
};

/* Writes a label and the text after it; returns the columns used. */
static int labelled(Canvas *canvas, int x, int right, int y, const char *label, Style style,
                    const char *text) {
    if (x >= right) return 0;
    int used = canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), label);
    used += canvas_text(canvas, x + used, y, right - x - used, style, text);
    return used;
}

void inspector_hit(const LmpOp *op, bool utf8, Canvas *canvas, Rect rect, int y) {
    char words[sizeof op->hit_words], others[64] = "";
    int x = rect.x, right = rect.x + rect.w;
    format_text(words, sizeof words, op->hit_words, !utf8);
    x += canvas_printf(canvas, x, y, right - x, STYLE_BOLD(TONE_PAUSED), "break %u: ", op->hit);
    x += canvas_text(canvas, x, y, right - x, STYLE_BOLD(TONE_STRONG), words);
    for (uint32_t i = op->hit; i < LMP_BREAKS; i++) {
        size_t used = strlen(others);
        if (op->hits >> i & 1 && used + 8 < sizeof others)
            snprintf(others + used, sizeof others - used, "%s %u", used ? "," : "  also", i + 1);
    }
    canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), others);
}

void inspector_what(const LmpOp *op, bool utf8, Canvas *canvas, Rect rect, int y) {
    char number[LMP_NUM];
    int x = rect.x, right = rect.x + rect.w;
    x += canvas_text(canvas, x, y, right - x, STYLE_BOLD(operations[op->op].tone),
                     operations[op->op].name);
    if (op->failed) x += canvas_text(canvas, x, y, right - x, STYLE_BOLD(TONE_WRONG), ", refused");
    x += canvas_printf(canvas, x, y, right - x, STYLE(TONE_MUTED), " #%s",
                       format_count(number, op->number));
    const char *what = describe_class_long(op->cls);
    int need = canvas_width(what) + 3;
    if (x + need > right) what = describe_class(op->cls);
    bool known = op->cls > LMP_C_NONE && op->cls < LMP_C_COUNTED;
    Style style = STYLE(known ? TONE_KIND(class_owner(op->cls)) : TONE_TEXT);
    labelled(canvas, x, right, y, utf8 ? " · " : " - ", style, what);
}

void inspector_block(const Model *model, bool utf8, Canvas *canvas, Rect rect, int y) {
    const LmpOp *op = &model->op;
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
        x += canvas_printf(canvas, x, y, right - x, STYLE(change > 0 ? TONE_GROWTH : TONE_SHRINK),
                           " (%s)", format_delta_bytes(delta, change));
    }
    char site[128] = "";
    if (model->view)
        describe_context(site, sizeof site, &model->view->tables, op->alloc_context, !utf8);
    if (site[0]) labelled(canvas, x, right, y, "   made at ", STYLE(TONE_SOURCE), site);
}

/* Returns true for the interpreter's own C code, mostly: tracebacks call it "?" in "[C]". */
static bool is_program(const LmpFrame *frame) {
    return frame->is_c && strcmp(frame->name, "?") == 0;
}

const char *inspector_called(const LmpFrame *frame) {
    return is_program(frame) ? LEDGER_PROGRAM : frame->name;
}

void inspector_where(const LmpFrame *frame, char *out, size_t size, bool utf8) {
    char source[sizeof frame->source];
    format_text(source, sizeof source, is_program(frame) ? LEDGER_C_CODE : frame->source, !utf8);
    format_where(out, size, source, frame->line > 0 ? frame->line : -1);
}
