/* ttysignals.h - the signals that a terminal sends to a full-screen program: a new size, a stop
 * from the keyboard, continuing. They are blocked except while the display waits, so that none is
 * missed in between. One user at a time: a second one in this process would take them over. */
#ifndef LMP_TTYSIGNALS_H
#define LMP_TTYSIGNALS_H

#include <signal.h>
#include <stdbool.h>

#define TTYSIGNALS 3

typedef struct TtySignals {
    struct sigaction old[TTYSIGNALS], old_pipe;
    sigset_t mask; /* to wait with (ppoll) */
} TtySignals;

/* Records the signals, and no more, from now on; SIGPIPE does not end the process. */
void ttysignals_take(TtySignals *signals);
/* Restores their former handling. */
void ttysignals_give_back(const TtySignals *signals);

/* Returns true if there was a resize since the last call. */
bool ttysignals_resized(void);
bool ttysignals_continued(void);
/* Returns true if a stop is wanted, until ttysignals_stop or ttysignals_forget_stops. */
bool ttysignals_wants_stop(void);
/* Drops stops and continues that came while the terminal was not ours. */
void ttysignals_forget_stops(void);

/* Stops this process as SIGTSTP would have, and with `group` its process group. Returns when it
 * continues. */
void ttysignals_stop(bool group);

#endif
