/* collect.h - what `lmp run` receives from the profiled states of the program and its children, and
 * the summaries made from that at the end. */
#ifndef LMP_COLLECT_H
#define LMP_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "read/view.h"
#include "report/formats/formats.h"
#include "run/recorders.h"
#include "shared/launch.h"

/* A display of the program, and what a process needs to take over from its killed processes. */
typedef struct CollectDisplay {
    int fd[LMP_FD_END]; /* LMP_FD_..., -1: not there; LMP_FD_HOLD the read end */
    pid_t heir;         /* the process that we created to finish the display's work, 0: none */
    bool over;          /* it has left the terminal */
} CollectDisplay;

/* A state that was received: its descriptor, or its mapping if descriptors run short (-1). */
typedef struct CollectState {
    int fd;
    void *whole;  /* view_whole */
    uint32_t pid; /* of the program, in our pid namespace; 0: not known */
    bool over;    /* nobody needs more than its summary, and the rest is given back */
} CollectState;

typedef struct Collect {
    int socket;           /* our end of LMP_RUN's socket, -1: closed */
    bool live;            /* the next state may show the display */
    CollectState *states; /* shared states, in the order of their handshakes; owned */
    size_t count;
    uint32_t room;
    pid_t main;         /* the program that was started; 0: not yet */
    uint64_t next_look; /* CLOCK_MONOTONIC, nanoseconds */
    size_t lost;        /* states that could not be received: no memory, or too many open files */
    size_t refused;     /* states that run unprofiled, and have said why */
    CollectDisplay displays[16];
    size_t display_count;
    Recorders *recorders; /* told of states and displays; the caller's, NULL: none */
    bool open_line;       /* the last display ended within a line */
} Collect;

/* The program that was started, and how it ended. */
typedef struct CollectEnd {
    pid_t pid;
    int status;        /* as from waitpid */
    const char *again; /* how it was started, for LmpReport */
} CollectEnd;

/* Begins. `socket` is ours from now on; `live`: the first state may show the display. */
void collect_open(Collect *collect, int socket, bool live);
/* Receives what is there, without waiting. */
void collect_receive(Collect *collect);
/* Gives back the memory of programs that have ended, except of `main`, whose end is ours, too. Does
 * nothing for a while after the last time, unless a state has come. Returns after how many
 * milliseconds to look again, -1: there is nobody else. */
int collect_look(Collect *collect);
/* Tells everyone who shows or looks at the states of `end` how the program ended. */
void collect_ended(const Collect *collect, const CollectEnd *end);
/* Returns a descriptor for poll(): readable when something has happened to a display, -1: none. */
int collect_display_fd(const Collect *collect);
/* Finds out what has happened, without waiting: if relay and viewer were killed, creates a process
 * that does the rest. */
void collect_displays(Collect *collect);
/* Waits until every display has left the terminal. */
void collect_wait_displays(Collect *collect);
/* Note that the summary is about to be written, and that it has been written. If we are killed in
 * between, a remaining process writes it and says so; afterwards none does. */
void collect_summary_begun(const Collect *collect);
void collect_summary_done(const Collect *collect);
/* Note that everything has been written: no process need stay to write it if we are killed. */
void collect_reported(Collect *collect);

/* Returns how many files a report has: one, or, if the kind has a file for each state
 * (LmpReportKind.between NULL), as many as there are states. */
size_t collect_files(const Collect *collect, const LmpReportKind *kind);
/* Writes the reports of all states, or of file `which`. For a single state, what the kind has
 * before and after the states is left out. Says why a state has none. */
void collect_report(const Collect *collect, const CollectEnd *end, const LmpReportKind *kind,
                    size_t which, FILE *out);

/* Has `see` look at the report of each state, with the view that it was filled from. Returns how
 * many states could not be read. */
typedef void CollectSee(void *with, const LmpReport *report, LmpView *view);
size_t collect_each(const Collect *collect, const CollectEnd *end, CollectSee *see, void *with);

/* Says how snapshots of the heap ended. `wanted`: also if there should be one and is none;
 * `unsaid`: but not those whose file's name begins so ("": all). */
void collect_snapshots(const Collect *collect, bool wanted, const char *unsaid);

void collect_close(Collect *collect);

#endif
