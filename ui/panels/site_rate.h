/* site_rate.h - how fast the live bytes of sites change: against what they were a second or two
 * ago.
 */
#ifndef LMP_SITE_RATE_H
#define LMP_SITE_RATE_H

#include "read/ledger/ledger.h"

typedef struct SiteMoment {
    uint64_t *live; /* by id, LMP_SITES_MAX of them; NULL: none yet */
    uint64_t clock; /* nanoseconds since start */
} SiteMoment;

/* Two moments at least a second apart; the older one is compared with. */
typedef struct SiteRate {
    SiteMoment older, younger;
    uint64_t clock; /* of the last update */
} SiteRate;

/* A fresh ledger with its sites; `clock`: nanoseconds since start. */
void site_rate_update(SiteRate *rate, const Ledger *ledger, uint64_t clock);
/* Change of a site's live bytes, bytes per second; 0 as long as it is not known. */
double site_rate_of(const SiteRate *rate, uint32_t id, uint64_t live_bytes);
void site_rate_free(SiteRate *rate);

#endif
