/* inspector_locals.h - draws the local variables of one frame of the paused operation and the
 * upvalues of its function with what is unfolded of them, or why there are none to see. */
#ifndef LMP_INSPECTOR_LOCALS_H
#define LMP_INSPECTOR_LOCALS_H

#include "panels/inspector_rows.h"

/* The number of lines they need, with their headings. */
int inspector_locals_lines(const VarRows *rows, const LmpOp *op);
/* Columns that all of them take. */
int inspector_locals_width(const VarRows *rows, const LmpOp *op, bool utf8);
/* In a room of `h` lines so many rows are shown at a time, and `top` of them are above at most. */
uint32_t inspector_locals_page(const VarRows *rows, int h);
uint32_t inspector_locals_last(const VarRows *rows, int h);
/* `cursor`: the row that is chosen; UINT32_MAX: none is, the keys are elsewhere. */
void inspector_locals(const VarRows *rows, const LmpOp *op, bool utf8, Canvas *canvas, Rect rect,
                      uint32_t top, uint32_t cursor);
/* One of the rows in words, for searching: "price 12.5". */
void inspector_locals_text(const VarRows *rows, uint32_t row, char *out, size_t size);
/* The line of a row that is shown in `rect`. */
int inspector_locals_y(const VarRows *rows, Rect rect, uint32_t top, uint32_t at);
/* The row on a line of `rect`, which it was drawn in; UINT32_MAX: none. */
uint32_t inspector_locals_at(const VarRows *rows, Rect rect, uint32_t top, int y);

#endif
