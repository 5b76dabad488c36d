/* child.h - a child of the profiled program with a copy of its heap, which does one piece of work
 * and is gone: started so that the program, its fork handlers, its signal handlers and whoever
 * waits for its children do not notice, and watched so that it cannot stay.
 *
 * The child has a stack of its own, no descriptor but one, no signal but its own alarm; it must use
 * no lock and no allocator. It tells its progress in an LmpBeat. Without any for CHILD_QUIET_NS it
 * is killed: by its alarm, or, at a tick, by the program. */
#ifndef LMP_AGENT_OBJECTS_CHILD_H
#define LMP_AGENT_OBJECTS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/forkos.h"
#include "shared/layout.h"

#define CHILD_QUIET_NS 10000000000ull
enum { CHILD_STACK = 1 << 20 };

typedef struct LmpChild {
    int pid; /* 0: there is none */
    void *stack;
    const LmpBeat *beat;
    uint64_t beats, looked; /* at the last look: its progress, and when that was */
    uint64_t quiet;         /* nanoseconds without progress */
    bool killed;            /* for that */
} LmpChild;

/* Starts one: `work` runs in it, then it ends. `keep` is the descriptor that it keeps. Returns 0,
 * or errno of why there is none. `now`: nanoseconds. */
int child_begin(LmpChild *c, const LmpBeat *beat, int keep, void (*work)(void *of), void *of,
                uint64_t now);

/* Notes, in the child, that there was progress. */
void child_beat(LmpBeat *beat);

/* Returns true if it has ended. Kills it if it is quiet for too long. Cheap, for ticks. */
bool child_look(LmpChild *c, uint64_t now, ForkEnd *end);
/* Returns when it has ended. */
ForkEnd child_wait(LmpChild *c);
/* Forgets the child; for a child of the program's own, whose child it is not. */
void child_forget(LmpChild *c);

/* ---- memory for a second copy ---------------------------------------------------------------- */

/* Returns true if there is memory for a second copy of the heap. A child that walks its copy needs
 * as much as the program changes meanwhile, all of it at worst, and what the walk itself takes. It
 * goes by what the system has available, and by the limit of the program's memory cgroup. False:
 * `why` (size bytes) says why not. Where neither is known it is assumed to fit. */
bool child_fits_twice(char *why, size_t size);

#endif
