/* diff_html_paths.c - the call paths of two runs as one tree: all of the newer one, and below them
 * those of the older one that are not there any more. */
#include <stdlib.h>

#include "report/diff/diff_html_impl.h"
#include "report/page/htmltree.h"

typedef struct Paths {
    const RunDiff *diff;
    uint32_t went;  /* nodes of the older tree without a pair */
    uint32_t *gone; /* their rows */
    uint32_t *here; /* by row of the older tree: the node that it is */
    /* by LmpSiteRow.id: 1 + its row in the page's sites; 0: none */
    uint32_t *site_old, *site_newer;
} Paths;

static uint32_t node_parent(const void *of, uint32_t i) {
    const Paths *p = of;
    uint32_t newer = p->diff->newer->nodes;
    return i < newer ? p->diff->newer->tree[i].parent
                     : p->here[p->diff->old->tree[p->gone[i - newer]].parent];
}

static const LmpTreeRow *node_row(const void *of, uint32_t i, unsigned side) {
    const Paths *p = of;
    const RunDiff *d = p->diff;
    uint32_t newer = d->newer->nodes;
    if (side == 0) return i < newer ? &d->newer->tree[i] : NULL;
    uint32_t old = i < newer ? d->node[i] : p->gone[i - newer];
    return old != LEDGER_NO_ROW ? &d->old->tree[old] : NULL;
}

static uint32_t node_site(const void *of, uint32_t i) {
    const Paths *p = of;
    const LmpTreeRow *row = node_row(p, i, 0);
    const uint32_t *rows = row ? p->site_newer : p->site_old;
    if (!row) row = node_row(p, i, 1);
    return row->site < LMP_SITES_MAX ? rows[row->site] : 0;
}

/* Of a damaged file a parent may be any row: then it hangs below the root. */
static bool unite(Paths *p) {
    const RunDiff *d = p->diff;
    p->here = calloc(d->old->nodes, sizeof *p->here);
    p->gone = calloc(d->old->nodes, sizeof *p->gone);
    bool *paired = calloc(d->old->nodes, sizeof *paired);
    bool enough = p->here && p->gone && paired;
    for (uint32_t i = 0; enough && i < d->newer->nodes; i++) {
        if (d->node[i] == LEDGER_NO_ROW) continue;
        p->here[d->node[i]] = i;
        paired[d->node[i]] = true;
    }
    for (uint32_t i = 1; enough && i < d->old->nodes; i++) {
        if (paired[i]) continue;
        p->here[i] = d->newer->nodes + p->went;
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

LmpErr diff_html_paths(HtmlOut *o, const DiffReport *report, const HtmlKept *sites) {
    const RunDiff *d = report->diff;
    Paths p = {.diff = d};
    LmpErr err = LMP_E_NOMEM;
    if (!d->node || !d->old->stacks || !d->newer->stacks) return LMP_OK;
    if (unite(&p) && find_sites(&p, sites)) {
        uint32_t rows;
        const HtmlTree tree = {.of = &p,
                               .nodes = d->newer->nodes + p.went,
                               .sides = 2,
                               .parent = node_parent,
                               .row = node_row,
                               .site = node_site,
                               .all = {&d->newer->tree[0].retained, &d->old->tree[0].retained}};
        htmlout_begin(o, "tree", '{');
        err = htmltree_put(o, &tree, NULL, &rows);
        htmlout_end(o, '}');
    }
    free(p.here);
    free(p.gone);
    free(p.site_old);
    free(p.site_newer);
    return err;
}
