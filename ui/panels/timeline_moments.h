/* timeline_moments.h - moments of the timeline that have a name: the person's marks, and frames of
 * the program's own that made far more than is usual. */
#ifndef LMP_TIMELINE_MOMENTS_H
#define LMP_TIMELINE_MOMENTS_H

#include "read/model/model.h"
#include "screen/canvas.h"

#define MOMENTS (LMP_MARKS + LMP_LAPS_WORST)

typedef struct Moment {
    uint64_t clock; /* nanoseconds since start */
    bool frame;     /* a frame of the program's own; else a mark */
    Tone tone;
    char name[64];  /* to show as it is */
    char words[96]; /* the same with what is known of it */
} Moment;

/* All of them, the oldest first. Returns how many. */
uint32_t moments_of(const Model *model, bool utf8, Moment out[MOMENTS]);
/* Their ticks at columns `column` (-1: none) of a chart, through the free space above the area,
 * with names on line y (-1: no room) below it. */
void moments_draw(const Moment *moment, const int *column, uint32_t n, Canvas *canvas, Rect rect,
                  int y);
/* The one before or after `at` that is the nearest, `step` -1 or 1; none after `end`. NULL: there
 * is none. */
const Moment *moments_next(const Moment *moment, uint32_t n, uint64_t at, int step, uint64_t end);

#endif
