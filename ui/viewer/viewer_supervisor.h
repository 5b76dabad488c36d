/* viewer_supervisor.h - runs the viewer in a child process and puts the terminal right when that
 * child ends, whichever way: shared by the relay (`lmp display`) and `lmp top`.
 *
 * The supervisor outlives its viewer, whatever happens to it. The other way round, a viewer whose
 * supervisor was killed leaves the terminal by itself. With `orphaned` its process stays after it
 * has left the terminal, ready to do the supervisor's work should that be killed, until
 * supervisor_dismiss. */
#ifndef LMP_VIEWER_SUPERVISOR_H
#define LMP_VIEWER_SUPERVISOR_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

#include "viewer/viewer.h"

typedef enum SupervisorEnd {
    SUPERVISOR_LEFT,    /* the viewer ended by itself: see result */
    SUPERVISOR_CRASHED, /* it was killed or crashed: see signal */
} SupervisorEnd;

typedef struct Supervisor {
    pid_t pid;  /* of the viewer, 0: there is none */
    int notify; /* the viewer's ViewerOptions.notify, our end */
    int life;   /* readable when the viewer has ended; for poll() */
    int watch;  /* a pipe of ours that ends when we do; for the viewer that stays */
    int tty;
    LmpView *view;
    TtyTaken *taken;                 /* ViewerOptions.taken, or else our own */
    struct SupervisorShared *shared; /* with the child */
    ViewerResult *result;            /* in it */
    int signal; /* that ended a crashed viewer; 0: it exited on its own, with an error */
} Supervisor;

/* Starts a viewer. options->notify is ours to set. `orphaned` (may be NULL) is called in the child
 * with the terminal restored when this process was killed and not dismissed it before. False: no
 * process, no memory. */
bool supervisor_start(Supervisor *supervisor, const ViewerOptions *options,
                      void (*orphaned)(void *context), void *context);

/* Waits until the viewer shows something; false when it ended instead (then supervisor_end tells).
 */
bool supervisor_up(Supervisor *supervisor);

void supervisor_poke(Supervisor *supervisor); /* the spool has grown */
void supervisor_tell(Supervisor *supervisor); /* the display is to end */

/* Collects the viewer after `life` became readable, or else waits for it, at most as long as
 * a loaded machine needs, and then kills it. Restores the terminal where the viewer could not, and
 * lets the program go on if the viewer had paused it. */
SupervisorEnd supervisor_end(Supervisor *supervisor);

/* The supervisor's work is done: a viewer's process that stayed goes. */
void supervisor_dismiss(Supervisor *supervisor);

#endif
