/* site_callers.h - who called the function of a site when it made something, from the call tree. */
#ifndef LMP_SITE_CALLERS_H
#define LMP_SITE_CALLERS_H

#include "read/ledger/ledger.h"

typedef struct SiteCaller {
    const char *name, *short_src; /* of the calling function; "" and "(outermost)" for none */
    int32_t line;                 /* that it called from; -1: a C function, or none */
    LmpTally tally;               /* what was made here when called by it */
} SiteCaller;

/* The callers of a site, most live bytes first, or with `makes` most bytes made: at most `most`.
 * Returns how many there are in `caller`. Needs the ledger's tree and functions. */
uint32_t site_callers(const Ledger *ledger, const LmpSiteRow *site, bool makes, SiteCaller *caller,
                      uint32_t most);

#endif
