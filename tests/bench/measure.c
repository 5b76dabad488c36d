/* measure.c - runs a command and says what it cost, on one line:
 *     CPU-SECONDS WALL-SECONDS PEAK-RSS-KIB STATUS [VIEWER-CPU-SECONDS]
 * (CPU is user and system time of the command itself and what it waited for; status as a shell has
 * it.) The command's stdout is thrown away.
 *
 *     measure COMMAND ARGS...
 *     measure -w VIEWER COMMAND ARGS...   meanwhile runs `VIEWER top PID` on a 120x36 terminal
 *     measure -s TEXT COMMAND ARGS...     runs it on such a terminal until it has drawn TEXT
 *
 * The last one prints WALL-SECONDS CPU-SECONDS, or nothing if it did not draw that. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t) {
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double cpu(const struct rusage *u) {
    return seconds(u->ru_utime) + seconds(u->ru_stime);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static pid_t start(char **command) {
    pid_t pid = fork();
    if (pid != 0) return pid;
    int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    execvp(command[0], command);
    fprintf(stderr, "measure: cannot run %s: %s\n", command[0], strerror(errno));
    _exit(127);
}

static pid_t start_on_terminal(char **command, int *terminal) {
    struct winsize size = {.ws_row = 36, .ws_col = 120};
    pid_t child = forkpty(terminal, NULL, NULL, &size);
    if (child != 0) return child;
    setenv("TERM", "xterm-256color", 1);
    execv(command[0], command);
    _exit(127);
}

static pid_t start_viewer(const char *viewer, pid_t pid, int *terminal) {
    char number[16];
    snprintf(number, sizeof number, "%d", (int)pid);
    return start_on_terminal((char *[]){(char *)viewer, (char *)"top", number, NULL}, terminal);
}

/* Throws away what the viewer draws for at most `ms` milliseconds; returns early when `watched`
 * (a pidfd) ends. False: the viewer has closed its terminal. */
static bool drain(int terminal, int watched, int ms, size_t *drawn) {
    char bytes[65536];
    struct pollfd fds[2] = {{.fd = terminal, .events = POLLIN}, {.fd = watched, .events = POLLIN}};
    if (poll(fds, 2, ms) <= 0 || !(fds[0].revents & (POLLIN | POLLHUP))) return true;
    ssize_t n = read(terminal, bytes, sizeof bytes);
    if (n > 0) *drawn += (size_t)n;
    return n > 0;
}

/* Ends the viewer as a person would, by key; harder if that does not help. */
static double end_viewer(pid_t viewer, int terminal) {
    struct rusage usage;
    size_t drawn = 0;
    double deadline = now() + 2;
    bool quit = false;
    for (;;) {
        if (wait4(viewer, NULL, WNOHANG, &usage) == viewer) break;
        if (!quit && write(terminal, "q", 1) == 1) quit = true;
        if (now() > deadline) {
            kill(viewer, SIGKILL);
            wait4(viewer, NULL, 0, &usage);
            break;
        }
        if (!drain(terminal, -1, 20, &drawn)) poll(NULL, 0, 5);
    }
    return cpu(&usage);
}

/* Watches `pid` until it ends; CPU seconds of the viewer, or -1 if it never drew anything. */
static double watch(const char *viewer_command, pid_t pid) {
    int watched = (int)syscall(SYS_pidfd_open, pid, 0);
    pid_t viewer = -1;
    int terminal = -1;
    double used = 0;
    size_t drawn = 0, total = 0;
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0) {
        if (viewer < 0) viewer = start_viewer(viewer_command, pid, &terminal);
        if (!drain(terminal, watched, 100, &drawn)) {
            /* it came before the program's shared state was there: once more */
            used += end_viewer(viewer, terminal);
            close(terminal);
            viewer = -1;
            drawn = 0;
            poll(NULL, 0, 20);
        }
        total = drawn;
    }
    if (viewer >= 0) used += end_viewer(viewer, terminal);
    return total > 2000 ? used : -1;
}

/* Runs `command` until `text` is among what it draws. */
static int until_drawn(const char *text, char **command) {
    enum { ROOM = 1 << 16, LONGEST = 300 }; /* bytes, seconds */
    static char seen[2 * ROOM];
    int terminal;
    size_t n = 0;
    ssize_t got = 1;
    double began = now(), drawn = 0;
    pid_t pid = start_on_terminal(command, &terminal);
    while (drawn == 0 && got > 0 && now() - began < (double)LONGEST) {
        struct pollfd fd = {.fd = terminal, .events = POLLIN};
        if (poll(&fd, 1, 100) == 0) continue;
        if (n > ROOM) { /* its end is enough */
            memmove(seen, seen + n - ROOM / 2, ROOM / 2);
            n = ROOM / 2;
        }
        got = read(terminal, seen + n, ROOM);
        if (got > 0) n += (size_t)got;
        if (memmem(seen, n, text, strlen(text))) drawn = now() - began;
    }
    double used = end_viewer(pid, terminal);
    if (drawn > 0) printf("%.6f %.6f\n", drawn, used);
    return drawn > 0 ? 0 : 1;
}

int main(int argc, char **argv) {
    const char *viewer = NULL;
    int first = 1;
    if (argc > 3 && strcmp(argv[1], "-s") == 0) return until_drawn(argv[2], argv + 3);
    if (argc > 3 && strcmp(argv[1], "-w") == 0) {
        viewer = argv[2];
        first = 3;
    }
    if (first >= argc) {
        fputs("usage: measure [-w VIEWER] COMMAND ARGS...\n", stderr);
        return 2;
    }
    double began = now();
    pid_t pid = start(argv + first);
    double viewer_cpu = viewer ? watch(viewer, pid) : 0;
    struct rusage usage;
    int status;
    wait4(pid, &status, 0, &usage);
    double wall = now() - began;
    printf("%.6f %.6f %ld %d", cpu(&usage), wall, usage.ru_maxrss,
           WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    if (viewer) printf(" %.6f", viewer_cpu);
    putchar('\n');
    return 0;
}
