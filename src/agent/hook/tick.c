/* tick.c - doubles or halves the operations between ticks to keep them about TICK_NS apart, and
 * calls whatever is due; the packed counters are folded before the history takes its figures from
 * the full ones. */
#include "agent/hook/tick.h"

#include <string.h>

#include "agent/charge/callers.h"
#include "agent/charge/calls.h"
#include "agent/charge/cycles.h"
#include "agent/charge/inspect.h"
#include "agent/charge/names.h"
#include "agent/hook/break_check.h"
#include "agent/hook/foreign.h"
#include "agent/hook/light.h"
#include "agent/hook/limit.h"
#include "agent/hook/memory_told.h"
#include "agent/hook/requests.h"
#include "agent/hook/slow_path.h"
#include "agent/hook/snapshot.h"
#include "agent/interp/safepoint.h"
#include "agent/map/shadow.h"
#include "agent/objects/containers.h"
#include "base/os.h"
#include "shared/counters.h"
#include "shared/history.h"

enum { TICK_OPS_MIN = 16, TICK_OPS_MAX = LMP_PACK_OPS_MAX, EPOCHS = 255 };
#define TICK_NS 2000000u   /* desired time between ticks */
#define LOOK_NS 250000000u /* time between looks at what is outside: display, viewers */

static void next_epoch(LmpProfile *p, uint64_t clock) {
    LmpLive *live = p->live;
    bool late = clock / live->epoch_length + 1 > EPOCHS;
    if (late && p->slow->snapshot) return; /* all of a frozen map would be copied */
    while (clock / live->epoch_length + 1 > EPOCHS) {
        live->epoch_length *= 2;
        live->epoch = (live->epoch + 1) / 2;
        shadow_halve_births(p);
        containers_halve_births(p);
    }
    uint32_t earlier = live->epoch;
    live->epoch = (uint32_t)(clock / live->epoch_length + 1);
    containers_epoch(p, live->epoch, earlier);
    p->birth = (p->birth & LMP_BLOCK_CYCLE_MASK) | live->epoch << LMP_BLOCK_BIRTH_SHIFT;
}

static void note_history(LmpProfile *p, uint64_t clock) {
    const LmpCounters *c = &p->live->counters;
    const LmpGc *gc = &p->live->gc;
    LmpHistoryPoint now = {
        .max_bytes = c->live_bytes, .min_bytes = c->live_bytes, .last_bytes = c->live_bytes};
    uint64_t peak = counters_noted_peak(c);
    if (peak > p->slow->tick_peak) { /* a new peak since the last tick that is already left */
        p->slow->tick_peak = peak;
        if (peak > now.max_bytes) now.max_bytes = peak;
    }
    for (unsigned cls = 1; cls < LMP_C_COUNTED;
         cls++) { /* just folded: the full counters are complete */
        const LmpClassCount *count = &c->count[cls];
        uint64_t made = count->alloc_bytes + (uint64_t)count->realloc_bytes;
        now.allocs += count->allocs;
        now.frees += count->frees;
        now.alloc_bytes += made;
        now.free_bytes += count->free_bytes;
        now.kind_bytes[class_owner(cls)] += made - count->free_bytes;
        now.held_bytes[class_owner(cls)] += p->cycles->held_bytes[cls];
    }
    if ((uint32_t)gc->cycles != p->slow->noted_cycles) { /* it ended since the last tick */
        uint64_t held = gc->ring[(gc->cycles - 1) % LMP_GC_RING].live_bytes;
        if (held < now.min_bytes) now.min_bytes = held;
    }
    now.gc_cycles = p->slow->noted_cycles = (uint32_t)gc->cycles;
    history_add(&p->live->history, clock, &now);
}

static void tell_peak(LmpProfile *p) {
    uint64_t most = atomic_load_explicit(&p->control->peak_wake, memory_order_relaxed);
    if (most == 0 || p->live->counters.live_bytes <= most) return;
    if (atomic_compare_exchange_strong(&p->control->peak_wake, &most, UINT64_MAX))
        requests_tell_recorder(p);
}

COLD void tick_now(LmpProfile *p) {
    cycles_look(p);
    uint64_t clock = lmp_os->clock() - p->start, passed = clock - p->ticked;
    if (passed < TICK_NS / 2 && p->tick_ops < TICK_OPS_MAX) p->tick_ops *= 2;
    if (passed > TICK_NS * 2 && p->tick_ops > TICK_OPS_MIN) p->tick_ops /= 2;
    if (clock / LOOK_NS != p->ticked / LOOK_NS) {
        if (p->at_look) p->at_look(p);
        if (break_check_lapse(p)) slow_path_route(p);
        if (!p->live->gc.sweeping) cycles_mode(p);
    }
    p->ticked = clock;
    counters_fold(&p->live->counters, callers_spread(p, (uint32_t)p->tick_ops));
    p->leaves.refused = false;
    p->live->clock = clock;
    next_epoch(p, clock);
    note_history(p, clock);
    tell_peak(p);
    names_tick(p);
    if (p->counts) calls_look(p);
    foreign_tell(p);
    safepoint_tick(p, &p->collect);
    limit_tick(p);
    snapshot_tick(p);
    memory_told_tick(p);
    light_tick(p);
    if (inspect_due(p)) slow_path_route(p);
    if (callers_due(p)) slow_path_route(p);
    if (!p->slow->snapshot) containers_tick(p, passed); /* or all of a frozen map would be read */
}
