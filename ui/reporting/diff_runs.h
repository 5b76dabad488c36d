/* diff_runs.h - `lmp diff` of runs: of two recordings, or of two moments of one. */
#ifndef LMP_DIFF_RUNS_H
#define LMP_DIFF_RUNS_H

#include <stdbool.h>

#include "report/diff/diffreport.h"

typedef struct DiffRuns {
    const char *file[2]; /* FILE or FILE@MOMENT, the older one first */
    const char *out;     /* NULL: standard output */
    const DiffReportKind *kind;
    RunDiffMetric metric;
    bool by_metric; /* the metric was named: only its total is judged */
    uint32_t top;   /* 0: as the format has it */
    uint64_t noise; /* bytes or count; UINT64_MAX: not told */
    double fail;    /* percent; below 0: nothing is judged */
} DiffRuns;

/* Compares and writes; one line says what is wrong. Returns the exit status: 3 if a total grew by
 * more than it may. */
int diff_runs(const DiffRuns *wish);

#endif
