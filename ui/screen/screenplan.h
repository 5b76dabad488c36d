/* layout.h - where everything stands on a screen of a given size: a pure function, no state.
 *
 * At any size the rectangles lie inside the screen and do not overlap, the header has its first
 * line, and the footer has its line from three rows on. What does not fit is left out in this
 * order: timeline, map, types; the bottom panel goes first, or last if the person is looking at it
 * (BOTTOM_MUCH). */
#ifndef LMP_LAYOUT_H
#define LMP_LAYOUT_H

#include <stdbool.h>

#include "screen/canvas.h"

typedef enum Slot { SLOT_MAP, SLOT_TYPES, SLOT_TIMELINE, SLOT_BOTTOM, SLOTS } Slot;

typedef enum Bottom {
    BOTTOM_NONE, /* nothing to show there */
    BOTTOM_SOME, /* a few lines of output */
    BOTTOM_LIST, /* a table, part of the overview: not if it would push out the types */
    BOTTOM_MUCH, /* inspector, list of blocks */
} Bottom;

typedef struct Layout {
    Rect header, footer;
    Rect body;        /* between the two */
    Rect slot[SLOTS]; /* frame included; w == 0: left out */
} Layout;

/* How a panel is framed in its rectangle. */
typedef enum FrameKind {
    FRAME_NONE,  /* no room for a frame */
    FRAME_TITLE, /* one line above */
    FRAME_BOX
} FrameKind;

/* From so many rows on the header may have another line, for advice. */
#define LAYOUT_TALL 20
/* `advice`: the header has that line, if the screen is tall enough. */
Layout layout_make(int w, int h, Bottom bottom, bool advice);
/* Returns the room that a panel has in `rect`, and its frame (kind may be NULL). */
Rect layout_inside(Rect rect, FrameKind *kind);

#endif
