/* grown.c - see grown.h. Cold: the tables are added up, a record at a time. */
#include "grown.h"

#include <string.h>

#include "os.h"

enum { ROWS = LMP_GROWN - 1, DENSE = 12 };

#define SPACING_PART 64u          /* of the run so far */
#define SPACING_MAX 2000000000ull /* nanoseconds */
#define SPACING_MIN 1000000u      /* nanoseconds */
#define SPACING_COST 200u         /* times what a row costs */

typedef struct LmpGrownList List;

/* Live bytes and blocks of every site, to the slot. */
static void fill(const LmpTables *t, uint32_t slot) {
    uint32_t sites = tables_sites(t), records = tables_records(t);
    for (uint32_t s = 0; s < sites; s++)
        t->grown[s][slot] = t->grown_blocks[s][slot] = 0;
    for (uint32_t r = 1; r < records; r++) {
        const LmpRecord *record = &t->record[r];
        int64_t live = (int64_t)(record->use.bytes - record->use.free_bytes);
        int64_t blocks = (int64_t)(record->use.allocs - record->use.frees);
        uint32_t *sum = &t->grown_blocks[record->site][slot];
        if (live > 0) t->grown[record->site][slot] += (uint64_t)live;
        if (blocks > 0) *sum = blocks < UINT32_MAX - *sum ? *sum + (uint32_t)blocks : UINT32_MAX;
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

COLD void grown_cycle_ended(LmpProfile *p) {
    LmpTablesUsed *used = &p->live->tables;
    const LmpGc *gc = &p->live->gc;
    if (used->lines == LMP_LINES_OFF || gc->cycles == 0) return;
    const LmpGcCycle *last = &gc->ring[(gc->cycles - 1) % LMP_GC_RING];
    uint64_t end = last->end, top = last->live_bytes + last->freed_bytes;
    if (top > used->grown_top) used->grown_top = top;
    if (end < p->grown_due) return;
    uint64_t before = lmp_os->clock();
    List list = used->grown_list[used->grown % 2];
    uint32_t slot = free_slot(&list);
    fill(&p->tables, slot);
    used->grown_clock[slot] = end;
    used->grown_cycle[slot] = gc->full;
    if (list.rows == ROWS) merge(&p->tables, &list, least_missed(used, &list));
    list.slot[list.rows++] = (uint8_t)slot;
    used->grown_list[(used->grown + 1) % 2] = list;
    atomic_thread_fence(memory_order_release);
    *(volatile uint64_t *)&used->grown = used->grown + 1;
    uint64_t spacing = end / SPACING_PART, cost = (lmp_os->clock() - before) * SPACING_COST;
    if (spacing < SPACING_MIN) spacing = SPACING_MIN;
    if (spacing > SPACING_MAX) spacing = SPACING_MAX;
    /* Of the last two the smaller: one may have waited for the processor. */
    uint64_t least = cost < p->grown_cost ? cost : p->grown_cost;
    if (spacing < least) spacing = least;
    p->grown_cost = cost;
    p->grown_due = end + spacing;
}
