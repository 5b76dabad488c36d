/* inspector_locals.h - draws the local variables of one frame of the paused operation and the
 * upvalues of its function, as far as they are unfolded, or says why there are none to see. */
#ifndef LMP_INSPECTOR_LOCALS_H
#define LMP_INSPECTOR_LOCALS_H

#include "panels/inspector/inspector_rows.h"

/* Returns the number of lines that the variables need, with their headings. */
int inspector_locals_lines(const VarRows *rows, const LmpOp *op);
/* Returns the columns that they need. */
int inspector_locals_width(const VarRows *rows, const LmpOp *op, bool utf8);
/* Return how many rows a room of `h` lines shows at a time; how many are above it at most. */
uint32_t inspector_locals_page(const VarRows *rows, int h);
uint32_t inspector_locals_last(const VarRows *rows, int h);
/* Draws the rows from `top` on. `cursor`: the chosen row; UINT32_MAX: none, the keys are
 * elsewhere. */
void inspector_locals(const VarRows *rows, const LmpOp *op, bool utf8, Canvas *canvas, Rect rect,
                      uint32_t top, uint32_t cursor);
/* Writes a row in words, for searching: "price 12.5". */
void inspector_locals_text(const VarRows *rows, uint32_t row, char *out, size_t size);
/* Returns the line of a row that is shown in `rect`. */
int inspector_locals_y(const VarRows *rows, Rect rect, uint32_t top, uint32_t at);
/* Returns the row on a line of `rect`, in which the rows were drawn; UINT32_MAX: none. */
uint32_t inspector_locals_at(const VarRows *rows, Rect rect, uint32_t top, int y);

#endif
