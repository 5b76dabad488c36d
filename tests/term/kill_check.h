/* kill_check.h - what a round of kill_rounds.c must have left: every line of the program once, a
 * summary, the terminal as it was. */
#ifndef LMP_KILL_CHECK_H
#define LMP_KILL_CHECK_H

#include <stdbool.h>
#include <termios.h>

#include "kill_plan.h"
#include "kill_screen.h"

extern char kill_work[256];     /* the directory of the round */
extern char check_problem[512]; /* what was wrong first; "": nothing so far */

/* Notes what is wrong. Returns false. */
bool check_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Is there such a file in the directory of the round? */
bool check_file(const char *name);
bool check_output(const Plan *p, const Screen *s);
bool check_terminal(const Screen *s, int tty, const struct termios *before);

#endif
