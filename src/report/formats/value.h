/* value.h - the figures that formats of other tools have: one number for each line or call path,
 * which adds up over all of them to that of the heap. */
#ifndef LMP_VALUE_H
#define LMP_VALUE_H

#include "report/report.h"

typedef enum ReportValue {
    VALUE_ALLOCATED_BYTES, /* with what reallocation made of them */
    VALUE_ALLOCATIONS,
    VALUE_LIVE_BYTES,
    VALUE_LIVE_BLOCKS,
    VALUE_PEAK_BYTES, /* live at the heap's high-water mark */
    VALUE_TEMPORARY,  /* allocations freed before the next one there, by the next collection */
    VALUES
} ReportValue;

typedef struct ReportValueInfo {
    uint32_t metric, unit; /* ReportMetric, ReportUnit */
    LmpTallyFigure figure;
    const char *word; /* "AllocBytes" */
    const char *name; /* "allocated bytes" */
    const char *type; /* as pprof calls it: "alloc_space" */
} ReportValueInfo;

extern const ReportValueInfo report_values[VALUES];

/* Returns a figure that is never negative as an int64_t: over a range of time less than before
 * counts as nothing, for formats that know no negative numbers. */
uint64_t value_of(const LmpTally *tally, ReportValue value);
/* Returns the same with its sign. */
int64_t value_change(const LmpTally *tally, ReportValue value);

/* Returns what LmpReport.metric and .unit ask for; VALUES: that is not known. */
ReportValue value_chosen(const LmpReport *report);

/* Writes "sampled, one block in every 512.0 KiB: 12.0 MiB live bytes by estimate, exactly 12.1
 * MiB"; "": it is exact. */
const char *value_sampled(char *out, size_t size, const LmpReport *report, ReportValue value);

/* Rows of whatever table with their values: the largest first, those of one value as they lie. */
typedef struct ValueRow {
    uint64_t value;
    uint32_t row;
} ValueRow;
void value_sort(ValueRow *rows, size_t n);

#endif
