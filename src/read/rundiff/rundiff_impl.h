/* rundiff_impl.h - which rows of two ledgers are the same thing (pairing*.c). */
#ifndef LMP_RUNDIFF_IMPL_H
#define LMP_RUNDIFF_IMPL_H

#include "read/rundiff/rundiff.h"

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

#endif
