/* pairing.c - lines and tags of two ledgers that are the same, though lines moved. */
#include "read/rundiff/pairing.h"

#include <stdlib.h>
#include <string.h>

static int by_number(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static void none(uint32_t *out, uint32_t rows) {
    for (uint32_t i = 0; i < rows; i++)
        out[i] = LEDGER_NO_ROW;
}

/* ---- sites ----------------------------------------------------------------------------------- */

typedef struct SiteEntry {
    uint64_t group; /* the same for sites whose functions are paired */
    uint64_t text;  /* 0: not known */
    const LmpSiteRow *s;
    int64_t offset; /* of its line from where its function begins */
    uint32_t row;
    bool newer, paired;
} SiteEntry;

static int by_group(const SiteEntry *a, const SiteEntry *b) {
    return (a->group > b->group) - (a->group < b->group);
}

/* What must be the same for two sites to be one: first the most that can be, then less. */
typedef int SameSite(const SiteEntry *a, const SiteEntry *b);

static int same_text_and_offset(const SiteEntry *a, const SiteEntry *b) {
    int c = by_group(a, b);
    if (c == 0) c = (a->text > b->text) - (a->text < b->text);
    return c ? c : by_number(a->offset, b->offset);
}

static int same_text(const SiteEntry *a, const SiteEntry *b) {
    int c = by_group(a, b);
    return c ? c : (a->text > b->text) - (a->text < b->text);
}

static int same_offset(const SiteEntry *a, const SiteEntry *b) {
    int c = by_group(a, b);
    return c ? c : by_number(a->offset, b->offset);
}

/* Their functions are not the same, but they stand at the same place. */
static int same_place(const SiteEntry *a, const SiteEntry *b) {
    int c = strcmp(a->s->raw_source, b->s->raw_source);
    return c ? c : by_number(a->s->line, b->s->line);
}

static const struct {
    SameSite *same;
    bool texts; /* only of those whose text is known */
} ways[] = {
    {same_text_and_offset, true}, {same_text, true}, {same_offset, false}, {same_place, false}};

static SameSite *sorting; /* qsort has no argument to hand on */

static int by_way(const void *pa, const void *pb) {
    const SiteEntry *a = pa, *b = pb;
    int c = sorting(a, b);
    if (c == 0) c = by_number(a->newer, b->newer);
    if (c == 0) c = by_number(a->s->line, b->s->line);
    return c ? c : by_number(a->row, b->row);
}

/* Of those that are the same by this way the first is paired with the first, and so on. */
static void pair_run(SiteEntry *old, uint32_t olds, uint32_t newers, uint32_t *out) {
    SiteEntry *newer = old + olds;
    for (uint32_t i = 0; i < olds && i < newers; i++) {
        out[newer[i].row] = old[i].row;
        old[i].paired = newer[i].paired = true;
    }
}

static uint32_t pair_by(SiteEntry *entry, uint32_t all, size_t way, uint32_t *out) {
    uint32_t used = 0, left = 0;
    for (uint32_t i = 0; i < all; i++) { /* what cannot be told by this way goes to the end */
        SiteEntry e = entry[i];
        if (ways[way].texts && e.text == 0) continue;
        entry[i] = entry[used];
        entry[used++] = e;
    }
    sorting = ways[way].same;
    qsort(entry, used, sizeof *entry, by_way);
    for (uint32_t from = 0, to; from < used; from = to) {
        uint32_t olds = 0;
        for (to = from; to < used && sorting(&entry[from], &entry[to]) == 0; to++)
            olds += !entry[to].newer;
        pair_run(entry + from, olds, to - from - olds, out);
    }
    for (uint32_t i = 0; i < all; i++)
        if (!entry[i].paired) entry[left++] = entry[i];
    return left;
}

static SiteEntry site_entry(const Ledger *ledger, uint32_t row, bool newer,
                            const uint32_t *function, uint32_t old_functions) {
    const LmpSiteRow *s = &ledger->site[row];
    const LmpFunctionRow *f = &ledger->function[s->function];
    SiteEntry e = {.s = s, .row = row, .newer = newer, .group = s->function, .text = s->text};
    if (newer) {
        uint32_t paired = function[s->function];
        e.group = paired != LEDGER_NO_ROW ? paired : (uint64_t)old_functions + s->function;
    }
    e.offset = (int64_t)s->line - (f->linedefined > 0 ? f->linedefined : 0);
    return e;
}

LmpErr pairing_sites(const Ledger *old, const Ledger *newer, const uint32_t *function,
                     uint32_t *out) {
    uint32_t olds = old->sites, all = olds + newer->sites;
    SiteEntry *entry = malloc((all ? all : 1) * sizeof *entry);
    if (!entry) return LMP_E_NOMEM;
    none(out, newer->sites);
    for (uint32_t i = 0; i < all; i++)
        entry[i] = site_entry(i < olds ? old : newer, i < olds ? i : i - olds, i >= olds, function,
                              old->functions);
    for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++)
        all = pair_by(entry, all, way, out);
    free(entry);
    return LMP_OK;
}

/* ---- tags ------------------------------------------------------------------------------------ */

LmpErr pairing_tags(const Ledger *old, const Ledger *newer, uint32_t *out) {
    /* there are at most LMP_TAGS, which need no index */
    for (uint32_t i = 0; i < newer->tags; i++) {
        out[i] = LEDGER_NO_ROW;
        for (uint32_t j = 0; j < old->tags && out[i] == LEDGER_NO_ROW; j++)
            if (strcmp(old->tag[j].name, newer->tag[i].name) == 0) out[i] = j;
    }
    return LMP_OK;
}
