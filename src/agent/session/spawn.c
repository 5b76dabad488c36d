/* spawn.c - posix_spawn of a command that forks and exits, so that its child is init's; ours is
 * reaped at once, and its SIGCHLD taken back while blocked. */
#include "agent/session/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

/* Reaps the process that forked the one that stays. */
static int reap(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Takes back the SIGCHLD of our own child, blocked and pending, so that the program does not see
 * it; signals do not queue, so if a child of the program waits to be reaped it is raised again. */
static void swallow_child_signal(const sigset_t *chld) {
    siginfo_t info = {0};
    struct timespec now = {0, 0};
    if (sigtimedwait(chld, NULL, &now) != SIGCHLD) return;
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0)
        raise(SIGCHLD);
}

static bool file_actions(posix_spawn_file_actions_t *actions, const int fd[LMP_FD_END]) {
    /* All sources are above the targets, so that the order does not matter. */
    for (int to = 0; to < LMP_FD_END; to++) {
        int failed = fd[to] >= 0 ? posix_spawn_file_actions_adddup2(actions, fd[to], to)
                                 : posix_spawn_file_actions_addopen(actions, to, "/dev/null",
                                                                    O_RDONLY | O_CLOEXEC, 0);
        if (failed) return false;
    }
    return true;
}

LmpErr spawn_command(const char *command, char *const *argv, const int fd[LMP_FD_END],
                     int *status) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t chld, mask, none, pending;
    pid_t pid;
    int failed = ENOMEM;
    sigemptyset(&none);
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &chld, &mask);
    sigpending(&pending);
    if (posix_spawn_file_actions_init(&actions) == 0) {
        if (posix_spawnattr_init(&attr) == 0) {
            posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
            posix_spawnattr_setsigmask(&attr, &none);
            if (file_actions(&actions, fd))
                failed = posix_spawn(&pid, command, &actions, &attr, argv, environ);
            posix_spawnattr_destroy(&attr);
        }
        posix_spawn_file_actions_destroy(&actions);
    }
    if (!failed) *status = reap(pid);
    if (sigismember(&pending, SIGCHLD) != 1) swallow_child_signal(&chld);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (failed == ENOENT || failed == EACCES || failed == ENOEXEC) return LMP_E_NOVIEWER;
    return failed ? LMP_E_VIEWER : LMP_OK;
}
