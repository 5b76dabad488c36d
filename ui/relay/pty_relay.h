/* pty_relay.h - the process that owns terminal and output while a program shows its display
 * (`lmp display`, see launch.h). */
#ifndef LMP_PTY_RELAY_H
#define LMP_PTY_RELAY_H

#include <stdbool.h>

typedef struct PtyRelayOptions {
    double fps;          /* repaints per second; 0: the default */
    bool hold;           /* wait for q at the program's end */
    bool input;          /* the program's standard input is the pseudo terminal */
    const char *summary; /* "" none; "-" on the terminal; else a file to write */
} PtyRelayOptions;

/* Does everything, from the viewer's start to the last byte of output. Descriptors as in launch.h.
 * Returns the exit status. */
int pty_relay_run(const PtyRelayOptions *options);

/* Does what is left to do, with the same descriptors, in a process that `lmp run` creates when
 * relay and viewer were killed. */
void pty_relay_inherit(void);

#endif
