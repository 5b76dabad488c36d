/* ttyrestore.h - puts a terminal right after a display that could not do it itself. */
#ifndef LMP_TTYRESTORE_H
#define LMP_TTYRESTORE_H

#include <stdbool.h>
#include <termios.h>

bool tty_same_mode(const struct termios *a, const struct termios *b);

/* Has this process's job the terminal? False also when a shell has taken it back. */
bool tty_is_ours(int tty);

/* Switches off all that a display can have left on: the other screen, the mouse, colours, the
 * hidden cursor. Nothing on a terminal that has no such things by its name. */
void tty_leave_screen(int tty);

#endif
