/* display.c - owns the program's end of the pseudo terminal and of the socket to the relay: opens
 * all that both need, tells `lmp run`, starts the relay, and takes the streams only when the relay
 * is ready. At the end, or if all of lmp's processes are gone, what they have left is done here. */
#include "agent/session/display.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#include "agent/session/spawn.h"
#include "base/io.h"
#include "base/os.h"
#include "pty/ptydrain.h"
#include "pty/tty.h"
#include "shared/launch.h"
#include "shared/run_handshake.h"

#define START_NS 15000000000ull /* the display must be up by then */
#define KEEP_NS 2000000000ull   /* and `lmp run` must have said that it knows of it by then */

/* Everything that display_start has open until it knows how it ends. */
typedef struct Start {
    int tty, master, slave, line[2], hold[2];
    Spool spool;
    bool on_tty[3]; /* the program's streams that are the terminal */
} Start;

static void start_close(Start *s) {
    io_close(&s->tty);
    io_close(&s->master);
    io_close(&s->slave);
    io_close(&s->line[0]);
    io_close(&s->line[1]);
    io_close(&s->hold[0]);
    io_close(&s->hold[1]);
    spool_close(&s->spool);
}

/* Returns a descriptor of our own for the terminal: a fresh one where possible, so that its flags
 * are not those of the program's streams. */
static int open_tty(int stream) {
    char path[32];
    int fd = -1;
    if (stream < 0) {
        fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    } else {
        snprintf(path, sizeof path, "/proc/self/fd/%d", stream);
        fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (fd < 0) fd = fcntl(stream, F_DUPFD_CLOEXEC, OWN_FD_LEAST);
    }
    return own_fd_lift(fd);
}

/* The terminal is that of stdout, stderr or stdin, else the controlling one. */
static LmpErr find_tty(Start *s) {
    static const int order[3] = {1, 2, 0};
    struct stat tty, st;
    int stream = -1;
    for (int i = 2; i >= 0; i--)
        if (isatty(order[i])) stream = order[i];
    s->tty = open_tty(stream);
    if (s->tty < 0 || fstat(s->tty, &tty) != 0) return LMP_E_NOTTY;
    /* A background job must not take the terminal from its owner. One that is not our session's at
     * all may be the pseudo terminal of a display that is up already. */
    if (tcgetpgrp(s->tty) != getpgrp()) return LMP_E_NOTTY;
    for (int i = 0; i < 3; i++)
        s->on_tty[i] =
            isatty(i) && fstat(i, &st) == 0 && st.st_rdev == tty.st_rdev && st.st_ino == tty.st_ino;
    return LMP_OK;
}

/* The pseudo terminal passes output unchanged (the real one does the processing when it is written
 * there); input is edited and echoed by its line discipline, as typed into the output panel. */
static LmpErr open_pty(Start *s) {
    struct termios mode;
    struct winsize size;
    s->master = own_fd_lift(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (s->master < 0 || grantpt(s->master) != 0 || unlockpt(s->master) != 0) return LMP_E_PTY;
    s->slave = pty_open_slave(s->master, 0);
    if (s->slave < 0 || fcntl(s->master, F_SETFL, O_RDWR | O_NONBLOCK) != 0) return LMP_E_PTY;
    if (tcgetattr(s->tty, &mode) != 0 && tcgetattr(s->slave, &mode) != 0) return LMP_E_PTY;
    mode.c_oflag &= (tcflag_t)~OPOST;
    mode.c_iflag &= (tcflag_t) ~(IXON | IXOFF | INLCR | IGNCR);
    mode.c_iflag |= ICRNL;
    mode.c_lflag &= (tcflag_t) ~(ISIG | TOSTOP);
    mode.c_lflag |= ICANON | ECHO | ECHOE | ECHOK;
    if (tcsetattr(s->slave, TCSANOW, &mode) != 0) return LMP_E_PTY;
    if (ioctl(s->tty, TIOCGWINSZ, &size) == 0) ioctl(s->master, TIOCSWINSZ, &size);
    return LMP_OK;
}

static bool open_pair(int pair[2], bool socket) {
    int made = socket ? socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)
                      : pipe2(pair, O_CLOEXEC);
    if (made != 0) {
        pair[0] = pair[1] = -1;
        return false;
    }
    pair[0] = own_fd_lift(pair[0]);
    pair[1] = own_fd_lift(pair[1]);
    return pair[0] >= 0 && pair[1] >= 0;
}

/* Lists the descriptors that the relay gets, and `lmp run` in case that it must take over; `hold`:
 * which end of the pipe. */
static void to_give(int wanted[LMP_FD_END], const Start *s, int state_fd, int hold) {
    const int all[LMP_FD_END] = {
        [0] = s->tty,
        [1] = s->tty,
        [2] = s->tty,
        [LMP_FD_STATE] = state_fd,
        [LMP_FD_MASTER] = s->on_tty[0] || s->on_tty[1] || s->on_tty[2] ? s->master : -1,
        [LMP_FD_LINE] = s->line[1],
        [LMP_FD_TTY] = s->tty,
        [LMP_FD_HOLD] = s->hold[hold],
        [LMP_FD_SPOOL] = s->spool.memory,
        [LMP_FD_DISK] = s->spool.disk,
        [LMP_FD_OUT] = s->spool.out,
        [LMP_FD_IN] = s->spool.in,
    };
    memcpy(wanted, all, sizeof all);
}

static LmpErr spawn_relay(const Start *s, int state_fd, const char *command,
                          const LmpDisplayOptions *options) {
    char fps[48];
    char summary[4200];
    unsigned mfps = options->fps > 0 && options->fps < 1e6 ? (unsigned)(options->fps * 1000) : 0;
    snprintf(fps, sizeof fps, "--fps=%u.%03u", mfps / 1000, mfps % 1000);
    snprintf(summary, sizeof summary, "--summary=%s", options->summary ? options->summary : "");
    char *argv[8] = {(char *)(uintptr_t) "lmp", (char *)(uintptr_t) "display", fps, summary};
    int argc = 4;
    argv[argc++] = (char *)(uintptr_t)(options->hold ? "--hold" : "--no-hold");
    if (s->on_tty[0]) argv[argc++] = (char *)(uintptr_t) "--input";

    int high = fcntl(state_fd, F_DUPFD_CLOEXEC, OWN_FD_LEAST), wanted[LMP_FD_END], status;
    if (high < 0) return LMP_E_VIEWER;
    to_give(wanted, s, high, 1);
    LmpErr err = spawn_command(command, argv, wanted, &status);
    close(high);
    return err;
}

/* Waits for the relay's message until `deadline` (0: for ever); 0 when the line is dead or
 * silent. */
static char hear(int line, uint64_t deadline) {
    for (;;) {
        int ms = -1;
        if (deadline) {
            uint64_t now = lmp_os->clock();
            if (now >= deadline) return 0;
            ms = (int)((deadline - now) / 1000000u) + 1;
        }
        struct pollfd p = {.fd = line, .events = POLLIN};
        int ready = poll(&p, 1, ms);
        if (ready < 0 && errno != EINTR) return 0;
        if (ready <= 0) continue;
        char word;
        ssize_t n = recv(line, &word, 1, MSG_DONTWAIT);
        if (n == 1) return word;
        if (n == 0 || (errno != EAGAIN && errno != EINTR)) return 0;
    }
}

/* Copies the streams while there is no relay yet, which would show the display at once: copying may
 * fail for want of descriptors. */
static bool save_streams(LmpDisplay *d, const Start *s) {
    for (int i = 0; i < 3; i++) {
        if (!s->on_tty[i]) continue;
        d->saved[i] = own_fd_take(fcntl(i, F_DUPFD_CLOEXEC, OWN_FD_LEAST));
        if (d->saved[i].fd < 0) return false;
    }
    return true;
}

/* Puts the slave in place of the streams that are the terminal. */
static bool take_streams(const Start *s) {
    for (int i = 0; i < 3; i++)
        if (s->on_tty[i] && dup2(s->slave, i) < 0) return false;
    return true;
}

static void put_streams_back(LmpDisplay *d) {
    for (int i = 0; i < 3; i++)
        if (own_fd_get(&d->saved[i]) >= 0) {
            dup2(d->saved[i].fd, i);
            own_fd_close(&d->saved[i]);
        }
}

/* Opens the spool, and notes in its state what whoever survives will need. */
static LmpErr open_spool(Start *s, const struct termios *before) {
    if (!spool_open(&s->spool, SPOOL_MEMORY)) return LMP_E_NOMEM;
    s->spool.memory = own_fd_lift(s->spool.memory);
    s->spool.disk = own_fd_lift(s->spool.disk);
    s->spool.out = own_fd_lift(s->spool.out);
    s->spool.in = own_fd_lift(s->spool.in);
    if (s->spool.memory < 0 || s->spool.out < 0 || s->spool.in < 0) return LMP_E_NOMEM;
    LmpRelayState *e = s->spool.relay_state;
    e->input = s->on_tty[0];
    e->tty.before = *before;
    atomic_store(&e->tty.before_known, true);
    return LMP_OK;
}

/* Tells `lmp run` of the display, before there is a process that could die and leave the work to
 * others; `lmp run` would not wait for the end of a display that it does not know. */
static bool tell_run(const Start *s, int state_fd, int socket) {
    int fds[LMP_FD_END];
    to_give(fds, s, state_fd, 0);
    return handshake_send_display(socket, fds) &&
           hear(s->line[0], lmp_os->clock() + KEEP_NS) == LMP_SAY_KEPT;
}

/* Hands the spool to the display: we read from it if no other process is left. */
static void keep_spool(LmpDisplay *d, Start *s) {
    d->kept[0] = own_fd_note(s->spool.memory);
    d->kept[1] = own_fd_note(s->spool.disk);
    d->kept[2] = own_fd_note(s->spool.out);
    d->relay_state = s->spool.relay_state;
    io_close(&s->spool.in); /* nothing is written there any more then */
    s->spool = NO_SPOOL;
}

LmpErr display_start(LmpDisplay *d, int state_fd, const char *command,
                     const LmpDisplayOptions *options) {
    Start s = {-1, -1, -1, {-1, -1}, {-1, -1}, NO_SPOOL, {false, false, false}};
    struct stat st;
    *d = DISPLAY_NONE;
    struct termios before;
    LmpErr err = find_tty(&s);
    if (!err && tcgetattr(s.tty, &before) != 0) err = LMP_E_NOTTY;
    if (!err) err = open_pty(&s);
    if (!err) err = open_spool(&s, &before);
    if (!err && (fstat(s.slave, &st) != 0 || !open_pair(s.line, true) ||
                 (options->run_socket >= 0 && !open_pair(s.hold, false)) || !save_streams(d, &s)))
        err = LMP_E_VIEWER;
    if (!err) {
        fflush(stdout);
        fflush(stderr);
        if (options->run_socket >= 0 && !tell_run(&s, state_fd, options->run_socket))
            err = LMP_E_VIEWER;
    }
    if (!err) err = spawn_relay(&s, state_fd, command, options);
    if (!err) {
        io_close(&s.line[1]);
        io_close(&s.hold[1]);
        char word = hear(s.line[0], lmp_os->clock() + START_NS);
        if (word != LMP_SAY_READY || !take_streams(&s)) err = LMP_E_VIEWER;
        if (word == 0) tty_put_right(s.tty, &s.spool.relay_state->tty); /* killed on its way up */
    }
    if (!err) {
        d->pty = st.st_rdev;
        keep_spool(d, &s);
        d->line = own_fd_note(s.line[0]);
        s.line[0] = -1;
        if (s.on_tty[0] || s.on_tty[1] || s.on_tty[2]) {
            d->master = own_fd_note(s.master);
            s.master = -1;
        }
    }
    if (err) put_streams_back(d);
    start_close(&s);
    return err;
}

/* Returns a descriptor of the terminal among the streams we keep, -1: none was the terminal. */
static int saved_tty(LmpDisplay *d) {
    static const int order[3] = {1, 2, 0};
    for (int i = 0; i < 3; i++)
        if (own_fd_get(&d->saved[order[i]]) >= 0) return d->saved[order[i]].fd;
    return -1;
}

static int get_master(LmpDisplay *d) {
    unsigned number; /* also the slave's: all masters are one file */
    int master = own_fd_get(&d->master);
    if (master >= 0 && (ioctl(master, TIOCGPTN, &number) != 0 || number != minor(d->pty)))
        d->master.fd = -1; /* another one's */
    return d->master.fd;
}

static void close_master(LmpDisplay *d) {
    if (get_master(d) >= 0) own_fd_close(&d->master);
    d->master.fd = -1;
}

/* Puts the terminal back in place of the streams that are still the pseudo terminal. */
static void give_back(LmpDisplay *d) {
    struct stat st;
    for (int i = 0; i < 3; i++) {
        if (own_fd_get(&d->saved[i]) < 0) continue;
        if (fstat(i, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == d->pty)
            dup2(d->saved[i].fd, i);
    }
}

/* Does what is left when all of lmp's processes were killed: puts the terminal right, which is as
 * the display had it, and writes what was kept and what is left in the pseudo terminal. If only the
 * notice of the end was lost, all of this may already have been done. */
static void do_the_rest(LmpDisplay *d) {
    int tty = saved_tty(d), master = get_master(d);
    if (tty < 0) return;
    if (d->relay_state) {
        Spool spool = {own_fd_get(&d->kept[0]),
                       own_fd_get(&d->kept[1]),
                       own_fd_get(&d->kept[2]),
                       -1,
                       SPOOL_MEMORY,
                       d->relay_state,
                       0};
        tty_put_right(tty, &d->relay_state->tty);
        spool_mend(&spool);
        spool_pass(&spool, tty);
    }
    if (master >= 0) pty_drain(master, pty_sink_fd, &tty);
}

/* Returns true if the relay is there. If the program has closed the line, the relay takes it for
 * dead, ends the display and passes on further output: the streams may stay. */
static bool check(LmpDisplay *d) {
    char word;
    if (d->line.fd >= 0) {
        int line = own_fd_get(&d->line);
        if (line < 0) {
            display_forget(d);
            return false;
        }
        ssize_t n = recv(line, &word, 1, MSG_DONTWAIT | MSG_PEEK);
        if (n > 0 && word == LMP_SAY_READY) /* again, by one who took over */
            n = recv(line, &word, 1, MSG_DONTWAIT);
        if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR))) return true;
        own_fd_close(&d->line);
        do_the_rest(d);
        give_back(d);
    } else if (d->master.fd >= 0) {
        /* No relay any more, but children may still write to the pseudo terminal. */
        char bytes[4096];
        int master = get_master(d), tty = saved_tty(d);
        ssize_t n = master >= 0 ? read(master, bytes, sizeof bytes) : 0;
        if (n > 0 && tty >= 0) io_write_all(tty, bytes, (size_t)n);
        if (n == 0 || (n < 0 && errno == EIO)) close_master(d);
    }
    return false;
}

bool display_check(LmpDisplay *d) {
    int before = errno;
    bool there = check(d);
    errno = before;
    return there;
}

bool display_end(LmpDisplay *d) {
    if (d->ended || (d->line.fd < 0 && d->master.fd < 0)) return false;
    fflush(stdout);
    fflush(stderr);
    char word = 0;
    if (display_check(d)) {
        give_back(d);
        word = LMP_SAY_END;
        if (send(d->line.fd, &word, 1, MSG_NOSIGNAL) != 1) word = 0;
        while (word != LMP_SAY_DONE && word != 0)
            word = hear(d->line.fd, 0);
    }
    bool said = word == LMP_SAY_DONE || display_said(d);
    if (word == 0) do_the_rest(d);
    d->ended = true;
    display_forget(d);
    return said;
}

bool display_said(const LmpDisplay *d) {
    return d->relay_state && (atomic_load(&d->relay_state->steps) & RELAY_SUMMARY);
}

bool display_leave(LmpDisplay *d) {
    char word = LMP_SAY_LAST;
    if (d->ended || d->line.fd < 0) return false;
    fflush(stdout);
    fflush(stderr);
    return display_check(d) && send(d->line.fd, &word, 1, MSG_NOSIGNAL) == 1;
}

void display_forget(LmpDisplay *d) {
    own_fd_close(&d->line);
    close_master(d);
    for (int i = 0; i < 3; i++)
        own_fd_close(&d->saved[i]);
    for (int i = 0; i < 3; i++)
        own_fd_close(&d->kept[i]);
    if (d->relay_state) lmp_os->unmap(d->relay_state, SPOOL_AT);
    d->relay_state = NULL;
}
