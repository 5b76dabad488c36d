/* term_rescue.h - restores the terminal when the process ends without term_close: by exit() or by a
 * signal that kills it. */
#ifndef LMP_TERM_RESCUE_H
#define LMP_TERM_RESCUE_H

#include <termios.h>

/* Installs handlers for deadly signals, before ncurses would. */
void rescue_watch(void);
/* Makes the terminal `fd` get `modes` and its former screen back from now on. Call after ncurses
 * has been started. */
void rescue_arm(int fd, const struct termios *modes);
void rescue_set_modes(const struct termios *modes);
/* Restores the former signal handlers. */
void rescue_disarm(void);

#endif
