/* grown.c - see grown.h. Cold: the tables are added up, a record at a time. */
#include "agent/charge/grown.h"

#include <string.h>

#include "base/os.h"

enum { ROWS = LMP_GROWN - 1, DENSE = 12 };

#define SPACING_PART 64u          /* of the run so far */
#define SPACING_MAX 2000000000ull /* nanoseconds */
#define SPACING_MIN 1000000u      /* nanoseconds */
#define SPACING_COST 200u         /* times what a row costs */

typedef struct LmpGrownList List;

/* What was made at every site so far, to the slot: what is made from here on the collection does
 * not look at. Returns what was made in all. */
static uint64_t fill_made(const LmpTables *t, uint32_t slot) {
    uint32_t sites = tables_sites(t), records = tables_records(t);
    uint64_t all = 0;
    for (uint32_t s = 0; s < sites; s++)
        t->grown[s][slot] = t->grown_blocks[s][slot] = 0;
    for (uint32_t r = 1; r < records; r++) {
        const LmpRecord *record = &t->record[r];
        t->grown[record->site][slot] += record->use.bytes;
        t->grown_blocks[record->site][slot] += (uint32_t)record->use.allocs;
        all += record->use.bytes;
    }
    return all;
}

/* Takes off what was freed, so what the sites hold is left. (Blocks that were made since and freed
 * by hand are taken off, too; the larger figure of the next row mends that.) Sites that were born
 * since hold nothing. */
static void take_freed(const LmpTables *t, uint32_t slot, uint32_t sites) {
    uint32_t records = tables_records(t);
    for (uint32_t r = 1; r < records; r++) {
        const LmpRecord *record = &t->record[r];
        t->grown[record->site][slot] -= record->use.free_bytes;
        t->grown_blocks[record->site][slot] -= (uint32_t)record->use.frees;
    }
    for (uint32_t s = 0; s < tables_sites(t); s++) {
        uint64_t *bytes = &t->grown[s][slot];
        uint32_t *blocks = &t->grown_blocks[s][slot];
        if (s >= sites || (int64_t)*bytes < 0) *bytes = 0;
        if (s >= sites || (int32_t)*blocks < 0) *blocks = 0;
    }
}

/* The slot that no row of the list has. */
static uint32_t free_slot(const List *list) {
    uint32_t used = 0, slot = 0;
    for (uint32_t i = 0; i < list->rows; i++)
        used |= 1u << list->slot[i];
    while (used & 1u << slot)
        slot++;
    return slot;
}

/* The row that goes into the one after it. */
static uint32_t least_missed(const LmpTablesUsed *used, const List *list) {
    uint32_t best = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i + 1 < list->rows - DENSE; i++) {
        uint64_t from = i > 0 ? used->grown_clock[list->slot[i - 1]] : 0;
        uint64_t span = used->grown_clock[list->slot[i + 1]] - from;
        if (span < least) {
            least = span;
            best = i;
        }
    }
    return best;
}

/* A row that is new no more: what the next one has not, was garbage that the collection met alive.
 */
static void settle(const LmpTables *t, const List *list, uint32_t row) {
    uint32_t sites = tables_sites(t), at = list->slot[row], next = list->slot[row + 1];
    for (uint32_t s = 0; s < sites; s++) {
        uint64_t *bytes = t->grown[s];
        uint32_t *blocks = t->grown_blocks[s];
        if (bytes[next] < bytes[at]) bytes[at] = bytes[next];
        if (blocks[next] < blocks[at]) blocks[at] = blocks[next];
    }
}

/* Row `row` becomes one with the next. Whoever still reads the two sees the figures of either. */
static void merge(const LmpTables *t, List *list, uint32_t row) {
    uint32_t sites = tables_sites(t), from = list->slot[row], to = list->slot[row + 1];
    for (uint32_t s = 0; s < sites; s++) {
        uint64_t *bytes = t->grown[s];
        uint32_t *blocks = t->grown_blocks[s];
        if (bytes[from] > bytes[to]) bytes[to] = bytes[from];
        if (blocks[from] > blocks[to]) blocks[to] = blocks[from];
    }
    memmove(&list->slot[row], &list->slot[row + 1], list->rows - row - 1);
    list->rows--;
}

COLD void grown_cycle_began(LmpProfile *p) {
    const LmpTablesUsed *used = &p->live->tables;
    if (used->lines == LMP_LINES_OFF || p->live->gc.now.start < p->grown_due) return;
    uint64_t before = lmp_os->clock();
    p->grown_work = fill_made(&p->tables, free_slot(&used->grown_list[used->grown % 2]));
    p->grown_sites = tables_sites(&p->tables);
    p->grown_spent = lmp_os->clock() - before;
}

COLD void grown_cycle_ended(LmpProfile *p) {
    LmpTablesUsed *used = &p->live->tables;
    const LmpGc *gc = &p->live->gc;
    if (used->lines == LMP_LINES_OFF || gc->cycles == 0) return;
    const LmpGcCycle *last = &gc->ring[(gc->cycles - 1) % LMP_GC_RING];
    uint64_t end = last->end, top = last->live_bytes + last->freed_bytes;
    if (top > used->grown_top) used->grown_top = top;
    if (last->start < p->grown_due) return;
    if (p->grown_sites == 0) grown_cycle_began(p); /* it was not seen that it was a full one */
    uint64_t before = lmp_os->clock();
    List list = used->grown_list[used->grown % 2];
    uint32_t slot = free_slot(&list);
    take_freed(&p->tables, slot, p->grown_sites);
    p->grown_sites = 0;
    used->grown_clock[slot] = end;
    used->grown_cycle[slot] = gc->full;
    used->grown_work[slot] = p->grown_work;
    if (list.rows > DENSE && gc->mode != LMP_GC_GENERATIONAL)
        settle(&p->tables, &list, list.rows - 1 - DENSE);
    if (list.rows == ROWS) merge(&p->tables, &list, least_missed(used, &list));
    list.slot[list.rows++] = (uint8_t)slot;
    used->grown_list[(used->grown + 1) % 2] = list;
    atomic_thread_fence(memory_order_release);
    *(volatile uint64_t *)&used->grown = used->grown + 1;
    uint64_t spent = lmp_os->clock() - before + p->grown_spent;
    uint64_t spacing = end / SPACING_PART, cost = spent * SPACING_COST;
    if (spacing < SPACING_MIN) spacing = SPACING_MIN;
    if (spacing > SPACING_MAX) spacing = SPACING_MAX;
    /* Of the last two the smaller: one may have waited for the processor. */
    uint64_t least = cost < p->grown_cost ? cost : p->grown_cost;
    if (spacing < least) spacing = least;
    p->grown_cost = cost;
    p->grown_due = end + spacing;
}
