/* tracer.c - ptrace: seize and interrupt each thread, until no new one appears; registers are set
 * in one call, after which the thread needs us no more. */
#include "attach/tracer.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "attach/stub.h"
#include "base/array.h"

enum { RED_ZONE = 128, WAIT_TRIES = 2000, SLEEP_TRIES = 4 };

/* Reads a thread's registers, or sets them. */
static bool pass_registers(pid_t tid, Registers *regs, bool set) {
    struct iovec all = {regs, sizeof *regs};
    return !ptrace(set ? PTRACE_SETREGSET : PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &all) &&
           all.iov_len == sizeof *regs;
}

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
    if (!pass_registers(thread->tid, &thread->regs, false)) thread->gone = true;
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
           registers_pc(&thread->regs) - sequence.start < sequence.length;
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
           stack_left(tracer->target, registers_sp(&thread->regs)) >= stack + RED_ZONE;
}

bool tracer_is_in(const TracedThread *thread, uint64_t at, uint64_t bytes) {
    return !thread->gone && registers_pc(&thread->regs) - at < bytes;
}

/* Lets a thread run for a moment. Returns false if the thread does not stand again after that. */
static bool run_on(TracedThread *thread, long moment_ns) {
    struct timespec moment = {.tv_nsec = moment_ns};
    if (ptrace(PTRACE_CONT, thread->tid, NULL, (void *)(intptr_t)thread->signal)) /* NOLINT */
        return false;
    thread->signal = 0;
    nanosleep(&moment, NULL);
    return !ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL) && wait_for(thread);
}

void tracer_settle(const Tracer *tracer, TracedThread *thread) {
    for (int tries = 0; tries < SLEEP_TRIES && thread->stopped && !thread->gone &&
                        registers_sleep(&thread->regs, tracer->target);
         tries++)
        thread->stopped = run_on(thread, 100000);
}

static bool is_done(const Tracer *t, const TracerRun *run) {
    uint32_t word = 0;
    if (run->done) return target_read(t->target, run->done, &word, sizeof word) && word == 1;
    return target_read(t->target, run->mapped, &word, sizeof word);
}

bool tracer_run(Tracer *tracer, TracedThread *thread, const TracerRun *run) {
    Registers sent = thread->regs;
    registers_send(&sent, run->entry);
    if (!pass_registers(thread->tid, &sent, true)) return false;
    for (int tries = 0; tries < 1000 && !thread->gone; tries++) {
        if (!run_on(thread, tries < 10 ? 100000 : 1000000)) return false;
        bool inside = tracer_is_in(thread, run->from, run->to - run->from) ||
                      tracer_is_in(thread, run->resume, ATTACH_LANDING);
        if (!thread->gone && !inside && is_done(tracer, run)) return true;
    }
    return false;
}
