/* diffreport.c - the table of formats of a comparison, and its totals with their judgement. */
#include "report/diff/diffreport_impl.h"

#define ROW(ID, name, parts, help) [DIFF_##ID] = {#name, help, parts, diff_##name},
const DiffReportKind diffreport_kinds[DIFF_KINDS] = {DIFF_REPORTS(ROW)};
#undef ROW

static uint64_t allocated(const LmpStats *s) {
    return s->malloc_bytes + (uint64_t)s->realloc_bytes;
}

void diffreport_totals(const DiffReport *report, DiffTotal out[DIFF_TOTALS]) {
    const LmpStats *was = &report->old.report->stats, *is = &report->newer.report->stats;
    const DiffTotal totals[DIFF_TOTALS] = {
        {"peak_bytes", "peak", true, true, RUNDIFF_PEAK, was->peak_bytes, is->peak_bytes},
        {"live_bytes", "live", true, true, RUNDIFF_LIVE, was->live_bytes, is->live_bytes},
        {"allocated_bytes", "allocated", true, true, RUNDIFF_ALLOCATED, allocated(was),
         allocated(is)},
        {"mallocs", "allocations", false, false, RUNDIFF_ALLOCS, was->mallocs, is->mallocs},
        {"live_blocks", "live blocks", false, false, RUNDIFF_METRICS, was->live_blocks,
         is->live_blocks},
        {"gc_cycles", "collector cycles", false, false, RUNDIFF_METRICS, was->gc_cycles,
         is->gc_cycles},
    };
    for (int i = 0; i < DIFF_TOTALS; i++)
        out[i] = totals[i];
}

bool diffreport_judged(const DiffReport *report, const DiffTotal *total) {
    bool judged = report->by_metric ? total->metric == report->diff->metric : total->judged;
    return report->fail >= 0 && judged;
}

bool diffreport_broken(const DiffReport *report, const DiffTotal *total) {
    if (!diffreport_judged(report, total) || total->is <= total->was) return false;
    /* in doubles a byte of more than 2^53 is lost, which no heap has */
    return (double)(total->is - total->was) * 100 > (double)total->was * report->fail;
}

bool diffreport_fails(const DiffReport *report) {
    DiffTotal total[DIFF_TOTALS];
    bool fails = false;
    diffreport_totals(report, total);
    for (int i = 0; i < DIFF_TOTALS; i++)
        fails = fails || diffreport_broken(report, &total[i]);
    return fails;
}

uint64_t diffreport_noise(const LmpReport *old, const LmpReport *newer, RunDiffMetric metric) {
    RunDiff diff = {.metric = metric};
    const DiffReport report = {.old = {.report = old}, .newer = {.report = newer}, .diff = &diff};
    DiffTotal total[DIFF_TOTALS];
    uint64_t most = 0;
    diffreport_totals(&report, total);
    for (int i = 0; i < DIFF_TOTALS; i++) {
        if (total[i].metric != metric) continue;
        most = total[i].was > total[i].is ? total[i].was : total[i].is;
    }
    return most / 1000 + 1;
}
