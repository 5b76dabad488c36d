/* keeper.c - see keeper.h.
 *
 * Two phases. SHOWING: the viewer has the terminal, output goes to the spool. RELAYING: the
 * viewer is gone, the spool has been written to the terminal, and output (and input, where the
 * program reads the terminal) pass straight through. It ends when the pseudo terminal is closed by
 * everybody, the program's background children included; the program has been told DONE before. */
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "format.h"
#include "guard.h"
#include "launch.h"
#include "os.h"
#include "ptydrain.h"
#include "report.h"
#include "spool.h"

#define LEAVE_MS 500      /* a viewer that has not noticed the program's death is told after this */
#define BACKGROUND_MS 500 /* how often a background job looks whether it has the terminal again */
#define EXIT_TROUBLE 1

typedef enum KeeperEnd {
    PROGRAM_RUNS,
    PROGRAM_ENDED, /* it said END */
    PROGRAM_GONE,  /* it died without */
    PROGRAM_LEFT,  /* alive, but the line is closed: it executed another program */
} KeeperEnd;

typedef struct Keeper {
    KeeperOptions options;
    LmpView view;
    Guard guard;
    Spool spool;
    bool showing;
    KeeperEnd end;
    bool done;                               /* summary written, DONE said */
    bool watched;                            /* guard_up has seen the display */
    int tty, master, line, process, signals; /* -1: not there (any more) */
    bool under_run;   /* LMP_FD_HOLD is open: `lmp run` tells how the program ended */
    int last;         /* last byte written to the terminal, -1: none */
    char typed[4097]; /* input that the program's terminal has not taken yet */
    size_t typed_size;
    bool tty_lost; /* the terminal is gone: output is read and dropped */
} Keeper;

static Keeper keeper; /* one per process, and large */

static void close_fd(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* ---- the terminal ---------------------------------------------------------------------------- */

static bool to_tty(void *context, const void *bytes, size_t size) {
    Keeper *k = context;
    if (size > 0) k->last = ((const unsigned char *)bytes)[size - 1];
    if (!k->tty_lost && !write_all(k->tty, bytes, size)) k->tty_lost = true;
    return true;
}

/* A line of our own, on a line of its own. */
static void say(Keeper *k, const char *format, ...) {
    char text[512];
    va_list args;
    if (k->last >= 0 && k->last != '\n') to_tty(k, "\n", 1);
    va_start(args, format);
    int n = vsnprintf(text, sizeof text - 1, format, args);
    va_end(args);
    if (n < 0) return;
    size_t size = (size_t)n < sizeof text - 1 ? (size_t)n : sizeof text - 2;
    text[size++] = '\n';
    to_tty(k, text, size);
}

static void copy_window_size(const Keeper *k) {
    struct winsize size;
    if (k->master >= 0 && ioctl(k->tty, TIOCGWINSZ, &size) == 0)
        ioctl(k->master, TIOCSWINSZ, &size);
}

/* ---- signals -------------------------------------------------------------------------------- */

static int open_signals(void) {
    static const int ignored[] = {SIGINT,  SIGQUIT, SIGTTOU, SIGTTIN,
                                  SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2};
    sigset_t set;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    signal(SIGTSTP, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGWINCH);
    sigprocmask(SIG_SETMASK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* ---- from the display to the relay ----------------------------------------------------------- */

/* From now on the terminal is the real one for both directions: it edits and echoes the lines. */
static void pass_input(const Keeper *k) {
    struct termios mode;
    if (k->master < 0 || !k->options.input || tcgetattr(k->master, &mode) != 0) return;
    mode.c_lflag &= (tcflag_t) ~(ECHO | ECHONL);
    tcsetattr(k->master, TCSANOW, &mode);
}

/* The viewer is gone and the terminal restored: what was held back comes out. */
static void begin_relay(Keeper *k) {
    k->showing = false;
    pass_input(k);
    if (!k->tty_lost && !spool_write(&k->spool, k->tty)) k->tty_lost = true;
    k->last = spool_last(&k->spool);
    spool_close(&k->spool);
}

/* Collects the viewer and goes over to the relay. */
static void end_display(Keeper *k) {
    if (!k->showing) return;
    GuardEnd how = guard_end(&k->guard);
    const ViewerResult *result = k->guard.result;
    begin_relay(k);
    if (how == GUARD_CRASHED)
        say(k, "lmp: the display crashed (signal %d); the program goes on", k->guard.signal);
    else if (result->end == VIEWER_NO_TTY)
        say(k, "lmp: no display: %.120s", result->problem);
    else if (result->saved[0])
        say(k, "lmp: picture saved as %.60s", result->saved);
}

/* Output of the program, for the spool or the terminal. */
static bool take_output(void *context, const void *bytes, size_t size) {
    Keeper *k = context;
    if (k->showing && !spool_append(&k->spool, bytes, size)) {
        end_display(k);
        say(k, "lmp: the display ended: no room to keep the program's output");
    } else if (k->showing) {
        guard_poke(&k->guard);
        return true;
    }
    return to_tty(k, bytes, size);
}

/* In the viewer's process, after the keeper was killed: it takes over. All it needs it has from
 * the fork; the spool is the same file. */
static void relay_on(Keeper *k);
static void orphaned(void *context) {
    Keeper *k = context;
    close_fd(&k->signals);
    k->signals = open_signals();
    begin_relay(k);
    say(k, "lmp: the display's keeper was killed; the program goes on");
    relay_on(k);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void write_summary(const Keeper *k) {
    LmpReport report;
    const LmpView *v = &k->view;
    const char *to = k->options.summary;
    const char *ending = k->end == PROGRAM_ENDED  ? "finished"
                         : k->end == PROGRAM_LEFT ? "went on as another program"
                                                  : "killed, or crashed";
    if (!to[0]) return;
    bool terminal = strcmp(to, "-") == 0;
    FILE *out = terminal ? fdopen(dup(k->tty), "w") : fopen(to, "we");
    if (!out) {
        dprintf(k->tty, "lmp: cannot write the summary to %s: %s\n", to, strerror(errno));
        return;
    }
    report_fill(&report, v->header, v->live, &v->tables, v->live->clock, ending);
    report_summary(&report, out);
    report_close(&report);
    if (fclose(out) != 0 && !terminal)
        dprintf(k->tty, "lmp: cannot write the summary to %s: %s\n", to, strerror(errno));
}

/* The program is over or says so: everything that it wrote until now is fetched first. */
static void note_end(Keeper *k, KeeperEnd end) {
    k->end = end;
    if (k->master >= 0) pty_drain(k->master, take_output, k);
}

/* The display is gone, the output written: now what we have to say, then the program and `lmp run`
 * hear that the terminal is theirs. */
static void finish(Keeper *k) {
    char word = LMP_SAY_DONE;
    char name[80];
    if (k->done) return;
    k->done = true;
    if (k->end == PROGRAM_GONE && !k->under_run)
        say(k, "lmp: %s (pid %u) was killed or crashed",
            format_text(name, sizeof name, k->view.header->program, 0), k->view.header->pid);
    else if (k->last >= 0 && k->last != '\n' && strcmp(k->options.summary, "-") == 0)
        to_tty(k, "\n", 1);
    write_summary(k);
    if (k->line >= 0) (void)!send(k->line, &word, 1, MSG_NOSIGNAL);
    close_fd(&k->line);
    if (k->under_run) {
        if (k->last >= 0 && k->last != '\n') (void)!write(LMP_FD_HOLD, "\n", 1);
        close(LMP_FD_HOLD);
    }
}

/* ---- what can happen ------------------------------------------------------------------------- */

static bool program_dead(const Keeper *k, int ms) {
    if (k->process < 0) return !lmp_os->alive(k->view.header->pid);
    struct pollfd p = {.fd = k->process, .events = POLLIN};
    return poll(&p, 1, ms) > 0;
}

static void on_line(Keeper *k) {
    char word;
    ssize_t n = recv(k->line, &word, 1, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n == 1) {
        if (word == LMP_SAY_END) note_end(k, PROGRAM_ENDED);
        return;
    }
    close_fd(&k->line);
    /* Descriptors are closed a little before the process is seen to be dead. */
    if (k->end == PROGRAM_RUNS) note_end(k, program_dead(k, 1000) ? PROGRAM_GONE : PROGRAM_LEFT);
}

static void on_master(Keeper *k) {
    char bytes[1 << 16];
    ssize_t n = read(k->master, bytes, sizeof bytes);
    if (n > 0) {
        take_output(k, bytes, (size_t)n);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        close_fd(&k->master); /* EIO: closed by everybody */
    }
}

static void on_signal(Keeper *k) {
    struct signalfd_siginfo info;
    if (read(k->signals, &info, sizeof info) != sizeof info) return;
    if (info.ssi_signo == SIGWINCH) {
        copy_window_size(k);
    } else if (k->showing) {
        end_display(k); /* SIGTERM, SIGHUP: without display, but the output still needs us */
    }
}

/* A line typed at the terminal, or its end, for the program. */
static void on_input(Keeper *k) {
    struct termios mode;
    ssize_t n = read(k->tty, k->typed, sizeof k->typed - 1);
    if (n < 0) {
        if (errno != EINTR && errno != EAGAIN) k->options.input = false;
        return;
    }
    k->typed_size = (size_t)n;
    if ((n == 0 || k->typed[n - 1] != '\n') && tcgetattr(k->master, &mode) == 0 &&
        (mode.c_lflag & ICANON))
        k->typed[k->typed_size++] = (char)mode.c_cc[VEOF];
}

/* Never waits: a program that does not read its input must not keep us from its output. */
static void pass_typed(Keeper *k) {
    ssize_t n = k->typed_size > 0 ? write(k->master, k->typed, k->typed_size) : 0;
    if (n <= 0) return;
    k->typed_size -= (size_t)n;
    memmove(k->typed, k->typed + n, k->typed_size);
}

/* ---- the loop -------------------------------------------------------------------------------- */

enum { W_MASTER, W_LINE, W_PROCESS, W_SIGNALS, W_LIFE, W_TTY, WATCHES };

/* One turn: waits for something to happen and deals with it. */
static void turn(Keeper *k) {
    bool input = !k->showing && !k->done && k->options.input && k->master >= 0;
    /* Reading the terminal as a background job would stop the whole job. */
    bool foreground = input && tcgetpgrp(k->tty) == getpgrp();
    bool ending = k->end != PROGRAM_RUNS && !(k->end == PROGRAM_ENDED && k->options.hold);
    short typed = k->typed_size > 0 ? POLLOUT : 0;
    struct pollfd p[WATCHES] = {
        [W_MASTER] = {.fd = k->master, .events = (short)(POLLIN | typed)},
        [W_LINE] = {.fd = k->line, .events = POLLIN},
        [W_PROCESS] = {.fd = k->end == PROGRAM_RUNS ? k->process : -1, .events = POLLIN},
        [W_SIGNALS] = {.fd = k->signals, .events = POLLIN},
        [W_LIFE] = {.fd = k->showing ? k->guard.life : -1, .events = POLLIN},
        [W_TTY] = {.fd = foreground && !typed ? k->tty : -1, .events = POLLIN},
    };
    int ms = k->showing && ending ? LEAVE_MS : input && !foreground ? BACKGROUND_MS : -1;
    int ready = poll(p, WATCHES, ms);
    if (ready < 0) return;
    if (ready == 0 && k->showing && ending) guard_tell(&k->guard);
    if (p[W_SIGNALS].revents) on_signal(k);
    if (p[W_MASTER].revents & ~POLLOUT) on_master(k);
    if (p[W_LINE].revents && k->line >= 0) on_line(k);
    if (p[W_PROCESS].revents && k->end == PROGRAM_RUNS) {
        /* It may have said END as its last word. */
        if (k->line >= 0) on_line(k);
        if (k->end == PROGRAM_RUNS) note_end(k, PROGRAM_GONE);
    }
    if (p[W_LIFE].revents && k->showing) end_display(k);
    /* What happened to the program comes before what was typed at the shell that follows it. */
    if (p[W_TTY].revents && k->end == PROGRAM_RUNS && k->master >= 0) on_input(k);
    if (k->master >= 0) pass_typed(k);
}

static void relay_on(Keeper *k) {
    while (!k->done || k->master >= 0) {
        if (!k->showing && k->end != PROGRAM_RUNS) finish(k);
        if (k->done && k->master < 0) break;
        turn(k);
    }
}

/* ---- the start ------------------------------------------------------------------------------- */

/* The program is the process that made the line. */
static int open_process(int line, uint32_t pid) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(line, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0)
        pid = (uint32_t)peer.pid;
    return (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
}

/* As the terminal would do it: to the whole job, so that a child which the program waits for gets
 * it too; and a paused program must run to see it. */
static void interrupt(void *context) {
    Keeper *k = context;
    pid_t program = (pid_t)k->view.header->pid;
    sigset_t intr, before;
    struct timespec now = {0, 0};
    sigemptyset(&intr);
    sigaddset(&intr, SIGINT);
    sigprocmask(SIG_BLOCK, &intr, &before);
    kill(0, SIGINT);
    if (getpgid(program) != getpgrp()) kill(program, SIGINT);
    while (sigtimedwait(&intr, NULL, &now) == SIGINT)
        ;
    sigprocmask(SIG_SETMASK, &before, NULL);
    view_pause(&k->view, false);
}

static bool start(Keeper *k) {
    k->showing = true;
    k->last = -1;
    k->tty = LMP_FD_TTY;
    k->line = LMP_FD_LINE;
    k->master = fcntl(LMP_FD_MASTER, F_GETFD) >= 0 ? LMP_FD_MASTER : -1;
    k->under_run = fcntl(LMP_FD_HOLD, F_GETFD) >= 0;
    k->process = -1;
    close_range(LMP_FD_END, ~0u, 0);
    /* Numbers that mean something are not given to anything else. */
    int plug;
    while ((plug = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0 && plug < LMP_FD_END)
        ;
    if (plug >= 0) close(plug);
    for (int fd = LMP_FD_STATE; fd < LMP_FD_END; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    k->signals = open_signals();
    int state = fcntl(LMP_FD_STATE, F_DUPFD_CLOEXEC, LMP_FD_END);
    LmpErr err = state < 0 ? LMP_E_MEMFD : view_open(&k->view, state);
    if (err) {
        dprintf(k->tty, "lmp: %s\n", err_message(err));
        return false;
    }
    k->process = open_process(k->line, k->view.header->pid);
    spool_open(&k->spool, SPOOL_MEMORY);
    ViewerOptions viewer = {
        .view = &k->view,
        .tty = k->tty,
        .fps = k->options.fps,
        .hold = k->options.hold,
        .breaks = getenv(LMP_ENV_BREAKS),
        .live = true,
        .spool = k->spool.memory,
        .input = k->options.input ? k->master : -1,
        .interrupt = interrupt,
        .context = k,
    };
    if (k->spool.memory < 0 || !guard_start(&k->guard, &viewer, orphaned, k)) {
        dprintf(k->tty, "lmp: %s\n", err_message(LMP_E_NOMEM));
        return false;
    }
    if (guard_up(&k->guard)) return true;
    guard_end(&k->guard);
    return false;
}

int keeper_run(const KeeperOptions *options) {
    Keeper *k = &keeper;
    k->options = *options;
    /* `pkill lmp` shall end the display, not the program's output. */
    prctl(PR_SET_NAME, "display-keeper");
    bool up = start(k);
    char word = up ? LMP_SAY_READY : LMP_SAY_FAILED;
    (void)!send(k->line, &word, 1, MSG_NOSIGNAL);
    if (!up) return EXIT_TROUBLE;
    relay_on(k);
    return 0;
}
