/* timeline_window.c - a table of lengths to zoom through, and arithmetic between moments and
 * columns. The window is derived anew from length, cursor and the present each time. */
#include "panels/timeline/timeline_window.h"

#include <stddef.h>

#define SECOND 1000000000ull
#define ARROW (5 * SECOND)

/* The steps of + and -: time in the window; 0: the whole run. */
static const struct {
    uint64_t length;
    const char *name;
} spans[] = {
    {SECOND, "1 s"},          {3 * SECOND, "3 s"},       {10 * SECOND, "10 s"},
    {30 * SECOND, "30 s"},    {60 * SECOND, "60 s"},     {300 * SECOND, "5 min"},
    {900 * SECOND, "15 min"}, {3600 * SECOND, "1 hour"}, {4 * 3600 * SECOND, "4 hours"},
    {0, "whole run"},
};
_Static_assert(sizeof spans / sizeof *spans == TIMEWINDOW_WHOLE + 1, "the last one is all of it");

TimeSpan timewindow_span(const TimeWindow *t, uint64_t now) {
    uint64_t length = spans[t->span].length;
    if (now == 0) now = 1;
    if (length == 0 || length >= now) return (TimeSpan){0, now};
    uint64_t from = t->looks ? t->from : now - length;
    if (t->looks && t->cursor < from) from = t->cursor;
    if (t->looks && t->cursor - from >= length) from = t->cursor - length + 1;
    if (from > now - length) from = now - length;
    return (TimeSpan){from, from + length};
}

const char *timewindow_name(const TimeWindow *t, uint64_t now) {
    bool whole = t->span == TIMEWINDOW_WHOLE || spans[t->span].length >= now;
    return whole ? NULL : spans[t->span].name;
}

uint64_t timewindow_at(TimeSpan s, int column, int columns) {
    uint64_t length = s.to - s.from;
    if (columns < 1) return s.from;
    return s.from + length / (uint64_t)columns * (uint64_t)column +
           length % (uint64_t)columns * (uint64_t)column / (uint64_t)columns;
}

int timewindow_column(TimeSpan s, uint64_t clock, int columns) {
    if (clock < s.from || clock > s.to) return -1;
    int column = (int)((double)(clock - s.from) / (double)(s.to - s.from) * columns);
    return column < columns ? column : columns - 1;
}

void timewindow_move(TimeWindow *t, uint64_t now, int columns, int by) {
    TimeSpan s = timewindow_span(t, now);
    double one = (double)(s.to - s.from) / columns;
    if (!t->looks && by >= 0) return;
    if (!t->looks) t->cursor = s.to - (uint64_t)(one / 2); /* in the middle of the last column */
    t->looks = true;
    double to = (double)t->cursor + by * one;
    t->from = s.from;
    if (to >= (double)now) {
        t->looks = false;
    } else {
        t->cursor = to > 0 ? (uint64_t)to : 0;
    }
}

void timewindow_go(TimeWindow *t, uint64_t now, uint64_t clock) {
    TimeSpan s = timewindow_span(t, now);
    if (!t->looks) t->from = s.from;
    t->looks = true;
    t->cursor = clock;
}

void timewindow_zoom(TimeWindow *t, uint64_t now, int step) {
    TimeSpan s = timewindow_span(t, now);
    int span = t->span;
    do /* lengths beyond the run show the same as the whole run */
        span += step;
    while (span > 0 && span < TIMEWINDOW_WHOLE && spans[span].length >= now);
    if (span < 0) span = 0;
    if (span > TIMEWINDOW_WHOLE || spans[span].length >= now) span = TIMEWINDOW_WHOLE;
    t->span = span;
    if (!t->looks) return;
    double share = (double)(t->cursor - s.from) / (double)(s.to - s.from);
    double before = share * (double)spans[span].length;
    t->from = (double)t->cursor > before ? t->cursor - (uint64_t)before : 0;
}

uint64_t timewindow_step(const TimeWindow *t, uint64_t now) {
    TimeSpan s = timewindow_span(t, now);
    uint64_t window = s.to - s.from;
    return window > ARROW ? ARROW : window / 20;
}
