/* editor.c - starts $VISUAL or $EDITOR by a shell in a foreground process group of its own, waits
 * for its end or for a word on `notify`, then takes the terminal back and restores its modes. */
#include "terminal/editor.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/io.h"

#define LOOK_MS 100 /* between checks whether it was stopped */
#define HANG_MS 500 /* from hangup to kill */

static const char *editor_name(void) {
    static const char *const variable[] = {"VISUAL", "EDITOR"};
    for (int i = 0; i < 2; i++) {
        const char *name = getenv(variable[i]);
        if (name && name[strspn(name, " \t")]) return name;
    }
    return "vi";
}

/* Starts the editor as a shell would, in the child. Does not return. */
static void be_editor(int tty, const char *path, int line) {
    static const int normal[] = {SIGINT,  SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU,
                                 SIGPIPE, SIGCHLD, SIGCONT, SIGWINCH};
    sigset_t none;
    char command[1024], place[24], file[PATH_MAX + 3];
    const char *name = editor_name();
    prctl(PR_SET_PDEATHSIG, SIGHUP);
    setpgid(0, 0);
    signal(SIGTTOU, SIG_IGN);
    tcsetpgrp(tty, getpid());
    for (size_t i = 0; i < sizeof normal / sizeof *normal; i++)
        signal(normal[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int fd = 0; fd < 3; fd++)
        dup2(tty, fd);
    io_close_range(3, ~0u);
    /* the shell splits the variable's words; the file's name is passed as it is */
    if ((size_t)snprintf(command, sizeof command, "exec %s \"$@\"", name) >= sizeof command)
        _exit(127);
    snprintf(place, sizeof place, "+%d", line);
    bool option = path[0] == '-' || path[0] == '+'; /* an editor would take it for an option */
    snprintf(file, sizeof file, "%s%s", option ? "./" : "", path);
    execl("/bin/sh", "sh", "-c", command, name, place, file, (char *)NULL);
    _exit(127);
}

/* Reads what arrived. Returns true if the display is to end. */
static bool is_told(int notify) {
    char bytes[512];
    ssize_t n = read(notify, bytes, sizeof bytes);
    return n == 0 || (n > 0 && memchr(bytes, 'Q', (size_t)n)) ||
           (n < 0 && errno != EAGAIN && errno != EINTR);
}

/* Waits until the editor ends. Returns false if the display was told to end first. */
static bool wait_for(pid_t pid, int pidfd, int notify, int *status) {
    for (;;) {
        struct pollfd fds[2] = {{.fd = pidfd, .events = POLLIN}, {.fd = notify, .events = POLLIN}};
        poll(fds, 2, LOOK_MS);
        pid_t got = waitpid(pid, status, WNOHANG | WUNTRACED);
        if (got == pid && WIFSTOPPED(*status)) {
            kill(-pid, SIGCONT); /* nobody else would resume it */
        } else if (got == pid || (got < 0 && errno != EINTR)) {
            return true;
        }
        if (fds[1].revents && is_told(notify)) return false;
    }
}

static void hang_up(pid_t pid, int *status) {
    kill(-pid, SIGHUP);
    kill(-pid, SIGCONT);
    for (int ms = 0; ms < HANG_MS; ms += LOOK_MS / 10) {
        if (waitpid(pid, status, WNOHANG) == pid) return;
        poll(NULL, 0, LOOK_MS / 10);
    }
    kill(-pid, SIGKILL);
    waitpid(pid, status, 0);
}

EditorEnd editor_run(int tty, int notify, const char *path, int line, char *problem, size_t size) {
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    pid_t group = tcgetpgrp(tty);
    struct termios modes;
    bool known = tcgetattr(tty, &modes) == 0;
    int status = 0;
    problem[0] = 0;
    sigaction(SIGTTOU, &ignore, &before); /* to take the terminal back while in the background */
    pid_t pid = fork();
    if (pid == 0) be_editor(tty, path, line);
    if (pid < 0) {
        snprintf(problem, size, "The editor cannot be started: %s", strerror(errno));
        sigaction(SIGTTOU, &before, NULL);
        return EDITOR_FAILED;
    }
    setpgid(pid, pid); /* in both processes: one of them comes first */
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    bool ended = wait_for(pid, pidfd, notify, &status);
    if (!ended) hang_up(pid, &status);
    if (pidfd >= 0) close(pidfd);
    if (group > 0) tcsetpgrp(tty, group);
    if (known) tcsetattr(tty, TCSADRAIN, &modes); /* whatever modes the editor left */
    sigaction(SIGTTOU, &before, NULL);
    if (!ended) return EDITOR_TOLD;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return EDITOR_DONE;
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126)) {
        snprintf(problem, size, "Cannot run %.60s: set EDITOR to an editor that is there",
                 editor_name());
    } else if (WIFEXITED(status)) {
        snprintf(problem, size, "%.60s ended with status %d", editor_name(), WEXITSTATUS(status));
    } else {
        snprintf(problem, size, "%.60s was ended by signal %d", editor_name(), WTERMSIG(status));
    }
    return EDITOR_FAILED;
}
