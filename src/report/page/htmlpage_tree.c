/* htmlpage_tree.c - the call tree for the flame graph: of each node its parent, its frame, and what
 * it made itself; the page sums that up. Nodes that there is no room for are joined, one for each
 * parent. */
#include <stdlib.h>
#include <string.h>

#include "report/page/htmlpage_impl.h"

typedef struct Tree {
    const Ledger *l;
    HtmlKept kept;
    const LmpTally **own; /* of the nodes kept, and then of the joined ones */
    LmpTally *joined;     /* of joined node i */
    uint32_t *joined_parent, *joined_nodes;
    uint32_t *join; /* by the place of its parent: 1 + which joined node */
    uint32_t joins;
    LmpTally root; /* of no path */
} Tree;

static const LmpTally *node_tally(const void *of, uint32_t i) {
    return &((const Ledger *)of)->tree[i].retained;
}

static uint32_t node_parent(const void *of, uint32_t i) {
    return ((const Ledger *)of)->tree[i].parent;
}

static void tally_take(LmpTally *from, const LmpTally *t) {
    uint64_t a[TALLY_WORDS], b[TALLY_WORDS];
    memcpy(a, from, sizeof a);
    memcpy(b, t, sizeof b);
    for (int i = 0; i < TALLY_WORDS; i++)
        a[i] -= b[i];
    memcpy(from, a, sizeof a);
}

/* Of what was left out, those whose parents are here stand for all below them. */
static bool join(Tree *t) {
    const Ledger *l = t->l;
    uint32_t room = 0;
    t->join = calloc(t->kept.rows, sizeof *t->join);
    if (!t->join) return false;
    for (uint32_t i = 1; i < l->nodes; i++) {
        uint32_t parent = l->tree[i].parent < l->nodes ? t->kept.place[l->tree[i].parent] : 0;
        if (t->kept.place[i] != HTML_NOWHERE || parent == HTML_NOWHERE) continue;
        if (!t->join[parent]) t->join[parent] = ++room;
    }
    t->joined = calloc((size_t)room + 1, sizeof *t->joined);
    t->joined_parent = calloc((size_t)room + 1, sizeof *t->joined_parent);
    t->joined_nodes = calloc((size_t)room + 1, sizeof *t->joined_nodes);
    if (!t->joined || !t->joined_parent || !t->joined_nodes) return false;
    t->joins = room;
    for (uint32_t i = 1; i < l->nodes; i++) {
        uint32_t parent = l->tree[i].parent < l->nodes ? t->kept.place[l->tree[i].parent] : 0;
        if (t->kept.place[i] != HTML_NOWHERE || parent == HTML_NOWHERE) continue;
        uint32_t at = t->join[parent] - 1;
        tally_add(&t->joined[at], &l->tree[i].retained);
        t->joined_parent[at] = parent;
        t->joined_nodes[at]++;
    }
    return true;
}

/* What each made itself. The root has what no path is known of, so that all add up to the heap. */
static bool own_tallies(Tree *t) {
    const Ledger *l = t->l;
    t->own = malloc(((size_t)t->kept.rows + t->joins + 1) * sizeof *t->own);
    if (!t->own) return false;
    for (uint32_t i = 0; i < t->kept.rows; i++)
        t->own[i] = &l->tree[t->kept.row[i]].shallow;
    for (uint32_t i = 0; i < t->joins; i++)
        t->own[t->kept.rows + i] = &t->joined[i];
    t->root = l->tree[0].retained;
    for (uint32_t i = 1; i < l->nodes; i++)
        if (l->tree[i].parent == 0) tally_take(&t->root, &l->tree[i].retained);
    t->own[0] = &t->root;
    return true;
}

static void put_nodes(HtmlOut *o, const Tree *t, const HtmlKept *sites, const uint32_t *site_row) {
    const Ledger *l = t->l;
    uint32_t kept = t->kept.rows;
    htmlout_begin(o, "parent", '['); /* how many places before it */
    for (uint32_t i = 0; i < kept; i++)
        htmlout_count(o, NULL, i ? i - t->kept.place[l->tree[t->kept.row[i]].parent] : 0);
    for (uint32_t i = 0; i < t->joins; i++)
        htmlout_count(o, NULL, kept + i - t->joined_parent[i]);
    htmlout_end(o, ']');
    htmlout_begin(o, "func", '[');
    for (uint32_t i = 0; i < kept; i++)
        htmlout_count(o, NULL, htmlout_word(o, l->tree[t->kept.row[i]].name));
    htmlout_end(o, ']');
    htmlout_begin(o, "src", '[');
    for (uint32_t i = 0; i < kept; i++)
        htmlout_count(o, NULL, htmlout_word(o, l->tree[t->kept.row[i]].short_src));
    htmlout_end(o, ']');
    htmlout_begin(o, "line", '[');
    for (uint32_t i = 0; i < kept; i++)
        htmlout_change(o, NULL, l->tree[t->kept.row[i]].line);
    htmlout_end(o, ']');
    htmlout_begin(o, "site", '['); /* 1 + its row in sites; 0: it has none */
    for (uint32_t i = 0; i < kept; i++) {
        uint32_t id = l->tree[t->kept.row[i]].site;
        uint32_t row = id < LMP_SITES_MAX ? site_row[id] : 0;
        bool there = row > 0 && sites->place[row - 1] != HTML_NOWHERE;
        htmlout_count(o, NULL, there ? sites->place[row - 1] + 1 : 0);
    }
    htmlout_end(o, ']');
    htmlout_begin(o, "joined", '[');
    for (uint32_t i = 0; i < t->joins; i++)
        htmlout_count(o, NULL, t->joined_nodes[i]);
    htmlout_end(o, ']');
    htmlpage_columns(o, t->own, kept + t->joins);
}

static void tree_free(Tree *t) {
    htmlpage_kept_free(&t->kept);
    free(t->own);
    free(t->joined);
    free(t->joined_parent);
    free(t->joined_nodes);
    free(t->join);
}

/* Where the figures of each node are counted: itself, or what the node above it was joined to. */
static uint32_t *places(const Tree *t) {
    const Ledger *l = t->l;
    uint32_t *place = malloc(l->nodes * sizeof *place);
    for (uint32_t i = 0; place && i < l->nodes; i++) {
        uint32_t parent = l->tree[i].parent;
        uint32_t above = parent < i ? t->kept.place[parent] : 0;
        place[i] = t->kept.place[i] != HTML_NOWHERE ? t->kept.place[i]
                   : above != HTML_NOWHERE          ? t->kept.rows + t->join[above] - 1
                                                    : place[parent];
    }
    return place;
}

LmpErr htmlpage_tree(HtmlOut *o, const LmpReport *r, HtmlAllKept *all) {
    const Ledger *l = &r->ledger;
    Tree t = {.l = l};
    if (!l->stacks || l->nodes == 0) return LMP_OK;
    const HtmlRows rows = {l, node_tally, node_parent, &l->tree[0].retained, l->nodes, HTML_NODES};
    uint32_t *site_row = calloc(LMP_SITES_MAX, sizeof *site_row);
    bool done = site_row && htmlpage_keep(&rows, &t.kept) && join(&t) && own_tallies(&t) &&
                (all->tree_place = places(&t)) != NULL;
    if (done) {
        for (uint32_t i = 0; i < l->sites; i++)
            if (l->site[i].id < LMP_SITES_MAX) site_row[l->site[i].id] = i + 1;
        htmlout_begin(o, "tree", '{');
        htmlout_count(o, "nodes", l->nodes);
        put_nodes(o, &t, &all->sites, site_row);
        htmlout_end(o, '}');
        all->tree_rows = t.kept.rows + t.joins;
    }
    tree_free(&t);
    free(site_row);
    return done ? LMP_OK : LMP_E_NOMEM;
}
