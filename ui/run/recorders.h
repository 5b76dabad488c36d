/* recorders.h - the recordings of `lmp run`: a recorder process for every state that comes, and how
 * each recording ended. */
#ifndef LMP_RECORDERS_H
#define LMP_RECORDERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "recorder/recname.h"

typedef struct RecorderOf {
    uint32_t pid;   /* of the program, in our pid namespace; 0: not known */
    uint64_t inode; /* of the state's file, which identifies the state */
    int line;       /* to the recorder process, -1: that is over */
    bool known;     /* `end` is known */
    RecEnd end;
    char *file; /* owned */
} RecorderOf;

typedef struct Recorders {
    bool wanted;
    const char *given; /* --record=FILE; NULL: a name is chosen */
    uint64_t limit;
    const char *again;
    uint32_t main;           /* the program's pid */
    char file[RECNAME_MOST]; /* of its first state; "": not chosen yet */
    RecorderOf *of;          /* in the order in which the states came; owned */
    size_t count;
    uint32_t room;
    size_t lost; /* states for which no recorder could be started */
} Recorders;

/* Returns true if the recording can be written, as far as that is known beforehand. If not, errno
 * says why and *file names it. */
bool recorders_writable(const Recorders *r, const char **file);
/* Starts a recorder for a state that has come; `fd` stays the caller's. */
void recorders_state(Recorders *r, int fd, uint32_t pid);
/* Returns true if a recorder of ours still needs the state with this inode. */
bool recorders_busy(Recorders *r, uint64_t inode);
/* Gives the state's recorder the `spool` that keeps what the program prints; both stay the
 * caller's. */
void recorders_output(Recorders *r, int state, int spool);
/* Tells the recorders of the program's states that the program has ended. */
void recorders_ended(Recorders *r);
/* Waits, but not for long, until the recordings of processes that are over are complete; says where
 * each one is, in one line. */
void recorders_say(Recorders *r);
/* Frees everything. Recordings of programs that still run go on. */
void recorders_close(Recorders *r);

#endif
