/* bychoice.h - the line above a table that says by what it is summed up, "by  class  type  line":
 * left and right, or a click, choose. */
#ifndef LMP_BYCHOICE_H
#define LMP_BYCHOICE_H

#include "screen/action.h"
#include "screen/canvas.h"

typedef struct ByChoice {
    const char *const *words;
    int count;
} ByChoice;

/* From so many lines of a panel on there is room for it. */
enum { BYCHOICE_ROOM = 5 };

/* Draws it at the top of `rect`, if there is room; returns where it ends, columns from its left. */
int bychoice_draw(const ByChoice *choice, int chosen, Canvas *canvas, Rect rect);
/* What is left of `rect` below it. */
Rect bychoice_below(Rect rect);
/* What an action chooses instead of `chosen`; -1: it is no action of this line. */
int bychoice_act(const ByChoice *choice, int chosen, Action action);
/* Is a mouse event for this line? Then *chosen is what was clicked on, if anything was. */
bool bychoice_mouse(const ByChoice *choice, int *chosen, MouseEvent event, Rect rect);

#endif
