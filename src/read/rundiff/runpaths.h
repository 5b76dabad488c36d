/* runpaths.h - the call tree of a run in little room, a fifth of what the ledger's rows take: of
 * two runs with a million paths each there is no room for both ledgers' trees. What is below a node
 * is for the reader to sum up. */
#ifndef LMP_RUNPATHS_H
#define LMP_RUNPATHS_H

#include "base/err.h"
#include "read/ledger/ledger.h"

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

/* Of a ledger's tree, with figures or without. Errors: NOMEM (there is nothing to free). */
LmpErr runpaths_make(RunPaths *out, const Ledger *ledger, bool figures);
/* With figures; the ledger gives back its tree. */
LmpErr runpaths_take(RunPaths *out, Ledger *ledger);
void runpaths_free(RunPaths *paths);

#endif
