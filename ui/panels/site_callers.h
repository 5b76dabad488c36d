/* site_callers.h - who called the function of a site when it made something: from the call tree, or
 * without one from samples. */
#ifndef LMP_SITE_CALLERS_H
#define LMP_SITE_CALLERS_H

#include "read/ledger/ledger.h"

typedef struct SiteCaller {
    const char *name, *short_src; /* of the calling function; "" and "(outermost)" for none */
    int32_t line;                 /* that the call was made from; -1: a C function, or none */
    LmpTally tally;               /* made at the site when called by this caller */
    /* From samples: who called the caller, in the way met most often; line 0: not known. */
    LedgerPlace behind[LMP_CALLER_LEVELS - 1];
    uint32_t met; /* how often that way was met */
} SiteCaller;

/* Lists the callers of a site, most live bytes first, or with `makes` most bytes made: at most
 * `most`. Returns how many there are in `caller`. Needs the ledger's tree and functions. */
uint32_t site_callers(const Ledger *ledger, const LmpSiteRow *site, bool makes, SiteCaller *caller,
                      uint32_t most);

/* Lists the callers from samples, which only know what was made: tally_made() of each caller is its
 * share of the samples times all that the site has made. `samples`: how many (0: nothing is
 * known). */
uint32_t site_callers_sampled(const Ledger *ledger, const LmpCallers *from, const LmpSiteRow *site,
                              SiteCaller *caller, uint32_t most, uint64_t *samples);

#endif
