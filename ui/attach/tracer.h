/* tracer.h - holds all threads of a process for some milliseconds, and sends one of them through
 * the stub (stub.h).
 *
 * Nothing that is done here has to be undone: if we are killed, the system lets all threads go on,
 * and one that is within the stub comes out of it by itself. A thread that waits in a system call
 * starts that call again, as after a signal without a handler. */
#ifndef LMP_ATTACH_TRACER_H
#define LMP_ATTACH_TRACER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/registers.h"
#include "attach/target.h"

enum { TRACER_THREADS = 4096 };

typedef struct TracedThread {
    pid_t tid;
    int signal; /* that was about to be delivered; 0: none */
    bool stopped, gone;
    Registers regs;
} TracedThread;

typedef struct Tracer {
    const Target *target;
    TracedThread *thread;
    uint32_t threads, room;
} Tracer;

/* Holds all threads. Returns 0, or the errno of what was refused: then none is held. */
int tracer_hold(Tracer *tracer, const Target *target);
/* Lets all of them go on. */
void tracer_let_go(Tracer *tracer);

/* Returns true if a thread can be sent through code that needs so many bytes of its stack. */
bool tracer_can_run(const Tracer *tracer, const TracedThread *thread, uint64_t stack);

/* Returns true if the thread stands in so many bytes of code from `at` on. */
bool tracer_is_in(const TracedThread *thread, uint64_t at, uint64_t bytes);

/* Has the thread, if it sleeps, begin that anew for what is left of it (registers_sleep). */
void tracer_settle(const Tracer *tracer, TracedThread *thread);

/* Sends the thread to `entry`, which comes back to registers_resume(), and waits until *done (in
 * the target, a word that becomes 1; 0: a mapping at `mapped`) and it has left [from, to) and the
 * landing at `resume` (stub.h). Returns false if that was not so within a second: the thread goes
 * on all the same. */
typedef struct TracerRun {
    uint64_t entry, from, to, resume;
    uint64_t done, mapped;
} TracerRun;
bool tracer_run(Tracer *tracer, TracedThread *thread, const TracerRun *run);

#endif
