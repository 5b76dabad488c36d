/* viewer.h - the display of one shared state on one terminal: owns terminal, model and app until
 * the person quits or the program has ended. No threads; sleeps whenever nothing changes. */
#ifndef LMP_VIEWER_H
#define LMP_VIEWER_H

#include <stdbool.h>

#include "pty/tty.h"
#include "read/view.h"
#include "recording/reader/recording.h"

typedef struct ViewerOptions {
    LmpView *view; /* open; remains the caller's. NULL: there is only a snapshot */
    LmpRecording
        *recording; /* a replay: `view` is the recording's. Remains the caller's. NULL: none */
    bool grows;     /* the recording may still be written */
    const char *recording_file; /* its name, to follow the file while it is written; NULL: does not
                                   follow */
    int recording_fd;           /* ... and descriptor */
    uint64_t at;           /* the moment that a replay begins with, nanoseconds since the start */
    LmpRecording *against; /* what tables compare with, at this repaint. The caller's. NULL: none */
    uint32_t against_frame;
    const char *against_name;          /* printable, "old.lmprec@peak" */
    const char *heap;                  /* a snapshot's file */
    const char *const *snapshot_older; /* files to compare the snapshot with, the oldest first */
    uint32_t snapshot_olders;
    int tty;    /* descriptor of the terminal, both directions; remains the caller's */
    double fps; /* repaints a second while the program runs; 0: the state's own request, or 10 */
    bool hold;  /* wait for q when the program has ended */
    bool live;  /* the program runs in this terminal (lmp.start(true), lmp run): ctrl-C is for the
                   program, and quitting says that it goes on; false: lmp top */
    int spool;  /* memory file to which another process appends what the program printed: read
                   with pread from SPOOL_AT on, never sought in (spool.h); -1: none */
    TtyTaken *
        taken; /* shared with the process that restores the terminal if we are killed; NULL: none */
    int notify; /* becomes readable when the spool has grown (pipe, eventfd or socket: its bytes are
                   read and thrown away); end of file or a byte 'Q' there: the display ends. -1:
                   none, then every repaint looks at the spool */
    const char *breaks; /* conditions to begin with, as breaks_parse_lines reads them; NULL: none */
    int input; /* master of the program's pseudo terminal: typed lines are written here; -1 */
    /* ctrl-C while live. NULL: SIGINT to the program's pid. */
    void (*interrupt)(void *context);
    /* ctrl-Z, called with the terminal restored; returns when the display is to come back. NULL:
     * SIGTSTP to our own process group, as a shell's job is stopped. */
    void (*suspend)(void *context);
    void *context;
} ViewerOptions;

typedef enum ViewerEnd {
    VIEWER_QUIT,     /* the person quit; the program goes on */
    VIEWER_FINISHED, /* the program stopped the profile or ended normally */
    VIEWER_KILLED,   /* the program is gone and did not end normally */
    VIEWER_TOLD,     /* the notify descriptor told the display to end */
    VIEWER_LOST,     /* another job has the terminal now, such as the shell that started this one */
    VIEWER_OTHER,    /* within viewer_run: another program is to be shown */
    VIEWER_NO_TTY,   /* the terminal was unusable (or went away); nothing was shown */
} ViewerEnd;

typedef struct ViewerResult {
    ViewerEnd end;
    char saved[64];     /* name of the last picture saved, "" none */
    char recorded[256]; /* how the last recording begun here ended, "" none */
    char problem[128];  /* VIEWER_NO_TTY: why, one line */
} ViewerResult;

/* Shows the display until it ends; restores the terminal on every path out. Resumes the program if
 * this viewer paused it. */
void viewer_run(const ViewerOptions *options, ViewerResult *result);

#endif
