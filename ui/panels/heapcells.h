/* heapcells.h - draws cells of the heap map: the kind with most bytes gives a cell its colour, how
 * full it is its brightness; if a character is one cell, it is the kind's letter. */
#ifndef LMP_HEAPCELLS_H
#define LMP_HEAPCELLS_H

#include "read/heap/heapmap.h"
#include "screen/canvas.h"
#include "widget/panel.h"

/* How the inside of the panel's frame is used. */
typedef struct HeapShape {
    int cols, rows; /* of cells */
    int half;       /* cells in a character: 2 or 1 */
    int status;     /* first line about the cursor's cell, -1: none */
    int lines;      /* how many: 1, or 2 if lines are short */
} HeapShape;

HeapShape heapcells_shape(const Ui *ui, Rect rect);

/* Draws `count` cells, row by row; the rest of the rectangle is beyond the heap's end. */
void heapcells_draw(const HeapCell *cell, uint32_t count, const Ui *ui, Canvas *canvas, Rect rect,
                    HeapShape shape);

/* Draws the map of a recording's moment, which has a fixed number of cells: each takes as many of
 * the panel's as there is room for. Says so if there is no map. */
void heapcells_draw_recorded(const Model *model, const Ui *ui, Canvas *canvas, Rect rect,
                             HeapShape shape);

#endif
