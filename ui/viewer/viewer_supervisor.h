/* viewer_supervisor.h - runs the viewer in a child process and restores the terminal however that
 * child ends: shared by the relay (`lmp display`) and `lmp top`.
 *
 * The supervisor outlives its viewer. Conversely, a viewer whose supervisor was killed leaves the
 * terminal by itself. With `orphaned` its process stays after it has left the terminal, ready to do
 * the supervisor's work if that is killed, until supervisor_dismiss. */
#ifndef LMP_VIEWER_SUPERVISOR_H
#define LMP_VIEWER_SUPERVISOR_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

#include "viewer/viewer.h"

typedef enum SupervisorEnd {
    SUPERVISOR_LEFT,    /* the viewer ended by itself: see result */
    SUPERVISOR_CRASHED, /* the viewer was killed or crashed: see signal */
} SupervisorEnd;

typedef struct Supervisor {
    pid_t pid;  /* of the viewer, 0: there is none */
    int notify; /* our end of the viewer's ViewerOptions.notify */
    int life;   /* readable when the viewer has ended, for poll() */
    int watch;  /* a pipe of ours that closes when we end; for the viewer that stays */
    int tty;
    LmpView *view;
    TtyTaken *taken;                 /* ViewerOptions.taken, or else our own */
    struct SupervisorShared *shared; /* shared with the child */
    ViewerResult *result;            /* within `shared` */
    int signal; /* that killed a crashed viewer; 0: it exited on its own, with an error */
} Supervisor;

/* Starts a viewer, and sets its options->notify. `orphaned` (may be NULL) is called in the child
 * with the terminal restored if this process was killed before it dismissed the child. Returns
 * false: no process, no memory. */
bool supervisor_start(Supervisor *supervisor, const ViewerOptions *options,
                      void (*orphaned)(void *context), void *context);

/* Waits until the viewer shows something. Returns false if it ended instead (then supervisor_end
 * says how). */
bool supervisor_up(Supervisor *supervisor);

void supervisor_poke(Supervisor *supervisor); /* the spool has grown */
void supervisor_tell(Supervisor *supervisor); /* the display is to end */

/* Collects the viewer after `life` became readable; otherwise waits for it, at most as long as a
 * loaded machine needs, then kills it. Restores the terminal if the viewer could not, and resumes
 * the program if the viewer had paused it. */
SupervisorEnd supervisor_end(Supervisor *supervisor);

/* Ends a viewer's process that stayed: the supervisor's work is done. */
void supervisor_dismiss(Supervisor *supervisor);

#endif
