/* inspector_op.c - draws the operation as labelled pieces in lines, each as far as there is room.
 * The columns of the call stack are as wide as the widest; the line of frames left out
 * (LmpOp.cut_at) shifts those behind it by one. */
#include "panels/inspector/inspector_op.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "shared/breaks.h"
#include "widget/describe.h"
#include "widget/source.h"

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

void inspector_what(const LmpOp *op, Canvas *canvas, Rect rect, int y) {
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
    labelled(canvas, x, right, y, " · ", style, what);
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

/* ---- the call stack -------------------------------------------------------------------------- */

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
typedef struct LapWords {
    char where[128], name[sizeof((LmpFrame *)0)->name], kind[24];
} LapWords;

static const char tail_words[] = " (tail call)"; /* why the caller is missing */

static LapWords words_of(const LmpFrame *frame, bool utf8) {
    LapWords w;
    char plain[sizeof w.name];
    inspector_where(frame, w.where, sizeof w.where, utf8);
    describe_function(plain, sizeof plain, w.kind, sizeof w.kind, inspector_called(frame));
    format_text(w.name, sizeof w.name, plain, !utf8);
    return w;
}

static void draw_frame_line(const LmpFrame *frame, bool utf8, Canvas *canvas, Rect rect, int y,
                            int where_w) {
    LapWords w = words_of(frame, utf8);
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
        LapWords w = words_of(&op->frame[i], utf8);
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

/* ---- the source of a frame ------------------------------------------------------------------- */

#define MOST_LINES 12 /* including its heading, where it stands below others */

const char *inspector_source_of(const Model *model, const LmpFrame *frame, char *room,
                                size_t size) {
    const Ledger *ledger = &model->ledger;
    if (frame->is_c) return NULL;
    for (uint32_t i = 0; i < ledger->sites; i++)
        if (strcmp(ledger->site[i].short_src, frame->source) == 0)
            return ledger->site[i].raw_source;
    for (uint32_t i = 0; i < ledger->functions; i++)
        if (strcmp(ledger->function[i].short_src, frame->source) == 0)
            return ledger->function[i].raw_source;
    /* a text, or a path with a truncated beginning */
    if (frame->source[0] == '[' || strncmp(frame->source, "...", 3) == 0) return NULL;
    snprintf(room, size, "@%s", frame->source);
    return room;
}

int inspector_source_lines(int h, int need) {
    if (h < 5) return 0;
    int left = h - need - 1; /* a blank line between */
    if (h >= 14 && left < 4) left = h / 3;
    return left >= 4 ? left < MOST_LINES ? left : MOST_LINES : 1;
}

void inspector_source(const Model *model, const Ui *ui, Canvas *canvas, Rect rect, uint32_t frame) {
    const LmpOp *op = &model->op;
    char room[128], name[96];
    if (frame >= op->frames || rect.h < 1) return;
    const LmpFrame *f = &op->frame[frame];
    const char *source = inspector_source_of(model, f, room, sizeof room);
    format_text(name, sizeof name, f->source, !ui->utf8);
    if (!source || f->line < 1) {
        if (rect.h == 1) return;
        const char *why = f->is_c   ? "a C function: no source to see"
                          : !source ? "its source is not known"
                                    : "its lines are not known";
        canvas_text(canvas, rect.x, rect.y, rect.w, STYLE(TONE_MUTED), why);
        return;
    }
    if (rect.h >= 4) {
        int used = canvas_text(canvas, rect.x, rect.y, rect.w, STYLE(TONE_MUTED), "source of ");
        canvas_tail(canvas, rect.x + used, rect.y, rect.w - used, STYLE(TONE_MUTED),
                    STYLE(TONE_MUTED), name);
        rect.y++;
        rect.h--;
    }
    source_draw(ui->sources, canvas, rect, source, name, f->line, ui->now);
}
