/* inspector_source.h - draws the source around the current line of a frame of the paused
 * operation. */
#ifndef LMP_INSPECTOR_SOURCE_H
#define LMP_INSPECTOR_SOURCE_H

#include "widget/panel.h"

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
