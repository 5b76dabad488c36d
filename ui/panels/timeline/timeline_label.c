/* timeline_label.c - composes the line from pieces with ranks (line.h), so that the least important
 * go first. */
#include "panels/timeline/timeline_label.h"

#include "base/format.h"
#include "screen/line.h"

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
    if (now->signs & LABEL_FRAME) add_sign(line, 5, STYLE(TONE_GROWTH), G_DASH_VLINE, "frame");
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
