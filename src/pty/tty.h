/* tty.h - puts a terminal right after a display that could not do it itself. */
#ifndef LMP_TTY_H
#define LMP_TTY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <termios.h>

/* What a display has done to the terminal, in memory that its survivors share. */
typedef struct TtyTaken {
    struct termios before, during; /* settings without and with the display */
    atomic_bool before_known, during_known;
    atomic_bool taken; /* a display is on the terminal, or was when it died */
} TtyTaken;

/* Returns true if this process's job has the terminal; false also when a shell has taken it
 * back. */
bool tty_is_ours(int tty);

/* Restores the settings only: those from before, unless a shell has the terminal and has set its
 * own. */
void tty_restore_mode(int tty, const TtyTaken *taken);

/* Puts all of it right, if a display is there; afterwards the display counts as gone. */
void tty_put_right(int tty, TtyTaken *taken);

#endif
