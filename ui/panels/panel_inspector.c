/* panel_inspector.c - the memory operation under the pause: which break condition it met, what it
 * does, to which block made where, the whole Lua call stack that led to it, and the locals of the
 * frame under the cursor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "shared/breaks.h"
#include "widget/describe.h"
#include "widget/panel.h"

/* The list of frames has a line more where frames were left out. */
typedef struct Inspector {
    List list;
    uint64_t number; /* of the operation that was shown: another begins at its top */
    int page, above; /* lines of the stack when last drawn, and above them */
    char source[96]; /* of the frame under the cursor, for place() */
} Inspector;

enum {
    BESIDE = 72,    /* columns from which locals stand beside the stack */
    LOCAL_NAME = 16 /* columns of a local's name at most */
};

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

/* The frame in a line of the list, op->frames where it is the one of those left out. */
static uint32_t frame_of(const LmpOp *op, uint64_t line) {
    if (left_out(op) > 0 && line == op->cut_at) return op->frames;
    if (left_out(op) > 0 && line > op->cut_at) line--;
    return line < op->frames ? (uint32_t)line : op->frames;
}

static uint64_t line_of(const LmpOp *op, uint32_t frame) {
    return frame + (uint64_t)(left_out(op) > 0 && frame >= op->cut_at);
}

/* Writes a label and what follows it; returns the columns used. */
static int labelled(Canvas *canvas, int x, int right, int y, const char *label, Style style,
                    const char *text) {
    if (x >= right) return 0;
    int used = canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), label);
    used += canvas_text(canvas, x + used, y, right - x - used, style, text);
    return used;
}

/* "break 2: block larger than 64 KiB: 131,072 B" */
static void draw_hit(const LmpOp *op, bool utf8, Canvas *canvas, Rect rect, int y) {
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

/* "0x55d0c2a01230 → 0x55d0c2a04560   64 B → 128 B (+64 B)   made at options.lua:12" */
static void draw_block(const Model *model, bool utf8, Canvas *canvas, Rect rect, int y) {
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

/* Columns that the places of all frames take, at most three fifths of the width. */
static int where_width(const LmpOp *op, bool utf8, int w) {
    char where[128];
    int widest = 0;
    for (uint32_t i = 0; i < op->frames; i++) {
        where_of(&op->frame[i], where, sizeof where, utf8);
        int width = canvas_width(where);
        if (width > widest) widest = width;
    }
    return widest < w * 3 / 5 ? widest : w * 3 / 5;
}

static void draw_stack(Inspector *in, const Model *model, const Ui *ui, Canvas *canvas, Rect rect) {
    const LmpOp *op = &model->op;
    char count[LMP_NUM];
    bool bar = lines_of(op) > (uint64_t)rect.h && rect.w > 12;
    if (bar) rect.w--;
    int where_w = where_width(op, ui->utf8, rect.w);
    for (int row = 0; row < rect.h; row++) {
        uint64_t line = in->list.top + (uint64_t)row;
        int y = rect.y + row;
        if (line >= lines_of(op)) break;
        uint32_t frame = frame_of(op, line);
        if (frame < op->frames) {
            draw_frame_line(&op->frame[frame], ui->utf8, canvas, rect, y, where_w);
        } else {
            canvas_printf(canvas, rect.x + 2, y, rect.w - 2, STYLE(TONE_MUTED),
                          ui->utf8 ? "… %s frames …" : "... %s frames ...",
                          format_count(count, left_out(op)));
        }
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

/* ---- locals ---------------------------------------------------------------------------------- */

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

static int locals_lines(const LmpOp *op) {
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

static void draw_locals(const LmpOp *op, bool utf8, Canvas *canvas, Rect rect) {
    char where[128], count[LMP_NUM];
    const char *none = no_locals(op);
    int y = rect.y, bottom = rect.y + rect.h, name_w = 0;
    if (none) {
        canvas_text(canvas, rect.x, y, rect.w, STYLE(TONE_MUTED), none);
        return;
    }
    int x = rect.x + canvas_text(canvas, rect.x, y, rect.w, STYLE(TONE_MUTED), "locals of ");
    where_of(&op->frame[op->locals_frame], where, sizeof where, utf8);
    draw_where(canvas, x, y, rect.x + rect.w - x, STYLE(TONE_MUTED), where);
    for (uint32_t i = 0; i < op->locals; i++) {
        int w = canvas_width(op->local[i].name);
        if (w > name_w) name_w = w < LOCAL_NAME ? w : LOCAL_NAME;
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

/* The stack, and beside it or below it the locals. */
static void draw_lower(Inspector *in, const Model *model, const Ui *ui, Canvas *canvas, Rect rect) {
    const LmpOp *op = &model->op;
    Rect stack = rect, locals = rect;
    if (rect.w >= BESIDE) {
        stack.w = rect.w * 11 / 20;
        locals.x += stack.w + 2;
        locals.w -= stack.w + 2;
    } else {
        int need = locals_lines(op), half = rect.h / 2, gap = rect.h >= 10;
        uint64_t lines = lines_of(op);
        int request = lines < (uint64_t)rect.h ? (int)lines : rect.h;
        if (rect.h - request - gap < need && request > half) request = half;
        locals.h = rect.h - request - gap;
        if (locals.h > need) locals.h = need;
        if (locals.h < 3 && locals.h < need) locals.h = 0;
        stack.h -= locals.h > 0 ? locals.h + gap : 0;
        locals.y += stack.h + gap;
    }
    in->page = stack.h;
    in->above = stack.y;
    list_fit(&in->list, lines_of(op), in->page);
    draw_stack(in, model, ui, canvas, stack);
    if (locals.h > 0) draw_locals(op, ui->utf8, canvas, locals);
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
    if (in->number != op->number)
        in->list = (List){.cursor = op->locals_frame < op->frames && op->locals > 0
                                        ? line_of(op, op->locals_frame)
                                        : 0};
    in->number = op->number;
    int y = rect.y, left = rect.h;
    if (op->hit && left > 2) {
        draw_hit(op, ui->utf8, canvas, rect, y++);
        left--;
    }
    draw_what(op, ui->utf8, canvas, rect, y++);
    if (--left > 0) {
        draw_block(model, ui->utf8, canvas, rect, y++);
        left--;
    }
    if (left > 6) {
        y++;
        left--;
    }
    in->page = left > 0 ? left : 0;
    in->above = y;
    list_fit(&in->list, lines_of(op), in->page);
    if (left <= 0) return;
    if (op->frames == 0) {
        canvas_text(canvas, rect.x, y, rect.w, STYLE(TONE_MUTED),
                    "no call stack can be told at this operation");
        return;
    }
    draw_lower(in, model, ui, canvas, (Rect){rect.x, y, rect.w, left});
}

/* The locals of the frame that the cursor has come to. */
static void ask_locals(const Inspector *in, const Model *model, Ui *ui) {
    uint32_t frame = frame_of(&model->op, in->list.cursor);
    if (frame == model->op.frames || frame == model->op.locals_frame) return;
    request_put(&ui->requests, &(Request){.kind = REQUEST_LOCALS, .frame = frame});
}

/* The page of the line that the frame under the cursor is at, where lines are known. */
static bool look_inside(const Inspector *in, const Model *model, Ui *ui) {
    const Ledger *ledger = &model->ledger;
    uint32_t frame = frame_of(&model->op, in->list.cursor);
    if (frame == model->op.frames || model->op.frame[frame].line < 1 || ledger->sites == 0)
        return false;
    const LmpFrame *f = &model->op.frame[frame];
    for (uint32_t i = 0; i < ledger->sites; i++) {
        const LmpSiteRow *site = &ledger->site[i];
        if (site->line != f->line || strcmp(site->short_src, f->source) != 0) continue;
        ui_open_site(ui, site->id);
        return true;
    }
    ui_say(ui, "Line %d has made nothing so far", f->line);
    return true;
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    Inspector *in = state;
    (void)rect;
    if (!in || !has_operation(model)) return false;
    if (action == ACT_ENTER) return look_inside(in, model, ui);
    if (!list_act(&in->list, action, in->page)) return false;
    ask_locals(in, model, ui);
    return true;
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    Inspector *in = state;
    if (!in || !has_operation(model)) return false;
    if (event.what == MOUSE_WHEEL_UP || event.what == MOUSE_WHEEL_DOWN) {
        for (int i = 0; i < 3; i++)
            act(state, model, ui, event.what == MOUSE_WHEEL_UP ? ACT_UP : ACT_DOWN, rect);
        return true;
    }
    int line = event.y + rect.y - in->above;
    if (event.what != MOUSE_CLICK || line < 0 || line >= in->page ||
        in->list.top + (uint64_t)line >= in->list.count)
        return false;
    in->list.cursor = in->list.top + (uint64_t)line;
    ask_locals(in, model, ui);
    return true;
}

/* The line of the frame under the cursor. */
static bool place(void *state, const Model *model, const Ui *ui, PanelPlace *out) {
    Inspector *in = state;
    (void)ui;
    if (!in || !has_operation(model)) return false;
    uint32_t frame = frame_of(&model->op, in->list.cursor);
    if (frame == model->op.frames || model->op.frame[frame].is_c) return false;
    const LmpFrame *f = &model->op.frame[frame];
    bool file = f->source[0] != '[' && strncmp(f->source, "...", 3) != 0;
    snprintf(in->source, sizeof in->source, "%s%s", file ? "@" : "=", f->source);
    *out = (PanelPlace){.source = in->source, .short_src = in->source + 1, .line = f->line};
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
                               .ledger = LEDGER_SITES,
                               .offers = {ACT_EDIT, ACT_ENTER},
                               .min_w = 20,
                               .min_h = 3,
                               .create = create,
                               .destroy = free,
                               .draw = draw,
                               .act = act,
                               .mouse = mouse,
                               .note = note,
                               .place = place};
