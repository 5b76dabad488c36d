/* viewer_supervisor.c - forks the viewer with three pipes: `notify` (we tell it to end), `life`
 * (its end of file, or a byte, tells us that it left), `watch` (its end of file tells the child
 * that we are gone). The result comes back in shared memory. */
#include "viewer/viewer_supervisor.h"
#include "base/io.h"

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
#include <unistd.h>

#include "pty/tty.h"

#define UP_MS                                                                                      \
    5000            /* for the first picture; long, because a slow machine is no reason to refuse  \
                     */
#define END_MS 8000 /* for a viewer that was told to end; likewise no reason to kill one */
#define STEP_MS 2

struct SupervisorShared {
    ViewerResult result;
    TtyTaken taken;
    atomic_bool dismissed; /* supervisor_dismiss was called */
};

enum { EXIT_LEFT = 0 };

static int viewer_notify, nothing; /* descriptors of the viewer's process */

/* SIGTERM and SIGHUP act as if the supervisor had told the viewer to end. */
static void on_end_signal(int signal) {
    (void)signal;
    dup2(nothing, viewer_notify);
}

/* The child's ends of the pipes. */
typedef struct Ends {
    int notify, life, watch;
} Ends;

/* Waits for the supervisor's end. Returns true if it was killed. */
static bool outlive(Supervisor *supervisor, int watch) {
    char byte;
    ssize_t n;
    do {
        n = read(watch, &byte, 1);
    } while (n < 0 && errno == EINTR);
    return !atomic_load(&supervisor->shared->dismissed);
}

/* Runs in the child: shows the display, and stays as long as its supervisor may need it. */
static _Noreturn void be_viewer(Supervisor *supervisor, const ViewerOptions *options, Ends ends,
                                void (*orphaned)(void *), void *context) {
    ViewerOptions own = *options;
    sigset_t none;
    int notify = ends.notify;
    own.notify = notify;
    own.taken = supervisor->taken;
    io_close(&supervisor->notify); /* or end of file would never come */
    io_close(&supervisor->watch);
    prctl(PR_SET_NAME, "lmp"); /* unlike the relay's */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_DFL);
    struct sigaction end = {.sa_handler = on_end_signal};
    viewer_notify = notify;
    nothing = open("/dev/null", O_RDONLY | O_CLOEXEC); /* reading it gives end of file */
    sigaction(SIGTERM, &end, NULL);
    sigaction(SIGHUP, &end, NULL);
    /* If a shell has taken the terminal back, its settings stay: setting ours would stop the job,
     * or fail when the job is orphaned. */
    signal(SIGTTOU, SIG_DFL);
    signal(SIGTTIN, SIG_DFL);
    viewer_run(&own, supervisor->result);
    if (orphaned) {
        static const int ignored[] = {SIGTERM, SIGHUP,  SIGINT,  SIGQUIT, SIGTTOU,
                                      SIGTTIN, SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2};
        for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
            signal(ignored[i], SIG_IGN);
        (void)!write(ends.life, "", 1); /* a normal end, unlike the end of file after a crash */
        close(ends.life);
        if (outlive(supervisor, ends.watch)) {
            close(ends.watch);
            close(notify);
            supervisor->pid = 0;
            orphaned(context);
        }
        _exit(EXIT_LEFT);
    }
    _exit(EXIT_LEFT);
}

bool supervisor_start(Supervisor *supervisor, const ViewerOptions *options,
                      void (*orphaned)(void *), void *context) {
    int notify[2] = {-1, -1}, life[2] = {-1, -1}, watch[2] = {-1, -1};
    *supervisor = (Supervisor){
        .notify = -1, .life = -1, .watch = -1, .tty = options->tty, .view = options->view};
    supervisor->shared = mmap(NULL, sizeof *supervisor->shared, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (supervisor->shared == MAP_FAILED) {
        supervisor->shared = NULL;
        return false;
    }
    supervisor->result = &supervisor->shared->result;
    supervisor->result->end = VIEWER_NO_TTY;
    supervisor->taken = options->taken ? options->taken : &supervisor->shared->taken;
    if (!atomic_load(&supervisor->taken->before_known))
        atomic_store(&supervisor->taken->before_known,
                     tcgetattr(options->tty, &supervisor->taken->before) == 0);
    bool piped = pipe2(notify, O_CLOEXEC | O_NONBLOCK) == 0 && pipe2(life, O_CLOEXEC) == 0 &&
                 pipe2(watch, O_CLOEXEC) == 0;
    supervisor->notify = notify[1];
    supervisor->life = life[0];
    supervisor->watch = watch[1];
    pid_t pid = piped ? fork() : -1;
    if (pid == 0) {
        close(life[0]);
        supervisor->life = -1;
        be_viewer(supervisor, options, (Ends){notify[0], life[1], watch[0]}, orphaned, context);
    }
    io_close(&notify[0]);
    io_close(&life[1]);
    io_close(&watch[0]);
    supervisor->pid = pid > 0 ? pid : 0;
    if (pid > 0) return true;
    io_close(&supervisor->notify);
    io_close(&supervisor->life);
    io_close(&supervisor->watch);
    return false;
}

static bool ended_within(const Supervisor *supervisor, int ms) {
    struct pollfd p = {.fd = supervisor->life, .events = POLLIN};
    int ready;
    do {
        ready = poll(&p, 1, ms);
    } while (ready < 0 && errno == EINTR);
    return ready != 0;
}

/* Every repaint changes the frame number. */
bool supervisor_up(Supervisor *supervisor) {
    uint32_t frame = atomic_load(&supervisor->view->control->frame);
    for (int ms = 0; ms < UP_MS; ms += STEP_MS) {
        if (ended_within(supervisor, STEP_MS)) return false;
        if (atomic_load(&supervisor->view->control->frame) != frame) break;
    }
    return true;
}

void supervisor_poke(Supervisor *supervisor) {
    char byte = '.';
    if (supervisor->notify >= 0)
        (void)!write(supervisor->notify, &byte, 1); /* a full pipe: the viewer will look anyway */
}

void supervisor_tell(Supervisor *supervisor) {
    io_close(&supervisor->notify);
}

SupervisorEnd supervisor_end(Supervisor *supervisor) {
    int status = 0;
    pid_t pid = supervisor->pid;
    if (pid == 0) return SUPERVISOR_LEFT;
    supervisor_tell(supervisor);
    if (!ended_within(supervisor, END_MS)) kill(pid, SIGKILL);
    char byte;
    if (read(supervisor->life, &byte, 1) ==
        1) { /* the viewer left the terminal, its process stays */
        supervisor->pid = 0;
        io_close(&supervisor->life);
        tty_put_right(supervisor->tty, supervisor->taken);
        return SUPERVISOR_LEFT;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    supervisor->pid = 0;
    io_close(&supervisor->life);
    if (supervisor->view && view_pauser(supervisor->view) == (uint32_t)pid)
        view_pause(supervisor->view, false);
    tty_put_right(supervisor->tty, supervisor->taken);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_LEFT) return SUPERVISOR_LEFT;
    supervisor->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return SUPERVISOR_CRASHED;
}

void supervisor_dismiss(Supervisor *supervisor) {
    if (supervisor->shared) atomic_store(&supervisor->shared->dismissed, true);
    io_close(&supervisor->watch);
}
