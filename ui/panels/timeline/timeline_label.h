/* timeline_label.h - draws the line above the timeline's picture: present figures and what the
 * signs mean, or the figures of the moment at the cursor. */
#ifndef LMP_TIMELINE_LABEL_H
#define LMP_TIMELINE_LABEL_H

#include "panels/timeline/timeline_chart.h"
#include "panels/timeline/timeline_moments.h"
#include "screen/line.h"

/* The signs in the picture. */
enum {
    LABEL_MARK = 1,
    LABEL_FRAME = 2,
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

/* Both draw as much as there is room for, the most important first. */
void label_now(Canvas *canvas, Rect line, const Model *model, const LabelNow *now, LineFit *fit);
/* `past`: the column at `clock`; `moment`: the n named moments there. */
void label_moment(Canvas *canvas, Rect line, uint64_t clock, const ModelPast *past,
                  const Moment *moment, uint32_t n);

#endif
