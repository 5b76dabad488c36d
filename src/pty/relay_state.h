/* relay_state.h - what the processes of a live display leave to whichever of them survives: their
 * progress, and the terminal's settings. It is the first page of the memory file that holds the
 * program's output (spool.h), which relay, viewer, `lmp run` and the program all have.
 *
 * One process at a time acts for the display: the relay; when that is dead, the viewer; when both
 * are, `lmp run`, by a new process; when none of them is left, the program itself. The successor
 * learns of it by an end of file when all its predecessors are gone, so nothing is locked. Each
 * step is recorded when it is done, and repeating one does no harm. */
#ifndef LMP_RELAY_STATE_H
#define LMP_RELAY_STATE_H

#include <stdatomic.h>
#include <stdint.h>

#include "pty/tty.h"

#define LMP_RELAY_STATE_MAGIC 0x6574617473657ull

enum {
    RELAY_READY = 1u << 0,   /* the display is up: the program has been told, or is being told */
    RELAY_FAILED = 1u << 1,  /* there is no display, and the program has been told */
    RELAY_RELAY = 1u << 2,   /* the display is over: output goes to the terminal */
    RELAY_SUMMARY = 1u << 3, /* everything that is printed at the end is printed */
    RELAY_NEWLINE = 1u << 4, /* `lmp run` knows that the output did not end with a line's end */
    RELAY_DONE = 1u << 5,    /* no process need take over any more */
    RELAY_LAST = 1u << 6,    /* the program is ending and waits for nothing */
    RELAY_BEGUN = 1u << 7,   /* `lmp run` has begun to write its summary */
};

/* Where messages of lmp's own stand among the output: so many of the last ones are known. */
#define RELAY_SAID 24u
typedef struct LmpRelaySaid {
    uint64_t from, to; /* bytes of the output */
} LmpRelaySaid;

typedef struct LmpRelayState {
    uint64_t magic;
    _Atomic uint32_t steps;  /* RELAY_..., taken so far */
    _Atomic uint32_t end;    /* how the program ended: pty_relay.c's PtyRelayEnd */
    _Atomic uint64_t saying; /* 1 + bytes before a message that is being appended, 0: none */
    uint32_t input;          /* the program's standard input is the pseudo terminal */
    TtyTaken tty;
    _Atomic uint32_t said; /* messages so far, the last ones at [i % RELAY_SAID] of: */
    LmpRelaySaid message[RELAY_SAID];
} LmpRelayState;

#endif
