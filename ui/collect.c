/* collect.c - see collect.h. */
#include "collect.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch.h"
#include "os.h"
#include "report.h"
#include "view.h"

/* A build may run a thousand Lua programs: half of the descriptors are for them, at most. */
static bool runs_short(int fd) {
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)fd >= limit.rlim_cur / 2;
}

static void keep_state(Collect *c, int fd, uint32_t pid) {
    if (c->count == c->room) {
        size_t room = c->room ? c->room * 2 : 8;
        CollectState *states = realloc(c->states, room * sizeof *states);
        if (!states) {
            close(fd);
            c->lost++;
            return;
        }
        c->states = states;
        c->room = room;
    }
    CollectState *state = &c->states[c->count++];
    *state = (CollectState){fd, runs_short(fd) ? view_whole(fd) : NULL, pid};
    if (!state->whole) return;
    close(fd);
    state->fd = -1;
}

static void keep_display(Collect *c, int fd) {
    if (c->display_count < sizeof c->displays / sizeof *c->displays)
        c->displays[c->display_count++] = fd;
    else
        close(fd);
}

/* What comes with a message besides its words. */
typedef struct Enclosed {
    int fd;            /* -1: none */
    struct ucred from; /* as the sender is called here; pid 0: not known */
} Enclosed;

static void take_part(const struct cmsghdr *c, int type, void *out, size_t size) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == type && c->cmsg_len >= CMSG_LEN(size))
        memcpy(out, CMSG_DATA(c), size);
}

static Enclosed enclosed(struct msghdr *message) {
    Enclosed e = {.fd = -1};
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        take_part(c, SCM_RIGHTS, &e.fd, sizeof e.fd);
        take_part(c, SCM_CREDENTIALS, &e.from, sizeof e.from);
    }
    return e;
}

void collect_open(Collect *c, int socket, bool live) {
    int yes = 1;
    c->socket = socket;
    c->live = live;
    setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes);
}

static void answer(Collect *c) {
    char word = c->live ? LMP_LIVE_YES : LMP_LIVE_NO;
    c->live = false;
    (void)!send(c->socket, &word, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void collect_receive(Collect *c) {
    while (c->socket >= 0) {
        LmpHello hello = {0};
        union {
            struct cmsghdr align;
            char bytes[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
        } control;
        struct iovec io = {&hello, sizeof hello};
        struct msghdr message = {.msg_iov = &io,
                                 .msg_iovlen = 1,
                                 .msg_control = control.bytes,
                                 .msg_controllen = sizeof control.bytes};
        ssize_t n = recvmsg(c->socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) { /* nobody has the other end any more */
            close(c->socket);
            c->socket = -1;
            return;
        }
        Enclosed with = enclosed(&message);
        int fd = with.fd;
        bool known = n == (ssize_t)sizeof hello && hello.magic == LMP_HELLO_MAGIC;
        if (known && hello.what == LMP_HELLO_STATE) {
            answer(c);
            if (fd >= 0)
                keep_state(c, fd, (uint32_t)with.from.pid);
            else
                c->lost++;
        } else if (known && hello.what == LMP_HELLO_DISPLAY && fd >= 0) {
            keep_display(c, fd);
        } else if (known && hello.what == LMP_HELLO_REFUSED) {
            c->refused++;
        } else if (fd >= 0) {
            close(fd);
        }
    }
}

bool collect_wait_displays(Collect *c) {
    bool open_line = false;
    for (size_t i = 0; i < c->display_count; i++) {
        char byte;
        for (;;) {
            ssize_t n = read(c->displays[i], &byte, 1);
            if (n == 1) open_line = true;
            if (n == 0 || (n < 0 && errno != EINTR)) break;
        }
        close(c->displays[i]);
    }
    c->display_count = 0;
    return open_line;
}

/* ---- summaries ------------------------------------------------------------------------------- */

static void describe(char *out, size_t size, const LmpView *view, const CollectEnd *end) {
    uint32_t pid = view->pid;
    bool child = end->pid == (pid_t)pid;
    if (child && WIFSIGNALED(end->status)) {
        const char *name = sigabbrev_np(WTERMSIG(end->status));
        snprintf(out, size, "killed by signal %d (SIG%s)", WTERMSIG(end->status),
                 name ? name : "RT");
    } else if (child && WEXITSTATUS(end->status) != 0) {
        snprintf(out, size, "exited with status %d", WEXITSTATUS(end->status));
    } else if (view_seen(view, true) == LMP_SEEN_FINISHED) {
        snprintf(out, size, "finished");
    } else if (child) {
        snprintf(out, size, "ended without stopping the profiler");
    } else {
        snprintf(out, size, pid && lmp_os->alive(pid) ? "still running" : "killed, or crashed");
    }
}

/* Writes one state's report; false: the state cannot be read. */
static bool write_report(const CollectState *state, const CollectEnd *end, FILE *out,
                         void (*write)(const LmpReport *, FILE *)) {
    static LmpView view; /* large, both */
    static LmpReport report;
    char ending[64];
    int own = state->whole ? -1 : dup(state->fd);
    LmpErr err = state->whole ? view_open_whole(&view, state->whole)
                 : own < 0    ? LMP_E_MEMFD
                              : view_open(&view, own);
    if (err) return false;
    if (state->pid) view.pid = state->pid;
    describe(ending, sizeof ending, &view, end);
    report_fill(&report, view.header, view.live, &view.tables, view.live->clock, ending);
    if (view.pid) report.pid = view.pid;
    report.attached = view_seen(&view, view.pid && lmp_os->alive(view.pid)) <= LMP_SEEN_PAUSED;
    write(&report, out);
    report_close(&report);
    view_close(&view);
    return true;
}

void collect_summaries(const Collect *c, const CollectEnd *end, FILE *out) {
    size_t unread = c->lost;
    for (size_t i = 0; i < c->count; i++) {
        if (i > 0) fputc('\n', out);
        unread += !write_report(&c->states[i], end, out, report_summary);
    }
    if (unread > 0) fprintf(out, "lmp: %zu more Lua states could not be read\n", unread);
}

void collect_json(const Collect *c, const CollectEnd *end, FILE *out) {
    if (c->count == 1 && write_report(&c->states[0], end, out, report_json)) return;
    bool first = true;
    fputs("[\n", out);
    for (size_t i = 0; i < c->count; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *memory = open_memstream(&text, &size);
        if (memory) {
            bool good = write_report(&c->states[i], end, memory, report_json);
            fclose(memory);
            if (good) fprintf(out, "%s%s", first ? "" : ",", text);
            first = first && !good;
        }
        free(text);
    }
    fputs("]\n", out);
}

void collect_close(Collect *c) {
    for (size_t i = 0; i < c->count; i++) {
        if (c->states[i].whole) lmp_os->unmap(c->states[i].whole, VIEW_WHOLE);
        if (c->states[i].fd >= 0) close(c->states[i].fd);
    }
    free(c->states);
    c->states = NULL;
    c->count = c->room = 0;
    if (c->socket >= 0) close(c->socket);
    c->socket = -1;
}
