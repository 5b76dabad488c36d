/* inspector_op.h - draws the paused operation: in words, above the inspector's call stack; the call
 * stack, with a line for each frame and one for frames that were left out; and the source around
 * the current line of a frame. */
#ifndef LMP_INSPECTOR_OP_H
#define LMP_INSPECTOR_OP_H

#include "widget/panel.h"

/* Writes "break 2: block larger than 64 KiB: 131,072 B". */
void inspector_hit(const LmpOp *op, bool utf8, Canvas *canvas, Rect rect, int y);
/* Writes "reallocation #1,234,567 · array or hash part of a table". */
void inspector_what(const LmpOp *op, Canvas *canvas, Rect rect, int y);
/* Writes "0x55d0c2a01230 → 0x55d0c2a04560   64 B → 128 B (+64 B)   made at options.lua:12". */
void inspector_block(const Model *model, bool utf8, Canvas *canvas, Rect rect, int y);
/* Give the name of a frame's function, as a traceback words it, and its place, "options.lua:12". */
const char *inspector_called(const LmpFrame *frame);
void inspector_where(const LmpFrame *frame, char *out, size_t size, bool utf8);

uint64_t inspector_lines(const LmpOp *op);
/* Returns the frame on a line of the list; op->frames for the line of frames left out. */
uint32_t inspector_frame(const LmpOp *op, uint64_t line);
uint64_t inspector_line(const LmpOp *op, uint32_t frame);
/* Returns the columns that the whole stack needs. */
int inspector_stack_width(const LmpOp *op, bool utf8);
/* Draws the call stack. `chosen`: the cursor's line has the keys. */
void inspector_stack(const LmpOp *op, const List *list, bool chosen, bool utf8, Canvas *canvas,
                     Rect rect);

/* Returns the frame's source as lua_Debug has it, for sources_get. A frame has only its short name:
 * the full one is known if the ledger has a line or function of it, else the name is taken for a
 * file. `room`: a buffer to build it in. NULL: a C function, or not known. */
const char *inspector_source_of(const Model *model, const LmpFrame *frame, char *room, size_t size);

/* Returns how many lines at the bottom of a room of `h` the source takes, if everything else needs
 * `need`. */
int inspector_source_lines(int h, int need);
/* Draws name and source, in as many lines as there are. */
void inspector_source(const Model *model, const Ui *ui, Canvas *canvas, Rect rect, uint32_t frame);

#endif
