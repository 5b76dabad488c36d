/* collect.c - receives messages with descriptors (SCM_RIGHTS) from the profiled states on one
 * socket, keeps states and displays, creates an heir for a display whose processes were killed, and
 * at the end opens every state to report on it. */
#include "run/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/os.h"
#include "command/command.h"
#include "pty/errorline.h"
#include "pty/spool.h"
#include "read/stats.h"
#include "read/view.h"
#include "relay/pty_relay.h"
#include "reporting/runreport.h"
#include "run/giveback.h"

#define LOOK_MS 250

/* A build may run a thousand Lua programs, so states get half of the descriptors at most. */
static bool runs_short(int fd) {
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)fd >= limit.rlim_cur / 2;
}

/* Returns the display that is not over; there is only one at a time. */
static CollectDisplay *open_display(const Collect *c) {
    for (size_t i = 0; i < c->display_count; i++)
        if (!c->displays[i].over) return (CollectDisplay *)&c->displays[i];
    return NULL;
}

/* Returns true if a display or a recorder of ours needs the whole state. */
static bool in_use(const Collect *c, const CollectState *state) {
    struct stat st, shown;
    const CollectDisplay *d = open_display(c);
    if (fstat(state->fd, &st) != 0) return true;
    if (d && fstat(d->fd[LMP_FD_STATE], &shown) == 0 && shown.st_ino == st.st_ino) return true;
    return c->recorders && recorders_busy(c->recorders, st.st_ino);
}

int collect_look(Collect *c) {
    uint64_t now = lmp_os->clock();
    bool due = now >= c->next_look, left = false;
    if (due) c->next_look = now + LOOK_MS * 1000000ull;
    for (size_t i = 0; i < c->count; i++) {
        CollectState *s = &c->states[i];
        if (s->over || s->fd < 0 || s->pid == (uint32_t)c->main) continue;
        s->over = due && !in_use(c, s) && giveback(s->fd, s->pid);
        left = left || !s->over;
    }
    return left ? LOOK_MS : -1;
}

static void keep_whole(CollectState *s) {
    s->whole = view_whole(s->fd);
    if (s->whole) io_close(&s->fd);
}

/* States of programs that have ended are kept as mappings, without descriptors. Returns `fd` by its
 * lowest number. */
static int spare_descriptors(Collect *c, int fd) {
    collect_look(c);
    for (size_t i = 0; i < c->count; i++)
        if (c->states[i].over && c->states[i].fd >= 0) keep_whole(&c->states[i]);
    int low = fcntl(fd, F_DUPFD_CLOEXEC, LMP_FD_END);
    if (low < 0) return fd;
    close(fd);
    return low;
}

static void keep_state(Collect *c, int fd, uint32_t pid) {
    if (runs_short(fd)) fd = spare_descriptors(c, fd);
    if (c->recorders) recorders_state(c->recorders, fd, pid);
    if (!array_room(&c->states, &c->room, c->count + 1)) {
        close(fd);
        c->lost++;
        return;
    }
    CollectState *state = &c->states[c->count++];
    *state = (CollectState){.fd = fd, .pid = pid};
    if (runs_short(fd)) keep_whole(state);
}

/* Keeps a display: its descriptors arrived in order, named by the bits of `which`. They are placed
 * above the numbers that they get in a process that takes over. If one is missing, there is no
 * display. */
static void keep_display(Collect *c, uint32_t which, const int *fd, size_t count) {
    CollectDisplay d = {.heir = 0};
    size_t used = 0;
    bool all = c->display_count < sizeof c->displays / sizeof *c->displays;
    for (int to = 0; to < LMP_FD_END; to++) {
        d.fd[to] = -1;
        if (!(which & 1u << to)) continue;
        int high = used < count ? fcntl(fd[used], F_DUPFD_CLOEXEC, LMP_FD_END) : -1;
        all = all && high >= 0;
        d.fd[to] = high < 0 && used < count ? fd[used] : high;
        if (high >= 0) close(fd[used]);
        used++;
    }
    char word = all ? LMP_SAY_KEPT : LMP_SAY_FAILED;
    (void)!send(d.fd[LMP_FD_LINE], &word, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (all) {
        c->displays[c->display_count++] = d;
        if (c->recorders) recorders_output(c->recorders, d.fd[LMP_FD_STATE], d.fd[LMP_FD_SPOOL]);
    }
    for (int to = 0; to < LMP_FD_END && !all; to++)
        io_close(&d.fd[to]);
}

/* What comes with a message in addition to its words. */
typedef struct Enclosed {
    int fd[LMP_HANDSHAKE_FDS];
    size_t count;
    struct ucred from; /* the sender, in our pid namespace; pid 0: not known */
} Enclosed;

static Enclosed enclosed(struct msghdr *message) {
    Enclosed e = {.count = 0};
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET) continue;
        if (c->cmsg_type == SCM_RIGHTS) {
            e.count = (c->cmsg_len - CMSG_LEN(0)) / sizeof *e.fd;
            if (e.count > LMP_HANDSHAKE_FDS)
                e.count = LMP_HANDSHAKE_FDS; /* never: there is no room */
            memcpy(e.fd, CMSG_DATA(c), e.count * sizeof *e.fd);
        }
        if (c->cmsg_type == SCM_CREDENTIALS && c->cmsg_len >= CMSG_LEN(sizeof e.from))
            memcpy(&e.from, CMSG_DATA(c), sizeof e.from);
    }
    return e;
}

void collect_open(Collect *c, int socket, bool live) {
    int yes = 1;
    c->socket = socket;
    c->live = live;
    setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes);
}

void collect_receive(Collect *c) {
    while (c->socket >= 0) {
        LmpHandshake handshake = {0};
        union {
            struct cmsghdr align;
            char bytes[CMSG_SPACE(LMP_HANDSHAKE_FDS * sizeof(int)) +
                       CMSG_SPACE(sizeof(struct ucred))];
        } control;
        struct iovec io = {&handshake, sizeof handshake};
        struct msghdr message = {.msg_iov = &io,
                                 .msg_iovlen = 1,
                                 .msg_control = control.bytes,
                                 .msg_controllen = sizeof control.bytes};
        ssize_t n = recvmsg(c->socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) { /* the other end is closed everywhere */
            close(c->socket);
            c->socket = -1;
            return;
        }
        Enclosed with = enclosed(&message);
        int fd = with.count > 0 ? with.fd[0] : -1;
        bool known = n == (ssize_t)sizeof handshake && handshake.magic == LMP_HANDSHAKE_MAGIC;
        bool forked = known && handshake.what == LMP_HANDSHAKE_FORKED;
        if (forked || (known && handshake.what == LMP_HANDSHAKE_STATE)) {
            if (!forked) {
                char word = c->live ? LMP_LIVE_YES : LMP_LIVE_NO;
                c->live = false;
                (void)!send(c->socket, &word, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
            }
            c->next_look = 0;
            if (fd >= 0)
                keep_state(c, fd, (uint32_t)with.from.pid);
            else
                c->lost++;
        } else if (known && handshake.what == LMP_HANDSHAKE_DISPLAY) {
            keep_display(c, handshake.fds, with.fd, with.count);
        } else if (known && handshake.what == LMP_HANDSHAKE_REFUSED) {
            c->refused++;
        } else {
            for (size_t i = 0; i < with.count; i++)
                close(with.fd[i]);
        }
    }
}

/* ---- displays -------------------------------------------------------------------------------- */

/* Spool and hold stay open for collect_reported. */
static void display_over(CollectDisplay *d) {
    for (int i = 0; i < LMP_FD_END; i++)
        if (i != LMP_FD_SPOOL && i != LMP_FD_HOLD) io_close(&d->fd[i]);
    d->over = true;
    if (d->heir > 0)
        waitpid(d->heir, NULL, WNOHANG); /* the program's children may still need the heir */
    d->heir = 0;
}

static bool display_done(const CollectDisplay *d) {
    Spool spool;
    int memory = fcntl(d->fd[LMP_FD_SPOOL], F_DUPFD_CLOEXEC, 0);
    bool done = !spool_inherit(&spool, memory, -1, -1, -1, 0) ||
                (atomic_load(&spool.relay_state->steps) & RELAY_DONE);
    spool_close(&spool);
    return done;
}

static _Noreturn void be_heir(const CollectDisplay *d, int hold) {
    int fd[LMP_FD_END];
    memcpy(fd, d->fd, sizeof fd);
    fd[LMP_FD_HOLD] = hold;
    for (int to = LMP_FD_STATE; to < LMP_FD_END; to++)
        if (fd[to] < 0 || dup2(fd[to], to) < 0) close(to);
    io_close_range(LMP_FD_END, ~0u);
    pty_relay_inherit();
    _exit(0);
}

/* Creates a process that finishes what the killed ones left undone; the other end of its pipe
 * becomes our LMP_FD_HOLD. */
static bool make_heir(CollectDisplay *d) {
    int hold[2];
    if (pipe2(hold, O_CLOEXEC) != 0) return false;
    int high = fcntl(hold[1], F_DUPFD_CLOEXEC, LMP_FD_END);
    close(hold[1]);
    pid_t pid = high >= 0 ? fork() : -1;
    if (pid == 0) be_heir(d, high);
    if (high >= 0) close(high);
    if (pid < 0) {
        close(hold[0]);
        return false;
    }
    if (d->heir > 0) waitpid(d->heir, NULL, WNOHANG); /* the former heir was killed as well */
    close(d->fd[LMP_FD_HOLD]);
    d->fd[LMP_FD_HOLD] = hold[0];
    d->heir = pid;
    return true;
}

int collect_display_fd(const Collect *c) {
    const CollectDisplay *d = open_display(c);
    return d ? d->fd[LMP_FD_HOLD] : -1;
}

void collect_displays(Collect *c) {
    CollectDisplay *d = open_display(c);
    struct pollfd p = {.fd = d ? d->fd[LMP_FD_HOLD] : -1, .events = POLLIN};
    char byte;
    if (!d || poll(&p, 1, 0) <= 0) return;
    ssize_t n = read(p.fd, &byte, 1);
    if (n == 1 && byte == 'D') display_over(d);
    if (n == 1 && byte == '\n') c->open_line = true;
    if (n == 1 || (n < 0 && errno == EINTR)) return;
    if (display_done(d) || !make_heir(d)) display_over(d);
}

static void note(const CollectDisplay *d, uint32_t step) {
    Spool spool;
    int memory = fcntl(d->fd[LMP_FD_SPOOL], F_DUPFD_CLOEXEC, 0);
    if (spool_inherit(&spool, memory, -1, -1, -1, 0))
        atomic_fetch_or(&spool.relay_state->steps, step);
    spool_close(&spool);
}

void collect_summary_begun(const Collect *c) {
    for (size_t i = 0; i < c->display_count; i++)
        note(&c->displays[i], RELAY_BEGUN);
}

void collect_summary_done(const Collect *c) {
    for (size_t i = 0; i < c->display_count; i++)
        note(&c->displays[i], RELAY_SUMMARY);
}

void collect_reported(Collect *c) {
    collect_summary_done(c);
    for (size_t i = 0; i < c->display_count; i++) {
        CollectDisplay *d = &c->displays[i];
        io_close(&d->fd[LMP_FD_SPOOL]);
        io_close(&d->fd[LMP_FD_HOLD]);
    }
    c->display_count = 0;
}

void collect_wait_displays(Collect *c) {
    struct pollfd p = {.events = POLLIN};
    while ((p.fd = collect_display_fd(c)) >= 0)
        if (poll(&p, 1, -1) > 0) collect_displays(c);
}

void collect_ended(const Collect *c, const CollectEnd *end) {
    for (size_t i = 0; i < c->count; i++) {
        const CollectState *s = &c->states[i];
        struct stat st;
        if (s->fd < 0 || s->pid != (uint32_t)end->pid || fstat(s->fd, &st) != 0 ||
            st.st_size < (off_t)LMP_LIVE_AT)
            continue;
        size_t size = LMP_LIVE_AT - LMP_CONTROL_AT;
        LmpControl *control = lmp_os->map(size, s->fd, LMP_CONTROL_AT, true);
        if (!control) continue;
        atomic_store(&control->ended, 1 + (uint32_t)end->status);
        lmp_os->unmap(control, size);
    }
}

/* ---- summaries ------------------------------------------------------------------------------- */

/* Finds the program's error message. It is known only if the output went through a display. */
static bool error_line(const Collect *c, char *out, size_t size) {
    for (size_t i = 0; i < c->display_count; i++)
        if (errorline_find(c->displays[i].fd[LMP_FD_SPOOL], SPOOL_AT, out, size)) return true;
    return false;
}

static LmpErr open_state(LmpView *view, const CollectState *state) {
    int own = state->whole ? -1 : dup(state->fd);
    return state->whole ? view_open_whole(view, state->whole)
           : own < 0    ? LMP_E_MEMFD
                        : view_open(view, own);
}

/* Lets `see` look at a state's report. Returns false if the state cannot be read. */
static bool read_state(const Collect *c, size_t which, const CollectEnd *end, unsigned wanted,
                       CollectSee *see, void *with) {
    const CollectState *state = &c->states[which];
    static LmpView view; /* large, both */
    static LmpReport report;
    char ending[64], error[256];
    if (open_state(&view, state)) return false;
    if (state->pid) view.pid = state->pid;
    bool child = view.pid == (uint32_t)end->pid;
    runreport_ending(ending, sizeof ending, &view, child ? (uint32_t)end->status + 1 : 0);
    bool failed = view.pid == (uint32_t)end->pid && end->status != 0;
    unsigned parts = wanted;
    if (!view.live->tables.stacks) parts &= ~(unsigned)(LEDGER_TREE | LEDGER_TREE_KINDS);
    bool there = view_seen(&view, view.pid && lmp_os->alive(view.pid)) <= LMP_SEEN_PAUSED;
    report_fill_with(&report, view.header, view.live, &view.tables, parts, view.live->clock, ending,
                     there ? LEDGER_NOW : LEDGER_END);
    if (view.pid) report.pid = view.pid;
    report.attached = there;
    report.watched = c->display_count > 0;
    if (view.pid == (uint32_t)end->pid) report.again = end->again;
    report.error = failed && error_line(c, error, sizeof error) ? error : NULL;
    see(with, &report, &view);
    report_close(&report);
    view_close(&view);
    return true;
}

typedef struct Written {
    const LmpReportKind *kind;
    const char *before;
    FILE *out;
} Written;

static void write_seen(void *with, const LmpReport *report, LmpView *view) {
    const Written *w = with;
    (void)view;
    const char *lacks = report_lacks(w->kind, report);
    fputs(lacks ? "" : w->before, w->out);
    if (!lacks && w->kind->write(report, w->out)) lacks = "not enough memory for it";
    if (lacks) command_say("no report %s: %s", w->kind->name, lacks);
}

/* Writes one state's report, preceded by `before`. Returns false, with nothing written, if the
 * state cannot be read. */
static bool write_report(const Collect *c, size_t which, const CollectEnd *end,
                         const LmpReportKind *kind, const char *before, FILE *out) {
    Written w = {kind, before, out};
    return read_state(c, which, end, kind->parts, write_seen, &w);
}

size_t collect_each(const Collect *c, const CollectEnd *end, CollectSee *see, void *with) {
    size_t seen = 0;
    for (size_t i = 0; i < c->count; i++)
        seen += read_state(c, i, end, 0, see, with);
    return c->lost + c->count - seen;
}

size_t collect_files(const Collect *c, const LmpReportKind *kind) {
    return kind->between || c->count == 0 ? 1 : c->count;
}

void collect_report(const Collect *c, const CollectEnd *end, const LmpReportKind *kind,
                    size_t which, FILE *out) {
    if (!kind->between) {
        if (which < c->count && !write_report(c, which, end, kind, "", out))
            command_say("no report %s of Lua state %zu", kind->name, which + 1);
        return;
    }
    size_t written = 0;
    bool alone = c->count == 1 && write_report(c, 0, end, kind, "", out);
    if (!alone) fputs(kind->before, out);
    for (size_t i = 0; i < c->count && !alone; i++)
        written += write_report(c, i, end, kind, written > 0 ? kind->between : "", out);
    if (!alone) fputs(kind->after, out);
    size_t unread = c->lost + (alone ? 0 : c->count - written);
    if (unread > 0 && kind == &report_kinds[REPORT_SUMMARY])
        fprintf(out, "lmp: %zu more Lua states could not be read\n", unread);
}

/* Says how one snapshot ended. Returns false if it has not ended. */
static bool say_snapshot(const LmpSnapshotLive *s, const char *unsaid) {
    char line[2800];
    if (*unsaid && strncmp(s->file, unsaid, strlen(unsaid)) == 0) return true;
    if (s->state != LMP_SNAPSHOT_WRITTEN && s->state != LMP_SNAPSHOT_FAILED) return false;
    if (s->state == LMP_SNAPSHOT_FAILED && s->how == LMP_SNAPSHOT_ITSELF) return true;
    command_say("%s", stats_snapshot(line, sizeof line, s));
    return true;
}

/* Says the same of the snapshots before the last one, as far as they are known. */
static void say_before(const LmpView *view, uint32_t last, const char *unsaid) {
    LmpSnapshotLive s;
    uint32_t first = last > LMP_SNAPSHOTS_BEFORE ? last - LMP_SNAPSHOTS_BEFORE : 1;
    if (first > 1) command_say("snapshots 1 to %u came before", first - 1);
    for (uint32_t i = first; i < last; i++)
        if (view_copy_snapshot_before(view, i, &s)) say_snapshot(&s, unsaid);
}

void collect_snapshots(const Collect *c, bool wanted, const char *unsaid) {
    static LmpView view; /* large */
    static LmpSnapshotLive s;
    if (wanted && c->count == 0) command_say("no snapshot: no Lua state was profiled");
    for (size_t i = 0; i < c->count; i++) {
        if (open_state(&view, &c->states[i])) continue;
        view_copy_snapshot(&view, &s);
        say_before(&view, s.number, unsaid);
        if (say_snapshot(&s, unsaid))
            (void)0;
        else if (s.state == LMP_SNAPSHOT_RUNS)
            command_say("snapshot %u: the program was killed, or crashed, while it was written",
                        s.number);
        else if (s.state != LMP_SNAPSHOT_NONE || wanted)
            command_say("no snapshot: the program %s", view_seen(&view, true) == LMP_SEEN_FINISHED
                                                           ? "has ended"
                                                           : "was killed, or crashed");
        view_close(&view);
    }
}

void collect_close(Collect *c) {
    for (size_t i = 0; i < c->count; i++) {
        if (c->states[i].whole) lmp_os->unmap(c->states[i].whole, VIEW_WHOLE);
        if (c->states[i].fd >= 0) close(c->states[i].fd);
    }
    free(c->states);
    c->states = NULL;
    c->count = 0;
    c->room = 0;
    if (c->socket >= 0) close(c->socket);
    c->socket = -1;
}
