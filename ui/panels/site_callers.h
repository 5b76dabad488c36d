/* site_callers.h - who called the function of a site when it made something, from the call tree; or
 * from samples, where there is none. */
#ifndef LMP_SITE_CALLERS_H
#define LMP_SITE_CALLERS_H

#include "read/ledger/ledger.h"

typedef struct SiteCaller {
    const char *name, *short_src; /* of the calling function; "" and "(outermost)" for none */
    int32_t line;                 /* that it called from; -1: a C function, or none */
    LmpTally tally;               /* what was made here when called by it */
    /* Of samples: who called that, in the way here that was met most often; line 0: not known. */
    LedgerPlace behind[LMP_CALLER_LEVELS - 1];
    uint32_t met; /* and how often that was */
} SiteCaller;

/* The callers of a site, most live bytes first, or with `makes` most bytes made: at most `most`.
 * Returns how many there are in `caller`. Needs the ledger's tree and functions. */
uint32_t site_callers(const Ledger *ledger, const LmpSiteRow *site, bool makes, SiteCaller *caller,
                      uint32_t most);

/* The same from samples, which tell of what is made alone: of all that the site has made, the
 * shares that the samples have are in tally_made() of each. `samples`: how many (0: nothing is
 * known). */
uint32_t site_callers_sampled(const Ledger *ledger, const LmpCallers *from, const LmpSiteRow *site,
                              SiteCaller *caller, uint32_t most, uint64_t *samples);

#endif
