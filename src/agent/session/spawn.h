/* spawn.h - starts a command of ours from within a program that must not notice: no child of its
 * own to wait for, no SIGCHLD, none of its descriptors passed on. */
#ifndef LMP_SPAWN_H
#define LMP_SPAWN_H

#include "base/err.h"
#include "shared/launch.h"

/* Runs `command` with these words; descriptor N of the new process is fd[N], which must be beyond
 * LMP_FD_END (-1: /dev/null, which is closed on exec). The command forks what it has to do and ends
 * at once: that is waited for, *status is its exit status. Errors: NOVIEWER (there is no such
 * command), VIEWER. */
LmpErr spawn_command(const char *command, char *const *argv, const int fd[LMP_FD_END], int *status);

#endif
