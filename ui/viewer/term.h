/* term.h - the terminal: a canvas goes out, keys come in. term*.c are the only users of ncurses.
 *
 * One terminal at a time. Whatever happens to the process while it is open (return, exit(), a
 * signal that kills it, a crash), the terminal gets its modes, cursor and screen back. */
#ifndef LMP_TERM_H
#define LMP_TERM_H

#include <stdbool.h>

#include "screen/action.h"
#include "screen/canvas.h"

typedef struct Term Term;

/* Opens the display on the terminal `fd` (both directions; stays the caller's). The character set
 * is taken from the locale of the environment (LMP_ASCII=1: ASCII), colours from TERM and the
 * environment (NO_COLOR, LMP_THEME, see theme.h), or where that says nothing from `theme` (NULL:
 * no wish). NULL: the display cannot be shown, *problem says why in one line. */
Term *term_open(int fd, const char *theme, const char **problem);
/* Gives the terminal back as it was. */
void term_close(Term *term);

bool term_utf8(const Term *term);
int term_colours(const Term *term); /* 0, 8, 16 or 256: what there is to tell kinds by */
const Theme *term_theme(const Term *term);
/* The size at this moment, cells. */
void term_size(Term *term, int *w, int *h);

/* Brings the screen to what the canvas has; only cells that changed are sent. */
void term_show(Term *term, const Canvas *canvas);
/* The next term_show sends everything. */
void term_redraw(Term *term);
/* The next that has come from the person, K_NONE: nothing. */
Event term_event(Term *term);
void term_mouse(Term *term, bool on);

/* Leaves the screen and restores the modes for a while, and comes back. */
void term_leave(Term *term);
void term_return(Term *term);

#endif
