/* inspector_op.h - draws a memory operation in words: the lines above the inspector's call
 * stack. */
#ifndef LMP_INSPECTOR_OP_H
#define LMP_INSPECTOR_OP_H

#include "widget/panel.h"

/* "break 2: block larger than 64 KiB: 131,072 B" */
void inspector_hit(const LmpOp *op, bool utf8, Canvas *canvas, Rect rect, int y);
/* "reallocation #1,234,567 · array or hash part of a table" */
void inspector_what(const LmpOp *op, bool utf8, Canvas *canvas, Rect rect, int y);
/* "0x55d0c2a01230 → 0x55d0c2a04560   64 B → 128 B (+64 B)   made at options.lua:12" */
void inspector_block(const Model *model, bool utf8, Canvas *canvas, Rect rect, int y);
/* Give the name of a frame's function, as a traceback words it, and its place, "options.lua:12". */
const char *inspector_called(const LmpFrame *frame);
void inspector_where(const LmpFrame *frame, char *out, size_t size, bool utf8);

#endif
