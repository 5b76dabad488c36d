/* inspector_locals.h - the local variables of one frame of the paused operation and the upvalues of
 * its function, or why there are none to see. */
#ifndef LMP_INSPECTOR_LOCALS_H
#define LMP_INSPECTOR_LOCALS_H

#include "widget/panel.h"

/* The number of lines they need. */
int inspector_locals_lines(const LmpOp *op);
void inspector_locals(const LmpOp *op, bool utf8, Canvas *canvas, Rect rect);

#endif
