/* guard.c - see guard.h. */
#include "guard.h"

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

#include "ttyrestore.h"

#define UP_MS 5000  /* for the first picture; a slow machine is no reason to refuse */
#define END_MS 8000 /* for a viewer that was told to end; neither is it to kill one */
#define DEATH_MS 5000
#define SIGNAL_MS 200 /* where a signal has told it, which need not mean that the guard is dead */
#define STEP_MS 2

struct GuardShared {
    ViewerResult result;
    atomic_bool told; /* guard_tell was called: the guard lives */
};

enum { EXIT_LEFT = 0 };

static void close_fd(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static int viewer_notify, nothing; /* descriptors, of the viewer's process */
static volatile sig_atomic_t signalled;

/* SIGTERM, SIGHUP: as if the guard had told the viewer to end. */
static void on_end_signal(int signal) {
    (void)signal;
    signalled = 1;
    dup2(nothing, viewer_notify);
}

/* The child: shows the display, and outlives a killed guard just as long as it must. */
static _Noreturn void be_viewer(Guard *guard, const ViewerOptions *options, int notify,
                                pid_t parent, void (*orphaned)(void *), void *context) {
    ViewerOptions own = *options;
    sigset_t none;
    own.notify = notify;
    close_fd(&guard->notify);  /* or the end of file would never come */
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
    /* A guard's end of the pipe is closed before it is seen to be dead: a little, or as long as it
     * takes to get a processor once more. */
    int most = guard->result->end != VIEWER_TOLD ? 0 : signalled ? SIGNAL_MS : DEATH_MS;
    for (int ms = 0; ms < most && getppid() == parent; ms += STEP_MS) {
        if (atomic_load(&guard->shared->told)) break;
        poll(NULL, 0, STEP_MS);
    }
    if (getppid() != parent) {
        guard->pid = 0;
        if (orphaned) orphaned(context);
    }
    _exit(EXIT_LEFT);
}

bool guard_start(Guard *guard, const ViewerOptions *options, void (*orphaned)(void *),
                 void *context) {
    int notify[2], life[2];
    *guard = (Guard){.notify = -1, .life = -1, .tty = options->tty, .view = options->view};
    guard->before_known = tcgetattr(options->tty, &guard->before) == 0;
    guard->shared = mmap(NULL, sizeof *guard->shared, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (guard->shared == MAP_FAILED) {
        guard->shared = NULL;
        return false;
    }
    guard->result = &guard->shared->result;
    guard->result->end = VIEWER_NO_TTY;
    if (pipe2(notify, O_CLOEXEC | O_NONBLOCK) != 0) return false;
    if (pipe2(life, O_CLOEXEC) != 0) {
        close(notify[0]);
        close(notify[1]);
        return false;
    }
    guard->notify = notify[1];
    guard->life = life[0];
    pid_t parent = getpid();
    guard->pid = fork();
    if (guard->pid == 0) {
        close(life[0]);
        guard->life = -1;
        be_viewer(guard, options, notify[0], parent, orphaned, context);
    }
    close(notify[0]);
    close(life[1]);
    if (guard->pid > 0) return true;
    guard->pid = 0;
    close_fd(&guard->notify);
    close_fd(&guard->life);
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
    guard->during_known = tcgetattr(guard->tty, &guard->during) == 0;
    return true;
}

void guard_poke(Guard *guard) {
    char byte = '.';
    if (guard->notify >= 0) (void)!write(guard->notify, &byte, 1); /* full: it will look anyway */
}

void guard_tell(Guard *guard) {
    if (guard->shared) atomic_store(&guard->shared->told, true);
    close_fd(&guard->notify);
}

/* Once a shell has taken the terminal back, settings other than the viewer's are the shell's. */
static void restore_mode(const Guard *guard) {
    struct termios now;
    if (!guard->before_known || tcgetattr(guard->tty, &now) != 0) return;
    if (!tty_is_ours(guard->tty) && !(guard->during_known && tty_same_mode(&now, &guard->during)))
        return;
    tcsetattr(guard->tty, TCSADRAIN, &guard->before);
}

GuardEnd guard_end(Guard *guard) {
    int status = 0;
    pid_t pid = guard->pid;
    if (pid == 0) return GUARD_LEFT;
    guard_tell(guard);
    if (!ended_within(guard, END_MS)) kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    guard->pid = 0;
    close_fd(&guard->life);
    if (view_pauser(guard->view) == (uint32_t)pid) view_pause(guard->view, false);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_LEFT) return GUARD_LEFT;
    guard->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    tty_leave_screen(guard->tty);
    restore_mode(guard);
    return GUARD_CRASHED;
}
