/* cycles.c - takes the allocator's figures where the collector turns from marking to sweeping, and
 * again when the sweep is over; a cycle is the difference. */
#include "agent/charge/cycles.h"

#include <string.h>

#include "agent/charge/live_history.h"
#include "agent/interp/collector.h"
#include "agent/map/shadow.h"
#include "base/os.h"
#include "shared/counters.h"

/* The clock, nanoseconds since start. Small heaps have cycles every few microseconds, and reading
 * it for each would cost too much: within an eighth of the time between ticks (estimated by the
 * frees) the last reading is good enough. */
static uint64_t clock_of_cycle(LmpProfile *p, uint64_t frees) {
    if (p->cycles->clock < p->ticked) p->cycles->clock = p->ticked;
    if (frees - p->cycles->clock_frees >= (uint64_t)p->tick_ops / 8) {
        p->cycles->clock = lmp_os->clock() - p->start;
        p->cycles->clock_frees = frees;
    }
    return p->cycles->clock;
}

/* In generational mode a minor cycle sweeps as generational; a full one passes through incremental,
 * and is seen there as soon as it frees something. If it frees nothing, or too little, Lua says
 * that it was bad. (A requested one that found nothing at all to free counts as a minor one.) */
static bool looks_full(const LmpProfile *p) {
    return !p->collector->kind || *p->collector->kind == 0 || collector_is_bad(p);
}

static void begin_cycle(LmpProfile *p) {
    p->cycles->full = looks_full(p);
    counters_frees(p->counters, &p->cycles->start_frees, &p->cycles->start_bytes);
    p->live->gc.now = (LmpGcCycle){.start = clock_of_cycle(p, p->cycles->start_frees)};
    p->live->gc.sweeping = 1;
    p->birth += 1u << LMP_BLOCK_CYCLE_SHIFT;
    if (LMP_BLOCK_CYCLE(p->birth) == LMP_BLOCK_CYCLES - 1) {
        shadow_age_cycles(p);
        p->birth = (p->birth & ~LMP_BLOCK_CYCLE_MASK) | 2u << LMP_BLOCK_CYCLE_SHIFT;
    }
    if (p->cycles->full) live_history_cycle_began(p);
}

/* For the timeline, which has it with its next sample. */
static void note_held(LmpProfile *p) {
    LmpClassTotal total[LMP_CLASSES];
    counters_read(p->counters, total);
    memset(p->cycles->held_bytes, 0, sizeof p->cycles->held_bytes);
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++)
        p->cycles->held_bytes[class_owner(cls)] += total[cls].live_bytes;
}

static void end_cycle(LmpProfile *p) {
    LmpGc *gc = &p->live->gc;
    uint64_t blocks, bytes;
    counters_frees(p->counters, &blocks, &bytes);
    gc->now.end = clock_of_cycle(p, blocks);
    gc->now.freed_blocks = blocks - p->cycles->start_frees;
    gc->now.freed_bytes = bytes - p->cycles->start_bytes;
    gc->now.live_bytes = p->counters->live_bytes;
    gc->freed_blocks += gc->now.freed_blocks;
    gc->freed_bytes += gc->now.freed_bytes;
    gc->ring[gc->cycles % LMP_GC_RING] = gc->now;
    gc->sweeping = 0;
    note_held(p);
    bool full = p->cycles->full || collector_is_bad(p);
    cycles_mode(p);
    gc->full += full;
    atomic_thread_fence(memory_order_release);
    gc->cycles++;
    if (full) live_history_cycle_ended(p);
}

void cycles_look(LmpProfile *p) {
    if (collector_now(p) == p->gc_seen || p->closing) return;
    unsigned turns = collector_turns(p);
    if (turns & GC_MARKED) {
        if (p->live->gc.sweeping) end_cycle(p);
        begin_cycle(p);
    }
    if (p->live->gc.sweeping && turns & GC_SWEPT) end_cycle(p);
}

void cycles_mode(LmpProfile *p) {
    if (!p->closing) p->live->gc.mode = collector_kind(p);
}
