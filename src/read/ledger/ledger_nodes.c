/* ledger_nodes.c - copies eight figures of each node into chunks; figures that follow from these
 * are not kept. */
#include "read/ledger/ledger_nodes.h"

#include <stdlib.h>

#include "read/ledger/ledger_impl.h"

enum { CHUNK = 4096 }; /* nodes; large enough for the memory to go back to the system by itself */

typedef struct LedgerOldNode {
    uint64_t allocs, bytes, frees, free_bytes, reallocs, temporary, short_lived;
    int64_t realloc_bytes;
} LedgerOldNode;

static LedgerOldNode old_of(const LmpNode *n) {
    LmpTally t = tally_of(&n->use, &n->reallocs, &n->realloc_bytes, &n->temporary, (LedgerPeak){0});
    return (LedgerOldNode){t.allocs,   t.bytes,     t.frees,       t.free_bytes,
                           t.reallocs, t.temporary, t.short_lived, t.realloc_bytes};
}

LmpErr ledger_nodes_keep(LedgerNodes *nodes, const LmpTables *tables) {
    uint32_t n = tables_nodes(tables);
    *nodes = (LedgerNodes){calloc((size_t)n / CHUNK + 1, sizeof *nodes->chunk), 0};
    while (nodes->chunk && nodes->nodes < n) {
        LedgerOldNode *chunk = malloc(CHUNK * sizeof *chunk);
        nodes->chunk[nodes->nodes / CHUNK] = chunk;
        if (!chunk) break;
        for (uint32_t i = 0; i < CHUNK && nodes->nodes < n; i++)
            chunk[i] = old_of(&tables->node[nodes->nodes++]);
    }
    bool kept = nodes->chunk && nodes->nodes == n;
    if (!kept) ledger_nodes_free(nodes);
    return kept ? LMP_OK : LMP_E_NOMEM;
}

void ledger_nodes_take(const LedgerNodes *nodes, uint32_t node, LmpTally *now) {
    const LedgerOldNode *chunk = node < nodes->nodes ? nodes->chunk[node / CHUNK] : NULL;
    LedgerOldNode old = chunk ? chunk[node % CHUNK] : (LedgerOldNode){0};
    uint64_t held = old.bytes + (uint64_t)old.realloc_bytes;
    LmpTally then = {.allocs = old.allocs,
                     .bytes = old.bytes,
                     .frees = old.frees,
                     .free_bytes = old.free_bytes,
                     .reallocs = old.reallocs,
                     .realloc_bytes = old.realloc_bytes,
                     .temporary = old.temporary,
                     .short_lived = old.short_lived,
                     .live_blocks = old.allocs > old.frees ? old.allocs - old.frees : 0,
                     .live_bytes = held > old.free_bytes ? held - old.free_bytes : 0};
    tally_take(now, &then);
}

void ledger_nodes_drop(LedgerNodes *nodes, uint32_t below) {
    for (uint32_t c = below < nodes->nodes ? below / CHUNK : 0; c-- > 0 && nodes->chunk[c];) {
        free(nodes->chunk[c]);
        nodes->chunk[c] = NULL;
    }
}

void ledger_nodes_free(LedgerNodes *nodes) {
    for (uint32_t c = 0; nodes->chunk && c * CHUNK < nodes->nodes; c++)
        free(nodes->chunk[c]);
    free(nodes->chunk);
    *nodes = (LedgerNodes){0};
}
