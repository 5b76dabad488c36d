/* rundiff_impl.h - which rows of two ledgers are the same thing (pairing*.c), and the inside of
 * joining two runs (runjoin.c). */
#ifndef LMP_RUNDIFF_IMPL_H
#define LMP_RUNDIFF_IMPL_H

#include "base/keymap.h"
#include "read/rundiff/rundiff.h"

/* ---- pairs ----------------------------------------------------------------------------------- */

/* Fill out[row of newer] with the row of old, or LEDGER_NO_ROW; no row of old is given twice.
 * Errors: NOMEM. */
LmpErr pairing_functions(const Ledger *old, const Ledger *newer, uint32_t *out);
/* Pair sites, and tags, as above. `function`: what pairing_functions gave. */
LmpErr pairing_sites(const Ledger *old, const Ledger *newer, const uint32_t *function,
                     uint32_t *out);
LmpErr pairing_tags(const Ledger *old, const Ledger *newer, uint32_t *out);
/* Nodes of the trees, by their paths: frames are the same function, and the same line by `site`. */
typedef struct PairedRuns {
    const Ledger *old, *newer; /* without their trees */
    const RunPaths *old_paths, *newer_paths;
} PairedRuns;
LmpErr pairing_nodes(const PairedRuns *runs, const uint32_t *function, const uint32_t *site,
                     uint32_t *out);

/* ---- joining --------------------------------------------------------------------------------- */

/* A row of the joined call tree before it is written. */
typedef struct JoinNode {
    uint32_t row; /* in the newer tree; or, if it went, in the older one */
    uint32_t parent, first, children;
    bool went;
} JoinNode;

typedef struct Join {
    const RunDiff *diff;
    const Ledger *old;
    Ledger *newer;
    LedgerRoom newers;               /* its rows before anything was joined */
    uint32_t *site, *function, *tag; /* by row of the older run: row in the joined ledger */
    KeyMap function_id;              /* ids of the older run's functions to their rows */
    bool paths_differ;               /* one of the two has no call paths */
    JoinNode *node;                  /* NULL: no node went, the tree stays as it is */
    uint32_t nodes;
    KeyMap site_id; /* as function_id; where both have a call tree */
} Join;

/* Makes a row of what is no more: it has nothing but the mark. */
LmpTally join_gone(const LmpTally *was);

/* Finds the joined tree; *nodes: its rows. Errors: NOMEM. */
LmpErr join_plan_tree(Join *j, uint32_t *nodes);
/* Joins the trees, after sites and functions, and with room for that. */
void join_tree(Join *j);
void join_free_tree(Join *j);

#endif
