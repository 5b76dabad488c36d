/* timeline_window.h - which piece of time the timeline shows, from the last second to the whole
 * run, and where its cursor is. Without a cursor the window ends now and moves along; with one it
 * stands still, and follows the cursor. All times are nanoseconds since the program's start. */
#ifndef LMP_TIMELINE_WINDOW_H
#define LMP_TIMELINE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

typedef struct TimeWindow {
    int span;        /* private: row of the window's length; TIMEWINDOW_WHOLE: the whole run */
    bool looks;      /* there is a cursor */
    uint64_t cursor; /* the cursor's moment */
    uint64_t from;   /* start of the window while there is a cursor, unless it is the whole run */
} TimeWindow;
enum { TIMEWINDOW_WHOLE = 9 };

/* A piece of time: from < to. */
typedef struct TimeSpan {
    uint64_t from, to;
} TimeSpan;

/* Returns what the window shows of a run that has lasted until `now`. */
TimeSpan timewindow_span(const TimeWindow *window, uint64_t now);
/* Returns "30 s"; NULL: the window is the whole run. */
const char *timewindow_name(const TimeWindow *window, uint64_t now);
/* Returns where a column of `columns` begins. */
uint64_t timewindow_at(TimeSpan span, int column, int columns);
/* Returns the column of a moment, -1: outside. */
int timewindow_column(TimeSpan span, uint64_t clock, int columns);

/* Moves the cursor by this many of `columns`; past the right end there is no cursor any more. */
void timewindow_move(TimeWindow *window, uint64_t now, int columns, int by);
/* Moves the cursor to a moment, and the window with it. */
void timewindow_go(TimeWindow *window, uint64_t now, uint64_t clock);
/* Changes the length of the window, shorter (-1) or longer (1); the moment under the cursor stays
 * in place. */
void timewindow_zoom(TimeWindow *window, uint64_t now, int step);
/* Returns how far an arrow goes when any moment can be shown: five seconds, but in a window no
 * longer than that a twentieth of it. */
uint64_t timewindow_step(const TimeWindow *window, uint64_t now);

#endif
