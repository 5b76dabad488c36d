/* blocked.c - see blocked.h. */
#include "viewer/blocked.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LEAST 250000000ull /* nanoseconds without a wakeup */
#define LINK 128

/* System calls in which programs stand still. `fd`: the first argument is a descriptor, which is
 * described as well. */
static const struct {
    long number;
    const char *name, *words;
    bool fd;
} calls[] = {
    {SYS_read, "read", NULL, true},
    {SYS_readv, "readv", NULL, true},
    {SYS_write, "write", NULL, true},
    {SYS_writev, "writev", NULL, true},
    {SYS_recvfrom, "recvfrom", NULL, true},
    {SYS_recvmsg, "recvmsg", NULL, true},
    {SYS_sendto, "sendto", NULL, true},
    {SYS_sendmsg, "sendmsg", NULL, true},
    {SYS_accept, "accept", NULL, true},
    {SYS_accept4, "accept4", NULL, true},
    {SYS_connect, "connect", NULL, true},
    {SYS_flock, "flock", NULL, true},
    {SYS_nanosleep, "nanosleep", "sleeps (nanosleep)", false},
    {SYS_clock_nanosleep, "clock_nanosleep", "sleeps (clock_nanosleep)", false},
    {SYS_wait4, "wait4", "waits for a child process (wait4)", false},
    {SYS_waitid, "waitid", "waits for a child process (waitid)", false},
    {SYS_futex, "futex", "waits for a lock (futex)", false},
#ifdef SYS_poll
    {SYS_poll, "poll", "waits in poll", false},
#endif
#ifdef SYS_select
    {SYS_select, "select", "waits in select", false},
#endif
#ifdef SYS_pause
    {SYS_pause, "pause", "waits for a signal (pause)", false},
#endif
#ifdef SYS_epoll_wait
    {SYS_epoll_wait, "epoll_wait", "waits in epoll_wait", false},
#endif
    {SYS_ppoll, "ppoll", "waits in ppoll", false},
    {SYS_pselect6, "pselect6", "waits in pselect", false},
    {SYS_epoll_pwait, "epoll_pwait", "waits in epoll_pwait", false},
    {SYS_rt_sigsuspend, "rt_sigsuspend", "waits for a signal (sigsuspend)", false},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait", "waits for a signal (sigtimedwait)", false},
};

/* Kernel functions in which only one thing sleeps, by the beginnings of their names. */
static const struct {
    const char *begins, *words;
} places[] = {
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

/* The beginning of a file; false: unreadable or empty. */
static bool read_text(const char *proc, const char *name, char *out, size_t size) {
    char path[96];
    snprintf(path, sizeof path, "%s/%s", proc, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, out, size - 1) : -1;
    if (fd >= 0) close(fd);
    out[n > 0 ? n : 0] = 0;
    return n > 0;
}

/* What a descriptor of the program refers to; "" not known. */
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

/* From "0 0x3 0x7ffe... ...": the number of the call and its arguments. */
static void say_call(UiWait *wait, const char *proc, const char *terminal, const char *call) {
    char *end;
    long number = strtol(call, &end, 10);
    if (end == call || number < 0) return; /* "running", or stopped outside any call */
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (calls[i].number != number) continue;
        if (!calls[i].fd) {
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

/* Does it have no descriptor for which the kernel would wait in the same place as for a terminal,
 * and no terminal but this one? */
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
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strncmp(place, places[i].begins, strlen(places[i].begins)) != 0) continue;
        snprintf(wait->words, sizeof wait->words, "%s", places[i].words);
        return;
    }
    /* reading a terminal; writing to a full one, or a socket: excluded */
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
    if (state[8] != 'S') { /* it runs, is stopped, or returns from disk I/O */
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
