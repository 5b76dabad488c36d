/* panel_output.c - what the program printed; follows the end unless the person has scrolled up. If
 * any moment can be shown (UiTime) there is a cursor, and enter goes to the moment when its line
 * was printed. */
#include "base/format.h"
#include "widget/search.h"

typedef struct OutputState {
    uint64_t top;  /* first line shown, when not following the end */
    bool scrolled; /* stays where it is instead of following the end */
    bool chosen;   /* there is a cursor */
    uint64_t at;   /* the line it is in */
    int page;
    Search search;
} OutputState;

static void text_of(void *context, uint64_t line, char *out, size_t size) {
    const Ui *ui = context;
    format_text(out, size, output_line(ui->output, line), !ui->utf8);
}

static SearchLines search_lines(const Ui *ui, uint64_t first) {
    return (SearchLines){first, output_lines(ui->output), text_of, (void *)(uintptr_t)ui};
}

static uint64_t first_line(const Output *output) {
    uint64_t lines = output_lines(output);
    return lines > OUTPUT_LINES ? lines - OUTPUT_LINES : 0;
}

static uint64_t last_top(const Output *output, int page) {
    uint64_t lines = output_lines(output), rows = page > 0 ? (uint64_t)page : 1;
    return lines > rows ? lines - rows : 0;
}

static void draw_empty(const Ui *ui, Canvas *canvas, Rect rect) {
    const char *text = ui->time.replay && !ui->output
                           ? "No output is recorded: lmp held no terminal."
                       : ui->time.past ? "The program had printed nothing by then."
                       : ui->output    ? "The program has printed nothing."
                                       : "The program's output goes to its own terminal.";
    canvas_text(canvas, rect.x + 1, rect.y, rect.w - 1, STYLE(TONE_MUTED), text);
}

static void show_match(OutputState *s, const Ui *ui, int page) {
    uint64_t last = last_top(ui->output, page), first = first_line(ui->output);
    s->top = search_top(s->search.at, s->top, page);
    if (s->top > last) s->top = last;
    if (s->top < first) s->top = first;
    s->scrolled = true;
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
    SearchLines lines_of = search_lines(ui, first);
    if (search_follow(&s->search, &lines_of, s->top)) show_match(s, ui, rect.h);
    uint64_t lines = output_lines(ui->output);
    if (s->chosen && s->at >= lines) s->chosen = false; /* an earlier moment */
    for (int i = 0; i < rect.h && s->top + (uint64_t)i < lines; i++) {
        char text[OUTPUT_COLUMNS + 1];
        format_text(text, sizeof text, output_line(ui->output, s->top + (uint64_t)i), !ui->utf8);
        canvas_text(canvas, rect.x + 1, rect.y + i, rect.w - 2, STYLE(TONE_TEXT), text);
        if (!s->chosen || s->at != s->top + (uint64_t)i) continue;
        canvas_put(canvas, rect.x, rect.y + i, G_RIGHT, STYLE(TONE_ACCENT));
        canvas_tint(canvas, (Rect){rect.x, rect.y + i, rect.w, 1}, TONE_SELECT);
    }
    bool here = s->search.found && s->search.at >= s->top && s->search.at - s->top < 1000;
    search_light(&s->search, canvas, rect, here ? rect.y + (int)(s->search.at - s->top) : -1);
    canvas_scroll(canvas, rect.x + rect.w - 1, rect.y, rect.h, s->top - first,
                  (uint64_t)(rect.h > 0 ? rect.h : 1), lines - first);
}

/* Moves the cursor, or goes to the moment when its line was printed. */
static bool act_time(OutputState *s, Ui *ui, Action action, int page, uint64_t first) {
    uint64_t lines = output_lines(ui->output);
    if (lines == first) return false;
    if (action == ACT_ENTER) {
        if (!s->chosen || output_clock(ui->output, s->at) == 0) return false;
        request_time(&ui->requests, TIME_EVENT, (int64_t)output_clock(ui->output, s->at), 0);
        return true;
    }
    List list = {.cursor = (s->chosen ? s->at : lines - 1) - first, .count = lines - first};
    list.top = s->top - first;
    list_fit(&list, list.count, page > 0 ? page : 1);
    if (!list_act(&list, action, page > 0 ? page : 1)) return false;
    list_fit(&list, list.count, page > 0 ? page : 1);
    s->chosen = list.cursor + 1 < list.count;
    s->at = first + list.cursor;
    s->top = first + list.top;
    s->scrolled = s->top < last_top(ui->output, page);
    return true;
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    (void)model;
    OutputState *s = state;
    if (!s || !ui->output) return false;
    uint64_t last = last_top(ui->output, rect.h), first = first_line(ui->output);
    SearchLines lines = search_lines(ui, first);
    if (!s->scrolled || s->top > last) s->top = last;
    if (search_act(&s->search, ui, action, &lines)) {
        bool goes = action == ACT_NEXT_MATCH || action == ACT_MATCH_BEFORE;
        if (goes && s->search.found) show_match(s, ui, rect.h);
        return true;
    }
    if (ui->time.can && act_time(s, ui, action, rect.h, first)) return true;
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
    if (s) search_note(&s->search, ui, out, size);
    if (out[0]) return;
    if (!ui->output || output_bytes(ui->output) == 0) return;
    uint64_t n = output_lines(ui->output);
    if (s && s->chosen && ui->time.can && output_clock(ui->output, s->at)) {
        snprintf(out, size, "printed at %s · enter: go there",
                 format_clock(lines, output_clock(ui->output, s->at)));
        return;
    }
    snprintf(out, size, "%s line%s · %s%s", format_count(lines, n), n == 1 ? "" : "s",
             format_bytes(bytes, output_bytes(ui->output)),
             s && s->scrolled ? " (End follows)" : "");
}

static bool seeks(const void *state) {
    return search_on(&((const OutputState *)state)->search);
}

const Panel panel_output = {.title = "Output",
                            .number = 4,
                            .offers = {ACT_FILTER, ACT_NEXT_MATCH},
                            .seeks = seeks,
                            .size = sizeof(OutputState),
                            .draw = draw,
                            .act = act,
                            .note = note};
