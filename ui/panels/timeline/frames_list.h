/* frames_list.h - lists the worst frames of the program's own (laps.h), below the timeline if there
 * is room for both. */
#ifndef LMP_FRAMES_LIST_H
#define LMP_FRAMES_LIST_H

#include "widget/panel.h"

/* Returns how many of `h` lines the list takes, with its heading and a blank line above; 0: no
 * frames, or no room. */
int frames_list_lines(const Model *model, int h);
/* `at`: the moment whose frame is marked, nanoseconds since start; 0: none. */
void frames_list_draw(const Model *model, const Ui *ui, Canvas *canvas, Rect rect, uint64_t at);
/* Returns the moment of the frame on a line of the room, 0: none. */
uint64_t frames_list_moment(const Model *model, Rect rect, int line);

#endif
