/* frames_list.c - draws LmpStats.worst_frames, which has the worst frame first, as lines of pieces
 * (line.h): columns that do not fit are left out. */
#include "panels/timeline/frames_list.h"

#include "base/format.h"
#include "screen/line.h"

enum { ROOM_LEAST = 14, ABOVE = 2, FEWEST = 3 }; /* above: a blank line and the heading */

static uint64_t moment_of(const LmpLapStats *lap) {
    return lap->at > 0 && lap->at < 1e10 ? (uint64_t)(lap->at * 1e9) : 0;
}

static uint32_t count_of(const Model *model) {
    uint32_t count = model->stats.worst_frames.count;
    return count < LMP_LAPS_WORST ? count : LMP_LAPS_WORST;
}

int frames_list_lines(const Model *model, int h) {
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

void frames_list_draw(const Model *model, const Ui *ui, Canvas *canvas, Rect rect, uint64_t at) {
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

uint64_t frames_list_moment(const Model *model, Rect rect, int line) {
    const LmpLapList *worst = &model->stats.worst_frames;
    int i = line - ABOVE;
    return i >= 0 && line < rect.h && (uint32_t)i < count_of(model) ? moment_of(&worst->row[i]) : 0;
}
