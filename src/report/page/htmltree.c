/* htmltree.c - the nodes that htmlkeep.h chooses, and for each parent one joined node of all that
 * was left out below it, written as arrays. */
#include "report/page/htmltree.h"

#include <stdlib.h>
#include <string.h>

typedef struct Work {
    const HtmlTree *tree;
    HtmlKept kept;
    uint32_t joins;
    uint32_t *join; /* by the place of its parent: 1 + which joined node */
    uint32_t *joined_parent, *joined_nodes;
    LmpTally *joined[HTMLTREE_SIDES];     /* of joined node i */
    LmpTally *kept_own[HTMLTREE_SIDES];   /* of the nodes kept */
    const LmpTally **own[HTMLTREE_SIDES]; /* the same, and then of the joined ones */
    LmpTally root[HTMLTREE_SIDES];        /* of no path */
} Work;

static float score_of(const void *of, uint32_t i) {
    const HtmlTree *t = of;
    float most = 0;
    for (unsigned side = 0; side < t->sides; side++) {
        LmpTally all;
        float score = t->tally(t->of, i, side, true, &all) ? htmlkeep_score(&all, t->all[side]) : 0;
        if (score > most) most = score;
    }
    return most;
}

static uint32_t parent_of(const void *of, uint32_t i) {
    const HtmlTree *t = of;
    return t->parent(t->of, i);
}

/* Returns the place of a node's parent; HTML_NOWHERE: it was left out. */
static uint32_t parent_place(const Work *w, uint32_t i) {
    uint32_t parent = parent_of(w->tree, i);
    return parent < i ? w->kept.place[parent] : 0;
}

static bool is_joined(const Work *w, uint32_t i) {
    return w->kept.place[i] == HTML_NOWHERE && parent_place(w, i) != HTML_NOWHERE;
}

static void join_one(Work *w, uint32_t i) {
    uint32_t parent = parent_place(w, i), at = w->join[parent] - 1;
    for (unsigned side = 0; side < w->tree->sides; side++) {
        LmpTally all;
        if (w->tree->tally(w->tree->of, i, side, true, &all)) tally_add(&w->joined[side][at], &all);
    }
    w->joined_parent[at] = parent;
    w->joined_nodes[at]++;
}

/* Joins what was left out: nodes whose parents are kept stand for all below them. */
static bool join(Work *w) {
    w->join = calloc(w->kept.rows, sizeof *w->join);
    if (!w->join) return false;
    for (uint32_t i = 1; i < w->tree->nodes; i++)
        if (is_joined(w, i) && !w->join[parent_place(w, i)])
            w->join[parent_place(w, i)] = ++w->joins;
    size_t room = (size_t)w->joins + 1;
    w->joined_parent = calloc(room, sizeof *w->joined_parent);
    w->joined_nodes = calloc(room, sizeof *w->joined_nodes);
    bool enough = w->joined_parent && w->joined_nodes;
    for (unsigned side = 0; side < w->tree->sides; side++) {
        w->joined[side] = calloc(room, sizeof *w->joined[side]);
        enough = enough && w->joined[side];
    }
    for (uint32_t i = 1; enough && i < w->tree->nodes; i++)
        if (is_joined(w, i)) join_one(w, i);
    return enough;
}

/* Sets what each node made itself. The root gets what no path is known of, so that all add up to
 * the heap. */
static bool own_tallies(Work *w, unsigned side) {
    const HtmlTree *t = w->tree;
    const LmpTally **own = malloc(((size_t)w->kept.rows + w->joins + 1) * sizeof *own);
    LmpTally *copy = calloc((size_t)w->kept.rows + 1, sizeof *copy);
    LmpTally all;
    w->own[side] = own;
    w->kept_own[side] = copy;
    if (!own || !copy) return false;
    if (t->tally(t->of, 0, side, true, &all)) w->root[side] = all;
    for (uint32_t i = 1; i < t->nodes; i++)
        if (t->parent(t->of, i) == 0 && t->tally(t->of, i, side, true, &all))
            tally_sub(&w->root[side], &all);
    for (uint32_t i = 0; i < w->kept.rows; i++) {
        t->tally(t->of, w->kept.row[i], side, false, &copy[i]);
        own[i] = &copy[i];
    }
    for (uint32_t i = 0; i < w->joins; i++)
        own[w->kept.rows + i] = &w->joined[side][i];
    own[0] = &w->root[side];
    return true;
}

/* ---- written --------------------------------------------------------------------------------- */

/* Returns a kept node's row as it is, else as it was. */
static LmpTreeRow row_of(const Work *w, uint32_t i) {
    const HtmlTree *t = w->tree;
    LmpTreeRow row;
    if (!t->row(t->of, w->kept.row[i], 0, &row)) t->row(t->of, w->kept.row[i], 1, &row);
    return row;
}

static void put_frames(Json *json, const Work *w) {
    uint32_t kept = w->kept.rows;
    json_begin(json, "parent", '['); /* how many places before it */
    for (uint32_t i = 0; i < kept; i++)
        json_count(json, NULL, i ? i - parent_place(w, w->kept.row[i]) : 0);
    for (uint32_t i = 0; i < w->joins; i++)
        json_count(json, NULL, kept + i - w->joined_parent[i]);
    json_end(json, ']');
    JSON_LIST(json, "func", i, kept, json_word(json, row_of(w, i).name));
    JSON_LIST(json, "src", i, kept, json_word(json, row_of(w, i).short_src));
    JSON_LIST(json, "line", i, kept, json_change(json, NULL, row_of(w, i).line));
    JSON_LIST(json, "site", i, kept,
              json_count(json, NULL, w->tree->site(w->tree->of, w->kept.row[i])));
    JSON_LIST(json, "joined", i, w->joins, json_count(json, NULL, w->joined_nodes[i]));
}

static void put_figures(Json *json, const Work *w) {
    uint32_t rows = w->kept.rows + w->joins;
    htmlkeep_figures(json, w->own[0], rows,
                     w->tree->sides == 1 ? LMP_COLUMN_OF_RUN : LMP_COLUMN_OF_BOTH);
    if (w->tree->sides == 1) return;
    json_begin(json, "was", '{');
    htmlkeep_figures(json, w->own[1], rows, LMP_COLUMN_OF_BOTH);
    json_end(json, '}');
}

static bool find_places(const Work *w, uint32_t **out) {
    uint32_t *place = malloc(w->tree->nodes * sizeof *place);
    for (uint32_t i = 0; place && i < w->tree->nodes; i++) {
        uint32_t above = parent_place(w, i);
        place[i] = w->kept.place[i] != HTML_NOWHERE ? w->kept.place[i]
                   : above != HTML_NOWHERE          ? w->kept.rows + w->join[above] - 1
                                                    : place[parent_of(w->tree, i)];
    }
    *out = place;
    return place != NULL;
}

static void work_free(Work *w) {
    htmlkept_free(&w->kept);
    free(w->join);
    free(w->joined_parent);
    free(w->joined_nodes);
    for (unsigned side = 0; side < HTMLTREE_SIDES; side++) {
        free(w->joined[side]);
        free(w->own[side]);
        free(w->kept_own[side]);
    }
}

LmpErr htmltree_put(Json *json, const HtmlTree *tree, uint32_t **place, uint32_t *rows) {
    Work w = {.tree = tree};
    const HtmlRows all = {.of = tree,
                          .parent = parent_of,
                          .rows = tree->nodes,
                          .most = tree->most,
                          .score = score_of};
    bool done = htmlkeep(&all, &w.kept) && join(&w);
    for (unsigned side = 0; done && side < tree->sides; side++)
        done = own_tallies(&w, side);
    if (done && place) done = find_places(&w, place);
    if (done) {
        json_count(json, "nodes", tree->nodes);
        put_frames(json, &w);
        put_figures(json, &w);
        *rows = w.kept.rows + w.joins;
    }
    work_free(&w);
    return done ? LMP_OK : LMP_E_NOMEM;
}
