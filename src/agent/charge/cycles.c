/* cycles.c - takes the allocator's figures where the collector turns from marking to sweeping, and
 * again when the sweep is over; a cycle is the difference. */
#include "agent/charge/cycles.h"

#include <string.h>

#include "agent/interp/collector.h"
#include "agent/map/shadow.h"
#include "base/os.h"
#include "shared/counters.h"

/* Returns the clock, nanoseconds since start. Small heaps have cycles every few microseconds, and
 * reading it for each would cost too much: within an eighth of the time between ticks (estimated by
 * the frees) the last reading is good enough. */
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
    if (p->cycles->full) cycles_full_began(p);
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
    /* The timeline has these with its next sample. */
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++)
        p->cycles->held_bytes[cls] = counters_class_bytes(p->counters, cls);
    bool full = p->cycles->full || collector_is_bad(p);
    cycles_mode(p);
    gc->full += full;
    atomic_thread_fence(memory_order_release);
    gc->cycles++;
    if (full) cycles_full_ended(p);
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

/* ---- what each site holds after full collections --------------------------------------------- */

enum { ROWS = LMP_LIVE_HISTORY - 1, DENSE = 12 };

#define SPACING_PART 64u          /* of the run so far */
#define SPACING_MAX 2000000000ull /* nanoseconds */
#define SPACING_MIN 1000000u      /* nanoseconds */
#define SPACING_COST 200u         /* times what a row costs */

typedef struct LmpLiveHistoryList List;

/* Writes what was made at every site so far to the slot: the collection does not look at what is
 * made from here on. Returns the sum. */
static uint64_t fill_made(const LmpTables *t, uint32_t slot) {
    uint32_t sites = tables_sites(t), records = tables_records(t);
    uint64_t all = 0;
    for (uint32_t s = 0; s < sites; s++)
        t->live_history[s][slot] = t->live_history_blocks[s][slot] = 0;
    for (uint32_t r = 1; r < records; r++) {
        const LmpRecord *record = &t->record[r];
        t->live_history[record->site][slot] += record->use.bytes;
        t->live_history_blocks[record->site][slot] += (uint32_t)record->use.allocs;
        all += record->use.bytes;
    }
    return all;
}

/* Subtracts what was freed, which leaves what the sites hold. (Blocks that were made since and
 * freed by hand are subtracted, too; the larger figure of the next row makes up for that.) Sites
 * that were added since hold nothing. */
static void take_freed(const LmpTables *t, uint32_t slot, uint32_t sites) {
    uint32_t records = tables_records(t);
    for (uint32_t r = 1; r < records; r++) {
        const LmpRecord *record = &t->record[r];
        t->live_history[record->site][slot] -= record->use.free_bytes;
        t->live_history_blocks[record->site][slot] -= (uint32_t)record->use.frees;
    }
    for (uint32_t s = 0; s < tables_sites(t); s++) {
        uint64_t *bytes = &t->live_history[s][slot];
        uint32_t *blocks = &t->live_history_blocks[s][slot];
        if (s >= sites || (int64_t)*bytes < 0) *bytes = 0;
        if (s >= sites || (int32_t)*blocks < 0) *blocks = 0;
    }
}

/* Returns the slot that no row of the list has. */
static uint32_t free_slot(const List *list) {
    uint32_t used = 0, slot = 0;
    for (uint32_t i = 0; i < list->rows; i++)
        used |= 1u << list->slot[i];
    while (used & 1u << slot)
        slot++;
    return slot;
}

/* Returns the row that goes into the one after it. */
static uint32_t least_missed(const LmpTablesUsed *used, const List *list) {
    uint32_t best = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i + 1 < list->rows - DENSE; i++) {
        uint64_t from = i > 0 ? used->live_history_clock[list->slot[i - 1]] : 0;
        uint64_t span = used->live_history_clock[list->slot[i + 1]] - from;
        if (span < least) {
            least = span;
            best = i;
        }
    }
    return best;
}

/* Settles a row that is no longer new: what the next one lacks was garbage that the collection
 * found alive.
 */
static void settle(const LmpTables *t, const List *list, uint32_t row) {
    uint32_t sites = tables_sites(t), at = list->slot[row], next = list->slot[row + 1];
    for (uint32_t s = 0; s < sites; s++) {
        uint64_t *bytes = t->live_history[s];
        uint32_t *blocks = t->live_history_blocks[s];
        if (bytes[next] < bytes[at]) bytes[at] = bytes[next];
        if (blocks[next] < blocks[at]) blocks[at] = blocks[next];
    }
}

/* Row `row` becomes one with the next. A concurrent reader sees the figures of either. */
static void merge(const LmpTables *t, List *list, uint32_t row) {
    uint32_t sites = tables_sites(t), from = list->slot[row], to = list->slot[row + 1];
    for (uint32_t s = 0; s < sites; s++) {
        uint64_t *bytes = t->live_history[s];
        uint32_t *blocks = t->live_history_blocks[s];
        if (bytes[from] > bytes[to]) bytes[to] = bytes[from];
        if (blocks[from] > blocks[to]) blocks[to] = blocks[from];
    }
    memmove(&list->slot[row], &list->slot[row + 1], list->rows - row - 1);
    list->rows--;
}

COLD void cycles_full_began(LmpProfile *p) {
    const LmpTablesUsed *used = &p->live->tables;
    if (used->lines == LMP_LINES_OFF || p->live->gc.now.start < p->live_history->due) return;
    uint64_t before = lmp_os->clock();
    p->live_history->work =
        fill_made(&p->tables, free_slot(&used->live_history_list[used->live_history % 2]));
    p->live_history->sites = tables_sites(&p->tables);
    p->live_history->spent = lmp_os->clock() - before;
}

COLD void cycles_full_ended(LmpProfile *p) {
    LmpTablesUsed *used = &p->live->tables;
    const LmpGc *gc = &p->live->gc;
    if (used->lines == LMP_LINES_OFF || gc->cycles == 0) return;
    const LmpGcCycle *last = &gc->ring[(gc->cycles - 1) % LMP_GC_RING];
    uint64_t end = last->end, top = last->live_bytes + last->freed_bytes;
    if (top > used->live_history_top) used->live_history_top = top;
    if (last->start < p->live_history->due) return;
    if (p->live_history->sites == 0) cycles_full_began(p); /* it was not recognised as a full one */
    uint64_t before = lmp_os->clock();
    List list = used->live_history_list[used->live_history % 2];
    uint32_t slot = free_slot(&list);
    take_freed(&p->tables, slot, p->live_history->sites);
    p->live_history->sites = 0;
    used->live_history_clock[slot] = end;
    used->live_history_cycle[slot] = gc->full;
    used->live_history_work[slot] = p->live_history->work;
    if (list.rows > DENSE && gc->mode != LMP_GC_GENERATIONAL)
        settle(&p->tables, &list, list.rows - 1 - DENSE);
    if (list.rows == ROWS) merge(&p->tables, &list, least_missed(used, &list));
    list.slot[list.rows++] = (uint8_t)slot;
    used->live_history_list[(used->live_history + 1) % 2] = list;
    atomic_thread_fence(memory_order_release);
    *(volatile uint64_t *)&used->live_history = used->live_history + 1;
    uint64_t spent = lmp_os->clock() - before + p->live_history->spent;
    uint64_t spacing = end / SPACING_PART, cost = spent * SPACING_COST;
    if (spacing < SPACING_MIN) spacing = SPACING_MIN;
    if (spacing > SPACING_MAX) spacing = SPACING_MAX;
    /* Of the last two the smaller: one may have waited for the processor. */
    uint64_t least = cost < p->live_history->cost ? cost : p->live_history->cost;
    if (spacing < least) spacing = least;
    p->live_history->cost = cost;
    p->live_history->due = end + spacing;
}
