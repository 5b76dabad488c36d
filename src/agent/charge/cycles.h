/* cycles.h - the collector's cycles in the figures: when each began and ended, what it freed, which
 * looked at all of the heap. What the collector is doing right now: collector.h. */
#ifndef LMP_CYCLES_H
#define LMP_CYCLES_H

#include "agent/state/profile.h"

typedef struct LmpCycles {
    uint64_t clock, clock_frees;       /* last reading of the clock for a cycle, and frees then */
    uint64_t start_frees, start_bytes; /* totals when the sweep under way began */
    uint64_t held_bytes[LMP_KINDS];    /* live, by owner, when the last one ended */
    bool full;                         /* the cycle under way looks at all of the heap */
} LmpCycles;

/* Notes what has changed in the collector's colour and state since the last look. */
void cycles_look(LmpProfile *p);

/* Brings gc.mode up to date. Not while a cycle sweeps: a full collection of the generational mode
 * passes through the other mode then. */
void cycles_mode(LmpProfile *p);

#endif
