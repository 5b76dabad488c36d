/* screenplan.c - splits the body into one or two columns by its width, gives the bottom panel its
 * rows, and leaves out what has fewer than its least rows. */
#include "screen/screenplan.h"

#define TYPES_H 10    /* heading, six kinds, total, border */
#define TYPES_LEAST 8 /* the six kinds */
#define TIMELINE_LEAST 5
#define TWO_COLUMNS 56 /* from this width on, map and types are side by side */

static int clamp(int v, int low, int high) {
    return v < low ? low : v > high ? high : v;
}

/* Returns the rows of the bottom panel in a body of h rows; 0: none. At least `top` rows remain. */
static int bottom_rows(int h, Bottom bottom, int top) {
    if (bottom == BOTTOM_NONE) return 0;
    if (bottom == BOTTOM_SOME) {
        int rows = h >= 24 ? clamp(h * 3 / 10, 5, 18) : clamp(h / 4, 5, 18);
        return h - rows >= top ? rows : 0;
    }
    int rows = clamp(h * 2 / 5, bottom == BOTTOM_LIST ? 6 : 9, 28);
    if (bottom == BOTTOM_LIST) {
        /* with no room for a timeline anyway, the table gets what the types do not need */
        if (h - rows < TYPES_H + TIMELINE_LEAST && h - TYPES_H >= rows) rows = h - TYPES_H;
        return h - rows >= top ? rows : 0;
    }
    return h - rows >= top ? rows : h; /* the person is looking at that panel */
}

static int right_column(int w) {
    if (w >= 116) return clamp(w * 45 / 100, 56, 84);
    if (w >= 96) return 49;
    return w >= 76 ? 41 : 30;
}

static void two_columns(ScreenPlan *layout, Bottom bottom) {
    Rect body = layout->body;
    int low = bottom_rows(body.h, bottom, TYPES_LEAST);
    int top = body.h - low;
    if (low > 0) layout->slot[SLOT_BOTTOM] = (Rect){body.x, body.y + top, body.w, low};
    if (top <= 0) return;
    int right = right_column(body.w), left = body.w - right;
    int timeline = top - TYPES_H;
    if (timeline == TIMELINE_LEAST - 1) timeline++; /* the types give up their total */
    if (timeline < TIMELINE_LEAST) timeline = 0;
    layout->slot[SLOT_MAP] = (Rect){body.x, body.y, left, top};
    layout->slot[SLOT_TYPES] = (Rect){body.x + left, body.y, right, top - timeline};
    if (timeline > 0) {
        layout->slot[SLOT_TIMELINE] =
            (Rect){body.x + left, body.y + top - timeline, right, timeline};
    }
}

static void one_column(ScreenPlan *layout, Bottom bottom) {
    Rect body = layout->body;
    int low = bottom_rows(body.h, bottom, bottom == BOTTOM_MUCH ? TYPES_LEAST : TYPES_H + 8);
    int left = body.h - low;
    if (low > 0) layout->slot[SLOT_BOTTOM] = (Rect){body.x, body.y + left, body.w, low};
    if (left <= 0) return;
    int types = left < TYPES_H ? left : TYPES_H, map = left - types;
    if (map < 5) {
        map = 0;
        types = left;
    }
    int timeline = map >= 18 ? map * 2 / 5 : 0;
    map -= timeline;
    int y = body.y;
    if (map > 0) layout->slot[SLOT_MAP] = (Rect){body.x, y, body.w, map};
    y += map;
    layout->slot[SLOT_TYPES] = (Rect){body.x, y, body.w, types};
    y += types;
    if (timeline > 0) layout->slot[SLOT_TIMELINE] = (Rect){body.x, y, body.w, timeline};
}

ScreenPlan screenplan_make(int w, int h, Bottom bottom, bool advice) {
    ScreenPlan layout = {0};
    if (w < 1 || h < 1) return layout;
    int header = h >= 18 ? 4 : h >= 14 ? 3 : h >= 9 ? 2 : 1;
    if (advice && h >= SCREENPLAN_TALL) header++;
    int footer = h >= 3 ? 1 : 0;
    layout.header = (Rect){0, 0, w, header};
    layout.footer = (Rect){0, h - footer, w, footer};
    layout.body = (Rect){0, header, w, h - header - footer};
    if (layout.body.h <= 0) {
        layout.body.h = 0;
    } else if (w >= TWO_COLUMNS && layout.body.h >= TYPES_LEAST) {
        two_columns(&layout, bottom);
    } else {
        one_column(&layout, bottom);
    }
    return layout;
}

/* Seven rows are the six kinds and a title, so a box would cost more than it gives. */
Rect screenplan_inside(Rect rect, BorderKind *kind) {
    BorderKind frame = BORDER_NONE;
    if (rect.h >= 5) frame = rect.w >= 24 && rect.h != 7 ? BORDER_BOX : BORDER_TITLE;
    if (kind) *kind = frame;
    if (frame == BORDER_BOX) return (Rect){rect.x + 1, rect.y + 1, rect.w - 2, rect.h - 2};
    if (frame == BORDER_TITLE) return (Rect){rect.x, rect.y + 1, rect.w, rect.h - 1};
    return rect;
}
