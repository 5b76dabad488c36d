/* ledger_nodes.h - the figures of all nodes of the call tree at an earlier moment, to be taken from
 * those of a later one (ledger_between.h): of a million nodes there is no room for two ledgers. */
#ifndef LMP_LEDGER_NODES_H
#define LMP_LEDGER_NODES_H

#include "read/ledger/ledger.h"

/* All zeroes: none. */
typedef struct LedgerNodes {
    struct LedgerOldNode **chunk;
    uint32_t nodes; /* by LmpTreeRow.id; those from there on had nothing */
} LedgerNodes;

/* Copies the figures that nodes have in `tables` now. Errors: NOMEM (none are kept then). */
LmpErr ledger_nodes_keep(LedgerNodes *nodes, const LmpTables *tables);
/* Makes a tally of this node the difference, with what there was before in its .was and .mark. */
void ledger_nodes_take(const LedgerNodes *nodes, uint32_t node, LmpTally *now);
/* Nodes below this one are not asked for any more: gives them back. */
void ledger_nodes_drop(LedgerNodes *nodes, uint32_t below);
void ledger_nodes_free(LedgerNodes *nodes);

#endif
