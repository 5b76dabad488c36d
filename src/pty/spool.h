/* spool.h - what the program printed while the display was up: kept whole, in order, for the
 * terminal to get it afterwards, and readable meanwhile by the viewer's output panel.
 *
 * A memory file takes it, after a page that is an LmpRelayState. Beyond SPOOL_MEMORY its oldest
 * part moves to an unlinked temporary file and is punched out of the memory file, whose offsets
 * stay as they are: of the output bytes, [0, size of `disk`) are in `disk`, at the same offsets,
 *     the others in `memory`, SPOOL_AT further on.
 *
 * A process may be killed between any two of its instructions, and another goes on from there: no
 * byte may be lost or duplicated. So bytes never pass through a process. The kernel moves them,
 * each step one system call that a kill leaves either done or undone, byte by byte:
 *     pseudo terminal -> pipe       splice
 *     pipe -> end of `memory`       splice; the file's size is how much there is
 *     `memory` -> terminal          sendfile; the descriptor's position, shared by all who
 *                                   inherited it, is how much has been written
 * Therefore only spool_write may seek in these descriptors. */
#ifndef LMP_SPOOL_H
#define LMP_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pty/relay_state.h"

#define SPOOL_MEMORY (64u << 20) /* bytes held in memory at most, about */
#define SPOOL_AT 4096u           /* where the output begins in the memory file */

typedef struct Spool {
    int memory;     /* -1: no spool */
    int disk;       /* -1: there is no place for one */
    int out, in;    /* the pipe's ends: to read from, to write to; -1: not here */
    uint64_t limit; /* SPOOL_MEMORY, smaller in tests */
    LmpRelayState *relay_state;
    uint64_t punched; /* written and given back to the system so far */
} Spool;

#define NO_SPOOL ((Spool){-1, -1, -1, -1, 0, NULL, 0})

typedef enum SpoolTook {
    SPOOL_SOME, /* there may be more */
    SPOOL_NONE, /* for now; all that had been written to the pseudo terminal before is here */
    SPOOL_END,  /* every copy of the pseudo terminal is closed */
    SPOOL_FULL, /* no room; what was taken waits in the pipe */
} SpoolTook;

/* Makes a new one. False: no memory or descriptors; it is closed then. */
bool spool_open(Spool *spool, uint64_t limit);
/* Takes a spool over from descriptors that another process made. Returns false if they are no
 * spool. */
bool spool_inherit(Spool *spool, int memory, int disk, int out, int in, uint64_t limit);
void spool_close(Spool *spool);

/* Takes what there is to read at a pseudo terminal's master, which must not block. */
SpoolTook spool_take(Spool *spool, int master);
/* Returns false if there is no room (disk full); nothing of `bytes` was taken then. */
bool spool_append(Spool *spool, const void *bytes, size_t size);
/* Does the same for a message of ours that must come once and whole: `step` (RELAY_...) is noted
 * with it, and nothing happens if it was noted already. */
bool spool_say(Spool *spool, uint32_t step, const void *bytes, size_t size);
/* Returns where the program's own output goes on, at or behind byte `at`; *to: where a message of
 * ours interrupts it again, `end` at most. For whoever reads along: `end` is the size that was seen
 * before this call. */
uint64_t spool_own(const LmpRelayState *relay, uint64_t at, uint64_t end, uint64_t *to);
/* Removes what a killed process has left of such a message: the successor calls this first. */
void spool_mend(Spool *spool);

uint64_t spool_size(const Spool *spool);
/* Returns the last byte, -1 when empty. */
int spool_last(const Spool *spool);
/* Writes everything to `fd` that no call did before. False: fd does not take it, or the spool
 * cannot be read. */
bool spool_write(Spool *spool, int fd);
/* Does the same with what waits in the pipe, where a killed process may have left it. */
bool spool_pass(Spool *spool, int fd);
/* Gives memory back whose bytes have been written. */
void spool_trim(Spool *spool);
/* Forgets all that has not been written: there is no terminal any more. */
void spool_drop(Spool *spool);

#endif
