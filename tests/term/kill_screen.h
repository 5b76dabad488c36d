/* kill_screen.h - what has come out of a terminal, as far as kill_rounds.c looks at it: the text of
 * the main screen, and which modes are on. */
#ifndef KILL_SCREEN_H
#define KILL_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* What has come out of the terminal. */
typedef struct Screen {
    char *text; /* of the main screen, without carriage returns */
    size_t used, room;
    char escape[64];
    size_t escape_used;
    bool in_escape, alternate, hidden, keys;
    bool shown;     /* there was a display */
    unsigned mouse; /* modes that are on, a bit each */
} Screen;

void screen_feed(Screen *s, const char *bytes, size_t size);

#endif
