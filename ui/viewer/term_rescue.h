/* term_rescue.h - gives the terminal back when the process ends without term_close: by exit() or by
 * a signal that kills it. */
#ifndef LMP_TERM_RESCUE_H
#define LMP_TERM_RESCUE_H

#include <termios.h>

/* Takes the deadly signals, before ncurses would. */
void rescue_watch(void);
/* From now on the terminal `fd` gets `modes` back, and the screen that it had; ncurses has been
 * started. */
void rescue_arm(int fd, const struct termios *modes);
void rescue_set_modes(const struct termios *modes);
/* The signals are as they were. */
void rescue_disarm(void);

#endif
