/* stats.c - derives the figures a person reads from the counters of a shared state. */
#include "stats.h"

#include <string.h>

#include "counters.h"

void stats_derive(const LmpLive *live, uint64_t clock, LmpStats *out) {
    const LmpCounters *c = &live->counters;
    LmpClassTotal total[LMP_CLASSES];
    counters_read(c, total);
    memset(out, 0, sizeof *out);

    uint64_t peak[LMP_KINDS] = {0};
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++) {
        const LmpClassTotal *t = &total[cls];
        out->mallocs += t->allocs;
        out->malloc_bytes += t->alloc_bytes;
        out->reallocs += t->reallocs;
        out->realloc_bytes = (int64_t)((uint64_t)out->realloc_bytes + (uint64_t)t->realloc_bytes);
        out->frees += t->frees;
        out->free_bytes += t->free_bytes;
        out->live_blocks += t->live_blocks;
        out->live_bytes += t->live_bytes;

        LmpKindStats *owner = &out->kind[class_owner(cls)], *tag = &out->kind[class_tag(cls)];
        owner->allocs += t->allocs;
        owner->live_blocks += t->live_blocks;
        owner->live_bytes += t->live_bytes;
        tag->tag_allocs += t->allocs;
        tag->tag_live_blocks += t->live_blocks;
        tag->tag_live_bytes += t->live_bytes;
        peak[class_owner(cls)] += c->class_peak[cls];
    }

    /* The peak in the counters is only brought up to date before live bytes fall. */
    int at_peak = out->live_bytes >= c->peak_bytes;
    out->peak_bytes = at_peak ? out->live_bytes : c->peak_bytes;
    for (unsigned k = 0; k < LMP_KINDS; k++)
        out->kind[k].peak_bytes = at_peak ? out->kind[k].live_bytes : peak[k];

    out->failed = c->failed;
    out->before_frees = c->before_frees;
    out->before_free_bytes = c->before_free_bytes;
    out->before_reallocs = c->before_reallocs;
    out->before_realloc_bytes = c->before_realloc_bytes;
    out->dropped = c->dropped;
    out->dropped_bytes = c->dropped_bytes;
    out->hidden_regions = live->hidden_leaves;
    out->gc_cycles = live->gc.cycles;
    out->gc_freed_bytes = live->gc.freed_bytes;
    out->gc_mode = live->gc.mode;
    out->lines = live->tables.lines <= LMP_LINES_APPROXIMATE ? live->tables.lines : LMP_LINES_OFF;
    out->stacks = live->tables.stacks != 0;
    out->sample = live->tables.sample;
    out->folded = live->tables.folded;
    out->seconds = (double)clock / 1e9;
}
