/* history.h - the heap over time in a bounded number of samples (LmpHistory in layout.h).
 * An empty one is zeroes but for its `interval`, so that only what is filled takes memory. */
#ifndef LMP_HISTORY_H
#define LMP_HISTORY_H

#include "shared/layout.h"

/* Notes the state at `clock` (nanoseconds since start, never going back). Intervals in which
 * nothing was noted repeat the one before: no operation took place in them. `now.max_bytes` and
 * `now.min_bytes` are the largest and least live size since the last call, `now.kind_bytes` those
 * of now. When the samples are used up, neighbours are merged. */
void history_add(LmpHistory *history, uint64_t clock, const LmpHistoryPoint *now);

#endif
