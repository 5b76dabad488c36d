/* grown.c - see grown.h. Cold: the tables are added up, a record at a time. */
#include "grown.h"

#include "os.h"

#define SPACING_PART 64u           /* of the run so far */
#define SPACING_MAX 15000000000ull /* nanoseconds */
#define SPACING_MIN 1000000u       /* nanoseconds */
#define SPACING_COST 200u          /* times what a row costs */

/* Live bytes of every site, to the ring's slot. */
static void fill(const LmpTables *t, uint32_t slot) {
    uint32_t sites = tables_sites(t), records = tables_records(t);
    for (uint32_t s = 0; s < sites; s++)
        t->grown[s][slot] = 0;
    for (uint32_t r = 1; r < records; r++) {
        const LmpRecord *record = &t->record[r];
        int64_t live = (int64_t)(record->use.bytes - record->use.free_bytes);
        if (live > 0) t->grown[record->site][slot] += (uint64_t)live;
    }
}

COLD void grown_cycle_ended(LmpProfile *p) {
    LmpTablesUsed *used = &p->live->tables;
    const LmpGc *gc = &p->live->gc;
    if (used->lines == LMP_LINES_OFF || gc->cycles == 0) return;
    uint64_t end = gc->ring[(gc->cycles - 1) % LMP_GC_RING].end;
    if (end < p->grown_due) return;
    uint64_t before = lmp_os->clock();
    uint32_t slot = (uint32_t)(used->grown % LMP_GROWN);
    fill(&p->tables, slot);
    used->grown_clock[slot] = end;
    used->grown_cycle[slot] = gc->cycles;
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
