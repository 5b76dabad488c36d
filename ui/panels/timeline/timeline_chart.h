/* timeline_chart.h - draws the timeline's picture: its scale, the heap as an area or a line, what
 * is held, the collector's cycles. panel_timeline.c decides which piece of time is drawn. */
#ifndef LMP_TIMELINE_CHART_H
#define LMP_TIMELINE_CHART_H

#include "read/model/model.h"
#include "screen/canvas.h"

#define CHART_COLUMNS 1000 /* maximum cells; a cell has two points side by side */

/* From `low` at the ground up to low + top. If all changes of the heap are small compared to its
 * size, `low` is not 0 and the chart is a line: an area would claim that there is nothing below. */
typedef struct ChartScale {
    uint64_t low, top;
} ChartScale;

typedef struct ChartLook {
    bool utf8, colour; /* colour: tones can be told apart */
    bool types;        /* the area is stacked by type */
    bool line;         /* set by chart_draw: the scale does not start at 0 */
} ChartLook;

/* Returns the scale for heaps from `least` to `most` bytes: in round numbers, so that it does not
 * move with each new figure. */
ChartScale chart_scale(uint64_t least, uint64_t most);
/* Writes the label of line 0 (ground), 1 or 2 (top): "0", "40 MiB"; above a ground other than 0:
 * "+40 KiB". `out` has LMP_NUM bytes. */
char *chart_label(char *out, ChartScale scale, int line);

/* Draws the area or the line, with what is held after collections in another tone: `past` has two
 * figures per cell with UTF-8, else one. */
void chart_draw(Canvas *canvas, Rect rect, const ModelPast *past, ChartScale scale, ChartLook look);
/* Draws the collector's cycles in one row: a tick for each if there are few, else their density.
 * `cycles`: of each cell. Returns the most in one cell if it draws density, 0: ticks. */
uint64_t chart_cycles(Canvas *canvas, int x, int y, int w, const uint64_t *cycles);

#endif
