/* spark.h - a small chart of a few values: an area in braille, or columns of '#' without UTF-8. */
#ifndef LMP_SPARK_H
#define LMP_SPARK_H

#include "screen/canvas.h"

/* Draws `n` values (oldest first) over the whole of rect, scaled from 0 to the largest. Equal
 * values are a line in the middle, zeroes a line at the ground. */
void spark_draw(Canvas *canvas, Rect rect, const uint64_t *value, uint32_t n, Style style);
/* Draws them scaled from the smallest to the largest: shows the course, beside figures. Equal
 * values are a line, zeroes are left out. Changes `value`. */
void spark_way(Canvas *canvas, Rect rect, uint64_t *value, uint32_t n, Style style);
/* Draws a bar of `share` (0 .. 1) of w columns; anything above zero is visible. */
void spark_bar(Canvas *canvas, int x, int y, int w, double share, Style style);

#endif
