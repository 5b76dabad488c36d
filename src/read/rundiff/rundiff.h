/* rundiff.h - what differs between two ledgers: of two runs, or of two moments of one. Sites,
 * functions, tags and call paths are paired by what they are, for rows have other numbers in
 * another run; then each pair is a change.
 *
 * How a line is known again, though the file was edited between the runs: first its function, by
 * source and name, where several have one name in their order in the file; then, within it, by the
 * text of the line (a hash of it, LmpSiteRow.text) if both sides know it, else by its distance from
 * where the function begins. So what stands above may grow and shrink. A line that has moved says
 * where it was. */
#ifndef LMP_RUNDIFF_H
#define LMP_RUNDIFF_H

#include "read/rundiff/pairing.h"

typedef enum RunDiffBy { RUNDIFF_SITES, RUNDIFF_FUNCTIONS, RUNDIFF_TAGS, RUNDIFF_BYS } RunDiffBy;

/* What changes are sorted and judged by. */
typedef enum RunDiffMetric {
    RUNDIFF_LIVE,      /* bytes live */
    RUNDIFF_ALLOCATED, /* bytes made, growth of blocks included */
    RUNDIFF_PEAK,      /* bytes live at the high-water mark */
    RUNDIFF_ALLOCS,    /* allocations (count) */
    RUNDIFF_METRICS
} RunDiffMetric;

extern const char *const rundiff_metric_names[RUNDIFF_METRICS];

typedef enum RunDiffHow { RUNDIFF_KEPT, RUNDIFF_MOVED, RUNDIFF_CAME, RUNDIFF_WENT } RunDiffHow;

typedef struct RunDiffRow {
    uint32_t old, newer; /* rows in the two ledgers; LEDGER_NO_ROW: it is not there */
    RunDiffHow how;
    LmpTally was, is; /* shallow; of what is not there: zeroes */
} RunDiffRow;

typedef struct RunDiffTable {
    RunDiffRow *row;                    /* by the size of the change, largest first; owned */
    uint32_t rows;                      /* all of them, noise too */
    uint32_t noise;                     /* the last ones: their changes are below the threshold */
    uint64_t noise_grown, noise_shrunk; /* what these amount to, bytes or count */
} RunDiffTable;

typedef struct RunDiff {
    const Ledger *old, *newer;
    RunDiffMetric metric;
    RunDiffTable table[RUNDIFF_BYS];
    /* By row of the newer ledger, its row in the older one; LEDGER_NO_ROW: none. Owned. */
    uint32_t *site, *function, *tag, *node; /* node NULL: a side has no tree */
    RunPaths paths[2];                      /* of rundiff_make: the trees, older first; owned */
} RunDiff;

/* Pairs and compares; `noise`: changes below so many bytes (or counts, by metric) are noise. The
 * ledgers must stay as they are until rundiff_free. Costs n log n in rows. Errors: NOMEM. */
LmpErr rundiff_make(RunDiff *out, const Ledger *old, const Ledger *newer, RunDiffMetric metric,
                    uint64_t noise);
/* The same of ledgers whose trees were taken away (runpaths_take): `paths`, older first, are the
 * diff's from then on, whatever comes of it. */
LmpErr rundiff_make_of(RunDiff *out, const Ledger *old, const Ledger *newer, RunPaths paths[2],
                       RunDiffMetric metric, uint64_t noise);
/* Pairs only: its tables are empty, and it keeps no trees. */
LmpErr rundiff_pair(RunDiff *out, const Ledger *old, const Ledger *newer);
void rundiff_free(RunDiff *diff);

/* A tally's figure by the metric, and a change of it. */
uint64_t rundiff_figure(const LmpTally *tally, RunDiffMetric metric);
int64_t rundiff_change(const RunDiffRow *row, RunDiffMetric metric);

/* The older run as the newer ledger's mark: LmpTally.mark of sites, functions, tags and nodes, so
 * that panels show what has changed since. What came has nothing there. `newer` is the ledger that
 * the diff was made of. */
void rundiff_mark(const RunDiff *diff, Ledger *newer);

#endif
