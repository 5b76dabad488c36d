/* panel_marks.c - the marks: when each was set, the heap then and its change since. All tables
 * count from one of them; names given and marks removed here affect only this display. */
#include <stdio.h>

#include "base/format.h"
#include "screen/line.h"
#include "widget/panel.h"

typedef struct Marks {
    List list; /* newest first */
    LineEdit edit;
    uint32_t named; /* number of the mark whose name is being typed */
    int page;
} Marks;

static const LmpMark *mark_at(const Model *model, uint64_t row) {
    return row < model->marks ? &model->mark[model->marks - 1 - row] : NULL;
}

static bool is_base(const Model *model, const LmpMark *mark) {
    return model->marked && mark == &model->mark[model->base];
}

static struct ModelMarkEdit *edit_of(Ui *ui, uint32_t number) {
    struct ModelMarkEdit *edit = &ui->marks.edit[number % LMP_MARKS];
    if (edit->number != number) *edit = (struct ModelMarkEdit){.number = number};
    return edit;
}

static void changed(Ui *ui) {
    request_put_kind(&ui->requests, REQUEST_REFRESH);
}

static uint64_t heap_at(const LmpMark *mark) {
    uint64_t sum = 0;
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++)
        sum += mark->class_live[cls];
    return sum;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void draw_row(const Model *model, const Ui *ui, uint64_t row, Canvas *canvas, Rect rect) {
    const LmpMark *mark = mark_at(model, row);
    char name[21], clock[LMP_NUM], heap[LMP_NUM], since[LMP_NUM];
    uint64_t then = heap_at(mark);
    int64_t change = (int64_t)(model->stats.live_bytes - then);
    bool base = is_base(model, mark), kept = model_mark_kept(model, (uint32_t)(mark - model->mark));
    bool lines = model->ledger.lines != LMP_LINES_OFF;
    Line line = {0};
    format_text(name, sizeof name, mark->name, !ui->utf8);
    line_add(&line, 1, STYLE(base ? TONE_MARK : TONE_FAINT), base ? " %s " : "   ", "●");
    line_add(&line, 4, STYLE(TONE_MUTED), "%3u  ", mark->number);
    line_add(&line, 1, STYLE(base ? TONE_STRONG : TONE_TEXT), "%-20s", name);
    line_add(&line, 2, STYLE(TONE_TEXT), "  %9s", format_clock(clock, mark->clock));
    line_add(&line, 5, STYLE(TONE_TEXT), "  %11s", format_bytes(heap, then));
    line_add(&line, 3,
             STYLE(change > 0   ? TONE_GROWTH
                   : change < 0 ? TONE_SHRINK
                                : TONE_FAINT),
             "  %12s", format_delta_bytes(since, change));
    if (base) line_add(&line, 6, STYLE(TONE_MARK), "  tables count from here");
    if (!kept && lines) line_add(&line, 7, STYLE(TONE_FAINT), "  lines are not kept, types are");
    line_draw(&line, canvas, rect.x, rect.y, rect.w);
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Marks none = {0}, *panel = state ? state : &none;
    if (model->marks == 0) {
        canvas_text(canvas, rect.x + 1, rect.y, rect.w - 1, STYLE(TONE_MUTED),
                    "no marks: m sets one, and tables show the change since");
        return;
    }
    int top = rect.h >= 3;
    if (top)
        canvas_printf(canvas, rect.x, rect.y, rect.w, STYLE(TONE_MUTED),
                      "   %3s  %-20s  %9s  %11s  %12s", "", "mark", "set at", "heap then", "since");
    Rect list = {rect.x, rect.y + top, rect.w, rect.h - top};
    panel->page = list_draw(&panel->list, model->marks, draw_row, model, ui, canvas, list);
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)state, (void)ui;
    if (model->marks > 0) snprintf(out, size, "enter count from it · e name · d take away");
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void named(LineEdit *edit, Ui *ui, bool by_enter) {
    Marks *panel = edit->owner;
    if (!by_enter) return;
    struct ModelMarkEdit *own = edit_of(ui, panel->named);
    char text[EDIT_MAX];
    /* whole characters only: format_text never cuts one */
    format_text(text, sizeof text, edit->text, false);
    format_text(own->name, sizeof own->name, text, false);
    changed(ui);
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    (void)rect;
    Marks *panel = state;
    if (!panel) return false;
    const LmpMark *mark = mark_at(model, panel->list.cursor);
    switch (action) {
    case ACT_ENTER: /* again: none */
        if (mark) ui->marks.count_from = is_base(model, mark) ? MODEL_NO_MARK : mark->number;
        changed(ui);
        return true;
    case ACT_DELETE:
        if (!mark) return true;
        edit_of(ui, mark->number)->gone = true;
        if (ui->marks.count_from == mark->number) ui->marks.count_from = MODEL_NO_MARK;
        changed(ui);
        return true;
    case ACT_EDIT:
        if (!mark) return true;
        panel->named = mark->number;
        edit_set(&panel->edit, mark->name);
        ui_edit(ui, &panel->edit);
        return true;
    default:
        list_fit(&panel->list, model->marks, panel->page > 0 ? panel->page : 1);
        return list_act(&panel->list, action, panel->page > 0 ? panel->page : 1);
    }
}

static bool begin(void *state) {
    Marks *panel = state;
    panel->edit = (LineEdit){
        .prompt = "name", .help = "enter keep  esc as it was", .done = named, .owner = panel};
    return true;
}

const Panel panel_marks = {.title = "Marks",
                           .all_types = true,
                           .offers = {ACT_DELETE, ACT_ENTER, ACT_EDIT},
                           .size = sizeof(Marks),
                           .begin = begin,
                           .draw = draw,
                           .act = act,
                           .note = note};
