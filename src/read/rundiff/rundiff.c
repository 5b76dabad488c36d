/* rundiff.c - pairs two ledgers, and says what each pair's change is; copies from a ledger's tree
 * the fields that comparing and reports use. */
#include "read/rundiff/rundiff_impl.h"

#include <stdlib.h>
#include <string.h>

/* ---- call paths ------------------------------------------------------------------------------ */

static RunNode node_of(const Ledger *ledger, uint32_t i) {
    LmpTreeRow row;
    ledger_node(ledger, i, &row);
    return (RunNode){.parent = row.parent,
                     .first = row.first,
                     .children = row.children,
                     .function = row.function,
                     .site = row.site,
                     .line = row.line,
                     .flags = row.flags};
}

static RunFigures figures_of(LmpTally t) {
    return (RunFigures){.live_bytes = t.live_bytes,
                        .live_blocks = t.live_blocks,
                        .allocs = t.allocs,
                        .free_bytes = t.free_bytes,
                        .peak_bytes = t.peak_bytes,
                        .temporary = t.temporary};
}

/* Makes the paths of a ledger's tree, with figures or without. Errors: NOMEM (there is nothing to
 * free). */
static LmpErr runpaths_make(RunPaths *out, const Ledger *ledger, bool figures) {
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
        out->node[i] = node_of(ledger, i);
        if (figures) out->own[i] = figures_of(ledger_shallow(ledger, i));
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

/* ---- figures --------------------------------------------------------------------------------- */

const char *const rundiff_metric_names[RUNDIFF_METRICS] = {"live", "allocated", "peak", "allocs"};

uint64_t rundiff_figure(const LmpTally *tally, RunDiffMetric metric) {
    switch (metric) {
    case RUNDIFF_ALLOCATED:
        return tally_made(tally);
    case RUNDIFF_PEAK:
        return tally->peak_bytes;
    case RUNDIFF_ALLOCS:
        return tally->allocs;
    default:
        return tally->live_bytes;
    }
}

int64_t rundiff_change(const RunDiffRow *row, RunDiffMetric metric) {
    return (int64_t)(rundiff_figure(&row->is, metric) - rundiff_figure(&row->was, metric));
}

/* ---- tables ---------------------------------------------------------------------------------- */

static uint32_t rows_of(const Ledger *ledger, RunDiffBy by) {
    return by == RUNDIFF_SITES       ? ledger->sites
           : by == RUNDIFF_FUNCTIONS ? ledger->functions
                                     : ledger->tags;
}

static const LmpTally *tally_of(const Ledger *ledger, RunDiffBy by, uint32_t row) {
    return by == RUNDIFF_SITES       ? &ledger->site[row].tally
           : by == RUNDIFF_FUNCTIONS ? &ledger->function[row].shallow
                                     : &ledger->tag[row].tally;
}

static int32_t line_of(const Ledger *ledger, RunDiffBy by, uint32_t row) {
    return by == RUNDIFF_SITES       ? ledger->site[row].line
           : by == RUNDIFF_FUNCTIONS ? ledger->function[row].linedefined
                                     : 0;
}

typedef struct Sorted {
    uint64_t size; /* of the change */
    RunDiffRow row;
} Sorted;

static uint64_t size_of(int64_t change) {
    return change < 0 ? 0 - (uint64_t)change : (uint64_t)change;
}

/* Sorts: the largest change first; of one size those that grew. */
static int by_size(const void *pa, const void *pb) {
    const Sorted *a = pa, *b = pb;
    if (a->size != b->size) return a->size < b->size ? 1 : -1;
    bool fell = a->row.is.live_bytes < a->row.was.live_bytes;
    bool other_fell = b->row.is.live_bytes < b->row.was.live_bytes;
    if (fell != other_fell) return fell ? 1 : -1;
    uint32_t x = a->row.newer, y = b->row.newer;
    if (x == y) x = a->row.old, y = b->row.old;
    return (x > y) - (x < y);
}

static RunDiffRow row_of(const RunDiff *d, RunDiffBy by, uint32_t old, uint32_t newer) {
    RunDiffRow r = {.old = old, .newer = newer};
    if (old != LEDGER_NO_ROW) r.was = *tally_of(d->old, by, old);
    if (newer != LEDGER_NO_ROW) r.is = *tally_of(d->newer, by, newer);
    if (old == LEDGER_NO_ROW)
        r.how = RUNDIFF_CAME;
    else if (newer == LEDGER_NO_ROW)
        r.how = RUNDIFF_WENT;
    else
        r.how =
            line_of(d->old, by, old) == line_of(d->newer, by, newer) ? RUNDIFF_KEPT : RUNDIFF_MOVED;
    return r;
}

/* Below the threshold nothing is a change, nor is no change at all. */
static void fold_noise(const RunDiff *d, RunDiffTable *t, uint64_t noise) {
    for (uint32_t i = t->rows; i-- > 0;) {
        int64_t change = rundiff_change(&t->row[i], d->metric);
        if (change != 0 && size_of(change) >= noise) break;
        t->noise++;
        if (change > 0) t->noise_grown += size_of(change);
        if (change < 0) t->noise_shrunk += size_of(change);
    }
}

static LmpErr make_table(RunDiff *d, RunDiffBy by, const uint32_t *pairs, uint64_t noise) {
    uint32_t olds = rows_of(d->old, by), newers = rows_of(d->newer, by), n = 0;
    RunDiffTable *t = &d->table[by];
    uint64_t all = (uint64_t)olds + newers;
    Sorted *sorted = malloc((all ? all : 1) * sizeof *sorted);
    unsigned char *kept = calloc(olds ? olds : 1, 1);
    t->row = malloc((all ? all : 1) * sizeof *t->row);
    if (sorted && kept && t->row) {
        for (uint32_t i = 0; i < newers; i++) {
            if (pairs[i] != LEDGER_NO_ROW) kept[pairs[i]] = 1;
            sorted[n++].row = row_of(d, by, pairs[i], i);
        }
        for (uint32_t i = 0; i < olds; i++)
            if (!kept[i]) sorted[n++].row = row_of(d, by, i, LEDGER_NO_ROW);
        for (uint32_t i = 0; i < n; i++)
            sorted[i].size = size_of(rundiff_change(&sorted[i].row, d->metric));
        qsort(sorted, n, sizeof *sorted, by_size);
        for (uint32_t i = 0; i < n; i++)
            t->row[i] = sorted[i].row;
        t->rows = n;
        fold_noise(d, t, noise);
    }
    bool enough = sorted && kept && t->row;
    free(sorted);
    free(kept);
    return enough ? LMP_OK : LMP_E_NOMEM;
}

/* ---- all ------------------------------------------------------------------------------------- */

static uint32_t *numbers(uint32_t n) {
    return malloc((n ? n : 1) * sizeof(uint32_t));
}

static LmpErr pair(RunDiff *d) {
    const Ledger *old = d->old, *newer = d->newer;
    bool trees = d->paths[0].nodes > 0 && d->paths[1].nodes > 0;
    d->site = numbers(newer->sites);
    d->function = numbers(newer->functions);
    d->tag = numbers(newer->tags);
    if (trees) d->node = numbers(d->paths[1].nodes);
    if (!d->site || !d->function || !d->tag || (trees && !d->node)) return LMP_E_NOMEM;
    LmpErr err = pairing_functions(old, newer, d->function);
    if (!err) err = pairing_sites(old, newer, d->function, d->site);
    if (!err) err = pairing_tags(old, newer, d->tag);
    const PairedRuns runs = {old, newer, &d->paths[0], &d->paths[1]};
    if (!err && trees) err = pairing_nodes(&runs, d->function, d->site, d->node);
    return err;
}

static LmpErr take_paths(RunDiff *d, bool figures) {
    LmpErr err = LMP_OK;
    if (d->old->nodes == 0 || d->newer->nodes == 0) return LMP_OK;
    err = runpaths_make(&d->paths[0], d->old, figures);
    return err ? err : runpaths_make(&d->paths[1], d->newer, figures);
}

static void free_paths(RunDiff *d) {
    runpaths_free(&d->paths[0]);
    runpaths_free(&d->paths[1]);
}

LmpErr rundiff_pair(RunDiff *out, const Ledger *old, const Ledger *newer) {
    *out = (RunDiff){.old = old, .newer = newer};
    LmpErr err = take_paths(out, false);
    if (!err) err = pair(out);
    free_paths(out);
    if (err) rundiff_free(out);
    return err;
}

static LmpErr make(RunDiff *d, RunDiffMetric metric, uint64_t noise) {
    d->metric = metric;
    LmpErr err = pair(d);
    if (!err) err = make_table(d, RUNDIFF_SITES, d->site, noise);
    if (!err) err = make_table(d, RUNDIFF_FUNCTIONS, d->function, noise);
    if (!err) err = make_table(d, RUNDIFF_TAGS, d->tag, noise);
    return err;
}

LmpErr rundiff_make_of(RunDiff *out, const Ledger *old, const Ledger *newer, RunPaths paths[2],
                       RunDiffMetric metric, uint64_t noise) {
    *out = (RunDiff){.old = old, .newer = newer, .paths = {paths[0], paths[1]}};
    paths[0] = paths[1] = (RunPaths){0};
    LmpErr err = make(out, metric, noise);
    if (err) rundiff_free(out);
    return err;
}

LmpErr rundiff_make(RunDiff *out, const Ledger *old, const Ledger *newer, RunDiffMetric metric,
                    uint64_t noise) {
    *out = (RunDiff){.old = old, .newer = newer};
    LmpErr err = take_paths(out, true);
    if (!err) err = make(out, metric, noise);
    if (err) rundiff_free(out);
    return err;
}

void rundiff_free(RunDiff *diff) {
    for (int i = 0; i < RUNDIFF_BYS; i++)
        free(diff->table[i].row);
    free(diff->site);
    free(diff->function);
    free(diff->tag);
    free(diff->node);
    free_paths(diff);
    *diff = (RunDiff){0};
}

/* ---- as a mark ------------------------------------------------------------------------------- */

static void mark(LmpTally *tally, const LmpTally *was) {
    tally->mark = was ? (LmpThen){was->allocs, tally_made(was), was->live_bytes} : (LmpThen){0};
}

/* The C functions that a line calls have names, which are the same in both. A line that calls none
 * has no such rows, but is one itself. */
static void mark_details(const RunDiff *d, Ledger *newer, const LmpSiteRow *s,
                         const LmpSiteRow *was) {
    for (uint32_t i = 0; i < s->details; i++) {
        LmpSiteDetail *detail = &newer->detail[s->first_detail + i];
        const LmpTally *found = was && !was->details && !detail->name[0] ? &was->tally : NULL;
        for (uint32_t j = 0; was && j < was->details && !found; j++) {
            const LmpSiteDetail *older = &d->old->detail[was->first_detail + j];
            if (strcmp(older->name, detail->name) == 0) found = &older->tally;
        }
        mark(&detail->tally, found);
    }
}

static void mark_site(const RunDiff *d, Ledger *newer, uint32_t row) {
    LmpSiteRow *s = &newer->site[row];
    const LmpSiteRow *was = d->site[row] != LEDGER_NO_ROW ? &d->old->site[d->site[row]] : NULL;
    mark(&s->tally, was ? &was->tally : NULL);
    for (int k = 0; s->kind && k < LMP_KINDS; k++)
        mark(&s->kind[k].tally, was && was->kind ? &was->kind[k].tally : NULL);
    mark_details(d, newer, s, was);
}

void rundiff_mark(const RunDiff *d, Ledger *newer) {
    for (uint32_t i = 0; i < newer->sites; i++)
        mark_site(d, newer, i);
    for (uint32_t i = 0; i < newer->functions; i++) {
        uint32_t row = d->function[i];
        const LmpFunctionRow *was = row != LEDGER_NO_ROW ? &d->old->function[row] : NULL;
        mark(&newer->function[i].shallow, was ? &was->shallow : NULL);
        mark(&newer->function[i].retained, was ? &was->retained : NULL);
    }
    for (uint32_t i = 0; i < newer->tags; i++)
        mark(&newer->tag[i].tally,
             d->tag[i] != LEDGER_NO_ROW ? &d->old->tag[d->tag[i]].tally : NULL);
    for (uint32_t i = 0; d->node && i < newer->nodes; i++) {
        const LmpTreeRow *was = d->node[i] != LEDGER_NO_ROW ? &d->old->tree[d->node[i]] : NULL;
        mark(&newer->tree[i].shallow, was ? &was->shallow : NULL);
        mark(&newer->tree[i].retained, was ? &was->retained : NULL);
    }
    mark(&newer->all, &d->old->all);
    newer->marked = true;
}
