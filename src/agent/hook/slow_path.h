/* slow_path.h - which operations leave the hot path for trap.h, and its state. */
#ifndef LMP_SLOW_PATH_H
#define LMP_SLOW_PATH_H

#include "agent/state/profile.h"

typedef struct LmpSlowPath {
    _Atomic uint32_t always; /* 1: what p->trap points to when every operation takes this path */
    uint32_t step_target;    /* steps granted so far, of control->step */
    uint64_t tick_peak;      /* high-water mark known at the last tick, bytes */
    uint32_t noted_cycles;   /* of the collector, finished at the last tick (count) */
    uint64_t mark_due;       /* clock from which on a mark notes all rows again */
    int32_t ops;             /* operations that took this path, where nothing else counts them */
    bool snapshot; /* its child is at work, or not everything is merged: look at each operation */
    bool paused_safe; /* paused where the stacks may be looked at */
} LmpSlowPath;

/* Sends every operation the slow path, or only when a viewer requests so. */
void slow_path_always(LmpProfile *p, bool always);
/* Chooses that by the profile's state: owners by rules, lines by the documented API, an own call
 * under way, conditions to look at, a look at what strings are made of, a caller to be sampled,
 * a snapshot under way, overrides to count. */
void slow_path_route(LmpProfile *p);

#endif
