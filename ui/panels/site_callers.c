/* site_callers.c - sums up by caller the tree's nodes that are at the site's line, or the samples
 * of that site, and sorts the callers by bytes. */
#include "panels/site_callers.h"

#include <stdlib.h>
#include <string.h>

#include "widget/tallycell.h"

/* Callers summed up: more than are shown, so that the largest ones are found. */
#define KEPT 256u

static int by_two(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    return a != b ? (a < b) - (a > b) : (c < d) - (c > d);
}

static int by_live(const void *a, const void *b) {
    const LmpTally *x = &((const SiteCaller *)a)->tally, *y = &((const SiteCaller *)b)->tally;
    return by_two(x->live_bytes, y->live_bytes, tally_made(x), tally_made(y));
}

static int by_made(const void *a, const void *b) {
    const LmpTally *x = &((const SiteCaller *)a)->tally, *y = &((const SiteCaller *)b)->tally;
    return by_two(tally_made(x), tally_made(y), x->live_bytes, y->live_bytes);
}

static bool is_site(const Ledger *ledger, const LmpTreeRow *node, const LmpSiteRow *site) {
    if (node->line != site->line || node->function >= ledger->functions) return false;
    return strcmp(ledger->function[node->function].source, site->source) == 0;
}

/* Returns the caller of a node: the parent in the tree. */
static const LmpTreeRow *caller_of(const Ledger *ledger, const LmpTreeRow *node) {
    return node->parent < ledger->nodes ? &ledger->tree[node->parent] : &ledger->tree[0];
}

/* Returns the caller with this place among n; a new one if there is none. NULL: no room. */
static SiteCaller *caller_at(SiteCaller *all, uint32_t *n, const char *name, const char *short_src,
                             int32_t line) {
    for (uint32_t i = 0; i < *n; i++)
        if (all[i].line == line && strcmp(all[i].short_src, short_src) == 0 &&
            strcmp(all[i].name, name) == 0)
            return &all[i];
    if (*n == KEPT) return NULL;
    all[*n] = (SiteCaller){.name = name, .short_src = short_src, .line = line};
    return &all[(*n)++];
}

/* Copies the first callers; returns how many. Frees `all`. */
static uint32_t give(SiteCaller *all, uint32_t n, bool makes, SiteCaller *caller, uint32_t most) {
    if (all && n > 1) qsort(all, n, sizeof *all, makes ? by_made : by_live);
    if (n > most) n = most;
    if (all && n > 0) memcpy(caller, all, n * sizeof *caller);
    free(all);
    return n;
}

uint32_t site_callers(const Ledger *ledger, const LmpSiteRow *site, bool makes, SiteCaller *caller,
                      uint32_t most) {
    SiteCaller *all = calloc(KEPT, sizeof *all);
    uint32_t n = 0;
    for (uint32_t i = 1; all && i < ledger->nodes; i++) {
        const LmpTreeRow *node = &ledger->tree[i];
        if (!is_site(ledger, node, site)) continue;
        LmpTally made = node->shallow;
        /* what C functions made when called from this line counts as the line's own, too */
        for (uint32_t c = 0; c < node->children; c++) {
            uint32_t at = node->first + c;
            if (at >= ledger->nodes) break;
            const LmpTreeRow *child = &ledger->tree[at];
            bool is_c =
                child->function < ledger->functions && ledger->function[child->function].is_c;
            if (is_c) tally_add(&made, &child->shallow);
        }
        if (made.allocs == 0) continue;
        const LmpTreeRow *from = caller_of(ledger, node);
        bool none = from == &ledger->tree[0];
        const char *name = none ? "" : from->name, *src = none ? "(outermost)" : from->short_src;
        int32_t line = none ? -1 : from->line;
        SiteCaller *to = caller_at(all, &n, name, src, line);
        if (to) tally_add(&to->tally, &made);
    }
    return give(all, n, makes, caller, most);
}

/* ---- samples --------------------------------------------------------------------------------- */

static LedgerPlace place_of(const Ledger *ledger, const LmpCallerRow *row, unsigned level) {
    LedgerPlace place = {.name = "", .line = -1};
    place.short_src = row->rest ? "(others)" : "(outermost)";
    if (row->by[level] && !ledger_place(ledger, row->by[level], &place))
        place.short_src = "(unknown)"; /* only until the next refresh */
    return place;
}

static void add_sample(SiteCaller *to, const Ledger *ledger, const LmpCallerRow *row) {
    to->tally.live_bytes += row->bytes;
    if (row->samples <= to->met) return;
    to->met = row->samples;
    for (unsigned level = 1; level < LMP_CALLER_LEVELS; level++)
        to->behind[level - 1] =
            row->by[level] ? place_of(ledger, row, level) : (LedgerPlace){.line = 0};
}

uint32_t site_callers_sampled(const Ledger *ledger, const LmpCallers *from, const LmpSiteRow *site,
                              SiteCaller *caller, uint32_t most, uint64_t *samples) {
    SiteCaller *all = calloc(KEPT, sizeof *all);
    LedgerPlace at;
    uint32_t n = 0;
    uint64_t bytes = 0;
    *samples = 0;
    for (uint32_t i = 0; all && i < LMP_CALLERS; i++) {
        const LmpCallerRow *row = &from->row[i];
        if (!ledger_place(ledger, row->site, &at) || at.id != site->id) continue;
        *samples += row->samples;
        bytes += row->bytes;
        at = place_of(ledger, row, 0);
        SiteCaller *to = caller_at(all, &n, at.name, at.short_src, at.line);
        if (to) add_sample(to, ledger, row);
    }
    for (uint32_t i = 0; i < n; i++) {
        double share = tallycell_share_of(all[i].tally.live_bytes, bytes);
        all[i].tally.live_bytes = (uint64_t)(share * (double)tally_made(&site->tally));
    }
    return give(all, n, true, caller, most);
}
