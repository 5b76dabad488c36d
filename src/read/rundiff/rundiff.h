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

#include "base/err.h"
#include "read/ledger/ledger.h"

/* ---- call paths ------------------------------------------------------------------------------ */

/* The call tree of a run in little room, a fifth of what the ledger's rows take: of two runs with a
 * million paths each there is no room for both ledgers' trees. What is below a node is for the
 * reader to sum up. */

/* As in LmpTreeRow. */
typedef struct RunNode {
    uint32_t parent, first, children;
    uint32_t function; /* row in the ledger's functions */
    uint32_t site;     /* LmpSiteRow.id */
    int32_t line;
    uint32_t flags;
} RunNode;

/* Made right here; names as in LmpTally. */
typedef struct RunFigures {
    uint64_t live_bytes, live_blocks, allocs, free_bytes, peak_bytes, temporary;
} RunFigures;

typedef struct RunPaths {
    uint32_t nodes; /* rows as in Ledger.tree; 0: there is no tree */
    RunNode *node;
    RunFigures *own; /* NULL: they were not asked for */
} RunPaths;

/* Does the same with figures; the ledger gives back its tree. */
LmpErr runpaths_take(RunPaths *out, Ledger *ledger);
void runpaths_free(RunPaths *paths);

/* ---- what differs ---------------------------------------------------------------------------- */

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
/* Does the same of ledgers whose trees were taken away (runpaths_take): `paths`, older first, are
 * the diff's from then on, whatever comes of it. */
LmpErr rundiff_make_of(RunDiff *out, const Ledger *old, const Ledger *newer, RunPaths paths[2],
                       RunDiffMetric metric, uint64_t noise);
/* Pairs only: its tables are empty, and it keeps no trees. */
LmpErr rundiff_pair(RunDiff *out, const Ledger *old, const Ledger *newer);
void rundiff_free(RunDiff *diff);

/* Returns a tally's figure by the metric; the change of it in a row. */
uint64_t rundiff_figure(const LmpTally *tally, RunDiffMetric metric);
int64_t rundiff_change(const RunDiffRow *row, RunDiffMetric metric);

/* Makes the older run the newer ledger's mark: LmpTally.mark of sites, functions, tags and nodes,
 * so that panels show what has changed since. Rows that are new have nothing there. `newer` is the
 * ledger that the diff was made of. */
void rundiff_mark(const RunDiff *diff, Ledger *newer);

/* ---- two runs as one ledger ------------------------------------------------------------------ */

/* So panels show what differs between two runs as they show what has changed since a mark: the
 * newer run's rows with the older one's figures as their marks, and behind them the rows that only
 * the older run has, whose own figures are nothing. So all marks add up to the older run, and all
 * changes to the difference of the two. */

/* Set in the ids of rows that only the older run has, so that no row of the newer one has them. */
#define RUNJOIN_WENT 0x80000000u

/* Lines that hold something in one of the two only, and what they hold. */
typedef struct RunJoined {
    uint32_t came, went;
    uint64_t came_bytes, went_bytes;
} RunJoined;

/* Puts the older run's figures and rows into the newer one's ledger, until its next refresh. Texts
 * of these rows are those of `old`, which must stay as it is that long. Where only one of the two
 * has call paths, what is by path has not changed. Costs n log n in rows. Errors: NOMEM (the rows
 * are the newer run's alone, with any marks). */
LmpErr runjoin(Ledger *newer, const Ledger *old, RunJoined *out);

#endif
