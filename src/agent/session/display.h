/* display.h - the program's side of a live display: gives the program's terminal streams to a
 * pseudo terminal, starts the relay (launch.h), and takes the streams back at the end.
 *
 * Part of the module, in a stranger's process: no thread, no signal handler, no child that the
 * program could notice, nothing printed. Lua is not seen here. */
#ifndef LMP_DISPLAY_H
#define LMP_DISPLAY_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

#include "base/err.h"
#include "base/own.h"
#include "pty/spool.h"

typedef struct LmpDisplayOptions {
    bool hold;           /* wait for q at the end */
    double fps;          /* repaints a second */
    const char *summary; /* "" none; "-" on the terminal; else a file that the relay writes */
    int run_socket;      /* socket to `lmp run` for LMP_HANDSHAKE_DISPLAY, or -1 */
} LmpDisplayOptions;

#define DISPLAY_NONE                                                                               \
    ((LmpDisplay){                                                                                 \
        .line = OWN_FD_NONE,                                                                       \
        .master = OWN_FD_NONE,                                                                     \
        .saved = {OWN_FD_NONE, OWN_FD_NONE, OWN_FD_NONE},                                          \
        .kept = {OWN_FD_NONE, OWN_FD_NONE, OWN_FD_NONE},                                           \
    })

typedef struct LmpDisplay {
    LmpOwnFd line;     /* our end of the line to the relay; none: no display */
    LmpOwnFd master;   /* our copy of the master, so that writing never fails if the relay dies */
    LmpOwnFd saved[3]; /* duplicates of the program's own streams; none: that was left alone */
    LmpOwnFd kept[3];  /* the spool's memory, disk, out: for when no other process can write it */
    LmpRelayState *relay_state; /* in it, mapped; NULL: no display */
    dev_t pty; /* the pseudo terminal's slave, to see whether a stream is still ours */
    bool ended;
} LmpDisplay;

/* Starts the display for the state in `state_fd` (stays the caller's). `command`: path of lmp.
 * Returns when the display is up. On error nothing has changed: the program's streams are as they
 * were. Errors: NOTTY, PTY, VIEWER, NOVIEWER. */
LmpErr display_start(LmpDisplay *display, int state_fd, const char *command,
                     const LmpDisplayOptions *options);

/* Returns true while the relay is there, or a process that replaces it. If not, the streams are
 * given back here (the terminal is restored, and gets what was kept first, in order), and false is
 * returned from then on. Called now and then from the cold side of the hook; must not allocate. */
bool display_check(LmpDisplay *display);

/* Ends the display: flushes C's stdout and stderr, gives the streams back, tells the relay and
 * waits until the relay has left the terminal. Returns true if the relay was there and has written
 * output and summary. When called again, or without a display, does nothing and returns false. */
bool display_end(LmpDisplay *display);

/* Says that the process is about to end, and waits for nothing: `lmp run` waits for the display in
 * its place. The streams stay as they are, to the process's end; then call display_check once more.
 * Returns false if no process is there (or no display). */
bool display_leave(LmpDisplay *display);

/* Returns true if another process has written the summary. */
bool display_said(const LmpDisplay *display);

/* Lets go of everything without touching the terminal, in a forked child. */
void display_forget(LmpDisplay *display);

#endif
