/* own.h - what is ours in a process that is not: descriptors, and mappings.
 *
 * A program may close descriptors that are not its own (daemons close all of them), may be started
 * with its standard streams closed, and may then open files that get our numbers. So ours are
 * numbered as high as possible, out of the way of code that counts from below, and before each use
 * we check that the number still means the same file: another file is never written, grown or
 * closed. All of these preserve errno, unless own_fd_lift fails. */
#ifndef LMP_OWN_H
#define LMP_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct LmpOwnFd {
    int fd; /* -1: none, or lost */
    uint64_t device, inode;
} LmpOwnFd;

#define OWN_FD_NONE ((LmpOwnFd){-1, 0, 0})
#define OWN_FD_LEAST 12 /* lower numbers have a meaning, or are what programs expect to get */

/* Moves a descriptor up and marks it to be closed on exec; -1 is passed through. `fd` is gone, also
 * when there was no room: then the result is -1. */
int own_fd_lift(int fd);

/* Does the same, and remembers which file it is. */
LmpOwnFd own_fd_take(int fd);

/* Remembers which file a descriptor is that stays where it is. */
LmpOwnFd own_fd_note(int fd);

/* Returns the number, if it still is our file; else -1, and it is forgotten. */
int own_fd_get(LmpOwnFd *own);

/* Closes it if it is ours. */
void own_fd_close(LmpOwnFd *own);

/* ---- mappings -------------------------------------------------------------------------------- */

/* Which private memory of this process lmp has mapped for itself (os.h maps all of it), so that
 * whoever asks where the process's memory is can tell lmp's from the program's. */

#define OWN_MAP_MOST 96u

typedef struct OwnMapRange {
    uint64_t at, size; /* bytes */
} OwnMapRange;

/* Remember and forget a mapping, from any thread, without a lock. More than OWN_MAP_MOST at once
 * are not remembered. */
void own_map_add(const void *at, size_t size);
void own_map_remove(const void *at);

/* Changes with each of these. */
uint32_t own_map_changes(void);
/* Copies all that are remembered, in no order; returns how many. */
uint32_t own_map_copy(OwnMapRange out[OWN_MAP_MOST]);

#endif
