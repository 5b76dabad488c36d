/* inspector_stack.h - draws the call stack of the paused operation: a line for each frame, and one
 * for frames that were left out. */
#ifndef LMP_INSPECTOR_STACK_H
#define LMP_INSPECTOR_STACK_H

#include "widget/panel.h"

uint64_t inspector_lines(const LmpOp *op);
/* Returns the frame on a line of the list; op->frames for the line of frames left out. */
uint32_t inspector_frame(const LmpOp *op, uint64_t line);
uint64_t inspector_line(const LmpOp *op, uint32_t frame);
/* Returns the columns that the whole stack needs. */
int inspector_stack_width(const LmpOp *op, bool utf8);
/* `chosen`: the cursor's line has the keys. */
void inspector_stack(const LmpOp *op, const List *list, bool chosen, bool utf8, Canvas *canvas,
                     Rect rect);

#endif
