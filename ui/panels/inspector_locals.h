/* inspector_locals.h - the local variables of one frame of the paused operation and the upvalues of
 * its function, or why there are none to see. */
#ifndef LMP_INSPECTOR_LOCALS_H
#define LMP_INSPECTOR_LOCALS_H

#include "widget/panel.h"

/* The number of lines they need, with their headings. */
int inspector_locals_lines(const LmpOp *op);
/* The same without the first heading, of which `top` are scrolled out at the top. In a room of `h`
 * lines one scrolls by so many, and up to the last `top`. */
uint32_t inspector_locals_rows(const LmpOp *op);
uint32_t inspector_locals_page(const LmpOp *op, int h);
uint32_t inspector_locals_last(const LmpOp *op, int h);
void inspector_locals(const LmpOp *op, bool utf8, Canvas *canvas, Rect rect, uint32_t top);
/* One of the rows in words, for searching: "price 12.5". */
void inspector_locals_text(const LmpOp *op, uint32_t row, char *out, size_t size);

#endif
