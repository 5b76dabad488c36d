/* screenplan.h - where everything stands on a screen of a given size: a pure function, no state.
 *
 * At any size the rectangles lie inside the screen and do not overlap, the header has its first
 * line, and the footer has its line from three rows on. What does not fit is left out in this
 * order: timeline, map, types; the bottom panel goes first, or last if the person is looking at it
 * (BOTTOM_MUCH). */
#ifndef LMP_SCREEN_SCREENPLAN_H
#define LMP_SCREEN_SCREENPLAN_H

#include <stdbool.h>

#include "screen/canvas.h"

typedef enum Slot { SLOT_MAP, SLOT_TYPES, SLOT_TIMELINE, SLOT_BOTTOM, SLOTS } Slot;

typedef enum Bottom {
    BOTTOM_NONE, /* nothing to show there */
    BOTTOM_SOME, /* a few lines of output */
    BOTTOM_LIST, /* a table, part of the overview: not if it would push out the types */
    BOTTOM_MUCH, /* inspector, list of blocks */
} Bottom;

typedef struct ScreenPlan {
    Rect header, footer;
    Rect body;        /* between the two */
    Rect slot[SLOTS]; /* border included; w == 0: left out */
} ScreenPlan;

/* Which border a panel has in its rectangle. */
typedef enum BorderKind {
    BORDER_NONE,  /* no room for a border */
    BORDER_TITLE, /* one line above */
    BORDER_BOX
} BorderKind;

/* From so many rows on the header may have another line, for advice. */
#define SCREENPLAN_TALL 20
/* Divides a screen of w columns and h lines. `advice`: the header has that line, if the screen is
 * tall enough. */
ScreenPlan screenplan_make(int w, int h, Bottom bottom, bool advice);
/* Returns the room that a panel has in `rect`, and its border (kind may be NULL). */
Rect screenplan_inside(Rect rect, BorderKind *kind);

#endif
