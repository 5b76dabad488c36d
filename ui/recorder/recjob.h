/* recjob.h - a process that records one shared state: in the foreground, or one that is started
 * to record and that outlives everybody else: the program, its display, `lmp run`.
 *
 * The process holds the state's descriptor, so it has the program's last figures even after a kill.
 * It ends when the program has ended, when somebody asks it to (LmpRecNote.stop, its line,
 * SIGTERM), or with the first error of its file, which never concerns the program. */
#ifndef LMP_RECORDER_RECJOB_H
#define LMP_RECORDER_RECJOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "recording/writer/recorder.h"

typedef struct RecJob {
    int state;         /* the shared state's file; stays the caller's */
    uint32_t pid;      /* of the program, as seen from here; 0: as the state has it */
    const char *file;  /* what to write */
    uint64_t limit;    /* bytes of it; 0: the recorder's own limit */
    const char *again; /* how the program was started, for a shell; NULL: not known */
    int output;        /* the spool's memory file (spool.h), read only; -1: none */
    bool last_word;    /* the other end of the line will say how the program ended */
    bool foreground;   /* ctrl-C and a hangup end it, too */
} RecJob;

typedef enum RecWhy {
    RECJOB_ENDED,  /* the program has ended */
    RECJOB_ASKED,  /* somebody wanted it to stop */
    RECJOB_FAILED, /* .err, .number */
    RECJOB_TAKEN,  /* another process records this state already */
} RecWhy;

/* How a recording ended: also the message by which a started process says so. */
typedef struct RecEnd {
    uint32_t why;   /* RecWhy */
    uint32_t err;   /* LmpErr */
    int32_t number; /* the system's error, 0: none */
    uint32_t spare;
    uint64_t bytes;       /* of the file */
    LmpRecShort shortage; /* what the limit has cost */
    uint64_t clock;       /* nanoseconds since the state's start, when it stopped */
} RecEnd;

/* What may be said on the line to a started process, a byte each. */
#define RECJOB_SAY_ENDED 'E'  /* LmpControl.ended is there, the program is gone */
#define RECJOB_SAY_OUTPUT 'O' /* with a descriptor: RecJob.output */

/* Records in this process, until the recording is over. `line`: -1, or to hear from and to write
 * RecEnd to. */
RecEnd recjob_run(const RecJob *job, int line);

/* Starts a recording process that is nobody's child, in a session of its own. Returns our end of
 * the line; closing it does not end the process. -1: it could not be started. */
int recjob_start(const RecJob *job);
/* Gives a started process the program's output; `output` stays the caller's. */
void recjob_give_output(int line, int output);

/* Returns why the recording failed, in words. */
const char *recjob_problem(const RecEnd *end);

#endif
