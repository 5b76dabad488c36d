/* snapshot_header.c - the lines at the top while a snapshot is on the screen: its program, how much
 * is in it, how it was taken, and what holds most. */
#include <string.h>
#include <time.h>

#include "app/app_state.h"
#include "base/format.h"
#include "screen/line.h"

static void draw_who(App *app, Canvas *canvas, Rect rect) {
    const OpenedSnapshot *heap = app->model.heap;
    const LmpObjectInfo *info = heap ? &heap->now.info : NULL;
    const char *dot = app->ui.utf8 ? "·" : "-";
    char bytes[LMP_NUM], clock[LMP_NUM], glyph[5];
    Line left = {0}, right = {0};
    canvas_encode(glyph, G_FROZEN);
    line_add(&right, 1, STYLE(TONE_FROZEN), " %s SNAPSHOT", glyph);
    if (info && info->number > 0) line_add(&right, 4, STYLE(TONE_FROZEN), " %u", info->number);
    if (info && rect.h == 1)
        line_add(&right, 2, STYLE(TONE_STRONG), " %s", format_bytes(bytes, info->live_bytes));
    if (info && info->clock > 0)
        line_add(&right, 4, STYLE(TONE_TEXT), "  %s", format_clock(clock, info->clock));
    header_add_help(&right);
    line_add(&left, 6, STYLE(TONE_ACCENT), " lmp ");
    if (info) {
        char name[64];
        const char *slash = strrchr(info->program, '/');
        format_text(name, sizeof name, slash && slash[1] ? slash + 1 : info->program,
                    !app->ui.utf8);
        line_add(&left, 5, STYLE_BOLD(TONE_STRONG), " %s", name);
        line_add(&left, 8, STYLE(TONE_MUTED), "  pid %u", info->pid);
        line_add(&left, 9, STYLE(TONE_MUTED), " %s %s", dot, info->lua);
    }
    canvas_fill(canvas, (Rect){rect.x, rect.y, rect.w, 1}, ' ', STYLE_ON(TONE_TEXT, TONE_BAR));
    int need = line_width(&right, line_limit(&right, rect.w));
    line_draw(&left, canvas, rect.x, rect.y, rect.w - need);
    line_draw(&right, canvas, rect.x + rect.w - need, rect.y, need);
    app_spot_line(app, &right, rect.x + rect.w - need, rect.y, need);
    canvas_tint(canvas, (Rect){rect.x, rect.y, rect.w, 1}, TONE_BAR);
}

static void draw_figures(const App *app, Canvas *canvas, Rect rect, int y) {
    const LmpSnapshot *s = &app->model.heap->now;
    char text[LMP_NUM], count[LMP_NUM];
    Line line = {0};
    line_add(&line, 5, STYLE(TONE_MUTED), " Heap ");
    line_add(&line, 1, STYLE(TONE_STRONG), " %s", format_bytes(text, s->info.live_bytes));
    line_add(&line, 3, STYLE(TONE_TEXT), "   %s objects", format_count(count, snapshot_objects(s)));
    if (s->garbage_bytes > 0)
        line_add(&line, 2, STYLE(TONE_TEXT), "   %s garbage in %s",
                 format_bytes(text, s->garbage_bytes), format_count(count, s->garbage_objects));
    else
        line_add(&line, 4, STYLE(TONE_MUTED), "   no garbage");
    if (s->before_objects > 0)
        line_add(&line, 6, STYLE(TONE_MUTED), "   from before the start %s in %s",
                 format_bytes(text, s->before_bytes), format_count(count, s->before_objects));
    line_draw(&line, canvas, rect.x, y, rect.w - 1);
}

static void draw_taken(const App *app, Canvas *canvas, Rect rect, int y) {
    const LmpSnapshot *s = &app->model.heap->now;
    const LmpObjectInfo *info = &s->info;
    char text[LMP_NUM], when[40] = "";
    const char *dot = app->ui.utf8 ? "·" : "-";
    time_t second = (time_t)(info->realtime / 1000000000u);
    struct tm local;
    Line line = {0};
    line_add(&line, 1, STYLE(TONE_MUTED), " Taken ");
    if (info->realtime && localtime_r(&second, &local) &&
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &local) > 0)
        line_add(&line, 3, STYLE(TONE_TEXT), "%s", when);
    if (!app->offline && app->model.clock >= info->clock + 1000000000u)
        line_add(&line, 2, STYLE(TONE_TEXT), " %s %s ago", dot,
                 format_span(text, app->model.clock - info->clock));
    line_add(&line, 4, STYLE(TONE_MUTED), " %s %s", dot,
             info->collected ? "after a full collection"
                             : "with garbage that waits for the collector");
    if (info->stop > 0)
        line_add(&line, 6, STYLE(TONE_MUTED), " %s the program stood for %s", dot,
                 format_span(text, info->stop));
    if (info->paused) line_add(&line, 7, STYLE(TONE_MUTED), " %s within an operation", dot);
    if (info->taken == LMP_TAKEN_IN_PLACE && info->why_in_place[0]) {
        char why[sizeof info->why_in_place];
        format_text(why, sizeof why, info->why_in_place, !app->ui.utf8);
        line_add(&line, 8, STYLE(TONE_MUTED), " %s in place: %s", dot, why);
    }
    const OpenedSnapshot *heap = app->model.heap;
    if (heap->before.steps > 0)
        line_add(&line, 5, STYLE(TONE_TEXT), " %s compared with snapshots %u to %u", dot,
                 heap->before.number, heap->older.info.number);
    else if (heap->compared)
        line_add(&line, 5, STYLE(TONE_TEXT), " %s compared with snapshot %u", dot,
                 heap->older.info.number);
    line_draw(&line, canvas, rect.x, y, rect.w - 1);
}

static void draw_verdict(const App *app, Canvas *canvas, Rect rect, int y) {
    const OpenedSnapshot *heap = app->model.heap;
    if (!heap->suspects_made || heap->suspects.fired == 0) return;
    int x = rect.x + 1, right = rect.x + rect.w - 1;
    x += canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), "Note  ");
    canvas_text(canvas, x, y, right - x, STYLE(TONE_TEXT), heap->suspects.row[0].words);
}

void snapshot_header_draw(App *app, Canvas *canvas, Rect rect) {
    if (rect.h >= 1) draw_who(app, canvas, rect);
    if (!app->model.heap) {
        if (rect.h >= 2 && app->notice_until)
            canvas_text(canvas, rect.x + 1, rect.y + 1, rect.w - 2, STYLE(TONE_TEXT), app->notice);
        return;
    }
    if (rect.h >= 2) draw_figures(app, canvas, rect, rect.y + 1);
    if (rect.h >= 3) draw_taken(app, canvas, rect, rect.y + 2);
    if (rect.h >= 4) draw_verdict(app, canvas, rect, rect.y + 3);
}
