/* panel_timeline.c - the heap over time: an area in braille, coloured from low to high, with the
 * collector's cycles and the person's marks as ticks below it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "screen/canvas.h"
#include "widget/panel.h"

#define SECOND 1000000000ull
#define MAX_COLUMNS 1000

/* What + and - go through: the last ... of the run; 0: all of it. */
static const struct {
    uint64_t span;
    const char *name;
} spans[] = {
    {10 * SECOND, "last 10 s"},      {30 * SECOND, "last 30 s"},
    {60 * SECOND, "last 60 s"},      {300 * SECOND, "last 5 min"},
    {900 * SECOND, "last 15 min"},   {3600 * SECOND, "last hour"},
    {4 * 3600 * SECOND, "last 4 h"}, {0, "whole run"},
};
enum { SPANS = sizeof spans / sizeof *spans, WHOLE_RUN = SPANS - 1 };

typedef struct Timeline {
    int span; /* in `spans` */
} Timeline;

/* The piece of time that is drawn: from `from` to `to` nanoseconds since start, to > from. */
typedef struct Span {
    uint64_t from, to;
} Span;

static void *create(void) {
    Timeline *t = calloc(1, sizeof *t);
    if (t) t->span = WHOLE_RUN;
    return t;
}

static Span span_of(const Timeline *t, const Model *model) {
    uint64_t length = spans[t->span].span, now = model->clock ? model->clock : 1;
    Span s = {0, now};
    if (length > 0 && length < now) s.from = now - length;
    return s;
}

static uint64_t time_at(Span s, int column, int columns) {
    uint64_t length = s.to - s.from;
    return s.from + length / (uint64_t)columns * (uint64_t)column +
           length % (uint64_t)columns * (uint64_t)column / (uint64_t)columns;
}

/* Column of a moment, -1: outside. */
static int column_of(Span s, uint64_t clock, int columns) {
    if (clock < s.from || clock > s.to) return -1;
    int column = (int)((double)(clock - s.from) / (double)(s.to - s.from) * columns);
    return column < columns ? column : columns - 1;
}

/* The largest heap within [from, to). A sample still being filled, and time after it in which
 * nothing was allocated, count as what is live now. */
static uint64_t value_in(const Model *model, uint64_t from, uint64_t to) {
    const LmpHistory *h = &model->history;
    uint64_t best = 0, first = from / h->interval, last = (to > from ? to - 1 : from) / h->interval;
    for (uint64_t i = first; i <= last && i < h->used; i++)
        if (h->samples[i].max_bytes > best) best = h->samples[i].max_bytes;
    if (last + 1 >= h->used && model->stats.live_bytes > best && to >= model->clock)
        best = model->stats.live_bytes;
    if (first >= h->used)
        best = h->used ? h->samples[h->used - 1].last_bytes : model->stats.live_bytes;
    return best;
}

/* Fills value[] for each of the columns; returns the largest. */
static uint64_t sample(const Model *model, Span s, int columns, uint64_t *value) {
    uint64_t peak = 0;
    for (int i = 0; i < columns; i++) {
        value[i] = value_in(model, time_at(s, i, columns), time_at(s, i + 1, columns));
        if (value[i] > peak) peak = value[i];
    }
    return peak;
}

/* Height of a value in dots; something is always to be seen of what is not nothing. */
static int dots_of(uint64_t value, uint64_t peak, int all) {
    if (value == 0 || peak == 0) return 0;
    int dots = (int)((double)value / (double)peak * all + 0.5);
    return dots < 1 ? 1 : dots > all ? all : dots;
}

static Style grade(int row, int rows) {
    int up = rows - 1 - row;
    return STYLE(
        TONE_GRADE(rows > 1 ? up * (THEME_GRADIENT - 1) / (rows - 1) : THEME_GRADIENT / 2));
}

static void draw_braille(Canvas *canvas, Rect rect, const uint64_t *value, uint64_t peak) {
    static const uint8_t left[5] = {0x00, 0x40, 0x44, 0x46, 0x47};
    static const uint8_t right[5] = {0x00, 0x80, 0xa0, 0xb0, 0xb8};
    for (int x = 0; x < rect.w; x++) {
        int a = dots_of(value[2 * x], peak, rect.h * 4);     /* NOLINT: all were sampled */
        int b = dots_of(value[2 * x + 1], peak, rect.h * 4); /* NOLINT */
        for (int row = rect.h - 1; row >= 0 && (a > 0 || b > 0); row--, a -= 4, b -= 4) {
            unsigned bits = (unsigned)left[a > 4   ? 4
                                           : a < 0 ? 0
                                                   : a] |
                            (unsigned)right[b > 4   ? 4
                                            : b < 0 ? 0
                                                    : b];
            canvas_put(canvas, rect.x + x, rect.y + row, G_BRAILLE + bits, grade(row, rect.h));
        }
    }
}

static void draw_ascii(Canvas *canvas, Rect rect, const uint64_t *value, uint64_t peak) {
    static const char level[5] = " .:|#";
    for (int x = 0; x < rect.w; x++) {
        int a = dots_of(value[x], peak, rect.h * 4);
        for (int row = rect.h - 1; row >= 0 && a > 0; row--, a -= 4)
            canvas_put(canvas, rect.x + x, rect.y + row, (uint32_t)level[a > 4 ? 4 : a],
                       grade(row, rect.h));
    }
}

/* Cycles finished by a moment, as far as the history's samples tell. */
static uint32_t cycles_by(const Model *model, uint64_t clock) {
    const LmpHistory *h = &model->history;
    uint64_t i = clock / h->interval;
    if (h->used == 0 || i == 0) return 0;
    return h->samples[i < h->used ? i - 1 : h->used - 1].gc_cycles;
}

/* Marks the columns in which cycles ended. Of the last ones the very times are known; where samples
 * are finer than columns, the history tells it for the whole run. */
static int find_cycles(const Model *model, Span s, int columns, bool *at) {
    int n = 0;
    memset(at, 0, (size_t)columns * sizeof *at);
    if ((s.to - s.from) / (uint64_t)columns >= model->history.interval) {
        for (int x = 0; x < columns; x++) {
            at[x] = cycles_by(model, time_at(s, x, columns)) !=
                    cycles_by(model, time_at(s, x + 1, columns));
            n += at[x];
        }
        return n;
    }
    for (uint64_t back = 0; back < LMP_GC_RING; back++) {
        const LmpGcCycle *cycle = model_gc_cycle(model, back);
        if (!cycle) break;
        int x = column_of(s, cycle->end, columns);
        if (x < 0 || at[x]) continue;
        at[x] = true;
        n++;
    }
    return n;
}

/* Ticks where cycles of the collector ended. So many that there is one in nearly every column say
 * nothing: then there are none. */
static bool draw_cycles(const Model *model, Span s, Canvas *canvas, Rect rect, int y) {
    bool at[MAX_COLUMNS];
    int n = find_cycles(model, s, rect.w, at);
    if (n == 0 || n > rect.w * 3 / 4) return false;
    for (int x = 0; x < rect.w; x++)
        if (at[x]) canvas_put(canvas, rect.x + x, y, G_VLINE, STYLE(TONE_GC));
    return true;
}

/* Ticks of the marks, through the free space above the area, with names on the line below it. */
static bool draw_marks(const Model *model, const Ui *ui, Span s, Canvas *canvas, Rect rect, int y) {
    int free_from = rect.x;
    bool any = false;
    for (uint32_t i = 0; i < model->marks && i < LMP_MARKS; i++) {
        const LmpMark *mark = &model->mark[i];
        int column = column_of(s, mark->clock, rect.w);
        if (column < 0) continue;
        any = true;
        int x = rect.x + column;
        for (int row = 0; row < rect.h; row++) {
            const Cell *cell = canvas_at(canvas, x, rect.y + row);
            if (cell && cell->glyph != ' ') break;
            canvas_put(canvas, x, rect.y + row, G_DASH_VLINE, STYLE(TONE_MARK));
        }
        if (y < 0) continue;
        canvas_put(canvas, x, y, G_DASH_VLINE, STYLE(TONE_MARK));
        char name[sizeof mark->name];
        format_text(name, sizeof name, mark->name, !ui->utf8);
        int end = rect.x + rect.w; /* up to the next mark */
        for (uint32_t j = i + 1; j < model->marks && j < LMP_MARKS; j++) {
            int next = column_of(s, model->mark[j].clock, rect.w);
            if (next >= 0 && rect.x + next < end) end = rect.x + next;
        }
        int room = end - x - 1;
        if (x + 1 < free_from || room < 3) continue;
        int used = canvas_text(canvas, x + 1, y, room < 14 ? room : 14, STYLE(TONE_MARK), name);
        free_from = x + 1 + used;
    }
    return any;
}

/* "-102 s", "-17 min", "-2.5 h" */
static void ago(char *out, size_t size, uint64_t ns) {
    uint64_t s = ns / SECOND;
    if (s < 10) {
        snprintf(out, size, "-%.1f s", (double)ns / (double)SECOND);
    } else if (s < 120) {
        snprintf(out, size, "-%llu s", (unsigned long long)s);
    } else if (s < 120 * 60) {
        snprintf(out, size, "-%llu min", (unsigned long long)s / 60);
    } else {
        snprintf(out, size, "-%.1f h", (double)s / 3600);
    }
}

/* "now" below the right end, "-60 s" or the beginning below the left one, where nothing stands. */
static void draw_ends(Span s, Canvas *canvas, Rect rect, int y) {
    char text[LMP_NUM];
    ago(text, sizeof text, s.to - s.from);
    const char *ends[2] = {text, "now"};
    for (int i = 0; i < 2; i++) {
        int w = canvas_width(ends[i]), x = i ? rect.x + rect.w - w : rect.x;
        bool clear = w + 1 < rect.w / 2;
        for (int j = -1; j <= w; j++) {
            const Cell *cell = canvas_at(canvas, x + j, y);
            if (x + j >= rect.x && x + j < rect.x + rect.w && cell && cell->glyph != ' ' &&
                cell->glyph != G_VLINE && cell->glyph != '|')
                clear = false;
        }
        if (clear) canvas_text(canvas, x, y, w, STYLE(TONE_FAINT), ends[i]);
    }
}

static void draw_legend(Canvas *canvas, int right, int left, int y, bool cycles, bool marks) {
    if (marks && right - left >= 8) {
        right -= 6;
        canvas_put(canvas, right, y, G_DASH_VLINE, STYLE(TONE_MARK));
        canvas_text(canvas, right + 2, y, 4, STYLE(TONE_FAINT), "mark");
        right -= 3;
    }
    if (cycles && right - left >= 6) {
        right -= 4;
        canvas_put(canvas, right, y, G_VLINE, STYLE(TONE_GC));
        canvas_text(canvas, right + 2, y, 2, STYLE(TONE_FAINT), "gc");
    }
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    Timeline whole = {WHOLE_RUN}, *t = state ? state : &whole;
    uint64_t value[MAX_COLUMNS * 2];
    if (rect.w >= 34) {
        rect.x++;
        rect.w -= 2;
    }
    if (rect.w > MAX_COLUMNS) rect.w = MAX_COLUMNS;
    if (rect.w <= 0 || rect.h <= 0 || model->history.interval == 0) return;
    Rect chart = rect;
    int label = rect.h >= 3 ? rect.y : -1, axis = rect.h >= 5 ? rect.y + rect.h - 1 : -1;
    if (label >= 0) {
        chart.y++;
        chart.h--;
    }
    if (axis >= 0) chart.h--;
    Span s = span_of(t, model);
    uint64_t peak = sample(model, s, ui->utf8 ? chart.w * 2 : chart.w, value);
    if (ui->utf8) {
        draw_braille(canvas, chart, value, peak);
    } else {
        draw_ascii(canvas, chart, value, peak);
    }
    bool cycles = axis >= 0 && draw_cycles(model, s, canvas, chart, axis);
    bool marks = draw_marks(model, ui, s, canvas, chart, axis);
    if (axis >= 0) draw_ends(s, canvas, chart, axis);
    if (label < 0) return;
    char text[LMP_NUM];
    int used = canvas_printf(canvas, rect.x, label, rect.w, STYLE(TONE_MUTED), "%s peak",
                             format_bytes(text, peak));
    draw_legend(canvas, rect.x + rect.w, rect.x + used + 2, label, cycles, marks);
}

static bool act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    Timeline *t = state;
    (void)ui;
    (void)rect;
    if (!t) return false;
    if (action == ACT_ZOOM_IN) {
        /* spans longer than the run show the same as all of it */
        do
            t->span -= t->span > 0;
        while (t->span > 0 && spans[t->span].span >= model->clock);
        return true;
    }
    if (action == ACT_ZOOM_OUT) {
        t->span += t->span < WHOLE_RUN;
        if (spans[t->span].span >= model->clock) t->span = WHOLE_RUN;
        return true;
    }
    return false;
}

static bool mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    if (event.what == MOUSE_WHEEL_UP) return act(state, model, ui, ACT_ZOOM_IN, rect);
    if (event.what == MOUSE_WHEEL_DOWN) return act(state, model, ui, ACT_ZOOM_OUT, rect);
    return false;
}

static void note(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    const Timeline *t = state;
    char span[LMP_NUM];
    if (!t || t->span == WHOLE_RUN) {
        snprintf(out, size, "whole run %s %s", ui->utf8 ? "·" : "-",
                 format_clock(span, model->clock));
    } else {
        snprintf(out, size, "%s", spans[t->span].name);
    }
}

const Panel panel_timeline = {.title = "Timeline",
                              .number = 3,
                              .min_w = 8,
                              .min_h = 2,
                              .create = create,
                              .destroy = free,
                              .draw = draw,
                              .act = act,
                              .mouse = mouse,
                              .note = note};
