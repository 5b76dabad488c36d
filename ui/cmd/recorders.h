/* recorders.h - the recordings of `lmp run`: a process for every state that comes, and what came of
 * each. */
#ifndef LMP_RECORDERS_H
#define LMP_RECORDERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "recording/recordname.h"

typedef struct RecorderOf {
    uint32_t pid;   /* of the program, in our pid namespace; 0: not known */
    uint64_t inode; /* of the state's file, whatever else it is called */
    int line;       /* to its process, -1: it is over */
    bool known;     /* `end` is */
    RecordEnd end;
    char *file; /* owned */
} RecorderOf;

typedef struct Recorders {
    bool wanted;
    const char *given; /* --record=FILE; NULL: a name is chosen */
    uint64_t limit;
    const char *again;
    uint32_t main;              /* the program's pid */
    char file[RECORDNAME_MOST]; /* of its first state; "": not chosen yet */
    RecorderOf *of;             /* in the order in which the states came; owned */
    size_t count, room;
    size_t lost; /* states for which there was no process */
} Recorders;

/* Can it be written, as far as can be told beforehand? If not, errno says why and *file names it.
 */
bool recorders_writable(const Recorders *r, const char **file);
/* A state has come; `fd` stays the caller's. */
void recorders_state(Recorders *r, int fd, uint32_t pid);
/* Does a recorder of ours need the state with this inode yet? */
bool recorders_busy(Recorders *r, uint64_t inode);
/* What the program of this state prints is kept in `spool`; both stay the caller's. */
void recorders_output(Recorders *r, int state, int spool);
/* The program has ended: tells the recorders of its states. */
void recorders_ended(Recorders *r);
/* Waits, but not for long, until the recordings of processes that are over are complete; says in a
 * line each where they are. */
void recorders_say(Recorders *r);
/* Recordings that go on do so. */
void recorders_close(Recorders *r);

#endif
