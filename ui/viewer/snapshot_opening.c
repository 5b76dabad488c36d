/* snapshot_opening.c - keeps keys for later, and draws a progress bar with words, in five widths of
 * which the widest that fits is taken. */
#include "viewer/snapshot_opening.h"

#include <stdio.h>
#include <string.h>

#include "screen/canvas.h"

static void keep(SnapshotOpening *wait, Event event) {
    if (wait->laters < SNAPSHOT_OPENING_KEYS) wait->later[wait->laters++] = event;
}

void snapshot_opening_event(SnapshotOpening *wait, Event event) {
    switch (event.key) {
    case 'Q': /* leaves the display as well, when this has stopped */
        wait->stopped = true;
        keep(wait, event);
        break;
    case K_ESC:
    case 'q':
    case K_CTRL('C'):
        wait->stopped = true;
        break;
    case K_NONE:
    case K_RESIZE: /* the next repaint has the new size */
        break;
    default:
        keep(wait, event);
    }
}

Event snapshot_opening_later(SnapshotOpening *wait) {
    if (wait->taken == wait->laters) return (Event){.key = K_NONE};
    return wait->later[wait->taken++];
}

static void put_bar(char *out, size_t size, double share, int cells, bool utf8) {
    const char *full = utf8 ? "\xe2\x94\x81" : "=", *rest = utf8 ? "\xe2\x94\x80" : "-";
    int done = (int)(share * cells + 0.5);
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i < cells && used + 4 < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s", i < done ? full : rest);
}

const char *snapshot_opening_words(const SnapshotOpening *wait, const char *step, double share,
                                   bool utf8, int width, char *out) {
    enum { BAR = 20, SMALL = 8 };
    char bar[BAR * 4], small[SMALL * 4], name[sizeof wait->what];
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    int percent = (int)(share * 100);
    put_bar(bar, sizeof bar, share, BAR, utf8);
    put_bar(small, sizeof small, share, SMALL, utf8);
    snprintf(name, sizeof name, "%s", wait->what);
    name[strcspn(name, ",")] = 0;
    for (int less = 0; less < 5; less++) {
        switch (less) {
        case 0:
            snprintf(out, SNAPSHOT_OPENING_LINE, "Reading %.80s  %s %3d %%  esc stops it  %s",
                     wait->what, bar, percent, step);
            break;
        case 1:
            snprintf(out, SNAPSHOT_OPENING_LINE, "Reading %.80s  %s %3d %%  esc stops it",
                     wait->what, bar, percent);
            break;
        case 2:
            snprintf(out, SNAPSHOT_OPENING_LINE, "Reading %.60s  %s %3d %%  esc stops it", name,
                     small, percent);
            break;
        case 3:
            snprintf(out, SNAPSHOT_OPENING_LINE, "Reading  %s %3d %%  esc stops it", small,
                     percent);
            break;
        default:
            snprintf(out, SNAPSHOT_OPENING_LINE, "%d %%  esc stops it", percent);
        }
        if (canvas_width(out) <= width) break;
    }
    return out;
}
