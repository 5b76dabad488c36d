/* guard.c - see guard.h. */
#include "viewer/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pty/ttyrestore.h"

#define UP_MS 5000  /* for the first picture; a slow machine is no reason to refuse */
#define END_MS 8000 /* for a viewer that was told to end; neither is it to kill one */
#define STEP_MS 2

struct GuardShared {
    ViewerResult result;
    TtyTaken taken;
    atomic_bool dismissed; /* guard_dismiss was called */
};

enum { EXIT_LEFT = 0 };

static void close_fd(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static int viewer_notify, nothing; /* descriptors, of the viewer's process */

/* SIGTERM, SIGHUP: as if the guard had told the viewer to end. */
static void on_end_signal(int signal) {
    (void)signal;
    dup2(nothing, viewer_notify);
}

/* What the child has of the pipes. */
typedef struct Ends {
    int notify, life, watch;
} Ends;

/* Waits for the guard's end. True: it was killed. */
static bool outlive(Guard *guard, int watch) {
    char byte;
    ssize_t n;
    do {
        n = read(watch, &byte, 1);
    } while (n < 0 && errno == EINTR);
    return !atomic_load(&guard->shared->dismissed);
}

/* The child: shows the display, and stays as long as its guard may need it. */
static _Noreturn void be_viewer(Guard *guard, const ViewerOptions *options, Ends ends,
                                void (*orphaned)(void *), void *context) {
    ViewerOptions own = *options;
    sigset_t none;
    int notify = ends.notify;
    own.notify = notify;
    own.taken = guard->taken;
    close_fd(&guard->notify); /* or the end of file would never come */
    close_fd(&guard->watch);
    prctl(PR_SET_NAME, "lmp"); /* unlike the keeper's */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_DFL);
    struct sigaction end = {.sa_handler = on_end_signal};
    viewer_notify = notify;
    nothing = open("/dev/null", O_RDONLY | O_CLOEXEC); /* reads as end of file */
    sigaction(SIGTERM, &end, NULL);
    sigaction(SIGHUP, &end, NULL);
    /* A shell that has taken the terminal back keeps its settings: ours would stop the job, or
     * fail when the job is no longer anybody's. */
    signal(SIGTTOU, SIG_DFL);
    signal(SIGTTIN, SIG_DFL);
    viewer_run(&own, guard->result);
    if (orphaned) {
        static const int ignored[] = {SIGTERM, SIGHUP,  SIGINT,  SIGQUIT, SIGTTOU,
                                      SIGTTIN, SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2};
        for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
            signal(ignored[i], SIG_IGN);
        (void)!write(ends.life, "", 1); /* in order, unlike the end of file of a crash */
        close(ends.life);
        if (outlive(guard, ends.watch)) {
            close(ends.watch);
            close(notify);
            guard->pid = 0;
            orphaned(context);
        }
        _exit(EXIT_LEFT);
    }
    _exit(EXIT_LEFT);
}

bool guard_start(Guard *guard, const ViewerOptions *options, void (*orphaned)(void *),
                 void *context) {
    int notify[2], life[2], watch[2];
    *guard =
        (Guard){.notify = -1, .life = -1, .watch = -1, .tty = options->tty, .view = options->view};
    guard->shared = mmap(NULL, sizeof *guard->shared, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (guard->shared == MAP_FAILED) {
        guard->shared = NULL;
        return false;
    }
    guard->result = &guard->shared->result;
    guard->result->end = VIEWER_NO_TTY;
    guard->taken = options->taken ? options->taken : &guard->shared->taken;
    if (!atomic_load(&guard->taken->before_known))
        atomic_store(&guard->taken->before_known,
                     tcgetattr(options->tty, &guard->taken->before) == 0);
    if (pipe2(notify, O_CLOEXEC | O_NONBLOCK) != 0) return false;
    if (pipe2(life, O_CLOEXEC) != 0) {
        close(notify[0]);
        close(notify[1]);
        return false;
    }
    if (pipe2(watch, O_CLOEXEC) != 0) {
        close(notify[0]);
        close(notify[1]);
        close(life[0]);
        close(life[1]);
        return false;
    }
    guard->notify = notify[1];
    guard->life = life[0];
    guard->watch = watch[1];
    guard->pid = fork();
    if (guard->pid == 0) {
        close(life[0]);
        guard->life = -1;
        be_viewer(guard, options, (Ends){notify[0], life[1], watch[0]}, orphaned, context);
    }
    close(notify[0]);
    close(life[1]);
    close(watch[0]);
    if (guard->pid > 0) return true;
    guard->pid = 0;
    close_fd(&guard->notify);
    close_fd(&guard->life);
    close_fd(&guard->watch);
    return false;
}

static bool ended_within(const Guard *guard, int ms) {
    struct pollfd p = {.fd = guard->life, .events = POLLIN};
    int ready;
    do {
        ready = poll(&p, 1, ms);
    } while (ready < 0 && errno == EINTR);
    return ready != 0;
}

/* Every repaint changes the frame's number. */
bool guard_up(Guard *guard) {
    uint32_t frame = atomic_load(&guard->view->control->frame);
    for (int ms = 0; ms < UP_MS; ms += STEP_MS) {
        if (ended_within(guard, STEP_MS)) return false;
        if (atomic_load(&guard->view->control->frame) != frame) break;
    }
    return true;
}

void guard_poke(Guard *guard) {
    char byte = '.';
    if (guard->notify >= 0) (void)!write(guard->notify, &byte, 1); /* full: it will look anyway */
}

void guard_tell(Guard *guard) {
    close_fd(&guard->notify);
}

GuardEnd guard_end(Guard *guard) {
    int status = 0;
    pid_t pid = guard->pid;
    if (pid == 0) return GUARD_LEFT;
    guard_tell(guard);
    if (!ended_within(guard, END_MS)) kill(pid, SIGKILL);
    char byte;
    if (read(guard->life, &byte, 1) == 1) { /* it has left the terminal, and stays */
        guard->pid = 0;
        close_fd(&guard->life);
        tty_put_right(guard->tty, guard->taken);
        return GUARD_LEFT;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    guard->pid = 0;
    close_fd(&guard->life);
    if (view_pauser(guard->view) == (uint32_t)pid) view_pause(guard->view, false);
    tty_put_right(guard->tty, guard->taken);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_LEFT) return GUARD_LEFT;
    guard->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return GUARD_CRASHED;
}

void guard_dismiss(Guard *guard) {
    if (guard->shared) atomic_store(&guard->shared->dismissed, true);
    close_fd(&guard->watch);
}
