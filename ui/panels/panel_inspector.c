/* panel_inspector.c - the paused memory operation: its Lua call stack with a cursor, and the
 * arrangement of the rest: the operation in words (inspector_op.c), and for the frame under the
 * cursor its locals and upvalues (inspector_locals.c) and its source (inspector_source.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "panels/inspector_locals.h"
#include "panels/inspector_op.h"
#include "panels/inspector_source.h"
#include "widget/describe.h"
#include "widget/search.h"

/* The list of frames has one more line if frames were left out. */
typedef struct Inspector {
    List list;
    uint64_t number;  /* of the operation shown; a new one starts at its top */
    int page, above;  /* lines of the stack when last drawn, and above them */
    Rect locals;      /* where variables were last drawn; of these `top` are above */
    uint32_t top, of; /* for the frame `of` */
    Search search;    /* in the lines of the stack, and after these in the variables */
    char source[128]; /* of the frame under the cursor, for place() */
} Inspector;

#define BESIDE 72  /* from this width on locals are beside the stack */
#define THREE 110  /* and from this on the source is beside both */
#define STACK_W 60 /* maximum width of the stack then */
#define LOCALS_W 52
#define GAP 3

static void *create(void) {
    Inspector *in = calloc(1, sizeof *in);
    if (in) search_init(&in->search);
    return in;
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

/* The frame on a line of the list; op->frames for the line of those left out. */
static uint32_t frame_of(const LmpOp *op, uint64_t line) {
    if (left_out(op) > 0 && line == op->cut_at) return op->frames;
    if (left_out(op) > 0 && line > op->cut_at) line--;
    return line < op->frames ? (uint32_t)line : op->frames;
}

static uint64_t line_of(const LmpOp *op, uint32_t frame) {
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
    describe_function(plain, sizeof plain, kind, sizeof kind, frame->name);
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

static void show_stack(Inspector *in, const Model *model, const Ui *ui, Canvas *canvas, Rect rect) {
    in->page = rect.h;
    in->above = rect.y;
    list_fit(&in->list, lines_of(&model->op), in->page);
    draw_stack(in, model, ui, canvas, rect);
}

static void show_locals(Inspector *in, const Model *model, const Ui *ui, Canvas *canvas,
                        Rect rect) {
    const LmpOp *op = &model->op;
    uint32_t last = inspector_locals_last(op, rect.h);
    if (in->of != op->locals_frame) in->top = 0; /* of another function */
    if (in->top > last) in->top = last;
    in->of = op->locals_frame;
    in->locals = rect;
    inspector_locals(op, ui->utf8, canvas, rect, in->top);
}

/* By so many rows; false: there is nowhere to go. */
static bool scroll_locals(Inspector *in, const LmpOp *op, int64_t rows) {
    int64_t last = inspector_locals_last(op, in->locals.h), top = (int64_t)in->top + rows;
    if (in->locals.h <= 0 || last == 0) return false;
    in->top = (uint32_t)(top < 0 ? 0 : top > last ? last : top);
    return true;
}

/* The frame under the cursor; op->frames for the line of those left out. */
static uint32_t frame_chosen(const Inspector *in, const Model *model) {
    return frame_of(&model->op, in->list.cursor);
}

static void draw_beside(Inspector *in, const Model *model, const Ui *ui, Canvas *canvas,
                        Rect rect) {
    const LmpOp *op = &model->op;
    Rect stack = rect, locals = rect, source = rect;
    if (rect.w >= THREE) {
        stack.w = rect.w * 9 / 25 < STACK_W ? rect.w * 9 / 25 : STACK_W;
        locals.w = rect.w * 3 / 10 < LOCALS_W ? rect.w * 3 / 10 : LOCALS_W;
        locals.x += stack.w + GAP;
        source.x = locals.x + locals.w + GAP;
        source.w = rect.x + rect.w - source.x;
    } else {
        int lines = inspector_locals_lines(op);
        if (lines_of(op) > (uint64_t)lines) lines = lines_of(op) < 200 ? (int)lines_of(op) : 200;
        source.h = inspector_source_lines(rect.h, lines);
        source.y = rect.y + rect.h - source.h;
        stack.h = locals.h = rect.h - source.h - (source.h > 1);
        stack.w = rect.w * 11 / 20;
        locals.x += stack.w + GAP - 1;
        locals.w -= stack.w + GAP - 1;
    }
    show_stack(in, model, ui, canvas, stack);
    show_locals(in, model, ui, canvas, locals);
    inspector_source(model, ui, canvas, source, frame_chosen(in, model));
}

static void draw_below(Inspector *in, const Model *model, const Ui *ui, Canvas *canvas, Rect rect) {
    const LmpOp *op = &model->op;
    int lines = lines_of(op) < 200 ? (int)lines_of(op) : 200, need = inspector_locals_lines(op);
    Rect source = rect;
    source.h = rect.h >= 10 ? inspector_source_lines(rect.h, lines + (need > 0) + need) : 0;
    source.y = rect.y + rect.h - source.h;
    rect.h -= source.h + (source.h > 1);
    Rect stack = rect, locals = rect;
    int half = rect.h / 2, gap = rect.h >= 10;
    int request = lines < rect.h ? lines : rect.h;
    if (rect.h - request - gap < need && request > half) request = half;
    locals.h = rect.h - request - gap;
    if (locals.h > need) locals.h = need;
    if (locals.h < 3 && locals.h < need) locals.h = 0;
    stack.h -= locals.h > 0 ? locals.h + gap : 0;
    locals.y += stack.h + gap;
    show_stack(in, model, ui, canvas, stack);
    if (locals.h > 0) show_locals(in, model, ui, canvas, locals);
    if (source.h > 0) inspector_source(model, ui, canvas, source, frame_chosen(in, model));
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

/* ---- search ---------------------------------------------------------------------------------- */

static void text_of(void *context, uint64_t line, char *out, size_t size) {
    const LmpOp *op = context;
    char where[128], name[sizeof op->frame[0].name];
    out[0] = 0;
    if (line >= lines_of(op)) {
        inspector_locals_text(op, (uint32_t)(line - lines_of(op)), out, size);
        return;
    }
    uint32_t frame = frame_of(op, line);
    if (frame == op->frames) return;
    inspector_where(&op->frame[frame], where, sizeof where, true);
    format_text(name, sizeof name, op->frame[frame].name, false);
    snprintf(out, size, "%s  %s", where, name);
}

static SearchLines search_lines(const LmpOp *op) {
    return (SearchLines){0, lines_of(op) + inspector_locals_rows(op), text_of,
                         (void *)(uintptr_t)op};
}

static void ask_locals(const Inspector *in, const Model *model, Ui *ui);

/* A frame gets the cursor, a variable is scrolled to. */
static void show_match(Inspector *in, const Model *model, Ui *ui) {
    uint64_t at = in->search.at, lines = lines_of(&model->op);
    if (at < lines) {
        in->list.cursor = at;
        ask_locals(in, model, ui);
        return;
    }
    uint32_t row = (uint32_t)(at - lines), page = inspector_locals_page(&model->op, in->locals.h);
    in->top = (uint32_t)search_top(row, in->top, (int)page);
}

/* Where the current match is drawn, -1: nowhere. */
static int match_y(const Inspector *in, const LmpOp *op) {
    uint64_t at = in->search.at, lines = lines_of(op);
    if (!in->search.found) return -1;
    if (at < lines) return in->above + (int)(at - in->list.top);
    return in->locals.y + 1 + (int)(at - lines) - (int)in->top;
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Inspector none = {0}, *in = state ? state : &none;
    in->locals = (Rect){0};
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
        in->list = (List){.cursor = op->locals_frame < op->frames && op->locals + op->upvalues > 0
                                        ? line_of(op, op->locals_frame)
                                        : 0};
    in->number = op->number;
    int y = rect.y, left = rect.h;
    if (op->hit && left > 2) {
        inspector_hit(op, ui->utf8, canvas, rect, y++);
        left--;
    }
    inspector_what(op, ui->utf8, canvas, rect, y++);
    if (--left > 0) {
        inspector_block(model, ui->utf8, canvas, rect, y++);
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
    SearchLines sought = search_lines(op);
    if (search_follow(&in->search, &sought, in->list.cursor)) show_match(in, model, ui);
    (rect.w >= BESIDE ? draw_beside : draw_below)(in, model, ui, canvas,
                                                  (Rect){rect.x, y, rect.w, left});
    search_light(&in->search, canvas, rect, match_y(in, op));
}

/* Requests the locals of the frame under the cursor. */
static void ask_locals(const Inspector *in, const Model *model, Ui *ui) {
    uint32_t frame = frame_chosen(in, model);
    if (frame == model->op.frames || frame == model->op.locals_frame) return;
    request_put(&ui->requests, &(Request){.kind = REQUEST_LOCALS, .frame = frame});
}

/* Opens the page of the line that the frame under the cursor is at, if lines are known. */
static bool look_inside(const Inspector *in, const Model *model, Ui *ui) {
    const Ledger *ledger = &model->ledger;
    uint32_t frame = frame_chosen(in, model);
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
    SearchLines lines = search_lines(&model->op);
    if (search_act(&in->search, ui, action, &lines)) {
        if (action == ACT_MATCH_BEFORE && in->search.found) show_match(in, model, ui);
        return true;
    }
    int64_t page = inspector_locals_page(&model->op, in->locals.h);
    if (action == ACT_LEFT) return scroll_locals(in, &model->op, -page);
    if (action == ACT_RIGHT) return scroll_locals(in, &model->op, page);
    if (!list_act(&in->list, action, in->page)) return false;
    ask_locals(in, model, ui);
    return true;
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    Inspector *in = state;
    if (!in || !has_operation(model)) return false;
    if (event.what == MOUSE_WHEEL_UP || event.what == MOUSE_WHEEL_DOWN) {
        const Rect *at = &in->locals;
        int x = event.x + rect.x, y = event.y + rect.y;
        if (x >= at->x && x < at->x + at->w && y >= at->y && y < at->y + at->h)
            return scroll_locals(in, &model->op, event.what == MOUSE_WHEEL_UP ? -3 : 3);
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
    uint32_t frame = frame_chosen(in, model);
    if (frame == model->op.frames || model->op.frame[frame].is_c) return false;
    const LmpFrame *f = &model->op.frame[frame];
    const char *source = inspector_source_of(model, f, in->source, sizeof in->source);
    if (!source) snprintf(in->source, sizeof in->source, "=%s", f->source);
    *out = (PanelPlace){
        .source = source ? source : in->source, .short_src = f->source, .line = f->line};
    return true;
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Inspector *in = state;
    char depth[LMP_NUM], more[64] = "";
    if (!has_operation(model)) return;
    if (in && search_on(&in->search)) {
        char text[64];
        format_text(text, sizeof text, in->search.edit.text, !ui->utf8);
        snprintf(out, size,
                 in->search.found ? "\"%s\" lit up: N goes round them" : "\"%s\" is not here",
                 text);
        return;
    }
    if (model->op.coroutines > 1)
        snprintf(more, sizeof more, " through %u coroutine%s %s", model->op.coroutines - 1,
                 model->op.coroutines == 2 ? "" : "s", ui->utf8 ? "·" : "-");
    else
        snprintf(more, sizeof more, " %s", ui->utf8 ? "·" : "-");
    snprintf(out, size, "%s frame%s%s n step %s space resume", format_count(depth, model->op.depth),
             model->op.depth == 1 ? "" : "s", more, ui->utf8 ? "·" : "-");
}

const Panel panel_inspector = {
    .title = "Inspector",
    .about = "The memory operation that the program is paused in, and its call stack; of the frame "
             "under the cursor the locals, the upvalues and the source. Where there are more "
             "variables than lines, left and right scroll them, and / finds them.",
    .number = 5,
    .ledger = LEDGER_SITES,
    .offers = {ACT_EDIT, ACT_ENTER, ACT_FILTER, ACT_NEXT_MATCH},
    .min_w = 20,
    .min_h = 3,
    .create = create,
    .destroy = free,
    .draw = draw,
    .act = act,
    .mouse = mouse,
    .note = note,
    .place = place};
