/* term_impl.h - the inside of the terminal, for term.c and term_*.c only. */
#ifndef LMP_TERM_IMPL_H
#define LMP_TERM_IMPL_H

#include <curses.h>
#include <termios.h>

#include "pty/tty.h"
#include "terminal/escape.h"
#include "terminal/term.h"

#define MOUSE_RUN 8
#define GROUNDS 258 /* colours 0 .. 255, the terminal's own as -1, and one spare */

/* What a terminal can do, in a build that is to need no database of that: a compiled entry, as
 * $TERMINFO may hold it ("b64:..."). */
typedef struct TermEntry {
    const char *name, *entry;
} TermEntry;
extern const TermEntry term_entries[]; /* made by entries.cmake; ends with a row of NULLs */

struct Term {
    int fd;
    FILE *in, *out;
    SCREEN *screen;
    WINDOW *keys; /* a pad: reading keys from it never repaints the screen */
    struct termios modes;
    TtyTaken taken; /* the modes before us, and our own */
    bool utf8, mouse, away, redraw;
    Theme theme;
    int colours;
    Canvas *shown;  /* what the terminal has */
    uint16_t *pair; /* of a foreground and a ground, 0: not made yet */
    int pairs, pairs_most;
    Escape escape;
    uint64_t click_time;
    int click_x, click_y;
    MEVENT run[MOUSE_RUN]; /* events that came in one read, newest first; `runs` of them are still
                              to be returned */
    int runs;
};

/* term_rescue.c: restores the terminal when the process ends without term_close: by exit() or by a
 * signal that kills it. */

/* Installs handlers for deadly signals, before ncurses would. */
void rescue_watch(void);
/* Makes the terminal `fd` get `modes` and its former screen back from now on. Call after ncurses
 * has been started. */
void rescue_arm(int fd, const struct termios *modes);
void rescue_set_modes(const struct termios *modes);
/* Restores the former signal handlers. */
void rescue_disarm(void);

#endif
