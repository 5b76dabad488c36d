/* pty_relay.c - one poll loop over pseudo terminal, line, program, signals, viewer and `lmp run`.
 *
 * Two phases. SHOWING: the viewer has the terminal, output goes to the spool. RELAYING: the viewer
 * is gone, the spool has been written to the terminal, and output (and input, if the program reads
 * the terminal) passes straight through. The loop ends when everyone has closed the pseudo
 * terminal, including the program's background children; the program has been told DONE before.
 *
 * A process that takes over from a killed relay (relay_state.h) does so in the second phase, with
 * the same code: the viewer's process, or one that `lmp run` creates. */
#include "relay/pty_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
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

#include "base/io.h"
#include "pty/spool.h"
#include "relay/closed_line.h"
#include "relay/pty_relay_impl.h"
#include "shared/launch.h"
#include "viewer/viewer_supervisor.h"

#define LOOK_MS 250       /* how often to check whether the terminal is still ours */
#define LEAVE_MS 500      /* a viewer that has not noticed the program's death is told after this */
#define BACKGROUND_MS 500 /* how often a background job checks whether the terminal is back */
#define DRAIN_MOST (1u << 20)
#define EXIT_TROUBLE 1

static PtyRelay relay; /* one per process, and large */

/* ---- the terminal ---------------------------------------------------------------------------- */

static void copy_window_size(const PtyRelay *k) {
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

/* From now on the real terminal is used for both directions: it edits and echoes the lines. */
static void pass_input(const PtyRelay *k) {
    struct termios mode;
    if (k->master < 0 || !k->options.input || tcgetattr(k->master, &mode) != 0) return;
    mode.c_lflag &= (tcflag_t) ~(ECHO | ECHONL);
    tcsetattr(k->master, TCSANOW, &mode);
}

/* The viewer is gone and the terminal restored: write what was held back. */
static void begin_relay(PtyRelay *k) {
    k->showing = false;
    relay_note(k, RELAY_RELAY);
    pass_input(k);
    relay_write_out(k);
}

/* Collects the viewer and switches to relaying. */
static void end_display(PtyRelay *k) {
    if (!k->showing) return;
    SupervisorEnd how = supervisor_end(&k->supervisor);
    const ViewerResult *result = k->supervisor.result;
    begin_relay(k);
    if (how == SUPERVISOR_CRASHED && k->supervisor.signal == 0)
        relay_say(k, "lmp: the display ended with an error; the program goes on");
    else if (how == SUPERVISOR_CRASHED)
        relay_say(k, "lmp: the display crashed (signal %d); the program goes on",
                  k->supervisor.signal);
    else if (result->end == VIEWER_NO_TTY)
        relay_say(k, "lmp: no display: %.120s", result->problem);
    else if (result->saved[0])
        relay_say(k, "lmp: picture saved as %.60s", result->saved);
    if (result->recorded[0]) relay_say(k, "lmp: %.250s", result->recorded);
    if (how == SUPERVISOR_LEFT && result->end == VIEWER_QUIT && !relay_ended(k))
        relay_say(k, "lmp: the display is left; lmp top %u brings it back", k->view.pid);
}

/* Moves the program's output to the spool and from there to the terminal. Returns false if there is
 * no more for now. */
static bool take_output(PtyRelay *k) {
    SpoolTook took = k->master >= 0 ? spool_take(&k->spool, k->master) : SPOOL_NONE;
    if (took == SPOOL_END) io_close(&k->master);
    if (took == SPOOL_FULL && k->showing) {
        end_display(k);
        relay_say(k, "lmp: the display ended: no room to keep the program's output");
    }
    if (took == SPOOL_SOME && k->showing) supervisor_poke(&k->supervisor);
    relay_write_out(k);
    return took == SPOOL_SOME || took == SPOOL_FULL;
}

/* After all predecessors were killed: restores the terminal, writes what was kept, and continues
 * from where they were. */
static void relay_on(PtyRelay *k);
static void take_over(PtyRelay *k) {
    char word = LMP_SAY_FAILED;
    k->showing = false;
    tty_put_right(k->tty, &k->relay_state->tty);
    spool_mend(&k->spool);
    if (!relay_has(k, RELAY_READY) ||
        relay_has(k, RELAY_FAILED)) { /* the program is on its own terminal */
        relay_note(k, RELAY_FAILED | RELAY_DONE);
        if (k->line >= 0) (void)!send(k->line, &word, 1, MSG_NOSIGNAL);
        return;
    }
    word = LMP_SAY_READY; /* the program may not have received it */
    if (k->line >= 0) (void)!send(k->line, &word, 1, MSG_NOSIGNAL);
    bool shown = !relay_has(k, RELAY_RELAY);
    begin_relay(k);
    if (shown) relay_say(k, "lmp: the display's relay was killed; the program goes on");
    relay_on(k);
}

/* Runs in the viewer's process, after the relay was killed. The fork gave it everything it
 * needs. */
static void orphaned(void *context) {
    PtyRelay *k = context;
    io_close(&k->signals);
    k->signals = open_signals();
    if (!relay_has(k, RELAY_FAILED)) take_over(k);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void drain(PtyRelay *k) {
    /* More than a pseudo terminal can hold comes from children that go on writing. */
    uint64_t most = spool_size(&k->spool) + DRAIN_MOST;
    while (take_output(k) && spool_size(&k->spool) < most)
        ;
}

/* The program is over or says so: first fetch everything that it has written up to now. */
static void note_end(PtyRelay *k, PtyRelayEnd end) {
    drain(k);
    atomic_store(&k->relay_state->end, (uint32_t)end);
}

/* The display is gone, the output written: prints our own messages, then tells the program and `lmp
 * run` that the terminal is theirs. */
static void finish(PtyRelay *k) {
    char word = LMP_SAY_DONE;
    if (relay_has(k, RELAY_DONE)) return;
    bool open_end = relay_line_open(k);
    if (relay_run_gone(k) || !k->under_run) {
        relay_say_ending(k);
    } else {
        if (open_end && !relay_has(k, RELAY_NEWLINE)) {
            relay_note(k, RELAY_NEWLINE);
            (void)!write(LMP_FD_HOLD, "\n", 1);
        }
        (void)!write(LMP_FD_HOLD, "D", 1);
    }
    if (k->line >= 0) (void)!send(k->line, &word, 1, MSG_NOSIGNAL);
    relay_note(k, RELAY_DONE);
    io_close(&k->line);
}

/* ---- what can happen ------------------------------------------------------------------------- */

/* The end of a program whose line closed without a message. */
static PtyRelayEnd end_without_word(const PtyRelay *k) {
    static const PtyRelayEnd end[] = {[LINE_OF_DEAD] = PROGRAM_GONE,
                                      [LINE_OF_EXEC] = PROGRAM_LEFT,
                                      [LINE_OF_PROFILED] = PROGRAM_SHUT};
    return end[closed_line_why(k->pid, k->process, LMP_FD_STATE)];
}

static void on_line(PtyRelay *k) {
    char word;
    ssize_t n = recv(k->line, &word, 1, MSG_DONTWAIT | MSG_PEEK);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n == 1) { /* taken once it has been handled and recorded */
        if (word == LMP_SAY_LAST) relay_note(k, RELAY_LAST);
        if ((word == LMP_SAY_END || word == LMP_SAY_LAST) && relay_ended(k) == PROGRAM_RUNS)
            note_end(k, PROGRAM_ENDED);
        (void)!recv(k->line, &word, 1, MSG_DONTWAIT);
        return;
    }
    io_close(&k->line);
    if (relay_ended(k) != PROGRAM_RUNS)
        drain(k); /* the last words, after LAST */
    else
        note_end(k, end_without_word(k));
}

static void on_signal(PtyRelay *k) {
    struct signalfd_siginfo info;
    if (read(k->signals, &info, sizeof info) != sizeof info) return;
    if (info.ssi_signo == SIGWINCH) {
        copy_window_size(k);
    } else if (k->showing) {
        end_display(k); /* SIGTERM, SIGHUP: end the display, but the output still needs us */
    }
}

/* Passes on a line typed at the terminal, or end of file, to the program. */
static void on_input(PtyRelay *k) {
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
static void pass_typed(PtyRelay *k) {
    ssize_t n = k->typed_size > 0 ? write(k->master, k->typed, k->typed_size) : 0;
    if (n <= 0) return;
    k->typed_size -= (size_t)n;
    memmove(k->typed, k->typed + n, k->typed_size);
}

/* ---- the loop -------------------------------------------------------------------------------- */

enum { W_MASTER, W_LINE, W_PROCESS, W_SIGNALS, W_LIFE, W_TTY, W_HOLD, WATCHES };

/* `lmp run` is gone. If it was killed, its shell is about to take the terminal, and we have to
 * write the rest, even if `lmp run` had been told to write it. */
static void on_run_gone(PtyRelay *k) {
    if (!relay_run_gone(k)) return;
    end_display(k);
    if (relay_has(k, RELAY_DONE)) relay_say_ending(k);
}

/* Ends the display if another job gets its terminal: the viewer may not notice that itself. */
static bool lost_terminal(const PtyRelay *k) {
    return k->showing && atomic_load(&k->relay_state->tty.taken) && !tty_is_ours(k->tty);
}

/* One iteration: waits for something to happen and handles it. */
static void turn(PtyRelay *k) {
    bool input = !k->showing && !relay_has(k, RELAY_DONE) && k->options.input && k->master >= 0;
    bool runs = relay_ended(k) == PROGRAM_RUNS;
    /* Reading the terminal from the background would stop the whole job. */
    bool foreground = input && tcgetpgrp(k->tty) == getpgrp();
    bool ending = !runs && !(relay_ended(k) == PROGRAM_ENDED && k->options.hold);
    short typed = k->typed_size > 0 ? POLLOUT : 0;
    struct pollfd p[WATCHES] = {
        [W_MASTER] = {.fd = k->master, .events = (short)(POLLIN | typed)},
        [W_LINE] = {.fd = k->line, .events = POLLIN},
        [W_PROCESS] = {.fd = runs ? k->process : -1, .events = POLLIN},
        [W_SIGNALS] = {.fd = k->signals, .events = POLLIN},
        [W_LIFE] = {.fd = k->showing ? k->supervisor.life : -1, .events = POLLIN},
        [W_TTY] = {.fd = foreground && !typed ? k->tty : -1, .events = POLLIN},
        [W_HOLD] = {.fd = k->under_run ? LMP_FD_HOLD : -1, .events = 0},
    };
    int ms = k->showing && ending             ? LEAVE_MS
             : k->showing                     ? LOOK_MS
             : input && !foreground && !typed ? BACKGROUND_MS
                                              : -1;
    int ready = poll(p, WATCHES, ms);
    if (ready < 0) return;
    if (ready == 0 && k->showing && ending) supervisor_tell(&k->supervisor);
    if (p[W_HOLD].revents) on_run_gone(k);
    if (lost_terminal(k)) end_display(k);
    if (p[W_SIGNALS].revents) on_signal(k);
    if (p[W_MASTER].revents & ~POLLOUT) take_output(k);
    if (p[W_LINE].revents && k->line >= 0) on_line(k);
    if (p[W_PROCESS].revents && relay_ended(k) == PROGRAM_RUNS) {
        /* The program may have said END as its last word. */
        if (k->line >= 0) on_line(k);
        if (relay_ended(k) == PROGRAM_RUNS) note_end(k, PROGRAM_GONE);
    }
    if (p[W_LIFE].revents && k->showing) end_display(k);
    /* What happened to the program is handled before what was typed at the shell after it. */
    if (p[W_TTY].revents && relay_ended(k) == PROGRAM_RUNS && k->master >= 0) on_input(k);
    if (k->master >= 0) pass_typed(k);
}

/* A program that said LAST is about to end; its last output comes before the summary, which `lmp
 * run` writes. */
static bool still_speaks(PtyRelay *k) {
    return relay_has(k, RELAY_LAST) && k->line >= 0 && k->under_run && !relay_run_gone(k);
}

static void relay_on(PtyRelay *k) {
    for (;;) {
        if (!k->showing && relay_ended(k) != PROGRAM_RUNS && !still_speaks(k)) finish(k);
        if (relay_has(k, RELAY_DONE) && k->master < 0 && !k->under_run) break;
        turn(k);
    }
}

/* ---- the start ------------------------------------------------------------------------------- */

/* The program is the process that made the line. */
static void open_process(PtyRelay *k) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    k->pid = (pid_t)k->view.header->pid;
    if (getsockopt(k->line, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0)
        k->pid = peer.pid;
    k->process = (int)syscall(SYS_pidfd_open, k->pid, 0);
}

/* Interrupts as the terminal would: the whole job, so that a child which the program waits for gets
 * the signal, too; a paused program must be resumed to see it. */
static void interrupt(void *context) {
    PtyRelay *k = context;
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

static int if_open(int fd) {
    return fcntl(fd, F_GETFD) >= 0 ? fd : -1;
}

/* Also finds what a killed process left half done. */
static bool open_all(PtyRelay *k) {
    k->tty = LMP_FD_TTY;
    k->line = LMP_FD_LINE;
    k->master = if_open(LMP_FD_MASTER);
    k->under_run = if_open(LMP_FD_HOLD) >= 0;
    k->process = -1;
    int disk = if_open(LMP_FD_DISK);
    io_close_range(LMP_FD_END, ~0u);
    /* Reserves the numbers that have a meaning, so that nothing else gets them. */
    int plug;
    while ((plug = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0 && plug < LMP_FD_END)
        ;
    if (plug >= 0) close(plug);
    for (int fd = LMP_FD_STATE; fd < LMP_FD_END; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    k->signals = open_signals();
    if (!spool_inherit(&k->spool, LMP_FD_SPOOL, disk, LMP_FD_OUT, LMP_FD_IN, SPOOL_MEMORY)) {
        dprintf(k->tty, "lmp: %s\n", err_message(LMP_E_NOMEM));
        return false;
    }
    k->relay_state = k->spool.relay_state;
    int state = fcntl(LMP_FD_STATE, F_DUPFD_CLOEXEC, LMP_FD_END);
    LmpErr err = state < 0 ? LMP_E_MEMFD : view_open(&k->view, state);
    if (err) {
        dprintf(k->tty, "lmp: %s\n", err_message(err));
        return false;
    }
    open_process(k);
    return true;
}

static bool start(PtyRelay *k) {
    k->showing = true;
    ViewerOptions viewer = {
        .view = &k->view,
        .tty = k->tty,
        .fps = k->options.fps,
        .hold = k->options.hold,
        .breaks = getenv(LMP_ENV_BREAKS),
        .live = true,
        .spool = k->spool.memory,
        .taken = &k->relay_state->tty,
        .input = k->options.input ? k->master : -1,
        .interrupt = interrupt,
        .context = k,
    };
    if (!supervisor_start(&k->supervisor, &viewer, orphaned, k)) {
        dprintf(k->tty, "lmp: %s\n", err_message(LMP_E_NOMEM));
        return false;
    }
    if (supervisor_up(&k->supervisor)) return true;
    supervisor_end(&k->supervisor);
    supervisor_dismiss(&k->supervisor);
    return false;
}

int pty_relay_run(const PtyRelayOptions *options) {
    PtyRelay *k = &relay;
    k->options = *options;
    /* `pkill lmp` should end the display, not the program's output. */
    prctl(PR_SET_NAME, "display-relay");
    bool open = open_all(k), up = open && start(k);
    char word = up ? LMP_SAY_READY : LMP_SAY_FAILED;
    if (open) relay_note(k, up ? RELAY_READY : RELAY_FAILED | RELAY_DONE);
    (void)!send(k->line, &word, 1, MSG_NOSIGNAL);
    if (!up) return EXIT_TROUBLE;
    relay_on(k);
    supervisor_dismiss(
        &k->supervisor); /* not before: `lmp run` may still be killed; then the summary is ours */
    return 0;
}

void pty_relay_inherit(void) {
    PtyRelay *k = &relay;
    k->options = (PtyRelayOptions){.summary = ""};
    prctl(PR_SET_NAME, "display-relay");
    k->supervisor.watch = -1;
    if (!open_all(k)) return;
    k->options.input = k->relay_state->input;
    take_over(k);
}
