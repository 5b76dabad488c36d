/* panel_timeline.c - the heap over time, back to the start: how large it was and how much of it is
 * held, with the collector's cycles below it, marks and frames that stand out (timeline_label.h),
 * and a cursor that describes a moment. The worst frames are listed below if there is room
 * (timeline_label.h).
 *
 * Without a cursor the window ends now and moves along; with one it stands still, so that a person
 * can read it, and arrows move it through everything that is kept. If any moment can be shown
 * (UiTime) the cursor is that moment: keys ask for another one, and all panels follow. Picture:
 * timeline_chart.c; line above it: timeline_label.c; piece of time: timeline_window.c. */
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "panels/timeline/timeline_chart.h"
#include "panels/timeline/timeline_label.h"
#include "panels/timeline/timeline_window.h"
#include "widget/panel.h"

#define SECOND 1000000000ull

#define NOWHERE UINT64_MAX

enum { TYPES_ROWS = 6 }; /* from this height on the area is stacked by type */

typedef struct Timeline {
    TimeWindow window;
    uint64_t pressed; /* the moment under the mouse when its button went down; NOWHERE: none */
    int gutter;       /* columns of the scale when last drawn */
    LineFit fit;
} Timeline;

/* Where the parts of the panel are. */
typedef struct Parts {
    Rect chart;
    int gutter;               /* columns left of the chart, for the scale; 0: none */
    int label, cycles, times; /* rows; -1: no room */
    bool apart;               /* cycles and times have a row each */
} Parts;

static bool begin(void *state) {
    ((Timeline *)state)->window.span = TIMEWINDOW_WHOLE;
    return true;
}

/* ---- the moment that is shown ---------------------------------------------------------------- */

/* Returns the model that is drawn: the whole run, also while a moment of its past is shown. */
static const Model *whole_of(const Model *model, const Ui *ui) {
    return ui->time.past && ui->time.whole ? ui->time.whole : model;
}

/* Puts the cursor at the moment that the display shows. */
static void follow(Timeline *t, const Ui *ui) {
    if (!ui->time.can) return;
    t->window.looks = ui->time.past;
    t->window.cursor = ui->time.clock;
}

static void ask(Ui *ui, TimeWhat what, int64_t ns) {
    request_time(&ui->requests, what, ns, 0);
}

/* `gutter`: columns for the scale, if there is room. */
static Parts parts_of(Rect rect, int gutter) {
    Parts p = {.label = -1, .cycles = -1, .times = -1};
    if (rect.w >= 34) {
        rect.x++;
        rect.w -= 2;
    }
    p.chart = rect;
    if (rect.h >= 3) {
        p.label = p.chart.y++;
        p.chart.h--;
    }
    if (rect.h >= 5) {
        p.cycles = p.times = rect.y + rect.h - 1;
        p.chart.h--;
    }
    if (rect.h >= 8) {
        p.apart = true;
        p.cycles--;
        p.chart.h--;
    }
    if (rect.w >= 40 && p.chart.h >= 3) p.gutter = gutter;
    p.chart.x += p.gutter;
    p.chart.w -= p.gutter;
    if (p.chart.w > CHART_COLUMNS) p.chart.w = CHART_COLUMNS;
    return p;
}

static Rect label_room(const Parts *p) {
    return (Rect){p->chart.x - p->gutter, p->label, p->chart.w + p->gutter, 1};
}

/* The room of the list of frames, h 0: none, and leaves *rect to the timeline. */
static Rect list_room(const Model *model, Rect *rect) {
    Rect list = *rect;
    list.h = label_laps_lines(model, rect->h);
    rect->h -= list.h;
    list.y += rect->h;
    if (rect->w >= 34) {
        list.x++;
        list.w -= 2;
    }
    return list;
}

/* ---- figures --------------------------------------------------------------------------------- */

static void sample(const Model *model, TimeSpan s, int n, ModelPast *past) {
    for (int i = 0; i < n; i++)
        past[i] = model_past(model, timewindow_at(s, i, n), timewindow_at(s, i + 1, n));
}

static ChartScale scale_of(const ModelPast *past, int n) {
    uint64_t least = UINT64_MAX, most = 0;
    for (int i = 0; i < n; i++) {
        if (past[i].min_bytes < least) least = past[i].min_bytes;
        if (past[i].max_bytes > most) most = past[i].max_bytes;
    }
    return chart_scale(least, most);
}

/* Counts the cycles that ended in each column. If samples are finer than columns, the history has
 * the counts for the whole run; the exact times are known only for the last cycles. */
static void count_cycles(const Model *model, TimeSpan s, int columns, uint64_t *cycles) {
    memset(cycles, 0, (size_t)columns * sizeof *cycles);
    if ((s.to - s.from) / (uint64_t)columns >= model->history.interval) {
        uint64_t before = model_cycles_by(model, timewindow_at(s, 0, columns));
        for (int x = 0; x < columns; x++) {
            uint64_t by = model_cycles_by(model, timewindow_at(s, x + 1, columns));
            cycles[x] = by > before ? by - before : 0;
            before = by;
        }
        return;
    }
    for (uint64_t back = 0; back < LMP_GC_RING; back++) {
        const LmpGcCycle *cycle = model_gc_cycle(model, back);
        if (!cycle) break;
        int x = timewindow_column(s, cycle->end, columns);
        if (x >= 0) cycles[x]++;
    }
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Draws marks and frames with names. Returns the signs there are. */
static unsigned draw_moments(const Moment *moment, uint32_t n, TimeSpan s, Canvas *canvas,
                             Rect rect, int y) {
    int column[MOMENTS];
    unsigned signs = 0;
    for (uint32_t i = 0; i < n; i++) {
        column[i] = timewindow_column(s, moment[i].clock, rect.w);
        if (column[i] >= 0) signs |= moment[i].frame ? LABEL_LAP : LABEL_MARK;
    }
    moments_draw(moment, column, n, canvas, rect, y);
    return signs;
}

/* Writes "now", "-102 s", "-17 min", "-2.5 h". */
static void ago(char *out, size_t size, uint64_t ns) {
    uint64_t s = ns / SECOND;
    if (ns == 0) {
        snprintf(out, size, "now");
    } else if (s < 10) {
        snprintf(out, size, "-%.1f s", (double)ns / (double)SECOND);
    } else if (s < 120) {
        snprintf(out, size, "-%llu s", (unsigned long long)s);
    } else if (s < 120 * 60) {
        snprintf(out, size, "-%llu min", (unsigned long long)s / 60);
    } else {
        snprintf(out, size, "-%.1f h", (double)s / 3600);
    }
}

/* Draws below the chart the times of its left end, its middle and its right end, how long before
 * `now` or, with 0, since the start; only in free space. */
static void draw_times(TimeSpan s, uint64_t now, Canvas *canvas, Rect rect, int y) {
    for (int i = 0; i < 3; i++) {
        char text[LMP_NUM];
        uint64_t at = i == 0 ? s.from : i == 1 ? s.from + (s.to - s.from) / 2 : s.to;
        if (now == 0)
            format_clock(text, at);
        else
            ago(text, sizeof text, now > at ? now - at : 0);
        int w = canvas_width(text);
        int x = i == 0 ? rect.x : i == 1 ? rect.x + (rect.w - w) / 2 : rect.x + rect.w - w;
        bool clear = i == 1 ? rect.w >= 40 : w + 1 < rect.w / 2;
        for (int j = -1; j <= w; j++) {
            const Cell *cell = canvas_at(canvas, x + j, y);
            if (x + j >= rect.x && x + j < rect.x + rect.w && cell && cell->glyph != ' ')
                clear = false;
        }
        if (clear) canvas_text(canvas, x, y, w, STYLE(TONE_FAINT), text);
    }
}

static int gutter_of(ChartScale scale) {
    int most = 0;
    for (int line = 0; line < 3; line++) {
        char text[LMP_NUM];
        int w = canvas_width(chart_label(text, scale, line));
        if (w > most) most = w;
    }
    return most + 1;
}

/* Draws three labels: ground, middle, top. A ground other than 0 has a conspicuous colour. */
static void draw_scale(const Parts *p, ChartScale scale, Canvas *canvas) {
    for (int line = 0; line < 3; line++) {
        char text[LMP_NUM];
        int y = p->chart.y + (2 - line) * (p->chart.h - 1) / 2;
        bool ground = line == 0 && scale.low > 0;
        canvas_text_right(canvas, p->chart.x - 1, y, p->gutter - 1,
                          STYLE(ground ? TONE_PAUSED : TONE_MUTED), chart_label(text, scale, line));
    }
}

/* Draws the figures at the cursor instead of the current ones. */
static void draw_moment(const Timeline *t, const Model *model, const Moment *moment, uint32_t n,
                        TimeSpan s, Canvas *canvas, const Parts *p) {
    static Moment there[MOMENTS];
    uint32_t count = 0;
    int at = timewindow_column(s, t->window.cursor, p->chart.w);
    for (uint32_t i = 0; i < n; i++)
        if (timewindow_column(s, moment[i].clock, p->chart.w) == at) there[count++] = moment[i];
    ModelPast past =
        model_past(model, timewindow_at(s, at, p->chart.w), timewindow_at(s, at + 1, p->chart.w));
    label_moment(canvas, label_room(p), t->window.cursor, &past, there, count);
}

/* Returns the piece of the past that is shown: the range, or the time when survivors were made. */
static UiTime range_of(const Model *model, const Ui *ui) {
    const ModelSince *since = &model->since;
    UiTime time = ui->time;
    if (time.past || !since->on) return time;
    time.range = true;
    time.open = since->now;
    time.from = since->from;
    time.to = time.clock = since->to;
    return time;
}

/* Draws the columns of the range; the end that goes with the cursor, which may have gone back, is
 * also told without colours. */
static void draw_range(const UiTime *time, TimeSpan s, Canvas *canvas, const Parts *p) {
    if (!time->range || time->to < s.from || time->from > s.to) return;
    int from = time->from < s.from ? 0 : timewindow_column(s, time->from, p->chart.w);
    int to = time->to > s.to ? p->chart.w - 1 : timewindow_column(s, time->to, p->chart.w);
    if (from < 0 || to < from) return;
    canvas_tint(canvas, (Rect){p->chart.x + from, p->chart.y, to - from + 1, p->chart.h}, TONE_BAR);
    bool back = time->open && time->clock < time->to, on = time->open && !back;
    canvas_put(canvas, p->chart.x + from, p->chart.y, back ? '<' : '[', STYLE(TONE_MARK));
    canvas_put(canvas, p->chart.x + to, p->chart.y, on ? '>' : ']', STYLE(TONE_MARK));
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Timeline whole = {.window.span = TIMEWINDOW_WHOLE}, *t = state ? state : &whole;
    UiTime range = range_of(model, ui);
    model = whole_of(model, ui);
    follow(t, ui);
    if (rect.w <= 0 || rect.h <= 0 || model->history.interval == 0) return;
    Rect list = list_room(model, &rect);
    if (list.h > 0)
        label_laps_draw(model, ui, canvas, list, t->window.looks ? t->window.cursor : 0);
    Parts p = parts_of(rect, t->gutter);
    if (t->window.looks && t->window.cursor > model->clock) t->window.cursor = model->clock;
    TimeSpan s = timewindow_span(&t->window, model->clock);
    static ModelPast past[CHART_COLUMNS * 2]; /* the display has one thread */
    static uint64_t cycles[CHART_COLUMNS];
    int points = p.chart.w * (ui->utf8 ? 2 : 1);
    sample(model, s, points, past);
    ChartScale scale = scale_of(past, points);
    int gutter = gutter_of(scale);
    if (gutter != t->gutter) { /* other labels: the chart beside them gets another width */
        t->gutter = gutter;
        p = parts_of(rect, gutter);
        points = p.chart.w * (ui->utf8 ? 2 : 1);
        sample(model, s, points, past);
    }
    ChartLook look = {ui->utf8, ui->colours >= 8, ui->colours >= 8 && p.chart.h >= TYPES_ROWS,
                      false};
    chart_draw(canvas, p.chart, past, scale, look);
    uint64_t density = 0;
    bool ticks = false;
    if (p.cycles >= 0) {
        count_cycles(model, s, p.chart.w, cycles);
        density = chart_cycles(canvas, p.chart.x, p.cycles, p.chart.w, cycles);
        for (int x = 0; x < p.chart.w; x++)
            ticks |= cycles[x] > 0;
    }
    static Moment moment[MOMENTS];
    uint32_t moments = moments_of(model, ui->utf8, moment);
    unsigned signs = draw_moments(moment, moments, s, canvas, p.chart, p.times);
    if (p.times >= 0) draw_times(s, ui->time.replay ? 0 : model->clock, canvas, p.chart, p.times);
    if (p.gutter > 0) draw_scale(&p, scale, canvas);
    draw_range(&range, s, canvas, &p);
    if (t->window.looks) {
        Rect column = {p.chart.x + timewindow_column(s, t->window.cursor, p.chart.w), p.chart.y, 1,
                       p.chart.h};
        if (p.cycles >= 0) column.h = p.cycles - p.chart.y + 1;
        canvas_tint(canvas, column, TONE_SELECT);
    }
    if (p.label < 0) return;
    if (t->window.looks) {
        draw_moment(t, model, moment, moments, s, canvas, &p);
        return;
    }
    label_now(canvas, label_room(&p), model,
              &(LabelNow){.scale = scale,
                          .held = past[points - 1].held_bytes,
                          .density = density,
                          .column = (s.to - s.from) / (uint64_t)p.chart.w,
                          .signs = signs | (ticks ? LABEL_GC : 0),
                          .stacked = p.chart.h >= TYPES_ROWS},
              &t->fit);
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* Moves to the previous moment with a name (-1) or the next (1). */
static bool move_to_moment(Timeline *t, const Model *model, int step) {
    static Moment moment[MOMENTS];
    uint32_t n = moments_of(model, true, moment);
    const Moment *to = moments_next(moment, n, t->window.looks ? t->window.cursor : model->clock,
                                    step, model->clock);
    if (!to) return false;
    timewindow_go(&t->window, model->clock, to->clock);
    return true;
}

/* Handles the same keys if the display can show any moment. Returns false: none of these. */
static bool act_time(const Timeline *t, const Model *model, Ui *ui, Action action) {
    TimeSpan s = timewindow_span(&t->window, model->clock);
    int64_t window = (int64_t)(s.to - s.from), step;
    static Moment moment[MOMENTS];
    const Moment *to;
    switch (action) {
    case ACT_LEFT:
    case ACT_RIGHT:
        step = (int64_t)timewindow_step(&t->window, model->clock);
        ask(ui, TIME_MOVE, action == ACT_LEFT ? -step : step);
        return true;
    case ACT_FAR_BACK:
    case ACT_FAR_ON:
        step = (int64_t)(ui->time.end / 10);
        ask(ui, TIME_MOVE, action == ACT_FAR_BACK ? -step : step);
        return true;
    case ACT_PAGE_UP:
    case ACT_PAGE_DOWN:
        ask(ui, TIME_MOVE, action == ACT_PAGE_UP ? -window / 4 : window / 4);
        return true;
    case ACT_UP:
    case ACT_DOWN:
        to = moments_next(moment, moments_of(model, true, moment), ui->time.clock,
                          action == ACT_UP ? -1 : 1, model->clock);
        if (to) ask(ui, TIME_EVENT, (int64_t)to->clock);
        return true;
    case ACT_HOME:
        ask(ui, TIME_GO, 0);
        return true;
    case ACT_END:
        ask(ui, TIME_NOW, 0);
        return true;
    case ACT_BACK:
        if (!ui->time.past || ui->time.replay) return false;
        ask(ui, TIME_NOW, 0);
        return true;
    default:
        return false;
    }
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    Timeline *t = state;
    if (!t) return false;
    model = whole_of(model, ui);
    follow(t, ui);
    if (ui->time.can && act_time(t, model, ui, action)) return true;
    int columns = parts_of(rect, t->gutter).chart.w;
    if (columns < 1) columns = 1;
    switch (action) {
    case ACT_ZOOM_IN:
        timewindow_zoom(&t->window, model->clock, -1);
        return true;
    case ACT_ZOOM_OUT:
        timewindow_zoom(&t->window, model->clock, 1);
        return true;
    case ACT_LEFT:
    case ACT_RIGHT:
        timewindow_move(&t->window, model->clock, columns, action == ACT_LEFT ? -1 : 1);
        return true;
    case ACT_PAGE_UP:
    case ACT_PAGE_DOWN:
        timewindow_move(&t->window, model->clock, columns,
                        (action == ACT_PAGE_UP ? -1 : 1) * (columns / 4 + 1));
        return true;
    case ACT_UP:
    case ACT_DOWN:
        return move_to_moment(t, model, action == ACT_UP ? -1 : 1);
    case ACT_HOME:
        t->window.looks = true;
        t->window.cursor = t->window.from = 0;
        return true;
    case ACT_END:
        t->window.looks = false;
        return true;
    case ACT_BACK:
        if (!t->window.looks) return false;
        t->window.looks = false;
        return true;
    default:
        return false;
    }
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    Timeline *t = state;
    if (event.what == MOUSE_WHEEL_UP) return act(state, model, ui, ACT_ZOOM_IN, rect);
    if (event.what == MOUSE_WHEEL_DOWN) return act(state, model, ui, ACT_ZOOM_OUT, rect);
    if (!t) return false;
    if (event.what != MOUSE_RELEASE) t->pressed = NOWHERE;
    model = whole_of(model, ui);
    follow(t, ui);
    Rect above = rect, list = list_room(model, &above);
    uint64_t frame = label_laps_moment(model, list, event.y - above.h);
    if (event.what == MOUSE_CLICK && frame > 0 && ui->time.can) {
        ask(ui, TIME_EVENT, (int64_t)frame);
        return true;
    }
    if (event.what == MOUSE_CLICK && frame > 0) {
        timewindow_go(&t->window, model->clock, frame);
        return true;
    }
    Parts p = parts_of(rect, t->gutter);
    int x = event.x - (p.chart.x - rect.x);
    TimeSpan s = timewindow_span(&t->window, model->clock);
    if (event.what == MOUSE_RELEASE) {
        x = x < 0 ? 0 : x < p.chart.w ? x : p.chart.w - 1;
        uint64_t at = timewindow_at(s, x, p.chart.w);
        bool same = timewindow_column(s, t->pressed, p.chart.w) == x;
        if (t->pressed == NOWHERE || same) return false;
        if (at < t->pressed)
            ui_show_piece(ui, at, t->pressed);
        else
            ui_show_piece(ui, t->pressed, timewindow_at(s, x + 1, p.chart.w));
        return true;
    }
    if (event.y >= above.h) return false;
    if (event.what != MOUSE_CLICK || x < 0 || x >= p.chart.w) return false;
    t->window.from = s.from;
    t->pressed = timewindow_at(s, x, p.chart.w);
    t->window.cursor = t->pressed + (s.to - s.from) / (uint64_t)p.chart.w / 2;
    if (ui->time.can) {
        ask(ui, TIME_GO, (int64_t)t->window.cursor);
        return true;
    }
    t->window.looks = true;
    return true;
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Timeline *t = state;
    char clock[LMP_NUM];
    model = whole_of(model, ui);
    const char *name = t ? timewindow_name(&t->window, model->clock) : NULL;
    if (!name) {
        snprintf(out, size, "whole run · %s", format_clock(clock, model->clock));
    } else if (t->window.looks) {
        TimeSpan s = timewindow_span(&t->window, model->clock);
        snprintf(out, size, "%s from %s", name, format_clock(clock, s.from));
    } else {
        snprintf(out, size, "last %s", name);
    }
    size_t used = strlen(out);
    if (t && t->window.looks && !ui->time.replay) snprintf(out + used, size - used, " · esc: now");
}

const Panel panel_timeline = {.title = "Timeline",
                              .about = "The heap over time, what of it was held after the last "
                                       "collection, and the collector's cycles. Left and right "
                                       "go back and on in time, and all panels with them (esc: "
                                       "now); up and down go to "
                                       "marks and to frames that stand out. If the program calls "
                                       "lmp.frame(), the frames that made most are listed where "
                                       "there is room: enlarge the panel with 3.",
                              .number = 3,
                              .drags = true,
                              .size = sizeof(Timeline),
                              .begin = begin,
                              .draw = draw,
                              .act = act,
                              .mouse = mouse,
                              .note = note};
