/* term.h - the terminal: shows a canvas, receives keys. term*.c are the only users of ncurses.
 *
 * One terminal at a time. Whatever happens to the process while the terminal is open (return,
 * exit(), a signal that kills it, a crash), the terminal gets its modes, cursor and screen back. */
#ifndef LMP_TERM_H
#define LMP_TERM_H

#include <stdbool.h>

#include "screen/action.h"
#include "screen/canvas.h"

typedef struct Term Term;

/* Opens the display on the terminal `fd` (both directions; remains the caller's). The character set
 * comes from the locale of the environment (LMP_ASCII=1: ASCII), colours from TERM and the
 * environment (NO_COLOR, LMP_THEME, see theme.h), else from `theme` (NULL: no preference). Returns
 * NULL if the display cannot be shown; *problem says why in one line. */
Term *term_open(int fd, const char *theme, const char **problem);
/* Restores the terminal as it was. */
void term_close(Term *term);

bool term_utf8(const Term *term);
int term_colours(const Term *term); /* 0, 8, 16 or 256 colours to tell kinds apart */
const Theme *term_theme(const Term *term);
/* Sets the theme from the next redraw on; LMP_THEME takes precedence. NULL: none. */
void term_choose_theme(Term *term, const char *theme);
/* Returns the current size in cells. */
void term_size(Term *term, int *w, int *h);

/* Makes the screen match the canvas; sends only the cells that changed. */
void term_show(Term *term, const Canvas *canvas);
/* Makes the next term_show send everything. */
void term_redraw(Term *term);
/* Returns the next input from the person, K_NONE: there is none. */
Event term_event(Term *term);
void term_mouse(Term *term, bool on);

/* Leaves the screen and restores the modes for a while; term_return comes back. */
void term_leave(Term *term);
void term_return(Term *term);

#endif
