/* ttysignals.h - the signals that a terminal sends to a program that fills it: another size, a stop
 * from the keyboard, going on. They are blocked but while the display waits, so that none is missed
 * in between. One at a time; another user in this process would take them away. */
#ifndef LMP_TTYSIGNALS_H
#define LMP_TTYSIGNALS_H

#include <signal.h>
#include <stdbool.h>

#define TTYSIGNALS 3

typedef struct TtySignals {
    struct sigaction old[TTYSIGNALS], old_pipe;
    sigset_t mask; /* to wait with (ppoll) */
} TtySignals;

/* From here on they are only noted, and writing to nobody is no end (SIGPIPE). */
void ttysignals_take(TtySignals *signals);
/* What they did before. */
void ttysignals_give_back(const TtySignals *signals);

/* What has come since it was last asked, which is forgotten then. */
bool ttysignals_resized(void);
bool ttysignals_continued(void);
/* A stop is wanted; it stays so until ttysignals_stop, or until they are forgotten. */
bool ttysignals_wants_stop(void);
/* Stops and continues that came while the terminal was not ours. */
void ttysignals_forget_stops(void);

/* Stops this process as SIGTSTP would have, `group`: its process group with it. Returns when it
 * goes on. */
void ttysignals_stop(bool group);

#endif
