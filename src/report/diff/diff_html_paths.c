/* diff_html_paths.c - the call paths of two runs as one tree: all of the newer one, and below them
 * those of the older one that are not there any more. */
#include <stdlib.h>
#include <string.h>

#include "report/diff/diffreport_impl.h"
#include "report/page/htmltree.h"

typedef struct Paths {
    const RunDiff *diff;
    const RunPaths *old, *newer;
    RunFigures *below[2]; /* by row of the newer and of the older tree: its own and all below it */
    LmpTally all[2];
    uint32_t went;  /* nodes of the older tree without a pair */
    uint32_t *gone; /* their rows */
    uint32_t *here; /* by row of the older tree: the node that it is */
    /* by LmpSiteRow.id: 1 + its row in the page's sites; 0: none */
    uint32_t *site_old, *site_newer;
} Paths;

static uint32_t node_parent(const void *of, uint32_t i) {
    const Paths *p = of;
    uint32_t newer = p->newer->nodes;
    return i < newer ? p->newer->node[i].parent : p->here[p->old->node[p->gone[i - newer]].parent];
}

/* Returns the row of a node in the tree of a side; LEDGER_NO_ROW: it is not there. */
static uint32_t row_in(const Paths *p, uint32_t i, unsigned side) {
    uint32_t newer = p->newer->nodes;
    if (side == 0) return i < newer ? i : LEDGER_NO_ROW;
    return i < newer ? p->diff->node[i] : p->gone[i - newer];
}

static LmpTally tally_of(const RunFigures *f) {
    return (LmpTally){.live_bytes = f->live_bytes,
                      .live_blocks = f->live_blocks,
                      .allocs = f->allocs,
                      .free_bytes = f->free_bytes,
                      .peak_bytes = f->peak_bytes,
                      .temporary = f->temporary};
}

static bool node_row(const void *of, uint32_t i, unsigned side, LmpTreeRow *out) {
    const Paths *p = of;
    const Ledger *l = side ? p->diff->old : p->diff->newer;
    const RunPaths *paths = side ? p->old : p->newer;
    uint32_t at = row_in(p, i, side);
    if (at == LEDGER_NO_ROW) return false;
    const RunNode *node = &paths->node[at];
    const LmpFunctionRow *f = &l->function[node->function];
    out->name = at ? f->name : "(all)";
    out->short_src = at ? f->short_src : "";
    out->line = node->line;
    return true;
}

static bool node_tally(const void *of, uint32_t i, unsigned side, bool below, LmpTally *out) {
    const Paths *p = of;
    uint32_t at = row_in(p, i, side);
    if (at == LEDGER_NO_ROW) return false;
    *out = tally_of(below ? &p->below[side][at] : &(side ? p->old : p->newer)->own[at]);
    return true;
}

static uint32_t node_site(const void *of, uint32_t i) {
    const Paths *p = of;
    uint32_t newer = row_in(p, i, 0);
    const uint32_t *rows = newer != LEDGER_NO_ROW ? p->site_newer : p->site_old;
    uint32_t site =
        newer != LEDGER_NO_ROW ? p->newer->node[newer].site : p->old->node[row_in(p, i, 1)].site;
    return site < LMP_SITES_MAX ? rows[site] : 0;
}

static void add(RunFigures *sum, const RunFigures *f) {
    sum->live_bytes += f->live_bytes;
    sum->live_blocks += f->live_blocks;
    sum->allocs += f->allocs;
    sum->free_bytes += f->free_bytes;
    sum->peak_bytes += f->peak_bytes;
    sum->temporary += f->temporary;
}

/* Rows of a tree come after those of their parents. */
static bool sum_up(Paths *p, const RunPaths *paths, unsigned side) {
    RunFigures *below = p->below[side] = malloc(paths->nodes * sizeof *below);
    if (!below) return false;
    memcpy(below, paths->own, paths->nodes * sizeof *below);
    for (uint32_t i = paths->nodes; i-- > 1;)
        if (paths->node[i].parent < i) add(&below[paths->node[i].parent], &below[i]);
    p->all[side] = tally_of(&below[0]);
    return true;
}

/* Of a damaged file a parent may be any row: then it hangs below the root. */
static bool unite(Paths *p) {
    const RunDiff *d = p->diff;
    uint32_t olds = p->old->nodes, newers = p->newer->nodes;
    p->here = calloc(olds, sizeof *p->here);
    p->gone = calloc(olds, sizeof *p->gone);
    bool *paired = calloc(olds, sizeof *paired);
    bool enough = p->here && p->gone && paired;
    for (uint32_t i = 0; enough && i < newers; i++) {
        if (d->node[i] == LEDGER_NO_ROW) continue;
        p->here[d->node[i]] = i;
        paired[d->node[i]] = true;
    }
    for (uint32_t i = 1; enough && i < olds; i++) {
        if (paired[i]) continue;
        p->here[i] = newers + p->went;
        p->gone[p->went++] = i;
    }
    free(paired);
    return enough;
}

static bool find_sites(Paths *p, const HtmlKept *sites) {
    const RunDiff *d = p->diff;
    p->site_old = calloc(LMP_SITES_MAX, sizeof *p->site_old);
    p->site_newer = calloc(LMP_SITES_MAX, sizeof *p->site_newer);
    if (!p->site_old || !p->site_newer) return false;
    for (uint32_t i = 0; i < sites->rows; i++) {
        const RunDiffRow *row = &d->table[RUNDIFF_SITES].row[sites->row[i]];
        uint32_t none = LMP_SITES_MAX;
        uint32_t old = row->old != LEDGER_NO_ROW ? d->old->site[row->old].id : none;
        uint32_t newer = row->newer != LEDGER_NO_ROW ? d->newer->site[row->newer].id : none;
        if (old < LMP_SITES_MAX) p->site_old[old] = i + 1;
        if (newer < LMP_SITES_MAX) p->site_newer[newer] = i + 1;
    }
    return true;
}

LmpErr diff_html_paths(Json *json, const DiffReport *report, const HtmlKept *sites) {
    const RunDiff *d = report->diff;
    Paths p = {.diff = d, .old = &d->paths[0], .newer = &d->paths[1]};
    LmpErr err = LMP_E_NOMEM;
    if (!d->node || !d->old->stacks || !d->newer->stacks) return LMP_OK;
    bool made =
        unite(&p) && find_sites(&p, sites) && sum_up(&p, p.newer, 0) && sum_up(&p, p.old, 1);
    if (made) {
        uint32_t rows;
        const HtmlTree tree = {.of = &p,
                               .nodes = p.newer->nodes + p.went,
                               .most = HTML_NODES,
                               .sides = 2,
                               .parent = node_parent,
                               .row = node_row,
                               .tally = node_tally,
                               .site = node_site,
                               .all = {&p.all[0], &p.all[1]}};
        json_begin(json, "tree", '{');
        err = htmltree_put(json, &tree, NULL, &rows);
        json_end(json, '}');
    }
    free(p.here);
    free(p.gone);
    free(p.site_old);
    free(p.site_newer);
    free(p.below[0]);
    free(p.below[1]);
    return err;
}
