/* value.c - a row for each figure; the one that is wanted is the first that fits metric and
 * unit. */
#include "report/formats/value.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/format.h"
#include "base/order.h"

const ReportValueInfo report_values[VALUES] = {
    [VALUE_ALLOCATED_BYTES] = {REPORT_ALLOCATED, REPORT_BYTES, TALLY_MADE, "AllocBytes",
                               "allocated bytes", "alloc_space"},
    [VALUE_ALLOCATIONS] = {REPORT_ALLOCATED, REPORT_BLOCKS, TALLY_ALLOCS, "Allocs", "allocations",
                           "alloc_objects"},
    [VALUE_LIVE_BYTES] = {REPORT_LIVE, REPORT_BYTES, TALLY_LIVE_BYTES, "LiveBytes", "live bytes",
                          "inuse_space"},
    [VALUE_LIVE_BLOCKS] = {REPORT_LIVE, REPORT_BLOCKS, TALLY_LIVE_BLOCKS, "Live", "live blocks",
                           "inuse_objects"},
    [VALUE_PEAK_BYTES] = {REPORT_PEAK, REPORT_BYTES, TALLY_PEAK_BYTES, "PeakBytes",
                          "bytes live at the peak", "peak_space"},
    [VALUE_TEMPORARY] = {REPORT_TEMPORARY, REPORT_BLOCKS, TALLY_TEMPORARY, "Temporary",
                         "temporary allocations", "temporary_objects"},
};

int64_t value_change(const LmpTally *t, ReportValue value) {
    return value < VALUES ? (int64_t)tally_number(t, report_values[value].figure) : 0;
}

uint64_t value_of(const LmpTally *tally, ReportValue value) {
    int64_t n = value_change(tally, value);
    return n > 0 ? (uint64_t)n : 0;
}

ReportValue value_chosen(const LmpReport *r) {
    uint32_t metric = r->metric;
    if (metric == REPORT_ANY_METRIC)
        metric = value_of(&r->ledger.all, VALUE_LIVE_BYTES) > 0 ? REPORT_LIVE : REPORT_ALLOCATED;
    for (int unit = REPORT_BYTES; unit < REPORT_UNITS; unit++)
        for (ReportValue v = 0; v < VALUES; v++)
            if (report_values[v].metric == metric && (int)report_values[v].unit == unit &&
                (r->unit == REPORT_ANY_UNIT || (int)r->unit == unit))
                return v;
    return VALUES;
}

/* As value_of has it. */
static uint64_t none_below(uint64_t n) {
    return (int64_t)n > 0 ? n : 0;
}

/* Returns the exact total of the whole heap, where the run was sampled; else what the lines add up
 * to. */
static uint64_t value_total(const LmpReport *r, ReportValue value) {
    const LmpStats *s = r->taken ? &r->range : &r->stats;
    if (r->ledger.sample == 0) return value_of(&r->ledger.all, value);
    if (r->top_clock > 0 && value == VALUE_LIVE_BYTES) return r->top_bytes;
    switch (value) {
    case VALUE_ALLOCATED_BYTES:
        return s->live_bytes + s->free_bytes;
    case VALUE_ALLOCATIONS:
        return s->mallocs;
    case VALUE_LIVE_BYTES:
        return none_below(s->live_bytes);
    case VALUE_LIVE_BLOCKS:
        return none_below(s->live_blocks);
    case VALUE_PEAK_BYTES:
        return s->peak_bytes;
    default: /* nobody counts them but by line */
        return value_of(&r->ledger.all, value);
    }
}

static void put_value(char *out, ReportValue value, uint64_t n) {
    if (report_values[value].unit == REPORT_BYTES)
        format_bytes(out, n);
    else
        format_count(out, n);
}

const char *value_sampled(char *out, size_t size, const LmpReport *r, ReportValue value) {
    char every[LMP_NUM], estimate[LMP_NUM], exact[LMP_NUM];
    *out = 0;
    if (r->ledger.sample == 0) return out;
    put_value(estimate, value, value_of(&r->ledger.all, value));
    put_value(exact, value, value_total(r, value));
    snprintf(out, size, "sampled, one block in every %s: %s %s by estimate, exactly %s",
             format_bytes(every, r->ledger.sample), estimate, report_values[value].name, exact);
    return out;
}

ORDER_LARGEST(by_value, ValueRow, value, row)

void value_sort(ValueRow *rows, size_t n) {
    qsort(rows, n, sizeof *rows, by_value);
}
