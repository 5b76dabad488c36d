/* Which rows of the call tree are to be seen, against a naive expansion: functions and lines whose
 * callers are all open, in order, under filters. */
#include "fake_tree.h"

RELEASE_AT(treerows_free)

/* ---- naive ----------------------------------------------------------------------------------- */

/* Rows are known by their ways: "/f1/f3/:12". */
typedef struct Way {
    char text[1024];
    bool open; /* opened by hand, or under a filter turned over */
} Way;

typedef struct NaiveRow {
    char way[1024];
    LmpTally total, own;
    bool children, match;
    uint32_t depth;
} NaiveRow;

#define WAYS 4000

typedef struct Naive {
    const Tree *tree;
    TreeWanted request;
    Way *way;
    uint32_t ways;
    NaiveRow *row;
    uint32_t count;
} Naive;

static Way *way_of(Naive *n, const char *text) {
    for (uint32_t i = 0; i < n->ways; i++)
        if (strcmp(n->way[i].text, text) == 0) return &n->way[i];
    ck_assert_uint_lt(n->ways, WAYS);
    n->way[n->ways] = (Way){.open = false};
    snprintf(n->way[n->ways].text, sizeof n->way->text, "%s", text);
    return &n->way[n->ways++];
}

static bool naive_match(const Naive *n, const LmpTreeRow *row) {
    char text[128];
    snprintf(text, sizeof text, "%s %s:%d", row->name, row->short_src, (int)row->line);
    return strstr(text, n->request.filter) != NULL;
}

static bool naive_match_function(const Naive *n, uint32_t f) {
    char text[128];
    snprintf(text, sizeof text, "%s %s", n->tree->name[f], n->tree->function[f].short_src);
    return strstr(text, n->request.filter) != NULL;
}

static bool naive_below(const Naive *n, const LmpTreeRow *row) {
    for (uint32_t k = 0; k < row->children; k++) {
        const LmpTreeRow *kid = &n->tree->row[row->first + k];
        if (naive_match(n, kid) || naive_below(n, kid)) return true;
    }
    return false;
}

static bool naive_above(const Naive *n, const LmpTreeRow *row) {
    while (row->parent != 0) {
        row = &n->tree->row[row->parent];
        if (naive_match(n, row)) return true;
    }
    return false;
}

/* A row before it is shown: a function (with its nodes) or a line. */
typedef struct Candidate {
    uint32_t function, node[128], nodes;
    bool is_line;
    int32_t line;
    LmpTally total, own;
    bool children, keep, opens, match;
} Candidate;

static void collect(const Tree *tree, Candidate *c, uint32_t node) {
    const LmpTreeRow *row = &tree->row[node];
    c->node[c->nodes++] = node;
    for (uint32_t k = row->first; k < row->first + row->children; k++)
        if (tree->row[k].function == c->function) collect(tree, c, k);
}

static int32_t naive_line(const Naive *n, const LmpTreeRow *row) {
    bool called = row->function == C_FUNCTION && row->parent != 0;
    return called ? n->tree->row[row->parent].line : row->line;
}

static void finish(const Naive *n, Candidate *c) {
    bool filter = n->request.filter[0] != 0, any_line = false;
    int32_t line = 0;
    c->match = filter && naive_match_function(n, c->function);
    for (uint32_t i = 0; i < c->nodes; i++) {
        const LmpTreeRow *row = &n->tree->row[c->node[i]];
        add(&c->own, &row->shallow);
        if (row->shallow.allocs) {
            if (any_line && line != naive_line(n, row)) c->children = true;
            any_line = true;
            line = naive_line(n, row);
        }
        for (uint32_t k = row->first; k < row->first + row->children; k++)
            if (n->tree->row[k].function != c->function) c->children = true;
        if (!filter) continue;
        bool match = naive_match(n, row), below = naive_below(n, row);
        c->keep = c->keep || match || below || naive_above(n, row);
        c->opens = c->opens || below || (match && !c->match);
    }
}

static bool naive_before(const Naive *n, const Candidate *a, const Candidate *b) {
    int order = 0;
    if (n->request.shown_figure) {
        double x = n->request.shown_figure(NULL, &a->total, &a->own);
        double y = n->request.shown_figure(NULL, &b->total, &b->own);
        order = x > y ? -1 : x < y;
    }
    if (!order) order = a->is_line - b->is_line;
    if (!order && a->is_line) order = a->line < b->line ? -1 : a->line > b->line;
    if (!order) order = strcmp(n->tree->name[a->function], n->tree->name[b->function]);
    return (n->request.reverse ? -order : order) < 0;
}

static void naive_show(Naive *n, const Candidate *up, const char *way, uint32_t depth) {
    OWN(free_at) Candidate *c = calloc(64, sizeof *c);
    uint32_t count = 0;
    for (uint32_t f = 0; f < FUNCTIONS; f++) { /* what it calls */
        if (up->function == f) continue;
        Candidate *now = &c[count];
        *now = (Candidate){.function = f};
        for (uint32_t i = 0; i < up->nodes; i++) {
            const LmpTreeRow *row = &n->tree->row[up->node[i]];
            for (uint32_t k = row->first; k < row->first + row->children; k++) {
                if (n->tree->row[k].function != f) continue;
                collect(n->tree, now, k);
                add(&now->total, &n->tree->row[k].retained);
            }
        }
        if (now->nodes == 0) continue;
        finish(n, now);
        count++;
    }
    for (int32_t line = -1; line < 20 && up->function != UINT32_MAX; line++) { /* its lines */
        Candidate *now = &c[count];
        *now = (Candidate){.function = up->function, .is_line = true, .line = line};
        for (uint32_t i = 0; i < up->nodes; i++) {
            const LmpTreeRow *row = &n->tree->row[up->node[i]];
            if (naive_line(n, row) != line || row->shallow.allocs == 0) continue;
            add(&now->own, &row->shallow);
            now->nodes++;
            now->match = n->request.filter[0] && naive_match(n, row);
            now->keep = now->keep || now->match || naive_above(n, row);
        }
        now->total = now->own;
        count += now->nodes > 0;
    }
    bool done[64] = {false};
    for (;;) {
        uint32_t best = 64;
        for (uint32_t i = 0; i < count; i++)
            if (!done[i] && (best == 64 || naive_before(n, &c[i], &c[best]))) best = i;
        if (best == 64) break;
        done[best] = true;
        if (n->request.filter[0] && !c[best].keep) continue;
        NaiveRow *row = &n->row[n->count++];
        *row = (NaiveRow){.total = c[best].total,
                          .own = c[best].own,
                          .children = c[best].children,
                          .match = c[best].match,
                          .depth = depth};
        if (c[best].is_line) {
            snprintf(row->way, sizeof row->way, "%s/:%d", way, (int)c[best].line);
        } else {
            snprintf(row->way, sizeof row->way, "%s/f%u", way, c[best].function);
        }
        if (c[best].children && c[best].opens != way_of(n, row->way)->open)
            naive_show(n, &c[best], row->way, depth + 1);
    }
}

static void way_to(const TreeRows *rows, uint32_t i, char *out, size_t size) {
    TreeRow row = treerows_row(rows, i);
    out[0] = 0;
    if (row.up != i) way_to(rows, row.up, out, size);
    size_t used = strlen(out);
    if (row.is_line) {
        snprintf(out + used, size - used, "/:%d", (int)row.line);
    } else {
        snprintf(out + used, size - used, "/%s", row.name);
    }
}

static void compare(const TreeRows *rows, Naive *n) {
    Candidate root = {.function = UINT32_MAX, .nodes = 1};
    n->count = 0;
    naive_show(n, &root, "", 0);
    ck_assert_uint_eq(treerows_count(rows), n->count);
    for (uint32_t i = 0; i < n->count; i++) {
        TreeRow row = treerows_row(rows, i), up = treerows_row(rows, row.up);
        char way[1024];
        way_to(rows, i, way, sizeof way);
        ck_assert_str_eq(way, n->row[i].way);
        ck_assert_uint_eq(row.total->live_bytes, n->row[i].total.live_bytes);
        ck_assert_uint_eq(row.total->allocs, n->row[i].total.allocs);
        ck_assert_uint_eq(row.own->live_bytes, n->row[i].own.live_bytes);
        ck_assert_uint_eq(row.own->frees, n->row[i].own.frees);
        ck_assert(row.children == n->row[i].children && row.matches == n->row[i].match);
        ck_assert_uint_eq(row.depth, n->row[i].depth);
        if (row.depth == 0) {
            ck_assert_uint_eq(row.up, i);
        } else {
            ck_assert(row.up < i && up.depth + 1 == row.depth && up.open);
        }
        /* a sibling follows exactly if one comes before the next row of a lower level */
        bool more = false;
        for (uint32_t j = i + 1; j < n->count && n->row[j].depth >= row.depth; j++)
            more = more || n->row[j].depth == row.depth;
        ck_assert(row.more == more);
        uint64_t lines = treerows_lines(rows, i, 3);
        ck_assert((lines & 1) == row.more);
        if (row.depth > 0) ck_assert((lines >> 1 & 1) == up.more);
    }
}

/* Without a filter, what is below an open row adds up to it. */
static void check_sums(const TreeRows *rows) {
    for (uint32_t i = 0; i < treerows_count(rows); i++) {
        TreeRow row = treerows_row(rows, i);
        uint64_t live = 0, made = 0;
        for (uint32_t j = i + 1; j < treerows_count(rows); j++) {
            TreeRow kid = treerows_row(rows, j);
            if (kid.up != i || kid.depth == 0) continue;
            live += kid.total->live_bytes;
            made += kid.total->bytes;
        }
        if (!row.open) continue;
        ck_assert_uint_eq(live, row.total->live_bytes);
        ck_assert_uint_eq(made, row.total->bytes);
    }
}

TEST(test_rows_are_those_of_a_naive_expansion) {
    static const char *const filters[] = {"", "", "", "f3", "odd.lua:1", "even", "none"};
    for (int round = 0; round < 60; round++) {
        uint32_t count = 2 + (uint32_t)suite_below(100);
        Tree *tree = tree_new(count);
        LmpTreeRow *raw = random_nodes(count, (uint32_t)suite_below(9));
        tree_arrange(tree, raw);
        TreeRows *rows = treerows_new();
        Naive n = {.tree = tree, .request = {.shown_figure = by_total, .filter = ""}};
        n.way = calloc(WAYS, sizeof *n.way);
        n.row = calloc(2 * count + 2, sizeof *n.row);
        OWN(free_at) Way *unfiltered = calloc(WAYS, sizeof *unfiltered);
        uint32_t unfiltered_ways = 0;
        for (int step = 0; step < 40; step++) {
            uint32_t shown = treerows_count(rows);
            if (suite_below(6) == 0) {
                const char *filter = filters[suite_below(sizeof filters / sizeof *filters)];
                if (n.request.filter[0] == 0) {
                    memcpy(unfiltered, n.way, WAYS * sizeof *n.way);
                    unfiltered_ways = n.ways;
                }
                if (strcmp(filter, n.request.filter) != 0) {
                    n.ways = filter[0] ? 0 : unfiltered_ways;
                    if (!filter[0]) memcpy(n.way, unfiltered, WAYS * sizeof *n.way);
                }
                n.request.filter = filter;
            } else if (suite_below(5) == 0) {
                n.request.shown_figure = suite_below(3) == 0 ? NULL
                                         : suite_below(2)    ? by_total
                                                             : by_own;
                n.request.reverse = suite_below(2);
            } else if (suite_below(5) == 0) { /* the program goes on */
                for (uint32_t i = 1; i < count; i++)
                    if (suite_below(4) == 0)
                        tally(&raw[i].shallow, 1 + suite_below(50), suite_below(2000));
                tree_arrange(tree, raw);
                ck_assert(treerows_update(rows, &tree->ledger, &n.request));
            } else if (shown > 0) {
                uint32_t i = (uint32_t)suite_below(shown);
                TreeRow row = treerows_row(rows, i);
                char way[1024];
                way_to(rows, i, way, sizeof way);
                if (row.children) {
                    treerows_open(rows, i, !row.open);
                    way_of(&n, way)->open ^= true;
                }
            }
            ck_assert(treerows_update(rows, &tree->ledger, &n.request));
            compare(rows, &n);
            if (n.request.filter[0] == 0) check_sums(rows);
        }
        treerows_free(rows);
        tree_free(tree);
        free(raw);
        free(n.way);
        free(n.row);
    }
}

TEST(test_order_is_held) {
    for (int round = 0; round < 30; round++) {
        OWN(tree_free_at) Tree *tree = tree_new(80);
        OWN(free_at) LmpTreeRow *raw = random_nodes(80, 3);
        tree_arrange(tree, raw);
        OWN(treerows_free_at) TreeRows *rows = treerows_new();
        TreeWanted request = {.shown_figure = by_total, .filter = ""};
        ck_assert(treerows_update(rows, &tree->ledger, &request));
        open_all(rows, &tree->ledger, &request);
        uint64_t was[200];
        uint32_t count = treerows_count(rows);
        for (uint32_t i = 0; i < count; i++)
            was[i] = treerows_row(rows, i).key;
        request.still = true;
        for (int step = 0; step < 5; step++) {
            for (uint32_t i = 1; i < 80; i++) /* no new lines */
                if (raw[i].shallow.allocs)
                    tally(&raw[i].shallow, 1 + suite_below(50), suite_below(2000));
            tree_arrange(tree, raw);
            ck_assert(treerows_update(rows, &tree->ledger, &request));
            ck_assert_uint_eq(treerows_count(rows), count);
            for (uint32_t i = 0; i < count; i++)
                ck_assert_uint_eq(treerows_row(rows, i).key, was[i]);
        }
        request.still = false;
        ck_assert(treerows_update(rows, &tree->ledger, &request));
        for (uint32_t i = 1; i < count; i++) {
            TreeRow a = treerows_row(rows, i - 1), b = treerows_row(rows, i);
            if (a.depth == b.depth) ck_assert(a.total->live_bytes >= b.total->live_bytes);
        }
    }
}
