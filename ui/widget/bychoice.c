/* bychoice.c - draws the words one after another from a fixed column; a click finds its word by the
 * same columns. */
#include "widget/bychoice.h"

#include <string.h>

enum { FIRST = 5 /* column of the first word */, GAP = 2 };

static int column(const ByChoice *choice, int by) {
    int x = FIRST;
    for (int i = 0; i < by; i++)
        x += (int)strlen(choice->words[i]) + GAP;
    return x;
}

int bychoice_draw(const ByChoice *choice, int chosen, Canvas *canvas, Rect rect) {
    int end = column(choice, choice->count);
    if (rect.h < BYCHOICE_ROOM) return end;
    canvas_text(canvas, rect.x + 1, rect.y, rect.w, STYLE(TONE_MUTED), "by");
    for (int by = 0; by < choice->count; by++) {
        int x = column(choice, by);
        canvas_text(canvas, rect.x + x, rect.y, rect.w - x,
                    STYLE(by == chosen ? TONE_ACCENT : TONE_TEXT), choice->words[by]);
    }
    return end;
}

Rect bychoice_below(Rect rect) {
    int above = rect.h >= BYCHOICE_ROOM ? 1 : 0;
    return (Rect){rect.x, rect.y + above, rect.w, rect.h - above};
}

int bychoice_act(const ByChoice *choice, int chosen, Action action) {
    if (action == ACT_LEFT) return (chosen + choice->count - 1) % choice->count;
    if (action == ACT_RIGHT || action == ACT_OWNER) return (chosen + 1) % choice->count;
    return -1;
}

bool bychoice_mouse(const ByChoice *choice, int *chosen, MouseEvent event, Rect rect) {
    if (event.what != MOUSE_CLICK || event.y != 0 || rect.h < BYCHOICE_ROOM) return false;
    for (int by = 0; by < choice->count; by++)
        if (event.x >= column(choice, by) && event.x < column(choice, by + 1)) *chosen = by;
    return true;
}
