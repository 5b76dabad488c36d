/* panel_programs.c - the profiled programs, such as the workers of a server that forks: enter shows
 * another one in place of this. */
#include "base/format.h"
#include "screen/line.h"
#include "widget/panel.h"

#define AGE 1000000000ull /* nanoseconds: older lists are asked for anew */

typedef struct Programs {
    List list;
    int page;
    uint32_t pid, serial; /* of the cursor's program; pid 0: none yet */
    uint64_t asked;       /* when */
} Programs;

static void draw_row(const Model *model, const Ui *ui, uint64_t row, Canvas *canvas, Rect rect) {
    (void)model;
    const UiProgram *program = &ui->programs.row[row];
    static const char *const words[] = {"running", "paused", "ended", "killed"};
    static const Tone tones[] = {TONE_RUNNING, TONE_PAUSED, TONE_FINISHED, TONE_KILLED};
    char name[24], live[LMP_NUM], elapsed[LMP_NUM], from[24] = "";
    unsigned seen = program->seen < 4 ? program->seen : 0;
    Line line = {0};
    if (program->forked_from) snprintf(from, sizeof from, "%u", program->forked_from);
    snprintf(name, sizeof name, program->serial > 1 ? "%u:%u" : "%u", program->pid,
             program->serial);
    line_add(&line, 1, STYLE(TONE_ACCENT), program->shown ? " %s " : "   ", "●");
    line_add(&line, 1, STYLE(program->shown ? TONE_STRONG : TONE_TEXT), "%-10s", name);
    line_add(&line, 6, STYLE(TONE_MUTED), "  %-10s", from);
    line_add(&line, 3, STYLE(tones[seen]), "  %-7s", words[seen]);
    line_add(&line, 2, STYLE(TONE_TEXT), "  %11s", format_bytes(live, program->live_bytes));
    line_add(&line, 5, STYLE(TONE_TEXT), "  %9s", format_clock(elapsed, program->elapsed));
    line_add(&line, 4, STYLE(TONE_TEXT), "  %s", program->name);
    line_draw(&line, canvas, rect.x, rect.y, rect.w);
}

static void note_cursor(Programs *panel, const Ui *ui) {
    if (panel->list.cursor >= ui->programs.count) return;
    panel->pid = ui->programs.row[panel->list.cursor].pid;
    panel->serial = ui->programs.row[panel->list.cursor].serial;
}

/* The cursor stays on its program while others come and go. */
static void find_cursor(Programs *panel, const Ui *ui) {
    for (uint32_t i = 0; i < ui->programs.count; i++)
        if (ui->programs.row[i].pid == panel->pid && ui->programs.row[i].serial == panel->serial)
            panel->list.cursor = i;
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Programs none = {0}, *panel = state ? state : &none;
    if (ui->programs.count == 0) {
        canvas_text(canvas, rect.x + 1, rect.y, rect.w - 1, STYLE(TONE_MUTED),
                    "no profiled program is there");
        return;
    }
    int top = rect.h >= 3;
    if (top && rect.w >= 60)
        canvas_printf(canvas, rect.x, rect.y, rect.w, STYLE(TONE_MUTED),
                      "   %-10s  %-10s  %-7s  %11s  %9s  %s", "pid", "forked by", "state", "live",
                      "for", "program");
    Rect list = {rect.x, rect.y + top, rect.w, rect.h - top};
    find_cursor(panel, ui);
    panel->page = list_draw(&panel->list, ui->programs.count, draw_row, model, ui, canvas, list);
    note_cursor(panel, ui);
}

static void update(void *state, const Model *model, Ui *ui, Rect rect) {
    (void)model;
    Programs *panel = state;
    if (!panel || rect.w == 0 || (panel->asked && ui->now - panel->asked < AGE)) return;
    panel->asked = ui->now;
    request_put_kind(&ui->requests, REQUEST_PROGRAMS);
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)model, (void)state;
    if (ui->programs.count > 0)
        snprintf(out, size, "%u · enter shows another one", ui->programs.count);
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    (void)model, (void)rect;
    Programs *panel = state;
    if (!panel) return false;
    int page = panel->page > 0 ? panel->page : 1;
    find_cursor(panel, ui);
    list_fit(&panel->list, ui->programs.count, page);
    if (action != ACT_ENTER) {
        bool known = list_act(&panel->list, action, page);
        note_cursor(panel, ui);
        return known;
    }
    if (panel->list.cursor >= ui->programs.count) return true;
    const UiProgram *program = &ui->programs.row[panel->list.cursor];
    Request request = {.kind = REQUEST_OTHER};
    request.other.pid = program->pid;
    request.other.serial = program->serial;
    if (!program->shown) request_put(&ui->requests, &request);
    ui_close(ui);
    return true;
}

const Panel panel_programs = {.title = "Programs",
                              .about =
                                  "The profiled programs that this user can look at. Under lmp "
                                  "run --follow-forks, forked workers are among them.",
                              .all_types = true,
                              .offers = {ACT_ENTER},
                              .size = sizeof(Programs),
                              .update = update,
                              .draw = draw,
                              .act = act,
                              .note = note};
