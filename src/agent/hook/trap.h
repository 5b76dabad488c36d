/* trap.h - the slow path through an operation: what viewers request, and what is due now and then.
 */
#ifndef LMP_TRAP_H
#define LMP_TRAP_H

#include "agent/hook/hook.h"

typedef struct LmpSlowPath {
    _Atomic uint32_t always; /* 1: what p->trap points to when every operation comes this way */
    uint32_t step_target;    /* steps granted so far, of control->step */
    uint64_t tick_peak;      /* high-water mark known at the last tick, bytes */
    uint64_t collect_asked;  /* clock of p->collecting */
    int32_t ops;             /* operations that came this way, which counts no other way */
    bool paused_safe;        /* paused where the stacks may be looked at */
} LmpSlowPath;

/* Does one operation with everything around it: the collector's progress, the tick (clock, history,
 * births), requests, and the pause, in which it sleeps until a viewer lets the program go on. */
void *trap_operation(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller);

/* Sends every operation the slow path, or only when a viewer requests so. */
void trap_always(LmpProfile *p, bool always);
/* Chooses that by the profile's state: owners by rules, lines by the documented API, an own call
 * under way, conditions to look at. */
void trap_route(LmpProfile *p);

/* The tick by itself, at start and at the end. */
void trap_tick(LmpProfile *p);

/* Notes a mark (the name is copied; NULL: "mark N"). */
void trap_mark(LmpProfile *p, const char *name);

/* From here to own_end, blocks that the running C function of L asks for are the profiler's own.
 * Returns what was before, for own_end. */
LmpOwn trap_own_begin(LmpProfile *p, lua_State *L);
void trap_own_end(LmpProfile *p, LmpOwn before);

#endif
