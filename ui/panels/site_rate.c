/* site_rate.c - see site_rate.h. */
#include "panels/site_rate.h"

#include <stdlib.h>
#include <string.h>

#define APART 1000000000ull   /* nanoseconds between the moments kept */
#define FORGET 10000000000ull /* a moment so old (nobody looked) says nothing about now */

/* A site that is new since has grown from nothing. */
static void take(SiteMoment *moment, const Ledger *ledger, uint64_t clock) {
    if (!moment->live) moment->live = malloc(LMP_SITES_MAX * sizeof *moment->live);
    if (!moment->live) return;
    memset(moment->live, 0, LMP_SITES_MAX * sizeof *moment->live);
    for (uint32_t i = 0; i < ledger->sites; i++) {
        const LmpSiteRow *site = &ledger->site[i];
        if (site->id < LMP_SITES_MAX) moment->live[site->id] = site->tally.live_bytes;
    }
    moment->clock = clock;
}

void site_rate_update(SiteRate *rate, const Ledger *ledger, uint64_t clock) {
    bool gap = clock < rate->clock || clock - rate->clock > FORGET;
    rate->clock = clock;
    if (!rate->older.live || gap) {
        take(&rate->older, ledger, clock);
        free(rate->younger.live);
        rate->younger = (SiteMoment){0};
    } else if (!rate->younger.live && clock - rate->older.clock >= APART) {
        take(&rate->younger, ledger, clock);
    } else if (rate->younger.live && clock - rate->younger.clock >= APART) {
        SiteMoment swap = rate->older;
        rate->older = rate->younger;
        rate->younger = swap;
        take(&rate->younger, ledger, clock);
    }
}

double site_rate_of(const SiteRate *rate, uint32_t id, uint64_t live_bytes) {
    if (!rate->older.live || id >= LMP_SITES_MAX || rate->clock <= rate->older.clock) return 0;
    double seconds = (double)(rate->clock - rate->older.clock) / 1e9;
    return (double)(int64_t)(live_bytes - rate->older.live[id]) / seconds;
}

void site_rate_free(SiteRate *rate) {
    free(rate->older.live);
    free(rate->younger.live);
    *rate = (SiteRate){0};
}
