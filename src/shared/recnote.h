/* recnote.h - who records a state, for its displays: written by the recorder's process, and by
 * whoever wants it to stop. It lies at the end of the control block's page, which readers may
 * write; the program itself never looks at it. */
#ifndef LMP_SHARED_RECNOTE_H
#define LMP_SHARED_RECNOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "shared/layout.h"

enum {
    LMP_RECORD_NONE,
    LMP_RECORD_RUNS,   /* unless its process was killed: recnote_held */
    LMP_RECORD_CLOSED, /* the recording is complete */
    LMP_RECORD_FAILED, /* it ended by an error; what is written stays good */
    LMP_RECORDS
};

#define LMP_RECORD_NAME 80u /* bytes of the file's name, with its NUL */
/* Its process holds a lock on this byte of the state's file for as long as it lives. */
#define LMP_RECORD_LOCK (1ull << 41)

typedef struct LmpRecNote {
    _Atomic uint32_t state;     /* LMP_RECORD_..., stored last */
    _Atomic uint32_t stop;      /* somebody wants it to end */
    _Atomic uint32_t count;     /* recordings begun */
    int32_t number;             /* of the system's error */
    _Atomic uint64_t begun;     /* CLOCK_MONOTONIC, nanoseconds */
    _Atomic uint64_t bytes;     /* of the file so far */
    char name[LMP_RECORD_NAME]; /* the file's, without its folder; NUL-terminated */
} LmpRecNote;

_Static_assert(sizeof(LmpControl) + sizeof(LmpRecNote) <= LMP_LIVE_AT - LMP_CONTROL_AT,
               "the note fits behind the requests");

/* Returns where it is, for a control block that is mapped with its whole page. */
LmpRecNote *recnote_at(LmpControl *control);
/* Returns a copy that is safe to use: the state is known, the name ends. */
LmpRecNote recnote_copy(const LmpControl *control);
/* Returns what to say at the end of a program whose `lmp run` was killed: a line if there was to be
 * a recording and none was begun, else "". */
const char *recnote_lack(const LmpControl *control);
/* Returns true if a process records. `fd`: the state's file. */
bool recnote_held(int fd);

#endif
