/* svg.h - writes a canvas as a picture file. */
#ifndef LMP_SVG_H
#define LMP_SVG_H

#include "base/err.h"
#include "screen/canvas.h"

/* Writes the canvas as an SVG document in the theme's colours. */
void svg_write(const Canvas *canvas, const Theme *theme, FILE *out);
/* Saves the picture in the current directory under the first of lmp-PID-1.svg, lmp-PID-2.svg ...
 * that does not exist; `name` of `size` bytes receives that name. Error: FILE. */
LmpErr svg_save(const Canvas *canvas, const Theme *theme, unsigned pid, char *name, size_t size);

#endif
