/* tracer.c - ptrace: seize and interrupt each thread, until no new one appears; registers are set
 * in one call, after which the thread needs us no more. */
#include "attach/tracer.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "base/array.h"

#if defined __x86_64__ && defined __LP64__

/* What the system notes of a call that it will start again (linux/errno.h). */
enum { RESTARTSYS = 512, RESTARTNOINTR = 513, RESTARTNOHAND = 514, RESTART_BLOCK = 516 };
enum { SYSCALL_BYTES = 2, RESTART_SYSCALL = 219, RED_ZONE = 128, WAIT_TRIES = 2000 };

/* ---- holding --------------------------------------------------------------------------------- */

static TracedThread *find(Tracer *t, pid_t tid) {
    for (uint32_t i = 0; i < t->threads; i++)
        if (t->thread[i].tid == tid) return &t->thread[i];
    return NULL;
}

/* Waits until a thread that was interrupted stands; not for ever: one that waits for a disk may not
 * stand before that has answered. */
static bool wait_for(TracedThread *thread) {
    struct timespec moment = {.tv_nsec = 100000};
    int status;
    pid_t tid;
    for (int tries = 0; !(tid = waitpid(thread->tid, &status, __WALL | WNOHANG)); tries++) {
        if (tries == WAIT_TRIES) return false;
        nanosleep(&moment, NULL);
    }
    if (tid < 0 || !WIFSTOPPED(status)) {
        thread->gone = true;
        return true;
    }
    thread->stopped = true;
    bool event = status >> 16;
    if (!event) thread->signal = WSTOPSIG(status); /* on the way to the program: it gets it later */
    if (ptrace(PTRACE_GETREGS, thread->tid, NULL, &thread->regs)) thread->gone = true;
    return true;
}

static int hold_thread(Tracer *t, pid_t tid) {
    if (!array_room(&t->thread, &t->room, t->threads + 1)) return ENOMEM;
    if (ptrace(PTRACE_SEIZE, tid, NULL, NULL)) return errno == ESRCH ? 0 : errno;
    TracedThread *thread = &t->thread[t->threads++];
    *thread = (TracedThread){.tid = tid};
    if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL)) {
        thread->gone = true;
    } else if (!wait_for(thread)) {
        return EBUSY;
    }
    return 0;
}

/* Holds threads that are not held yet. Returns how many in *found. */
static int hold_new(Tracer *t, uint32_t *found) {
    char name[40];
    int err = 0;
    *found = 0;
    snprintf(name, sizeof name, "/proc/%d/task", (int)t->target->pid);
    DIR *dir = opendir(name);
    if (!dir) return ESRCH;
    for (const struct dirent *e; !err && (e = readdir(dir));) {
        pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
        if (tid <= 0 || find(t, tid)) continue;
        if (t->threads == TRACER_THREADS) err = E2BIG;
        if (!err) err = hold_thread(t, tid);
        ++*found;
    }
    closedir(dir);
    return err;
}

int tracer_hold(Tracer *tracer, const Target *target) {
    *tracer = (Tracer){.target = target};
    int err;
    uint32_t found = 1;
    for (int round = 0; found && round < 100; round++) {
        err = hold_new(tracer, &found);
        if (!err) continue;
        tracer_let_go(tracer);
        return err;
    }
    return 0;
}

void tracer_let_go(Tracer *tracer) {
    for (uint32_t i = 0; i < tracer->threads; i++) {
        const TracedThread *thread = &tracer->thread[i];
        if (!thread->gone)
            ptrace(PTRACE_DETACH, thread->tid, NULL, (void *)(intptr_t)thread->signal); /* NOLINT */
    }
    free(tracer->thread);
    *tracer = (Tracer){0};
}

/* ---- running --------------------------------------------------------------------------------- */

bool tracer_waits(const TracedThread *thread) {
    return (int64_t)thread->regs.orig_rax >= 0;
}

/* Returns true if the thread waits in a system call that will be started again. */
static bool restarts(const struct user_regs_struct *r) {
    if ((int64_t)r->orig_rax < 0) return false;
    int64_t result = (int64_t)r->rax;
    return result == -RESTARTSYS || result == -RESTARTNOINTR || result == -RESTARTNOHAND ||
           result == -RESTART_BLOCK;
}

uint64_t tracer_resume(const TracedThread *thread) {
    return restarts(&thread->regs) ? thread->regs.rip - SYSCALL_BYTES : thread->regs.rip;
}

/* Returns true if the thread is within a sequence that the system starts anew once the thread has
 * been interrupted there (rseq): it must find the thread where it was. */
static bool in_sequence(const Target *target, const TracedThread *thread) {
#ifdef PTRACE_GET_RSEQ_CONFIGURATION
    struct {
        uint64_t at;
        uint32_t size, signature, flags, pad;
    } config;
    struct {
        uint32_t version, flags;
        uint64_t start, length, abort;
    } sequence;
    uint64_t at = 0;
    size_t size = sizeof config;
    if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, thread->tid, (void *)size, &config) <= 0) /* NOLINT */
        return false;
    return config.at && target_read(target, config.at + 8, &at, sizeof at) && at &&
           target_read(target, at, &sequence, sizeof sequence) &&
           thread->regs.rip - sequence.start < sequence.length;
#else
    (void)target, (void)thread;
    return false; /* the C library has none either */
#endif
}

/* Returns the bytes that are left of a stack below `at`: of the main thread's, or of one with a
 * guard at its end. Of others, such as one for signals within the heap, nobody knows where they
 * end: 0. */
static uint64_t stack_left(const Target *target, uint64_t at) {
    const TargetMap *map = target_map_of(target, at);
    if (!map || !map->read || !map->write) return 0;
    if (map->stack) return UINT64_MAX;
    const TargetMap *guard = target_map_of(target, map->from - 1);
    return guard && !guard->read && !guard->write ? at - map->from : 0;
}

bool tracer_can_run(const Tracer *tracer, const TracedThread *thread, uint64_t stack) {
    if (thread->gone || !thread->stopped || thread->signal) return false;
    return !in_sequence(tracer->target, thread) &&
           stack_left(tracer->target, thread->regs.rsp) >= stack + RED_ZONE;
}

bool tracer_is_in(const TracedThread *thread, uint64_t at, uint64_t bytes) {
    return !thread->gone && thread->regs.rip - at < bytes;
}

/* The registers that send a thread to `entry`, so that it goes on at tracer_resume() as the system
 * would have let it. */
static struct user_regs_struct sent(const TracedThread *thread, uint64_t entry) {
    struct user_regs_struct r = thread->regs;
    if (restarts(&r)) r.rax = (int64_t)r.rax == -RESTART_BLOCK ? RESTART_SYSCALL : r.orig_rax;
    r.orig_rax = UINT64_MAX; /* nothing is to be started again but by the instruction itself */
    r.rip = entry;
    return r;
}

static bool is_done(const Tracer *t, const TracerRun *run) {
    uint32_t word = 0;
    if (run->done) return target_read(t->target, run->done, &word, sizeof word) && word == 1;
    return target_read(t->target, run->mapped, &word, sizeof word);
}

bool tracer_run(Tracer *tracer, TracedThread *thread, const TracerRun *run) {
    struct user_regs_struct r = sent(thread, run->entry);
    if (ptrace(PTRACE_SETREGS, thread->tid, NULL, &r)) return false;
    thread->regs = r;
    for (int tries = 0; tries < 1000 && !thread->gone; tries++) {
        struct timespec moment = {.tv_nsec = tries < 10 ? 100000 : 1000000};
        if (ptrace(PTRACE_CONT, thread->tid, NULL, (void *)(intptr_t)thread->signal)) /* NOLINT */
            return false;
        thread->signal = 0;
        nanosleep(&moment, NULL);
        if (ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL)) return false;
        if (!wait_for(thread)) return false;
        bool inside = thread->regs.rip >= run->from && thread->regs.rip < run->to;
        if (!thread->gone && !inside && is_done(tracer, run)) return true;
    }
    return false;
}

#else
int tracer_hold(Tracer *tracer, const Target *target) {
    *tracer = (Tracer){.target = target};
    return ENOSYS;
}
void tracer_let_go(Tracer *tracer) {
    (void)tracer;
}
bool tracer_can_run(const Tracer *tracer, const TracedThread *thread, uint64_t stack) {
    (void)tracer, (void)thread, (void)stack;
    return false;
}
bool tracer_waits(const TracedThread *thread) {
    (void)thread;
    return false;
}
uint64_t tracer_resume(const TracedThread *thread) {
    (void)thread;
    return 0;
}
bool tracer_is_in(const TracedThread *thread, uint64_t at, uint64_t bytes) {
    (void)thread, (void)at, (void)bytes;
    return false;
}
bool tracer_run(Tracer *tracer, TracedThread *thread, const TracerRun *run) {
    (void)tracer, (void)thread, (void)run;
    return false;
}
#endif
