/* ownfd.h - descriptors of ours in a process that is not.
 *
 * A program may close descriptors that are not its own (daemons close all of them), may be started
 * with its standard streams closed, and may then open files that get our numbers. So ours stand as
 * high as they may, out of the way of all who count from below, and before each use it is looked
 * whether the number still means the file that it meant: what is another's is never written, grown
 * or closed. errno is as it was after all of these, but where ownfd_lift fails. */
#ifndef LMP_OWNFD_H
#define LMP_OWNFD_H

#include <stdbool.h>
#include <stdint.h>

typedef struct LmpOwnFd {
    int fd; /* -1: none, or lost */
    uint64_t device, inode;
} LmpOwnFd;

#define OWNFD_NONE ((LmpOwnFd){-1, 0, 0})
#define OWNFD_LEAST 12 /* lower numbers mean something, or are what programs expect to get */

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
