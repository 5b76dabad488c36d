/* spark.h - a small chart of a few values: an area in braille, or columns of '#' without UTF-8. */
#ifndef LMP_SPARK_H
#define LMP_SPARK_H

#include "screen/canvas.h"

/* Draws `n` values (oldest first) over the whole of rect, from nothing to the largest of them. A
 * constant is a line in the middle, nothing at all one at the ground. */
void spark_draw(Canvas *canvas, Rect rect, const uint64_t *value, uint32_t n, Style style);
/* The same from the smallest to the largest of them: shows the course, where figures stand beside
 * it. A constant is a line, nothing at all is left out. Changes `value`. */
void spark_way(Canvas *canvas, Rect rect, uint64_t *value, uint32_t n, Style style);
/* A bar of `share` (0 .. 1) of w columns; anything above zero is visible. */
void spark_bar(Canvas *canvas, int x, int y, int w, double share, Style style);

#endif
