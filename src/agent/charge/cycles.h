/* cycles.h - the collector's cycles in the figures: when each began and ended, what it freed, which
 * looked at all of the heap. What the collector is doing right now: collector.h. */
#ifndef LMP_CYCLES_H
#define LMP_CYCLES_H

#include "agent/state/profile.h"

typedef struct LmpCycles {
    uint64_t clock, clock_frees;       /* last reading of the clock for a cycle, and frees then */
    uint64_t start_frees, start_bytes; /* totals when the sweep under way began */
    uint64_t held_bytes[LMP_CLASSES];  /* live, by class, when the last one ended */
    bool full;                         /* the cycle under way looks at all of the heap */
} LmpCycles;

/* Notes what has changed in the collector's colour and state since the last look. */
void cycles_look(LmpProfile *p);

/* Brings gc.mode up to date. Not while a cycle sweeps: a full collection of the generational mode
 * passes through the other mode then. */
void cycles_mode(LmpProfile *p);

/* ---- what each site holds after full collections --------------------------------------------- */

/* The rows from which the leak view tells growth from garbage (tables.live_history in rows.h).
 *
 * A minor cycle of the generational mode leaves old garbage where it is, so only full ones count.
 * What a site holds is what was made there before the sweep and not freed at its end: the collector
 * has not looked at what was made during the sweep. A row is made at the end of one, if the last
 * one is old enough: a 64th of the run, at most two seconds, and never less than 200 times what
 * making a row takes. (A collection that comes later than that is never left out.)
 *
 * When there is no place for a new row, two old neighbours become one that has the larger figure of
 * each: those that span the least time together, but none of the newest twelve. So the newest rows
 * are as dense as they were made, the others span the whole run about evenly, and the most that a
 * site ever held is never forgotten. */

typedef struct LmpLiveHistoryPlan {
    uint64_t due;   /* clock from which on a cycle makes the next row, nanoseconds since start */
    uint64_t cost;  /* what the last row cost, times as much as it has to wait for */
    uint64_t spent; /* on the beginning of the row under way, nanoseconds */
    uint64_t work;  /* bytes made until then */
    uint32_t sites; /* then; 0: no row is under way */
} LmpLiveHistoryPlan;

/* Call when a full collection has marked all that lives, and begins to sweep: gc.now. */
void cycles_full_began(LmpProfile *p);

/* Call when a full collection has ended: it is the last one in gc.ring. (Without the other call
 * before it, it has freed nothing.) Both do nothing without lines. */
void cycles_full_ended(LmpProfile *p);

#endif
