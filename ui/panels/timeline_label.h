/* timeline_label.h - the line above the timeline's picture: the figures of now and what the signs
 * mean, or those of the moment at the cursor. */
#ifndef LMP_TIMELINE_LABEL_H
#define LMP_TIMELINE_LABEL_H

#include "panels/timeline_chart.h"
#include "panels/timeline_moments.h"
#include "screen/line.h"

/* The signs there are in the picture. */
enum {
    LABEL_MARK = 1,
    LABEL_FRAME = 2,
    LABEL_GC = 4 /* a tick for each cycle, or their density */
};

typedef struct LabelNow {
    ChartScale scale;
    uint64_t held;    /* bytes, of the last column, which may be of a cycle before the last */
    uint64_t density; /* most cycles in a column; 0: they are ticks, if there are any */
    uint64_t column;  /* nanoseconds in one */
    unsigned signs;
    bool stacked; /* the area is by type: what is held has no tone of its own */
} LabelNow;

/* Both draw what there is room for, the most important first. */
void label_now(Canvas *canvas, Rect line, const Model *model, const LabelNow *now, LineFit *fit);
/* `past`: of the column at `clock`; `moment`: the n that have a name there. */
void label_moment(Canvas *canvas, Rect line, uint64_t clock, const ModelPast *past,
                  const Moment *moment, uint32_t n);

#endif
