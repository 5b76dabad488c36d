/* limit.c - the tick compares; a limit that was exceeded is armed again when the heap was below it,
 * at a tick or at the end of a collection. */
#include "agent/hook/limit.h"

#include "agent/interp/safepoint.h"

void limit_set(LmpProfile *p, uint64_t bytes, LmpLimitReached *reached, void *ud) {
    *p->limit = (LmpLimit){
        .bytes = bytes, .reached = reached, .ud = ud, .armed = true, .cycles = p->live->gc.cycles};
}

/* Returns true if the heap was below at the end of a collection since the last tick. */
static bool was_below(LmpProfile *p) {
    const LmpGc *gc = &p->live->gc;
    LmpLimit *limit = p->limit;
    bool below = false;
    if (gc->cycles - limit->cycles > LMP_GC_RING) limit->cycles = gc->cycles - LMP_GC_RING;
    while (limit->cycles < gc->cycles)
        below |= gc->ring[limit->cycles++ % LMP_GC_RING].live_bytes <= limit->bytes;
    return below;
}

void limit_tick(LmpProfile *p) {
    LmpLimit *limit = p->limit;
    if (!limit->bytes) return;
    safepoint_tick(p, &limit->errand);
    uint64_t live = p->counters->live_bytes;
    if (was_below(p) || live <= limit->bytes) limit->armed = true;
    if (live <= limit->bytes || !limit->armed) return;
    limit->armed = false;
    safepoint_ask(p, &limit->errand);
}

void limit_between(LmpProfile *p, lua_State *L) {
    LmpLimit *limit = p->limit;
    uint64_t live = p->counters->live_bytes;
    if (!limit->errand.waits) return;
    limit->errand = (LmpErrand){0};
    if (live > limit->bytes) limit->reached(L, live, limit->ud);
}
