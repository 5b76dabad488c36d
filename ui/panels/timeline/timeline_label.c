/* timeline_label.c - merges the model's marks and its worst frames into one list by time, and draws
 * each as a dashed tick with its name where there is room. Lines are composed of pieces with ranks
 * (line.h), so that the least important go first. */
#include "panels/timeline/timeline_label.h"

#include <stdio.h>

#include "base/format.h"
#include "screen/line.h"

/* ---- named moments --------------------------------------------------------------------------- */

enum { NAME_MOST = 14 /* columns */ };

static void of_mark(Moment *out, const LmpMark *mark, bool utf8) {
    *out = (Moment){.clock = mark->clock, .tone = TONE_MARK};
    format_text(out->name, sizeof out->name, mark->name, !utf8);
    snprintf(out->words, sizeof out->words, "%s", out->name);
}

/* Names a frame as the program did, or by its number. */
static void of_lap(Moment *out, const LmpLapStats *lap, bool utf8) {
    char number[LMP_NUM], bytes[LMP_NUM], name[LMP_LAP_NAME];
    *out = (Moment){.clock = (uint64_t)(lap->at * 1e9), .frame = true, .tone = TONE_GROWTH};
    format_count(number, lap->number);
    format_text(name, sizeof name, lap->name, !utf8);
    snprintf(out->name, sizeof out->name, "%s%s", *name ? "" : "frame ", *name ? name : number);
    snprintf(out->words, sizeof out->words, "frame %s%s%s: %s", number, *name ? " " : "", name,
             format_bytes(bytes, lap->bytes));
}

uint32_t moments_of(const Model *model, bool utf8, Moment out[MOMENTS]) {
    uint32_t n = 0, frames = stats_spikes(&model->stats);
    for (uint32_t i = 0; i < model->marks && i < LMP_MARKS; i++)
        of_mark(&out[n++], &model->mark[i], utf8);
    for (uint32_t i = 0; i < frames; i++) {
        Moment moment;
        of_lap(&moment, &model->stats.worst_frames.row[i], utf8);
        uint32_t at = n++;
        for (; at > 0 && out[at - 1].clock > moment.clock; at--)
            out[at] = out[at - 1];
        out[at] = moment;
    }
    return n;
}

static void draw_tick(const Moment *moment, Canvas *canvas, int x, Rect rect) {
    for (int row = 0; row < rect.h; row++) {
        const Cell *cell = canvas_at(canvas, x, rect.y + row);
        if (cell && cell->glyph != ' ') break;
        canvas_put(canvas, x, rect.y + row, G_DASH_VLINE, STYLE(moment->tone));
    }
}

void moments_draw(const Moment *moment, const int *column, uint32_t n, Canvas *canvas, Rect rect,
                  int y) {
    int free_from = rect.x;
    for (uint32_t i = 0; i < n; i++) {
        if (column[i] < 0) continue;
        int x = rect.x + column[i];
        draw_tick(&moment[i], canvas, x, rect);
        if (y < 0) continue;
        canvas_put(canvas, x, y, G_DASH_VLINE, STYLE(moment[i].tone));
        int end = rect.x + rect.w; /* up to the next tick */
        for (uint32_t j = i + 1; j < n; j++)
            if (column[j] >= 0 && rect.x + column[j] < end) end = rect.x + column[j];
        int room = end - x - 1;
        if (x + 1 < free_from || room < 3) continue;
        free_from = x + 1 +
                    canvas_text(canvas, x + 1, y, room < NAME_MOST ? room : NAME_MOST,
                                STYLE(moment[i].tone), moment[i].name);
    }
}

const Moment *moments_next(const Moment *moment, uint32_t n, uint64_t at, int step, uint64_t end) {
    const Moment *best = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const Moment *m = &moment[i];
        if (m->clock > end || (step < 0 ? m->clock >= at : m->clock <= at)) continue;
        if (!best || (step < 0 ? m->clock > best->clock : m->clock < best->clock)) best = m;
    }
    return best;
}

static uint64_t per_second(uint64_t figure, uint64_t length) {
    double rate = length > 0 ? (double)figure / ((double)length / 1e9) : 0;
    return rate < 1e19 ? (uint64_t)rate : UINT64_MAX;
}

static void add_figures(Line *line, uint64_t live, const LabelNow *now) {
    char a[LMP_NUM];
    line_add(line, 1, STYLE(TONE_STRONG), "%s", format_bytes(a, live));
    line_add(line, 3, STYLE(TONE_MUTED), " now");
    uint64_t held = now->held < live ? now->held : live; /* not more is held than there is */
    if (held == 0) return;
    bool tones = now->scale.low == 0 && !now->stacked;
    line_add(line, 2, tones ? STYLE(TONE_GRADE(1)) : STYLE(TONE_STRONG), "  %s",
             format_bytes(a, held));
    line_add(line, 2, STYLE(TONE_MUTED), " held");
    line_add(line, 6, STYLE(TONE_MUTED), " after the last gc");
}

static void add_sign(Line *line, int rank, Style style, uint32_t glyph, const char *word) {
    char text[5];
    canvas_encode(text, glyph);
    line_add(line, rank, style, "  %s", text);
    line_add(line, rank, STYLE(TONE_MUTED), " %s", word);
}

static void add_signs(Line *line, bool utf8, const LabelNow *now) {
    char a[LMP_NUM];
    if (now->scale.low > 0) {
        line_add(line, 2, STYLE(TONE_PAUSED), "  from %s", chart_label(a, now->scale, 0));
        line_add(line, 5, STYLE(TONE_PAUSED), ", not 0");
    }
    uint32_t bar = utf8 ? 0x2585 : '*';
    uint64_t rate = per_second(now->density, now->column);
    if (now->signs & LABEL_GC || now->density > 0)
        add_sign(line, 4, STYLE(TONE_GC), now->density == 0 ? G_VLINE : bar, "gc");
    if (rate > 0) line_add(line, 7, STYLE(TONE_MUTED), " up to %s/s", format_short(a, rate));
    if (rate == 0 && now->density > 0)
        line_add(line, 7, STYLE(TONE_MUTED), " up to %s a column", format_short(a, now->density));
    if (now->signs & LABEL_MARK) add_sign(line, 5, STYLE(TONE_MARK), G_DASH_VLINE, "mark");
    if (now->signs & LABEL_LAP) add_sign(line, 5, STYLE(TONE_GROWTH), G_DASH_VLINE, "frame");
}

void label_now(Canvas *canvas, Rect line, const Model *model, const LabelNow *now, LineFit *fit) {
    Line left = {0}, right = {0};
    add_figures(&left, model->stats.live_bytes, now);
    add_signs(&right, canvas->utf8, now);
    int limit = line_fit(fit, &left, &right, line.w), wr = line_width(&right, limit);
    if (wr > line.w) wr = 0;
    line_draw_below(&left, limit, canvas, line.x, line.y, line.w - wr);
    line_draw(&right, canvas, line.x + line.w - wr, line.y, wr);
}

void label_moment(Canvas *canvas, Rect room, uint64_t clock, const ModelPast *past,
                  const Moment *moment, uint32_t n) {
    char a[LMP_NUM];
    Line line = {0};
    line_add(&line, 1, STYLE(TONE_ACCENT), "%s", format_clock(a, clock));
    line_add(&line, 1, STYLE(TONE_STRONG), "  %s", format_bytes(a, past->max_bytes));
    for (uint32_t i = 0; i < n; i++)
        line_add(&line, 2, STYLE(moment[i].tone), "  %s", moment[i].words);
    line_add(&line, 3, STYLE(TONE_GROWTH), "  ▲ %s/s",
             format_bytes(a, per_second(past->alloc_bytes, past->length)));
    line_add(&line, 4, STYLE(TONE_SHRINK), "  ▼ %s/s",
             format_bytes(a, per_second(past->free_bytes, past->length)));
    if (past->cycles > 0)
        line_add(&line, 5, STYLE(TONE_GC), "  %s gc", format_short(a, past->cycles));
    line_add(&line, 6, STYLE(TONE_TEXT), "  %s allocs/s",
             format_short(a, per_second(past->allocs, past->length)));
    if (past->held_bytes > 0)
        line_add(&line, 7, STYLE(TONE_MUTED), "  %s held", format_bytes(a, past->held_bytes));
    static const LmpKind order[] = {LMP_TABLE,    LMP_STRING, LMP_FUNCTION,
                                    LMP_USERDATA, LMP_THREAD, LMP_OTHER};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (past->kind_bytes[order[i]] * 50 < past->max_bytes) continue;
        line_add(&line, 8 + (int)i, STYLE(TONE_KIND(order[i])), "  %s %s", kind_info[order[i]].name,
                 format_bytes(a, past->kind_bytes[order[i]]));
    }
    line_draw(&line, canvas, room.x, room.y, room.w);
}

/* ---- the worst frames ------------------------------------------------------------------------ */

enum { ROOM_LEAST = 14, ABOVE = 2, FEWEST = 3 }; /* above: a blank line and the heading */

static uint64_t moment_of(const LmpLapStats *lap) {
    return lap->at > 0 && lap->at < 1e10 ? (uint64_t)(lap->at * 1e9) : 0;
}

static uint32_t count_of(const Model *model) {
    uint32_t count = model->stats.worst_frames.count;
    return count < LMP_LAPS_WORST ? count : LMP_LAPS_WORST;
}

int label_laps_lines(const Model *model, int h) {
    int count = (int)count_of(model), most = h / 3 - ABOVE;
    if (count == 0 || h < ROOM_LEAST) return 0;
    if (most < FEWEST) most = FEWEST;
    return ABOVE + (count < most ? count : most);
}

/* Draws one frame; NULL: the heading. Columns that do not fit are left out, the name first. */
static void draw_row(const LmpLapStats *lap, bool utf8, Canvas *canvas, Rect rect, int y) {
    char a[LMP_NUM], name[sizeof lap->name * 4];
    Style head = STYLE(TONE_MUTED), text = STYLE(TONE_TEXT);
    Line line = {0};
    line_add(&line, 1, lap ? text : head, "%13s",
             lap ? format_count(a, lap->number) : "worst frames");
    line_add(&line, 1, lap ? STYLE(TONE_GROWTH) : head, "%12s",
             lap ? format_bytes(a, lap->bytes) : "made");
    line_add(&line, 2, lap ? text : head, "%9s",
             lap ? format_span(a, lap->seconds > 0 ? (uint64_t)(lap->seconds * 1e9) : 0) : "took");
    line_add(&line, 3, lap ? text : head, "%12s",
             lap ? format_clock(a, moment_of(lap)) : "began at");
    line_add(&line, 5, lap ? text : head, "%14s",
             lap ? format_count(a, lap->allocs) : "allocations");
    line_add(&line, 6, lap ? STYLE(TONE_GC) : head, "%6s",
             lap ? format_count(a, lap->gc_cycles) : "gc");
    if (!lap)
        line_add(&line, 4, head, "  name");
    else if (*lap->name)
        line_add(&line, 4, STYLE(TONE_STRONG), "  %s",
                 format_text(name, sizeof name, lap->name, !utf8));
    line_draw(&line, canvas, rect.x, y, rect.w);
}

void label_laps_draw(const Model *model, const Ui *ui, Canvas *canvas, Rect rect, uint64_t at) {
    const LmpLapList *worst = &model->stats.worst_frames;
    draw_row(NULL, ui->utf8, canvas, rect, rect.y + ABOVE - 1);
    for (int i = 0; i + ABOVE < rect.h && (uint32_t)i < count_of(model); i++) {
        int y = rect.y + ABOVE + i;
        draw_row(&worst->row[i], ui->utf8, canvas, rect, y);
        if (at == 0 || moment_of(&worst->row[i]) != at) continue;
        canvas_put(canvas, rect.x, y, G_RIGHT, STYLE(TONE_ACCENT));
        canvas_tint(canvas, (Rect){rect.x, y, rect.w, 1}, TONE_SELECT);
    }
}

uint64_t label_laps_moment(const Model *model, Rect rect, int line) {
    const LmpLapList *worst = &model->stats.worst_frames;
    int i = line - ABOVE;
    return i >= 0 && line < rect.h && (uint32_t)i < count_of(model) ? moment_of(&worst->row[i]) : 0;
}
