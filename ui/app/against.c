/* against.c - the header's line when two runs are compared: the other run's name, and the
 * differences of the totals. */
#include <string.h>

#include "app/app_state.h"
#include "base/format.h"
#include "screen/line.h"

#define WIDE 100 /* columns from which on there is room for words */

/* Returns a path in full if there is room, else its last part. */
static const char *short_name(const char *name, int w) {
    const char *slash = strrchr(name, '/');
    return slash && slash[1] && canvas_width(name) > w / 3 ? slash + 1 : name;
}

static Style style_of(int64_t change) {
    return STYLE(change > 0 ? TONE_GROWTH : change < 0 ? TONE_SHRINK : TONE_FAINT);
}

static void add_bytes(Line *line, int priority, const char *what, int64_t change) {
    char text[LMP_NUM];
    line_add(line, priority, STYLE(TONE_MUTED), "   %s ", what);
    line_add(line, priority, style_of(change), "%s", format_delta_bytes(text, change));
}

/* Adds "+52.0 %" of the former figure; if that was nothing, no share. */
static void add_percent(Line *line, int priority, uint64_t was, int64_t change) {
    if (was == 0 || change == 0) return;
    line_add(line, priority, style_of(change), " %+.1f %%", (double)change / (double)was * 100);
}

static void add_allocs(Line *line, int priority, int64_t change) {
    char text[LMP_NUM];
    uint64_t size = change < 0 ? 0 - (uint64_t)change : (uint64_t)change;
    line_add(line, priority, STYLE(TONE_MUTED), "   allocs ");
    line_add(line, priority, style_of(change), "%s%s",
             change > 0   ? "+"
             : change < 0 ? "-"
                          : "",
             format_short(text, size));
}

static void add_lines(Line *line, int priority, uint32_t n, const char *what, int64_t bytes) {
    char count[LMP_NUM], text[LMP_NUM];
    if (n == 0) return;
    line_add(line, priority, STYLE(TONE_MUTED), "   %s line%s %s", format_count(count, n),
             n == 1 ? "" : "s", what);
    line_add(line, priority + 2, style_of(bytes), " %s", format_delta_bytes(text, bytes));
}

void against_draw(const App *app, Canvas *canvas, Rect rect, int y) {
    const Model *model = &app->model;
    const ModelAgainst *other = &model->against;
    const ModelDelta *change = &model->since_mark;
    Line line = {0};
    char name[LINE_TEXT];
    snprintf(name, sizeof name, "%s", short_name(other->name, rect.w));
    line_add(&line, 1, STYLE(TONE_MUTED), rect.w >= WIDE ? " Compared with " : " vs ");
    line_add(&line, 1, STYLE(TONE_MARK), "%s", name);
    add_bytes(&line, 2, "live", change->total_bytes);
    add_percent(&line, 3, other->live, change->total_bytes);
    int64_t peak = (int64_t)(model->stats.peak_bytes - other->peak);
    add_bytes(&line, 4, "peak", peak);
    add_percent(&line, 8, other->peak, peak);
    add_bytes(&line, 6, "made", change->total_made);
    add_allocs(&line, 10, change->total_allocs);
    if (other->read) {
        add_lines(&line, 5, other->came, "new", (int64_t)other->came_bytes);
        add_lines(&line, 5, other->went, "gone", -(int64_t)other->went_bytes);
    } else {
        line_add(&line, 5, STYLE(TONE_WRONG), "   lines not compared");
    }
    if (other->read && other->pathless)
        line_add(&line, 5, STYLE(TONE_WRONG), "   call paths of one only");
    if (other->read && other->sampled) line_add(&line, 9, STYLE(TONE_MUTED), "   lines estimated");
    line_draw(&line, canvas, rect.x, y, rect.w - 1);
}
