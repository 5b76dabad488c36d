/* timeline_moments.c - merges the model's marks and its worst frames into one list by time, and
 * draws each as a dashed tick with its name where there is room. */
#include "panels/timeline/timeline_moments.h"

#include <stdio.h>

#include "base/format.h"

enum { NAME_MOST = 14 /* columns */ };

static void of_mark(Moment *out, const LmpMark *mark, bool utf8) {
    *out = (Moment){.clock = mark->clock, .tone = TONE_MARK};
    format_text(out->name, sizeof out->name, mark->name, !utf8);
    snprintf(out->words, sizeof out->words, "%s", out->name);
}

/* Names a frame as the program did, or by its number. */
static void of_frame(Moment *out, const LmpLapStats *lap, bool utf8) {
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
        of_frame(&moment, &model->stats.worst_frames.row[i], utf8);
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
