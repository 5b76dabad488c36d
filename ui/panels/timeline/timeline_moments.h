/* timeline_moments.h - the timeline's named moments: the person's marks, and frames of the
 * program's own that made far more than usual. */
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

#endif
