/* history.c - writes LmpHistory: one sample per interval, merging pairs when it is full. */
#include "shared/history.h"

#include <string.h>

/* Two neighbours merged: totals and levels are the later one's; the types are those of the one
 * whose heap was larger. */
static LmpHistoryPoint merged(const LmpHistoryPoint *a, const LmpHistoryPoint *b) {
    LmpHistoryPoint both = *b;
    if (a->min_bytes < both.min_bytes) both.min_bytes = a->min_bytes;
    if (a->max_bytes > both.max_bytes) {
        both.max_bytes = a->max_bytes;
        memcpy(both.kind_bytes, a->kind_bytes, sizeof both.kind_bytes);
    }
    return both;
}

/* Halves the resolution. The sequence number is odd meanwhile, so that readers wait. */
static void merge_pairs(LmpHistory *history) {
    uint32_t used = history->used;
    atomic_fetch_add_explicit(&history->seq, 1, memory_order_acq_rel);
    for (uint32_t i = 0; i < used; i += 2) {
        const LmpHistoryPoint *a = &history->samples[i];
        history->samples[i / 2] = merged(a, i + 1 < used ? a + 1 : a);
    }
    history->used = (used + 1) / 2;
    history->interval *= 2;
    atomic_fetch_add_explicit(&history->seq, 1, memory_order_release);
}

void history_add(LmpHistory *history, uint64_t clock, const LmpHistoryPoint *now) {
    while (clock / history->interval >= LMP_HISTORY) {
        if (history->used == 0) {
            history->interval *= 2;
        } else {
            merge_pairs(history);
        }
    }
    uint32_t index = (uint32_t)(clock / history->interval);
    if (history->used == 0) {
        history->samples[0] = *now;
        history->used = 1;
    }
    while (history->used <= index) { /* nothing happened in between: the level is held */
        LmpHistoryPoint held = history->samples[history->used - 1];
        held.max_bytes = held.min_bytes = held.last_bytes;
        history->samples[history->used] = held;
        atomic_thread_fence(memory_order_release);
        history->used++;
    }
    LmpHistoryPoint *last = &history->samples[history->used - 1];
    *last = merged(last, now);
}
