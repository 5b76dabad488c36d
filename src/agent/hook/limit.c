/* limit.c - the tick compares; a limit that was exceeded is armed again when the heap has fallen
 * below it. */
#include "agent/hook/limit.h"

#include "agent/interp/safepoint.h"

void limit_set(LmpProfile *p, uint64_t bytes, LmpLimitReached *reached, void *ud) {
    *p->limit = (LmpLimit){.bytes = bytes, .reached = reached, .ud = ud, .armed = true};
}

void limit_tick(LmpProfile *p) {
    LmpLimit *limit = p->limit;
    if (!limit->bytes) return;
    safepoint_tick(p, &limit->errand);
    if (p->counters->live_bytes <= limit->bytes) {
        limit->armed = true;
    } else if (limit->armed) {
        limit->armed = false;
        limit->errand = (LmpErrand){.due = true};
        atomic_store(&p->control->trap, 1);
    }
}

void limit_between(LmpProfile *p, lua_State *L) {
    LmpLimit *limit = p->limit;
    uint64_t live = p->counters->live_bytes;
    if (!limit->errand.waits) return;
    limit->errand = (LmpErrand){0};
    if (live > limit->bytes) limit->reached(L, live, limit->ud);
}
