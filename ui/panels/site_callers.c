/* site_callers.c - see site_callers.h. */
#include "panels/site_callers.h"

#include <stdlib.h>
#include <string.h>

/* Callers summed up: more than can be shown, so that the largest ones are kept. */
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

/* A C function stands for the line that called it: the caller is further out. */
static const LmpTreeRow *caller_of(const Ledger *ledger, const LmpTreeRow *node) {
    return node->parent < ledger->nodes ? &ledger->tree[node->parent] : &ledger->tree[0];
}

uint32_t site_callers(const Ledger *ledger, const LmpSiteRow *site, bool makes, SiteCaller *caller,
                      uint32_t most) {
    SiteCaller *all = calloc(KEPT, sizeof *all);
    uint32_t n = 0;
    for (uint32_t i = 1; all && i < ledger->nodes; i++) {
        const LmpTreeRow *node = &ledger->tree[i];
        if (!is_site(ledger, node, site)) continue;
        LmpTally made = node->shallow;
        /* what C functions made when called from this line counts for the line, too */
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
        uint32_t at = 0;
        while (at < n && (all[at].line != line || strcmp(all[at].short_src, src) != 0 ||
                          strcmp(all[at].name, name) != 0))
            at++;
        if (at == KEPT) continue;
        if (at == n) all[n++] = (SiteCaller){.name = name, .short_src = src, .line = line};
        tally_add(&all[at].tally, &made);
    }
    if (all && n > 1) qsort(all, n, sizeof *all, makes ? by_made : by_live);
    if (n > most) n = most;
    if (all && n > 0) memcpy(caller, all, n * sizeof *caller);
    free(all);
    return n;
}
