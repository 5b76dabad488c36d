/* test_child.c - a child that the program does not notice, that keeps nothing of it open, and that
 * cannot stay: neither as a zombie nor by being quiet. */
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/objects/child.h"
#include "base/os.h"

static LmpBeat *beat;
static LmpChild child;
static struct Shared {
    _Atomic int open_files, sees, blocked;
    char score[16], name[32];
} * shared;
static int private_word = 1;

static void begin(void) {
    beat = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void begin_child(void (*work)(void *), int keep) {
    *beat = (LmpBeat){0};
    ck_assert_int_eq(child_begin(&child, beat, keep, work, &child, lmp_os->clock()), 0);
    ck_assert_int_gt(child.pid, 0);
}

/* It is gone, and was the only one. */
static void check_none(void) {
    ck_assert_int_eq(child.pid, 0);
    ck_assert_ptr_null(child.stack);
    ck_assert_int_eq(waitpid(-1, NULL, __WALL | WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
}

/* ---- unnoticed ------------------------------------------------------------------------------- */

static int handlers, signals;

static void count_handler(void) {
    handlers++;
    shared->sees = -1;
}

static void count_signal(int sig) {
    (void)sig;
    signals++;
}

static void text_of(const char *path, char *out, size_t size) {
    forkos_real.text(path, out, size);
    out[strcspn(out, "\n")] = 0;
}

/* What it finds: nothing of the program's but its memory. */
static void look_around(void *of) {
    sigset_t blocked;
    char on_stack;
    uintptr_t stack = (uintptr_t)((LmpChild *)of)->stack, here = (uintptr_t)&on_stack;
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    shared->blocked = sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGINT) &&
                      sigismember(&blocked, SIGCHLD) && sigismember(&blocked, SIGUSR1) &&
                      !sigismember(&blocked, SIGALRM);
    for (int fd = 0; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0) shared->open_files++;
    text_of("/proc/self/oom_score_adj", shared->score, sizeof shared->score);
    text_of("/proc/self/comm", shared->name, sizeof shared->name);
    if (stack && (here < stack || here > stack + CHILD_STACK)) _exit(3);
    if (shared->sees == 0) shared->sees = private_word;
    private_word = 3;
    atomic_store(&beat->phase, LMP_BEAT_DONE);
}

TEST(the_program_does_not_notice) {
    sigset_t before, after;
    memset(&before, 0, sizeof before);
    memset(&after, 0, sizeof after);
    ForkEnd end = {0};
    begin();
    pthread_atfork(count_handler, count_handler, count_handler);
    signal(SIGCHLD, count_signal);
    signal(SIGALRM, count_signal);
    sigprocmask(SIG_SETMASK, NULL, &before);
    private_word = 2;
    int keep = open("/dev/null", O_WRONLY);
    begin_child(look_around, keep);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* as a program that has no children */
    ck_assert_int_eq(errno, ECHILD);
    while (!child_look(&child, lmp_os->clock(), &end))
        usleep(1000);
    ck_assert(end.gone && !end.signal && !end.status);
    sigprocmask(SIG_SETMASK, NULL, &after);
    ck_assert_int_eq(memcmp(&before, &after, sizeof before), 0);
    ck_assert_int_eq(handlers, 0);
    ck_assert_int_eq(signals, 0);
    ck_assert_int_eq(shared->sees, 2);
    ck_assert_int_eq(private_word, 2);
    ck_assert_int_eq(shared->open_files, 1);
    ck_assert_int_eq(shared->blocked, 1);
    ck_assert_str_eq(shared->name, "lmp-snapshot");
    ck_assert_str_eq(shared->score, "1000");
    ck_assert_int_eq(fcntl(keep, F_GETFD), 0);
    check_none();
}

/* Also where the program waits for all of its children, or ignores them. */
TEST(ignored_children) {
    begin();
    signal(SIGCHLD, SIG_IGN);
    begin_child(look_around, 0);
    ForkEnd end = child_wait(&child);
    ck_assert(end.gone && !end.signal && !end.status);
    check_none();
    begin_child(look_around, 0);
    while (waitpid(-1, NULL, __WALL) < 0) /* it takes ours, too */
        ;
    end = child_wait(&child);
    ck_assert(end.gone);
    check_none();
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void stay(void *of) {
    (void)of;
    for (;;)
        pause();
}

/* By the processor: no sanitizer is to say so first. */
__attribute__((no_sanitize("undefined", "address"))) static void crash(void *of) {
    *(volatile int *)of = 1;
}

static void crash_at_null(void *of) {
    (void)of;
    crash(NULL);
}

static void caught(int sig) {
    _exit(sig);
}

TEST(it_is_killed_or_crashes) {
    begin();
    signal(SIGSEGV, caught); /* the program's handlers are not run */
    begin_child(crash_at_null, 0);
    ForkEnd end = child_wait(&child);
    ck_assert_int_eq(end.signal, SIGSEGV);
    check_none();
    signal(SIGSEGV, SIG_DFL);
    for (int i = 0; i < 50; i++) {
        begin_child(stay, 0);
        usleep((useconds_t)suite_below(2000));
        kill(child.pid, SIGTERM); /* to all of a process group, as a rule */
        kill(child.pid, SIGKILL);
        end = (ForkEnd){0};
        uint64_t now = lmp_os->clock();
        while (!child_look(&child, now, &end))
            now += 30000000;
        ck_assert_int_eq(end.signal, SIGKILL);
        check_none();
    }
}

/* By a clock of the test's: quiet for ten seconds, in which the program looks. */
TEST(a_quiet_one_is_killed) {
    begin();
    ForkEnd end = {0};
    begin_child(stay, 0);
    uint64_t now = lmp_os->clock();
    for (int i = 0; i < 500; i++) {
        now += 30000000; /* 15 seconds in all, but it moves on */
        if (i % 300 == 0) atomic_fetch_add(&beat->beats, 1);
        ck_assert(!child_look(&child, now, &end));
    }
    ck_assert(!child.killed);
    now += 100 * CHILD_QUIET_NS; /* both were stopped for long */
    ck_assert(!child_look(&child, now, &end));
    ck_assert(!child.killed);
    for (int i = 0; i < 100 && !child.killed; i++) {
        now += 30000000;
        ck_assert(!child_look(&child, now, &end));
    }
    ck_assert(!child.killed);
    for (int i = 0; i < 300 && !end.gone; i++) {
        now += 30000000;
        child_look(&child, now, &end);
        if (child.killed) usleep(1000);
    }
    ck_assert(end.gone);
    ck_assert_int_eq(end.signal, SIGKILL);
    check_none();
}

/* Looks cost a system call only now and then. */
static int reaped;
static ForkEnd count_reap(int pid, bool wait) {
    reaped++;
    return forkos_real.reap(pid, wait);
}

TEST(looks_are_cheap) {
    static ForkOs os;
    ForkEnd end = {0};
    os = forkos_real;
    os.reap = count_reap;
    fork_os = &os;
    begin();
    begin_child(stay, 0);
    uint64_t now = lmp_os->clock();
    for (int i = 0; i < 1000; i++)
        ck_assert(!child_look(&child, now += 1000000, &end));
    ck_assert_int_ge(reaped, 40);
    ck_assert_int_le(reaped, 60);
    kill(child.pid, SIGKILL);
    child_wait(&child);
    check_none();
}

/* By itself, where nobody looks: its alarm. Slow, for the clock is the system's. */
TEST(its_alarm) {
    begin();
    signal(SIGALRM, SIG_IGN);
    begin_child(stay, 0);
    int status = 0;
    uint64_t from = lmp_os->clock();
    ck_assert_int_eq(waitpid(child.pid, &status, __WALL), child.pid);
    uint64_t passed = lmp_os->clock() - from;
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGALRM);
    ck_assert_uint_ge(passed, CHILD_QUIET_NS - 100000000);
    child_forget(&child);
}

/* ---- refused --------------------------------------------------------------------------------- */

static int no_fork(int (*f)(void *), void *stack_end, void *of) {
    (void)f, (void)stack_end, (void)of;
    return -EAGAIN;
}
static void *no_map(size_t size, int fd, uint64_t offset, bool writable) {
    (void)size, (void)fd, (void)offset, (void)writable;
    return NULL;
}

TEST(there_is_none) {
    static ForkOs os;
    static LmpOs os2;
    sigset_t before, after;
    memset(&before, 0, sizeof before);
    memset(&after, 0, sizeof after);
    begin();
    os = forkos_real;
    os.fork = no_fork;
    fork_os = &os;
    sigprocmask(SIG_SETMASK, NULL, &before);
    ck_assert_int_eq(child_begin(&child, beat, 1, stay, NULL, 0), EAGAIN);
    sigprocmask(SIG_SETMASK, NULL, &after);
    ck_assert_int_eq(memcmp(&before, &after, sizeof before), 0);
    check_none();
    ForkEnd end;
    ck_assert(child_look(&child, 0, &end));
    fork_os = &forkos_real;
    os2 = os_real;
    os2.map = no_map;
    lmp_os = &os2;
    ck_assert_int_eq(child_begin(&child, beat, 1, stay, NULL, 0), ENOMEM);
    check_none();
}
