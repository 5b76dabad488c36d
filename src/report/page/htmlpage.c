/* htmlpage.c - the page put together; the ledger's call tree, as htmltree.h takes it. */
#include <stdlib.h>

#include "report/page/htmlpage_impl.h"
#include "report/page/htmltree.h"

/* ---- the call tree --------------------------------------------------------------------------- */

typedef struct Tree {
    const Ledger *l;
    const HtmlKept *sites;
    uint32_t *site_row; /* by LmpSiteRow.id: 1 + its row in the ledger */
} Tree;

static uint32_t node_parent(const void *of, uint32_t i) {
    return ledger_links(((const Tree *)of)->l, i).parent;
}

static bool node_row(const void *of, uint32_t i, unsigned side, LmpTreeRow *out) {
    ledger_node(((const Tree *)of)->l, i, out);
    return side == 0;
}

static bool node_tally(const void *of, uint32_t i, unsigned side, bool below, LmpTally *out) {
    const Ledger *l = ((const Tree *)of)->l;
    *out = below ? ledger_retained(l, i) : ledger_shallow(l, i);
    return side == 0;
}

static uint32_t node_site(const void *of, uint32_t i) {
    const Tree *t = of;
    LmpTreeRow node;
    ledger_node(t->l, i, &node);
    uint32_t row = node.site < LMP_SITES_MAX ? t->site_row[node.site] : 0;
    bool there = row > 0 && t->sites->place[row - 1] != HTML_NOWHERE;
    return there ? t->sites->place[row - 1] + 1 : 0;
}

static LmpErr put_tree(Json *json, const LmpReport *r, HtmlAllKept *all) {
    const Ledger *l = &r->ledger;
    if (!l->stacks || l->nodes == 0) return LMP_OK;
    Tree t = {l, &all->sites, calloc(LMP_SITES_MAX, sizeof *t.site_row)};
    const LmpTally whole = ledger_retained(l, 0);
    const HtmlTree tree = {.of = &t,
                           .nodes = l->nodes,
                           .most = all->nodes_most,
                           .sides = 1,
                           .parent = node_parent,
                           .row = node_row,
                           .tally = node_tally,
                           .site = node_site,
                           .all = {&whole}};
    if (!t.site_row) return LMP_E_NOMEM;
    for (uint32_t i = 0; i < l->sites; i++)
        if (l->site[i].id < LMP_SITES_MAX) t.site_row[l->site[i].id] = i + 1;
    json_begin(json, "tree", '{');
    LmpErr err = htmltree_put(json, &tree, &all->tree_place, &all->tree_rows);
    json_end(json, '}');
    free(t.site_row);
    return err;
}

/* ---- the page -------------------------------------------------------------------------------- */

static LmpErr put_all(Json *json, const LmpReport *report, bool live) {
    HtmlAllKept kept = {.rows_most = live ? HTML_LIVE_ROWS : HTML_ROWS,
                        .nodes_most = live ? HTML_LIVE_NODES : HTML_NODES};
    htmlpage_facts(json, report);
    htmlpage_time(json, report);
    htmlpage_map(json, report);
    LmpErr err = htmlpage_sites(json, report, &kept);
    if (!err) err = htmlpage_functions(json, report, &kept);
    if (!err) err = htmlpage_tags(json, report, &kept);
    if (!err) err = put_tree(json, report, &kept);
    if (!err && !live) err = htmlpage_sources(json, report, &kept.sites);
    if (!err && report->recording) err = htmlpage_moments(json, report, &kept);
    json_words(json, "words");
    htmlkept_free(&kept.sites);
    htmlkept_free(&kept.functions);
    htmlkept_free(&kept.tags);
    free(kept.tree_place);
    return err;
}

static LmpErr put_data(Json *json, const void *of) {
    return put_all(json, of, false);
}

static LmpErr put_live_data(Json *json, const void *of) {
    return put_all(json, of, true);
}

LmpErr htmlpage_write(const LmpReport *report, FILE *out) {
    return webpage_write(&run_page, JSON_ON_PAGE, put_data, report, out);
}

LmpErr htmlpage_write_live(const LmpReport *report, FILE *out) {
    return webpage_write(&live_page, JSON_ON_PAGE, put_live_data, report, out);
}

LmpErr htmlpage_write_data(const LmpReport *report, FILE *out) {
    static const WebPage bare = {"", ""};
    return webpage_write(&bare, JSON_PLAIN, put_live_data, report, out);
}
