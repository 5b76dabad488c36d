/* bychoice.h - the line above a table, "by  class  type  line", that chooses what rows are summed
 * up by: with left and right, or a click. */
#ifndef LMP_BYCHOICE_H
#define LMP_BYCHOICE_H

#include "screen/action.h"
#include "screen/canvas.h"

typedef struct ByChoice {
    const char *const *words;
    int count;
} ByChoice;

/* From so many lines of a panel on there is room for the line. */
enum { BYCHOICE_ROOM = 5 };

/* Draws the line at the top of `rect`, if there is room; returns the column, from its left, where
 * it ends. */
int bychoice_draw(const ByChoice *choice, int chosen, Canvas *canvas, Rect rect);
/* Returns what is left of `rect` below the line. */
Rect bychoice_below(Rect rect);
/* Returns what an action chooses instead of `chosen`; -1: not an action of this line. */
int bychoice_act(const ByChoice *choice, int chosen, Action action);
/* Returns true if a mouse event is for this line; *chosen is then the word that was clicked on, if
 * any. */
bool bychoice_mouse(const ByChoice *choice, int *chosen, MouseEvent event, Rect rect);

#endif
