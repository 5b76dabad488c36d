/* blocked.h - what a program that stands still is waiting for, seen from outside: what its kernel
 * says in /proc. Nothing is concluded from how long something takes.
 *
 * The program is said to wait if its only thread did not wake up once between two looks (the number
 * of its voluntary context switches is the same) and was in the same system call both times.
 * /proc/PID/syscall names the call to anyone who may trace the program; for others wchan names a
 * kernel function, which is translated if it has only one meaning. Nothing is said of a program
 * with several threads: the one that runs Lua is not known. */
#ifndef LMP_BLOCKED_H
#define LMP_BLOCKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "widget/panel.h"

typedef struct Blocked {
    char seen[256]; /* the system call with its arguments, and the number of switches */
    uint64_t since; /* nanoseconds: when first seen in that state */
} Blocked;

/* Looks at the process whose directory is `proc` ("/proc/123"). `terminal`: the name of the
 * terminal that our lines reach ("/dev/pts/3"), "" none; `unread`: some of what the program wrote
 * there has not been read yet. Fills *wait. */
void blocked_look(Blocked *blocked, const char *proc, const char *terminal, bool unread,
                  uint64_t now, UiWait *wait);

#endif
