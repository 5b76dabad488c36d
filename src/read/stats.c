/* stats.c - derives the figures a person reads from the counters of a shared state. */
#include "read/stats.h"

#include <string.h>

#include "shared/counters.h"

LmpLines stats_lines(const LmpLive *live) {
    uint32_t lines = live->tables.lines;
    uint64_t unproven = live->tables.unproven, requests = 0;
    LmpClassTotal total[LMP_CLASSES];
    if (lines != LMP_LINES_EXACT) return lines == LMP_LINES_APPROXIMATE ? lines : LMP_LINES_OFF;
    counters_read(&live->counters, total);
    for (unsigned cls = 1; cls < LMP_C_COUNTED; cls++)
        requests += total[cls].allocs + total[cls].reallocs;
    return unproven > requests / 1000 ? LMP_LINES_APPROXIMATE : LMP_LINES_EXACT;
}

const char *const stats_why_words[LMP_WHYS] = {
    [LMP_WHY_NOT] = "",
    [LMP_WHY_PLACES] = "table constructors may show an earlier one",
    [LMP_WHY_CHECK] = "the check at start found differences",
    [LMP_WHY_COVERED] = "another allocator was put over lmp's",
    [LMP_WHY_UNPROVEN] = "too many requests come from unknown places",
    [LMP_WHY_MEMORY] = "no memory for tables",
    [LMP_WHY_FRAMES] = "this interpreter keeps calls in an unknown way",
    [LMP_WHY_ENTRY] = "not possible on this processor",
};

LmpWhy stats_why(const LmpLive *live) {
    LmpLines lines = stats_lines(live);
    if (lines == LMP_LINES_OFF && live->tables.why == LMP_WHY_MEMORY) return LMP_WHY_MEMORY;
    if (lines != LMP_LINES_APPROXIMATE) return LMP_WHY_NOT;
    if (live->strange.covered) return LMP_WHY_COVERED;
    if (live->tables.lines == LMP_LINES_EXACT) return LMP_WHY_UNPROVEN;
    return live->tables.why == LMP_WHY_CHECK ? LMP_WHY_CHECK : LMP_WHY_PLACES;
}

/* Why an option is not there. */
static uint32_t why_not(uint32_t why, bool is_there) {
    return is_there || why >= LMP_WHYS ? LMP_WHY_NOT : why;
}

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
    out->lines = stats_lines(live);
    out->lines_unproven = live->tables.lines == LMP_LINES_OFF ? 0 : live->tables.unproven;
    out->why = stats_why(live);
    out->owners_unproven = live->owners_unproven;
    out->stacks = live->tables.stacks != 0;
    out->sample = live->tables.sample;
    out->stacks_why = why_not(live->tables.stacks_why, out->stacks);
    out->sample_why = why_not(live->tables.sample_why, out->sample > 0);
    out->other_states = live->strange.apart;
    out->mixed_states = live->strange.mixed;
    out->passed_requests = live->strange.passed;
    out->covered = live->strange.covered != 0;
    out->folded = live->tables.folded;
    out->seconds = (double)clock / 1e9;
}
