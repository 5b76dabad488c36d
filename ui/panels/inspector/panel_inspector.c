/* panel_inspector.c - the paused memory operation: its Lua call stack with a cursor, and the places
 * of the rest: the operation in words (inspector_op.c), and for the frame under the cursor its
 * locals and upvalues (inspector_locals.c) and its source (inspector_op.c). */
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "panels/inspector/inspector_locals.h"
#include "panels/inspector/inspector_op.h"
#include "widget/search.h"

extern const Panel panel_inspector; /* below */

/* The list of frames has one more line if frames were left out. */
typedef struct Inspector {
    List list;
    uint64_t number;       /* of the operation shown; a new one starts at its top */
    int page, above;       /* lines of the stack when last drawn, and lines above them */
    int stack_w, locals_w; /* the largest widths so far, kept for the next operation */
    Rect locals;           /* where variables were last drawn */
    VarRows vars;
    List var;         /* the cursor among them */
    uint64_t var_id;  /* of the row under the cursor */
    uint32_t of;      /* the frame whose variables these are */
    bool inside;      /* the keys go to the variables, not to the stack */
    Search search;    /* in the lines of the stack, and after these in the variables */
    char source[128]; /* of the frame under the cursor, for place() */
} Inspector;

#define BESIDE 72 /* from this width on locals are beside the stack */
#define THREE 110 /* and from this on the source is beside both */
#define STACK_W                                                                                    \
    60 /* maximum width of the stack then; the source has the room beside stack and locals */
#define LOCALS_W 52
#define GAP 3

static void end(void *state) {
    Inspector *in = state;
    if (in) varrows_free(&in->vars);
}

static bool has_operation(const Model *model) {
    return model->op.op > LMP_OP_NONE && model->op.op <= LMP_OP_FREE &&
           model->seen == LMP_SEEN_PAUSED;
}

static void show_stack(Inspector *in, const Model *model, const Ui *ui, Canvas *canvas, Rect rect) {
    in->page = rect.h;
    in->above = rect.y;
    list_fit(&in->list, inspector_lines(&model->op), in->page);
    inspector_stack(&model->op, &in->list, ui->focus == &panel_inspector && !in->inside, ui->utf8,
                    canvas, rect);
}

/* Keeps the cursor on its row while others come and go, and off rows that cannot be chosen. */
static void fit_cursor(Inspector *in) {
    uint32_t at = varrows_find(&in->vars, in->var_id);
    in->var.count = in->vars.rows;
    if (at != UINT32_MAX) in->var.cursor = at;
    if (in->var.cursor >= in->var.count) in->var.cursor = in->var.count ? in->var.count - 1 : 0;
    while (in->var.cursor > 0 && !varrows_chosen(&in->vars, (uint32_t)in->var.cursor))
        in->var.cursor--;
    if (!varrows_chosen(&in->vars, (uint32_t)in->var.cursor)) in->inside = false;
    if (in->inside) in->var_id = in->vars.row[in->var.cursor].id;
}

static void follow_variables(Inspector *in, const Model *model, Ui *ui) {
    varrows_follow(&in->vars, model, ui);
    if (in->of != model->op.locals_frame) in->var = (List){0}; /* of another function */
    in->of = model->op.locals_frame;
    fit_cursor(in);
}

static void show_locals(Inspector *in, const Model *model, const Ui *ui, Canvas *canvas,
                        Rect rect) {
    uint32_t last = inspector_locals_last(&in->vars, rect.h);
    if (in->inside)
        list_fit(&in->var, in->vars.rows, (int)inspector_locals_page(&in->vars, rect.h));
    if (in->var.top > last) in->var.top = last;
    in->locals = rect;
    inspector_locals(&in->vars, &model->op, ui->utf8, canvas, rect, (uint32_t)in->var.top,
                     in->inside && ui->focus == &panel_inspector ? (uint32_t)in->var.cursor
                                                                 : UINT32_MAX);
}

/* Scrolls by so many rows. Returns false: nowhere to go. */
static bool scroll_locals(Inspector *in, int64_t rows) {
    int64_t last = inspector_locals_last(&in->vars, in->locals.h),
            top = (int64_t)in->var.top + rows;
    if (in->locals.h <= 0 || last == 0) return false;
    in->inside = false;
    in->var.top = (uint64_t)(top < 0 ? 0 : top > last ? last : top);
    return true;
}

static uint32_t frame_chosen(const Inspector *in, const Model *model) {
    return inspector_frame(&model->op, in->list.cursor);
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}
static int larger(int a, int b) {
    return a > b ? a : b;
}

static void draw_beside(Inspector *in, const Model *model, const Ui *ui, Canvas *canvas,
                        Rect rect) {
    const LmpOp *op = &model->op;
    Rect stack = rect, locals = rect, source = rect;
    if (rect.w >= THREE) {
        in->stack_w = larger(in->stack_w, inspector_stack_width(op, ui->utf8));
        in->locals_w = larger(in->locals_w, inspector_locals_width(&in->vars, op, ui->utf8));
        stack.w = smaller(in->stack_w, smaller(rect.w * 9 / 25, STACK_W));
        locals.w = smaller(in->locals_w, smaller(rect.w * 3 / 10, LOCALS_W));
        locals.x += stack.w + GAP;
        source.x = locals.x + locals.w + GAP;
        source.w = rect.x + rect.w - source.x;
    } else {
        int lines = inspector_locals_lines(&in->vars, op);
        if (inspector_lines(op) > (uint64_t)lines)
            lines = inspector_lines(op) < 200 ? (int)inspector_lines(op) : 200;
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
    int lines = inspector_lines(op) < 200 ? (int)inspector_lines(op) : 200,
        need = inspector_locals_lines(&in->vars, op);
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
    (void)ui;
    const char *text = "space pauses the program inside its next memory operation;";
    const char *more = "what it does, to which block, and the Lua call stack stand here then.";
    if (model->seen == LMP_SEEN_PAUSED) {
        text = "Paused: n lets one memory operation through and shows it here.";
        more = "";
    } else if (model->seen != LMP_SEEN_RUNNING) {
        text = "The program does not run any more: there is no operation to show.";
        more = "";
    }
    canvas_text(canvas, rect.x, rect.y, rect.w, STYLE(TONE_MUTED), text);
    if (rect.h > 1) canvas_text(canvas, rect.x, rect.y + 1, rect.w, STYLE(TONE_MUTED), more);
}

/* ---- search ---------------------------------------------------------------------------------- */

typedef struct Sought {
    const LmpOp *op;
    const VarRows *vars;
} Sought;

static void text_of(void *context, uint64_t line, char *out, size_t size) {
    const Sought *in = context;
    const LmpOp *op = in->op;
    char where[128], name[sizeof op->frame[0].name];
    out[0] = 0;
    if (line >= inspector_lines(op)) {
        inspector_locals_text(in->vars, (uint32_t)(line - inspector_lines(op)), out, size);
        return;
    }
    uint32_t frame = inspector_frame(op, line);
    if (frame == op->frames) return;
    inspector_where(&op->frame[frame], where, sizeof where, true);
    format_text(name, sizeof name, inspector_called(&op->frame[frame]), false);
    snprintf(out, size, "%s  %s", where, name);
}

static SearchLines search_lines(Sought *in) {
    return (SearchLines){0, inspector_lines(in->op) + in->vars->rows, text_of, in};
}

static void ask_locals(const Inspector *in, const Model *model, Ui *ui);

static void choose(Inspector *in, uint32_t row) {
    if (!varrows_chosen(&in->vars, row)) return;
    in->inside = true;
    in->var.cursor = row;
    in->var_id = in->vars.row[row].id;
}

/* Shows a match: moves the cursor to a frame, scrolls to a variable. */
static void show_match(Inspector *in, const Model *model, Ui *ui) {
    uint64_t at = in->search.at, lines = inspector_lines(&model->op);
    if (at < lines) {
        in->list.cursor = at;
        in->inside = false;
        ask_locals(in, model, ui);
        return;
    }
    uint32_t row = (uint32_t)(at - lines), page = inspector_locals_page(&in->vars, in->locals.h);
    in->var.top = search_top(row, in->var.top, (int)page);
    choose(in, row);
}

/* Returns the line where the current match is drawn, -1: nowhere. */
static int match_y(const Inspector *in, const LmpOp *op) {
    uint64_t at = in->search.at, lines = inspector_lines(op);
    if (!in->search.found) return -1;
    if (at < lines) return in->above + (int)(at - in->list.top);
    return inspector_locals_y(&in->vars, in->locals, (uint32_t)in->var.top, (uint32_t)(at - lines));
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Inspector *in = state;
    if (!in) return;
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
                                        ? inspector_line(op, op->locals_frame)
                                        : 0};
    in->number = op->number;
    int y = rect.y, left = rect.h;
    if (op->hit && left > 2) {
        inspector_hit(op, ui->utf8, canvas, rect, y++);
        left--;
    }
    inspector_what(op, canvas, rect, y++);
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
    list_fit(&in->list, inspector_lines(op), in->page);
    if (left <= 0) return;
    if (op->frames == 0) {
        canvas_text(canvas, rect.x, y, rect.w, STYLE(TONE_MUTED),
                    "no call stack can be told at this operation");
        return;
    }
    follow_variables(in, model, ui);
    Sought lines = {op, &in->vars};
    SearchLines sought = search_lines(&lines);
    if (search_follow(&in->search, &sought, in->list.cursor)) show_match(in, model, ui);
    (rect.w >= BESIDE ? draw_beside : draw_below)(in, model, ui, canvas,
                                                  (Rect){rect.x, y, rect.w, left});
    search_light(&in->search, canvas, rect, match_y(in, op));
}

static void ask_locals(const Inspector *in, const Model *model, Ui *ui) {
    uint32_t frame = frame_chosen(in, model);
    if (frame == model->op.frames || frame == model->op.locals_frame) return;
    request_put(&ui->requests, &(Request){.kind = REQUEST_LOCALS, .frame = frame});
}

/* Says which line has what a calling line makes through others: the innermost Lua line. */
static void say_nothing(Ui *ui, const LmpOp *op, uint32_t frame) {
    char where[128];
    uint32_t in = 0;
    while (in < frame && op->frame[in].line < 1)
        in++;
    inspector_where(&op->frame[in], where, sizeof where, ui->utf8);
    if (in == frame)
        ui_say(ui, "Line %d has made nothing yet", op->frame[frame].line);
    else
        ui_say(ui, "Line %d has made nothing itself: what is made in its call counts at %s",
               op->frame[frame].line, where);
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
    say_nothing(ui, &model->op, frame);
    return true;
}

static void turn(Inspector *in, uint32_t row) {
    if (row < in->vars.rows && in->vars.row[row].open)
        varrows_fold(&in->vars, row);
    else
        varrows_open(&in->vars, row);
}

/* Moves among the variables, over headings. */
static bool move_variable(Inspector *in, Action action) {
    uint64_t before = in->var.cursor;
    in->var.count = in->vars.rows;
    if (!list_act(&in->var, action, (int)inspector_locals_page(&in->vars, in->locals.h)))
        return false;
    uint32_t at = (uint32_t)in->var.cursor;
    bool down = in->var.cursor > before;
    while (down && at + 1 < in->vars.rows && !varrows_chosen(&in->vars, at))
        at++;
    while (at > 0 && !varrows_chosen(&in->vars, at))
        at--;
    choose(in, at);
    return true;
}

/* Right unfolds; left folds, or goes to the row around this one, and from the outermost back to the
 * stack. */
static bool act_inside(Inspector *in, const Model *model, Action action) {
    (void)model;
    uint32_t at = (uint32_t)in->var.cursor, up = varrows_parent(&in->vars, at);
    switch (action) {
    case ACT_ENTER:
        turn(in, at);
        return true;
    case ACT_RIGHT:
        if (!in->vars.row[at].open) varrows_open(&in->vars, at);
        return true;
    case ACT_LEFT:
        if (in->vars.row[at].open)
            varrows_fold(&in->vars, at);
        else if (up != at)
            choose(in, up);
        else
            in->inside = false;
        return true;
    case ACT_BACK:
        in->inside = false;
        return true;
    default:
        return move_variable(in, action);
    }
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    (void)rect;
    Inspector *in = state;
    if (!in || !has_operation(model)) return false;
    Sought sought = {&model->op, &in->vars};
    SearchLines lines = search_lines(&sought);
    if (search_act(&in->search, ui, action, &lines)) {
        if (action == ACT_MATCH_BEFORE && in->search.found) show_match(in, model, ui);
        return true;
    }
    if (in->inside) return act_inside(in, model, action);
    if (action == ACT_ENTER) return look_inside(in, model, ui);
    if (action == ACT_LEFT) return scroll_locals(in, -(int64_t)in->vars.rows);
    if (action == ACT_RIGHT) {
        if (in->locals.h > 0) choose(in, (uint32_t)in->var.cursor);
        return in->inside;
    }
    if (!list_act(&in->list, action, in->page)) return false;
    ask_locals(in, model, ui);
    return true;
}

static bool is_in(Rect rect, int x, int y) {
    return x >= rect.x && x < rect.x + rect.w && y >= rect.y && y < rect.y + rect.h;
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    Inspector *in = state;
    if (!in || !has_operation(model)) return false;
    int x = event.x + rect.x, y = event.y + rect.y;
    bool vars = is_in(in->locals, x, y);
    if (event.what == MOUSE_WHEEL_UP || event.what == MOUSE_WHEEL_DOWN) {
        if (vars) return scroll_locals(in, event.what == MOUSE_WHEEL_UP ? -3 : 3);
        in->inside = false;
        for (int i = 0; i < 3; i++)
            act(state, model, ui, event.what == MOUSE_WHEEL_UP ? ACT_UP : ACT_DOWN, rect);
        return true;
    }
    if (event.what != MOUSE_CLICK) return false; /* a second click is enter */
    if (vars) {
        uint32_t row = inspector_locals_at(&in->vars, in->locals, (uint32_t)in->var.top, y);
        if (row == UINT32_MAX || !varrows_chosen(&in->vars, row)) return false;
        choose(in, row);
        return true;
    }
    int line = y - in->above;
    if (line < 0 || line >= in->page || in->list.top + (uint64_t)line >= in->list.count)
        return false;
    in->inside = false;
    in->list.cursor = in->list.top + (uint64_t)line;
    ask_locals(in, model, ui);
    return true;
}

static bool place(void *state, const Model *model, const Ui *ui, PanelPlace *out) {
    (void)ui;
    Inspector *in = state;
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
    if (in && in->inside) {
        snprintf(out, size, "right unfolds · left folds, back to the stack · n step");
        return;
    }
    if (model->op.coroutines > 1)
        snprintf(more, sizeof more, " through %u coroutine%s ·", model->op.coroutines - 1,
                 model->op.coroutines == 2 ? "" : "s");
    else
        snprintf(more, sizeof more, " ·");
    snprintf(out, size, "%s frame%s%s n step · space resume", format_count(depth, model->op.depth),
             model->op.depth == 1 ? "" : "s", more);
}

const Panel panel_inspector = {
    .title = "Inspector",
    .about =
        "The memory operation that the program is paused in, and its call stack; of the frame "
        "under the cursor the locals, the upvalues and the source. Right goes to the variables: "
        "right or enter unfolds a table, a function, a userdata, left or enter folds it and "
        "leads back; / finds what is shown.",
    .number = 5,
    .ledger = LEDGER_SITES,
    .offers = {ACT_EDIT, ACT_ENTER, ACT_FILTER, ACT_NEXT_MATCH},
    .size = sizeof(Inspector),
    PANEL_OWN_CALLS};
