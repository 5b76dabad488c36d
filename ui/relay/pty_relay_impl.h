/* pty_relay_impl.h - the inside of the relay, for pty_relay.c and relay_say.c only. */
#ifndef LMP_PTY_RELAY_IMPL_H
#define LMP_PTY_RELAY_IMPL_H

#include <stdbool.h>
#include <sys/types.h>

#include "pty/spool.h"
#include "relay/pty_relay.h"
#include "viewer/viewer_supervisor.h"

typedef enum PtyRelayEnd {
    PROGRAM_RUNS,
    PROGRAM_ENDED, /* said END */
    PROGRAM_GONE,  /* died without saying END */
    PROGRAM_LEFT,  /* lives on as another program */
    PROGRAM_SHUT,  /* lives on, but closed its end of the line */
} PtyRelayEnd;

typedef struct PtyRelay {
    PtyRelayOptions options;
    LmpView view;
    Supervisor supervisor;
    Spool spool;
    LmpRelayState *relay_state; /* in the spool: how far we are */
    bool showing;
    int tty, master, line, process, signals; /* -1: not there (any more) */
    pid_t pid;                               /* of the program, in our pid namespace */
    bool run_killed;                         /* `lmp run` was there and is gone */
    bool under_run;   /* LMP_FD_HOLD is open: `lmp run` says how the program ended */
    char typed[4097]; /* input that the program's terminal has not accepted yet */
    size_t typed_size;
    bool tty_lost; /* the terminal is gone: output is read and dropped */
} PtyRelay;

/* relay_say.c: what is written to the terminal, and how far that has got. */

PtyRelayEnd relay_ended(const PtyRelay *k);
bool relay_has(const PtyRelay *k, uint32_t step);
void relay_note(PtyRelay *k, uint32_t step);
/* Writes all of the output, in order, if the display is over. */
void relay_write_out(PtyRelay *k);
/* Returns true if the output ends in the middle of a line. */
bool relay_line_open(const PtyRelay *k);
/* Prints a message of ours, on a line of its own. The message takes the same path as the output, so
 * that it appears only once if we are killed. */
void relay_say(PtyRelay *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns true if `lmp run`, which has the other end of the pipe, is gone. */
bool relay_run_gone(PtyRelay *k);
/* Prints everything we have to say at the end, in one piece. */
void relay_say_ending(PtyRelay *k);

#endif
