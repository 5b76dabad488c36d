/* blocked.c - compares two looks at /proc/PID: state, context switches, and the system call
 * (syscall) or kernel function (wchan). Tables translate these; for poll, select and epoll the
 * descriptors are read from the program's memory or fdinfo. */
#include "viewer/blocked.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LEAST 250000000ull /* nanoseconds without a wakeup */
#define LINK 128

/* What the arguments of a call tell: nothing of interest, a descriptor, or several as in poll,
 * select and epoll. */
typedef enum Says { SAYS_NONE, SAYS_FD, SAYS_POLL, SAYS_SELECT, SAYS_EPOLL } Says;

/* System calls in which programs wait. `words`: for calls whose arguments tell nothing more. */
static const struct {
    long number;
    const char *name, *words;
    Says says;
} calls[] = {
    {SYS_read, "read", NULL, SAYS_FD},
    {SYS_readv, "readv", NULL, SAYS_FD},
    {SYS_write, "write", NULL, SAYS_FD},
    {SYS_writev, "writev", NULL, SAYS_FD},
    {SYS_recvfrom, "recvfrom", NULL, SAYS_FD},
    {SYS_recvmsg, "recvmsg", NULL, SAYS_FD},
    {SYS_sendto, "sendto", NULL, SAYS_FD},
    {SYS_sendmsg, "sendmsg", NULL, SAYS_FD},
    {SYS_accept, "accept", NULL, SAYS_FD},
    {SYS_accept4, "accept4", NULL, SAYS_FD},
    {SYS_connect, "connect", NULL, SAYS_FD},
    {SYS_flock, "flock", NULL, SAYS_FD},
    {SYS_nanosleep, "nanosleep", "sleeps (nanosleep)", SAYS_NONE},
    {SYS_clock_nanosleep, "clock_nanosleep", "sleeps (clock_nanosleep)", SAYS_NONE},
    {SYS_wait4, "wait4", "waits for a child process (wait4)", SAYS_NONE},
    {SYS_waitid, "waitid", "waits for a child process (waitid)", SAYS_NONE},
    {SYS_futex, "futex", "waits for a lock (futex)", SAYS_NONE},
#ifdef SYS_poll
    {SYS_poll, "poll", "waits in poll", SAYS_POLL},
#endif
#ifdef SYS_select
    {SYS_select, "select", "waits in select", SAYS_SELECT},
#endif
#ifdef SYS_pause
    {SYS_pause, "pause", "waits for a signal (pause)", SAYS_NONE},
#endif
#ifdef SYS_epoll_wait
    {SYS_epoll_wait, "epoll_wait", "waits in epoll_wait", SAYS_EPOLL},
#endif
    {SYS_ppoll, "ppoll", "waits in ppoll", SAYS_POLL},
    {SYS_pselect6, "pselect", "waits in pselect", SAYS_SELECT},
    {SYS_epoll_pwait, "epoll_pwait", "waits in epoll_pwait", SAYS_EPOLL},
    {SYS_rt_sigsuspend, "rt_sigsuspend", "waits for a signal (sigsuspend)", SAYS_NONE},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait", "waits for a signal (sigtimedwait)", SAYS_NONE},
};

/* Kernel functions in which only one call sleeps, by the beginnings of their names. */
static const struct {
    const char *begins, *words;
} kernel_functions[] = {
    {"hrtimer_nanosleep", "sleeps (nanosleep)"},
    {"do_nanosleep", "sleeps (nanosleep)"},
    {"do_wait", "waits for a child process"},
    {"pipe_read", "waits in read of a pipe"},
    {"anon_pipe_read", "waits in read of a pipe"},
    {"poll_schedule_timeout", "waits in poll or select"},
    {"do_poll", "waits in poll"},
    {"do_select", "waits in select"},
    {"ep_poll", "waits in epoll_wait"},
    {"futex_", "waits for a lock (futex)"},
    {"inet_csk_accept", "waits in accept"},
};

/* Reads from a file of the program. Returns how many bytes; -1: unreadable. */
static ssize_t read_at(const char *proc, const char *name, off_t at, void *out, size_t size) {
    char path[96];
    snprintf(path, sizeof path, "%s/%s", proc, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? pread(fd, out, size, at) : -1;
    if (fd >= 0) close(fd);
    return n;
}

/* Reads the beginning of a text. Returns false if it is unreadable or empty. */
static bool read_text(const char *proc, const char *name, char *out, size_t size) {
    ssize_t n = read_at(proc, name, 0, out, size - 1);
    out[n > 0 ? n : 0] = 0;
    return n > 0;
}

/* Finds what a descriptor of the program refers to; "": not known. */
static void read_fd(const char *proc, const char *fd, char out[LINK]) {
    char path[96];
    snprintf(path, sizeof path, "%s/fd/%.16s", proc, fd);
    ssize_t n = readlink(path, out, LINK - 1);
    out[n > 0 ? n : 0] = 0;
}

static bool is_tty(const char *link) {
    return strncmp(link, "/dev/pts/", 9) == 0 || strncmp(link, "/dev/tty", 8) == 0 ||
           strcmp(link, "/dev/console") == 0;
}

static unsigned long field_of(const char *text, const char *name) {
    const char *at = strstr(text, name);
    return at ? strtoul(at + strlen(name), NULL, 10) : 0;
}

static void say_input(UiWait *wait, const char *link, const char *terminal) {
    wait->input = true;
    wait->ours = *terminal && strcmp(link, terminal) == 0;
    snprintf(wait->words, sizeof wait->words, "waits for input");
}

static void say_descriptor(UiWait *wait, const char *call, const char *fd, const char *link) {
    const char *slash = strrchr(link, '/');
    if (strncmp(link, "pipe:", 5) == 0 || strncmp(link, "socket:", 7) == 0) {
        snprintf(wait->words, sizeof wait->words, "waits in %s of a %.*s", call,
                 (int)strcspn(link, ":"), link);
    } else if (is_tty(link)) {
        snprintf(wait->words, sizeof wait->words, "waits in %s of a terminal", call);
    } else if (slash && slash[1]) {
        snprintf(wait->words, sizeof wait->words, "waits in %s of %.32s", call, slash + 1);
    } else {
        snprintf(wait->words, sizeof wait->words, "waits in %s, descriptor %s", call, fd);
    }
}

/* ---- calls that wait for several descriptors ------------------------------------------------- */

#define POLLED 64 /* descriptors looked at; with more, nothing is said */

/* Reads the program's memory. Returns false without the right to trace it. */
static bool read_memory(const char *proc, unsigned long addr, void *out, size_t size) {
    return read_at(proc, "mem", (off_t)addr, out, size) == (ssize_t)size;
}

/* Finds the descriptors that the call waits to read from. Returns -1: not known. */
static int polled(const char *proc, const unsigned long *arg, int fd[POLLED]) {
    struct pollfd poll[POLLED] = {0};
    int n = 0;
    if (arg[1] > POLLED || !read_memory(proc, arg[0], poll, arg[1] * sizeof *poll)) return -1;
    for (unsigned long i = 0; i < arg[1]; i++)
        if (poll[i].fd >= 0 && (poll[i].events & POLLIN)) fd[n++] = poll[i].fd;
    return n;
}

static int selected(const char *proc, const unsigned long *arg, int fd[POLLED]) {
    unsigned long set[FD_SETSIZE / (8 * sizeof(unsigned long))] = {0}, bits = 8 * sizeof *set;
    int n = 0;
    if (arg[0] > FD_SETSIZE || arg[1] == 0) return -1;
    if (!read_memory(proc, arg[1], set, (arg[0] + bits - 1) / bits * sizeof *set)) return -1;
    for (unsigned long i = 0; i < arg[0]; i++) {
        if (!(set[i / bits] >> i % bits & 1)) continue;
        if (n == POLLED) return -1;
        fd[n++] = (int)i;
    }
    return n;
}

/* The kernel lists the descriptors: "tfd:        0 events:       19 ..." */
static int watched(const char *proc, const unsigned long *arg, int fd[POLLED]) {
    char name[48], text[8192];
    int n = 0;
    snprintf(name, sizeof name, "fdinfo/%lu", arg[0]);
    if (!read_text(proc, name, text, sizeof text)) return -1;
    for (const char *at = text; (at = strstr(at, "tfd:")) != NULL; at++) {
        const char *events = strstr(at, "events:");
        if (n == POLLED || !events) return -1;
        if (strtoul(events + 7, NULL, 16) & EPOLLIN) fd[n++] = (int)strtol(at + 4, NULL, 10);
    }
    return n;
}

/* Names the one descriptor; or how many, and whether a terminal is among them. */
static void say_several(UiWait *wait, const char *proc, const char *terminal, const char *call,
                        const int *fd, int count) {
    char name[16], link[LINK], tty[LINK] = "";
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%d", fd[i]);
        read_fd(proc, name, link);
        if (is_tty(link) && strcmp(tty, terminal) != 0) memcpy(tty, link, sizeof tty);
        if (count == 1 && !is_tty(link)) say_descriptor(wait, call, name, link);
    }
    if (tty[0]) say_input(wait, tty, terminal);
    if (count > 1 && tty[0])
        snprintf(wait->words, sizeof wait->words, "waits for input, or %d other%s", count - 1,
                 count == 2 ? "" : "s");
    else if (count > 1)
        snprintf(wait->words, sizeof wait->words, "waits in %s of %d descriptors", call, count);
}

static bool say_waits(UiWait *wait, const char *proc, const char *terminal, size_t call,
                      const char *arguments) {
    unsigned long arg[2] = {0};
    int fd[POLLED], count = -1;
    char *end;
    arg[0] = strtoul(arguments, &end, 16);
    arg[1] = strtoul(end, NULL, 16);
    if (calls[call].says == SAYS_POLL) count = polled(proc, arg, fd);
    if (calls[call].says == SAYS_SELECT) count = selected(proc, arg, fd);
    if (calls[call].says == SAYS_EPOLL) count = watched(proc, arg, fd);
    if (count < 1) return false;
    say_several(wait, proc, terminal, calls[call].name, fd, count);
    return true;
}

/* Reads the number of the call and its arguments from "0 0x3 0x7ffe... ...". */
static void say_call(UiWait *wait, const char *proc, const char *terminal, const char *call) {
    char *end;
    long number = strtol(call, &end, 10);
    if (end == call || number < 0) return; /* "running", or stopped outside any call */
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (calls[i].number != number) continue;
        if (calls[i].says > SAYS_FD && say_waits(wait, proc, terminal, i, end)) return;
        if (calls[i].says != SAYS_FD) {
            snprintf(wait->words, sizeof wait->words, "%s", calls[i].words);
            return;
        }
        char fd[16], link[LINK];
        snprintf(fd, sizeof fd, "%lu", strtoul(end, NULL, 16));
        read_fd(proc, fd, link);
        if ((number == SYS_read || number == SYS_readv) && is_tty(link))
            say_input(wait, link, terminal);
        else
            say_descriptor(wait, calls[i].name, fd, link);
        return;
    }
    snprintf(wait->words, sizeof wait->words, "waits in system call %ld", number);
}

/* Returns true if the process has this terminal, no other one, and no descriptor for which the
 * kernel would wait in the same place. */
static bool reads_only(const char *proc, const char *terminal) {
    char path[96], link[LINK];
    snprintf(path, sizeof path, "%s/fd", proc);
    DIR *dir = opendir(path);
    bool found = false, others = dir == NULL;
    for (const struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
        if (e->d_name[0] == '.') continue;
        read_fd(proc, e->d_name, link);
        found = found || strcmp(link, terminal) == 0;
        others = others || !link[0] || strncmp(link, "socket:", 7) == 0 ||
                 strncmp(link, "anon_inode:", 11) == 0 ||
                 (strncmp(link, "/dev/", 5) == 0 && strcmp(link, "/dev/null") != 0 &&
                  strcmp(link, terminal) != 0);
    }
    if (dir) closedir(dir);
    return found && !others;
}

static void say_place(UiWait *wait, const char *proc, const char *terminal, bool unread,
                      const char *place) {
    for (size_t i = 0; i < sizeof kernel_functions / sizeof *kernel_functions; i++) {
        if (strncmp(place, kernel_functions[i].begins, strlen(kernel_functions[i].begins)) != 0)
            continue;
        snprintf(wait->words, sizeof wait->words, "%s", kernel_functions[i].words);
        return;
    }
    /* reading a terminal; writing to a full one, or a socket, is excluded below */
    bool woken = strcmp(place, "wait_woken") == 0 || strcmp(place, "n_tty_read") == 0;
    if (woken && *terminal && !unread && reads_only(proc, terminal))
        say_input(wait, terminal, terminal);
    else if (place[0] && strcmp(place, "0") != 0)
        snprintf(wait->words, sizeof wait->words, "waits in the kernel (%.40s)", place);
}

void blocked_look(Blocked *b, const char *proc, const char *terminal, bool unread, uint64_t now,
                  UiWait *wait) {
    char status[4096], call[160] = "", place[64] = "", now_seen[sizeof b->seen];
    *wait = (UiWait){0};
    if (!read_text(proc, "status", status, sizeof status)) status[0] = 0;
    const char *state = strstr(status, "\nState:\t"), *voluntary = "\nvoluntary_ctxt_switches:";
    if (!state || !strstr(status, voluntary) || field_of(status, "\nThreads:") != 1) {
        b->since = 0;
        return;
    }
    wait->busy = state[8] == 'R';
    if (state[8] != 'S') { /* the program runs, is stopped, or returns from disk I/O */
        b->since = 0;
        return;
    }
    bool told = read_text(proc, "syscall", call, sizeof call);
    if (!told) read_text(proc, "wchan", place, sizeof place);
    call[strcspn(call, "\n")] = place[strcspn(place, "\n")] = 0;
    snprintf(now_seen, sizeof now_seen, "%lu %s%s", field_of(status, voluntary), call, place);
    if (b->since == 0 || strcmp(b->seen, now_seen) != 0) {
        memcpy(b->seen, now_seen, sizeof b->seen);
        b->since = now;
        return;
    }
    if (now - b->since < LEAST) return;
    if (told) say_call(wait, proc, terminal, call);
    if (!told) say_place(wait, proc, terminal, unread, place);
}
