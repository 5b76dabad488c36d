/* panel_output.c - what the program printed; it follows the end unless the person scrolled up. */
#include <stdlib.h>

#include "base/format.h"
#include "widget/panel.h"

typedef struct OutputState {
    uint64_t top;  /* first line shown, where it does not follow */
    bool scrolled; /* stays where it is instead of following the end */
    int page;
} OutputState;

static void *create(void) {
    return calloc(1, sizeof(OutputState));
}

/* First line that there still is. */
static uint64_t first_line(const Output *output) {
    uint64_t lines = output_lines(output);
    return lines > OUTPUT_LINES ? lines - OUTPUT_LINES : 0;
}

static uint64_t last_top(const Output *output, int page) {
    uint64_t lines = output_lines(output), rows = page > 0 ? (uint64_t)page : 1;
    return lines > rows ? lines - rows : 0;
}

static void draw_empty(const Ui *ui, Canvas *canvas, Rect rect) {
    const char *text = ui->output ? "The program has printed nothing yet."
                                  : "The program's output goes to its own terminal.";
    canvas_text(canvas, rect.x + 1, rect.y, rect.w - 1, STYLE(TONE_MUTED), text);
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    (void)model;
    OutputState nothing = {0}, *s = state ? state : &nothing;
    if (!ui->output || output_lines(ui->output) == 0) {
        draw_empty(ui, canvas, rect);
        return;
    }
    s->page = rect.h;
    uint64_t last = last_top(ui->output, rect.h), first = first_line(ui->output);
    if (!s->scrolled || s->top > last) s->top = last;
    if (s->top < first) s->top = first;
    uint64_t lines = output_lines(ui->output);
    for (int i = 0; i < rect.h && s->top + (uint64_t)i < lines; i++) {
        char text[OUTPUT_COLUMNS + 1];
        format_text(text, sizeof text, output_line(ui->output, s->top + (uint64_t)i), !ui->utf8);
        canvas_text(canvas, rect.x + 1, rect.y + i, rect.w - 2, STYLE(TONE_TEXT), text);
    }
    canvas_scroll(canvas, rect.x + rect.w - 1, rect.y, rect.h, s->top - first,
                  (uint64_t)(rect.h > 0 ? rect.h : 1), lines - first);
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    (void)model;
    OutputState *s = state;
    if (!s || !ui->output) return false;
    uint64_t last = last_top(ui->output, rect.h), first = first_line(ui->output);
    List list = {.cursor = s->scrolled ? s->top : last, .count = last + 1};
    if (!list_act(&list, action, rect.h)) return false;
    s->top = list.cursor < first ? first : list.cursor;
    s->scrolled = s->top < last;
    return true;
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)model;
    const OutputState *s = state;
    char lines[LMP_NUM], bytes[LMP_NUM];
    if (!ui->output || output_bytes(ui->output) == 0) return;
    uint64_t n = output_lines(ui->output);
    snprintf(out, size, "%s line%s %s %s%s", format_count(lines, n), n == 1 ? "" : "s",
             ui->utf8 ? "·" : "-", format_bytes(bytes, output_bytes(ui->output)),
             s && s->scrolled ? " (End follows)" : "");
}

const Panel panel_output = {.title = "Output",
                            .number = 4,
                            .min_w = 10,
                            .min_h = 1,
                            .create = create,
                            .destroy = free,
                            .draw = draw,
                            .act = act,
                            .note = note};
