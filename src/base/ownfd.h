/* ownfd.h - our descriptors in a process that is not ours.
 *
 * A program may close descriptors that are not its own (daemons close all of them), may be started
 * with its standard streams closed, and may then open files that get our numbers. So ours are
 * numbered as high as possible, out of the way of code that counts from below, and before each use
 * we check that the number still means the same file: another file is never written, grown or
 * closed. All of these preserve errno, unless ownfd_lift fails. */
#ifndef LMP_OWNFD_H
#define LMP_OWNFD_H

#include <stdbool.h>
#include <stdint.h>

typedef struct LmpOwnFd {
    int fd; /* -1: none, or lost */
    uint64_t device, inode;
} LmpOwnFd;

#define OWNFD_NONE ((LmpOwnFd){-1, 0, 0})
#define OWNFD_LEAST 12 /* lower numbers have a meaning, or are what programs expect to get */

/* Moves a descriptor up and marks it to be closed on exec; -1 is passed through. `fd` is gone, also
 * when there was no room: then the result is -1. */
int ownfd_lift(int fd);

/* The same, and remembers which file it is. */
LmpOwnFd ownfd_take(int fd);

/* Remembers which file a descriptor is that stays where it is. */
LmpOwnFd ownfd_note(int fd);

/* The number, if it still is our file; else -1, and it is forgotten. */
int ownfd_get(LmpOwnFd *own);

/* Closes it if it is ours. */
void ownfd_close(LmpOwnFd *own);

#endif
