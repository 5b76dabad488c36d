/* spool.h - what the program printed while the display was up: kept whole, in order, for the
 * terminal to get it afterwards, and readable meanwhile by the viewer's output panel.
 *
 * A memory file takes it. Beyond SPOOL_MEMORY its oldest part moves to an unlinked temporary file
 * and is punched out of the memory file, whose offsets stay as they are:
 *     bytes [0, size of `disk`) stand in `disk`, bytes [size of `disk`, size of `memory`) in
 *     `memory`.
 * Both sizes are those of the files, so that a process forked meanwhile knows them too. */
#ifndef LMP_SPOOL_H
#define LMP_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPOOL_MEMORY (64u << 20) /* bytes held in memory at most, about */

typedef struct Spool {
    int memory;     /* -1: no spool */
    int disk;       /* -1: there is no place for one */
    uint64_t limit; /* SPOOL_MEMORY, smaller in tests */
} Spool;

bool spool_open(Spool *spool, uint64_t limit);
void spool_close(Spool *spool);

/* False: there is no room (disk full); nothing of `bytes` was taken then. */
bool spool_append(Spool *spool, const void *bytes, size_t size);
uint64_t spool_size(const Spool *spool);

/* The last byte, -1 when empty. */
int spool_last(const Spool *spool);
/* Writes everything to `fd`. False: fd does not take it, or the spool cannot be read. */
bool spool_write(const Spool *spool, int fd);

#endif
