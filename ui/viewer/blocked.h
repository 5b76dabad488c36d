/* blocked.h - what a program that stands still waits for, seen from outside: from /proc, as its
 * kernel tells it. Nothing is concluded from how long something takes.
 *
 * It is said that the program waits when its only thread has not been woken once between two looks
 * (its voluntary switches of context are the same) and was in the same system call both times. What
 * the call is, /proc/PID/syscall says to whom may trace the program; to others wchan names a
 * function of the kernel, which is said where it has one meaning. Of a program with several threads
 * nothing is said: the one that runs Lua is not known. */
#ifndef LMP_BLOCKED_H
#define LMP_BLOCKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "widget/panel.h"

typedef struct Blocked {
    char seen[256]; /* the system call with its arguments, and how often it has been switched */
    uint64_t since; /* nanoseconds: first seen in that */
} Blocked;

/* Looks at the process whose directory is `proc` ("/proc/123"). `terminal`: the name of the
 * terminal that our lines reach ("/dev/pts/3"), "" none; `unread`: what the program has written
 * there has not all been taken. Fills *wait. */
void blocked_look(Blocked *blocked, const char *proc, const char *terminal, bool unread,
                  uint64_t now, UiWait *wait);

#endif
