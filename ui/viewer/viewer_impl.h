/* viewer_impl.h - the inside of the viewer, for viewer.c and viewer_*.c only. */
#ifndef LMP_VIEWER_IMPL_H
#define LMP_VIEWER_IMPL_H

#include "app/app.h"
#include "base/privatedir.h"
#include "read/model/model.h"
#include "recording/writer/recorder.h"
#include "replay/player.h"
#include "terminal/term.h"
#include "viewer/blocked.h"
#include "viewer/collect_wait.h"
#include "viewer/viewer.h"

#define MS 1000000ull /* nanoseconds */
#define OWN_SHARE 12  /* a repaint may take one part in this many of the time */

/* The last snapshot of the heap, as far as the display has seen it. */
typedef struct SnapshotWatch {
    bool seen;           /* anything was seen */
    uint32_t seq, phase; /* at the last look */
    uint32_t said;       /* number of the last snapshot that a line has told of */
    uint64_t written;    /* clock at which a look found the snapshot written; 0: not yet */
    uint32_t asked;      /* asked for by us, and not begun; 0: none */
    bool later, collect; /* one more is to be asked for, and whether garbage is collected first */
    CollectWait wait;
    LmpSnapshotLive of;
} SnapshotWatch;

/* A snapshot that the display takes once, unasked, and that a process of its own reads. */
typedef struct ProofWatch {
    enum { PROOF_NONE, PROOF_ASKED, PROOF_READ, PROOF_OVER } step;
    PrivateDir directory; /* where the snapshot is */
    uint32_t request;
    uint64_t since; /* clock, of the request */
    UiWish wish[UI_PROOFS];
    int wishes;
    pid_t reader;
    int line; /* from the reader; -1: none */
    UiProof found[UI_PROOFS];
    size_t heard; /* bytes read from the line */
} ProofWatch;

/* The recording of this run, as far as the display has seen it. */
typedef struct RecWatch {
    bool seen;      /* anything was seen */
    bool ours;      /* begun by a key here, into `file` */
    uint32_t count; /* LmpRecNote.count of the last recording seen running, or told of */
    uint64_t next;  /* when to look again */
    char file[4352];
} RecWatch;

/* The past of a running program, kept in a memory file. */
typedef struct Slider {
    LmpRecorder *recorder;   /* NULL: none is kept */
    LmpRecording *recording; /* of the same file; NULL: nobody has looked at the past yet */
    int fd;                  /* the file */
    uint64_t next;           /* when the recorder is to be called again */
    LmpSeen seen;            /* of the program, at the recorder's last call */
    Model *live;             /* the present, while the past is shown; else NULL */
    Output *output;          /* what had been printed by the moment shown; NULL: no memory */
} Slider;

typedef struct Viewer {
    const ViewerOptions *o;
    Config config;
    LmpView *view;
    Term *term;
    App *app;
    Canvas *canvas;
    Output *output;
    int pidfd;
    bool dead;      /* the process is gone */
    bool own_group; /* the terminal's signals reach us */
    bool paused_by_us;
    uint64_t interval; /* desired time between repaints */
    uint64_t next;     /* when the model is due to be filled again */
    uint64_t wanted;   /* when the program was last asked for something; 0: nothing is pending */
    uint64_t spool_at; /* where in the spool's file the output panel goes on reading */
    uint32_t changed;  /* of the state, at the last look */
    CollectWait collect;
    SnapshotWatch snapshot;
    ProofWatch proof;
    RecWatch record;
    Blocked blocked;
    char terminal[32];      /* the program's terminal, which lines typed here reach; "": none */
    uint64_t ledger_next;   /* when who made what is due to be summed up again */
    uint64_t verdicts_next; /* the same for the verdicts */
    uint64_t own, own_time; /* memory of the shared state, bytes, and when it was read */
    bool dirty;             /* the screen is out of date: redraw at the next repaint */
    bool urgent;            /* a person is waiting: redraw at once */
    bool was_frozen;
    Player *player;           /* any moment of the recording; NULL: there is none to go to */
    Slider slider;            /* of a program that runs */
    uint32_t outputs;         /* pieces of its output that the panel has */
    bool grows;               /* the recording is still being written */
    bool unended;             /* nobody writes the recording any more, and it has no end */
    uint32_t no_news;         /* how often a look found nothing new */
    bool refill;              /* another moment is to be shown */
    uint64_t grown_at;        /* when the recording was last looked at */
    Survivors *since;         /* the blocks that a person has asked for; NULL: none */
    bool since_shows;         /* ... and tables are to show them */
    OpenedSnapshot *heap;     /* the snapshot that is open; NULL: none */
    char snapshot_file[4096]; /* the newest snapshot's file; "": there is none */
    bool told;                /* the notify descriptor told the display to end */
    bool quit;                /* the person wants to leave */
    const LmpView *home;      /* the program that the display was started for */
    LmpView *other;           /* another program to show; NULL: none */
    UiProgram *programs;      /* of the last list; owned */
    ViewerResult *result;
} Viewer;

/* viewer_program.c: the program, and the model made of it. */

/* Checks what has happened to the program. Returns true if the model is to be filled now. */
bool viewer_look(Viewer *v, uint64_t now);
void viewer_fill(Viewer *v, uint64_t now);
/* Sums up who made what, for the panels of the last repaint; `must`: even before that is due. */
void viewer_fill_ledger(Viewer *v, uint64_t now, bool must);
/* Says so if a collection does not come, and finally withdraws the request. */
void viewer_watch_collection(Viewer *v, uint64_t now);
/* Returns true if a key here, or one of our break conditions, has paused the program. */
bool viewer_has_paused(const Viewer *v);
/* Shows what was made since a moment, and lives. */
void viewer_since(Viewer *v, const SinceWish *wish, uint64_t now);

/* viewer_opened.c: snapshots. */

/* Takes note of a snapshot that has been written: it is the newest one from now on. */
void viewer_opened_written(Viewer *v, const char *file);
/* Opens the newest snapshot, unless it is open, and shows it. */
void viewer_opened_show(Viewer *v);
/* Handles what a person has typed while a repaint summed the snapshot up. */
void viewer_opened_later(Viewer *v);

/* viewer.c: the loop, and the terminal while others use it. */

/* Draws a repaint from the present state, and shows it. */
void viewer_paint(Viewer *v);
void viewer_leave_terminal(Viewer *v);
/* Stops us, in the background, until we are in the foreground again. */
void viewer_return_to_terminal(Viewer *v);
/* Suspends the display. `group`: stops the others, too; else a signal has already reached them. */
void viewer_suspend(Viewer *v, bool group);

/* viewer_slider.c: the past of a running program, and what it prints. */

void viewer_open_slider(Viewer *v);
void viewer_close_slider(Viewer *v);
/* Keeps what is due. */
void viewer_keep(Viewer *v, uint64_t now);
/* Returns the model of the present, which is not on the screen while the past is. */
Model *viewer_model(const Viewer *v);
/* Shows the past from now on: the last moment kept. Returns false if it cannot; a notice says
 * why. */
bool viewer_enter_past(Viewer *v);
void viewer_leave_past(Viewer *v);
/* Brings what the program has printed. */
void viewer_read_spool(Viewer *v);
/* Finds the line of the error that the program has ended with. */
void viewer_find_error(Viewer *v);
/* Hears from the relay: the program has printed something, or the display is to end. */
void viewer_read_notify(Viewer *v);

/* viewer_replay.c: a moment of a recording in place of the present. */

/* Returns false: no memory. */
bool viewer_open_replay(Viewer *v);
void viewer_close_replay(Viewer *v);
/* Moves the playhead, looks whether the recording has grown. Returns true if the model is to be
 * filled. */
bool viewer_play(Viewer *v, uint64_t now);
void viewer_fill_moment(Viewer *v, uint64_t now);
void viewer_time(Viewer *v, const TimeWish *wish, uint64_t now);
/* Returns the nanoseconds until there is something to do; UINT64_MAX: nothing by itself. */
uint64_t viewer_play_due(const Viewer *v, uint64_t now);

/* Returns true if the program that is shown has ended, in whatever way. */
static inline bool viewer_is_over(const Viewer *v) {
    LmpSeen seen = viewer_model(v)->seen;
    return seen == LMP_SEEN_FINISHED || seen == LMP_SEEN_KILLED;
}

/* Ask for a snapshot of the heap, and say how it ended (viewer_snapshot.c). */
void viewer_ask_snapshot(Viewer *v, bool collect);
/* Returns true if one is being taken, or how one ended was not told yet. */
bool viewer_snapshot_busy(const Viewer *v);
void viewer_watch_snapshot(Viewer *v, uint64_t now);

/* Finds, unasked, who holds what seems to leak (viewer_proof.c). */
void viewer_watch_proof(Viewer *v, uint64_t now);
void viewer_close_proof(Viewer *v);

/* Begin or end a recording, and say how it ended (viewer_recorder.c). */
void viewer_toggle_recorder(Viewer *v);
void viewer_watch_recorder(Viewer *v, uint64_t now);
/* Ends the recording when the display leaves; `over`: the program has ended, and so does its
 * recording. */
void viewer_leave_recorder(Viewer *v, bool over);

/* Does everything that panels and keys have requested (viewer_requests.c). */
void viewer_serve(Viewer *v, uint64_t now);

#endif
