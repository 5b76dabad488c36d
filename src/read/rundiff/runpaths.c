/* runpaths.c - copies from the rows of a ledger's tree the fields that comparing and reports
 * use. */
#include "read/rundiff/runpaths.h"

#include <stdlib.h>

static RunNode node_of(const LmpTreeRow *row) {
    return (RunNode){.parent = row->parent,
                     .first = row->first,
                     .children = row->children,
                     .function = row->function,
                     .site = row->site,
                     .line = row->line,
                     .flags = row->flags};
}

static RunFigures figures_of(const LmpTally *t) {
    return (RunFigures){.live_bytes = t->live_bytes,
                        .live_blocks = t->live_blocks,
                        .allocs = t->allocs,
                        .free_bytes = t->free_bytes,
                        .peak_bytes = t->peak_bytes,
                        .temporary = t->temporary};
}

LmpErr runpaths_make(RunPaths *out, const Ledger *ledger, bool figures) {
    uint32_t n = ledger->nodes;
    *out = (RunPaths){.nodes = n};
    if (n == 0) return LMP_OK;
    out->node = malloc(n * sizeof *out->node);
    if (figures) out->own = malloc(n * sizeof *out->own);
    if (!out->node || (figures && !out->own)) {
        runpaths_free(out);
        return LMP_E_NOMEM;
    }
    for (uint32_t i = 0; i < n; i++) {
        out->node[i] = node_of(&ledger->tree[i]);
        if (figures) out->own[i] = figures_of(&ledger->tree[i].shallow);
    }
    return LMP_OK;
}

LmpErr runpaths_take(RunPaths *out, Ledger *ledger) {
    LmpErr err = runpaths_make(out, ledger, true);
    if (!err) ledger_drop_tree(ledger);
    return err;
}

void runpaths_free(RunPaths *paths) {
    free(paths->node);
    free(paths->own);
    *paths = (RunPaths){0};
}
