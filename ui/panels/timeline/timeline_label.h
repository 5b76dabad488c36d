/* timeline_label.h - what the timeline says in words: the line above the picture, with the present
 * figures or those of the moment at the cursor; the named moments, which are the person's marks and
 * frames of the program's own that made far more than usual; and below the picture the list of the
 * worst frames (laps.h), if there is room for both. */
#ifndef LMP_TIMELINE_LABEL_H
#define LMP_TIMELINE_LABEL_H

#include "panels/timeline/timeline_chart.h"
#include "read/model/model.h"
#include "screen/canvas.h"
#include "screen/line.h"
#include "widget/panel.h"

#define MOMENTS (LMP_MARKS + LMP_LAPS_WORST)

typedef struct Moment {
    uint64_t clock; /* nanoseconds since start */
    bool frame;     /* a frame of the program's own; else a mark */
    Tone tone;
    char name[64];  /* to show as it is */
    char words[96]; /* the name with more about the moment */
} Moment;

/* Lists all of them, the oldest first. Returns how many. */
uint32_t moments_of(const Model *model, bool utf8, Moment out[MOMENTS]);
/* Draws ticks at columns `column` (-1: none) of a chart, through the free space above the area,
 * with names on line y (-1: no room) below it. */
void moments_draw(const Moment *moment, const int *column, uint32_t n, Canvas *canvas, Rect rect,
                  int y);
/* Returns the nearest moment before or after `at`, `step` -1 or 1, not after `end`; NULL: none. */
const Moment *moments_next(const Moment *moment, uint32_t n, uint64_t at, int step, uint64_t end);

/* The signs in the picture. */
enum {
    LABEL_MARK = 1,
    LABEL_LAP = 2,
    LABEL_GC = 4 /* a tick for each cycle, or their density */
};

typedef struct LabelNow {
    ChartScale scale;
    uint64_t held;    /* bytes, in the last column, which may be of a cycle before the last */
    uint64_t density; /* most cycles in a column; 0: drawn as ticks, if there are any */
    uint64_t column;  /* nanoseconds in a column */
    unsigned signs;
    bool stacked; /* the area is by type: what is held has no tone of its own */
} LabelNow;

/* Draws, as the next one does, as much as there is room for, the most important first. */
void label_now(Canvas *canvas, Rect line, const Model *model, const LabelNow *now, LineFit *fit);
/* Draws the label of a moment. `past`: the column at `clock`; `moment`: the n named ones there. */
void label_moment(Canvas *canvas, Rect line, uint64_t clock, const ModelPast *past,
                  const Moment *moment, uint32_t n);

/* Returns how many of `h` lines the list takes, with its heading and a blank line above; 0: no
 * frames, or no room. */
int label_laps_lines(const Model *model, int h);
/* Draws the program's frames. `at`: the moment whose frame is marked, nanoseconds since start; 0:
 * none. */
void label_laps_draw(const Model *model, const Ui *ui, Canvas *canvas, Rect rect, uint64_t at);
/* Returns the moment of the frame on a line of the room, 0: none. */
uint64_t label_laps_moment(const Model *model, Rect rect, int line);

#endif
