/* The bars of a flame graph against a naive merging of all paths, both ways up; and what is found
 * in them: shares in which each byte counts once. */
#include "fake_tree.h"

#include "panels/flame/flamefind.h"

RELEASE_AT(flametree_free)

/* ---- naive: every path as a text ------------------------------------------------------------- */

typedef struct Way {
    char text[512]; /* "/3/1/8": functions from the root on */
    uint64_t value;
    bool hit;
} Way;

typedef struct Ways {
    Way *way;
    uint32_t n;
} Ways;

static void add_way(Ways *ways, const char *text, uint64_t value) {
    for (uint32_t i = 0; i < ways->n; i++) {
        if (strcmp(ways->way[i].text, text) != 0) continue;
        ways->way[i].value += value;
        return;
    }
    ways->way = realloc(ways->way, (ways->n + 1) * sizeof *ways->way);
    ways->way[ways->n] = (Way){.value = value};
    snprintf(ways->way[ways->n++].text, sizeof ways->way->text, "%s", text);
}

/* Every node's own figure goes to all bars on its path. */
static Ways naive(const Tree *t, FlameMetric metric, bool inverted) {
    Ways ways = {0};
    for (uint32_t i = 1; i < t->ledger.nodes; i++) {
        uint64_t own = flame_metric[metric].of(&t->row[i].shallow);
        uint32_t path[256], n = 0;
        char text[512] = "";
        size_t used = 0;
        if (own == 0) continue;
        for (uint32_t at = i; at; at = t->row[at].parent)
            path[n++] = t->row[at].function;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t f = inverted ? path[k] : path[n - 1 - k];
            used += (size_t)snprintf(text + used, sizeof text - used, "/%u", f);
            add_way(&ways, text, own);
        }
    }
    return ways;
}

static const Way *way_of(const Ways *ways, const char *text) {
    for (uint32_t i = 0; i < ways->n; i++)
        if (strcmp(ways->way[i].text, text) == 0) return &ways->way[i];
    return NULL;
}

static void name_way(const FlameTree *tree, uint32_t bar, char *out, size_t size) {
    uint32_t path[256], n = 0;
    size_t used = 0;
    for (; bar != FLAME_ROOT; bar = flametree_call(tree, bar)->parent)
        path[n++] = flametree_call(tree, bar)->function;
    out[0] = 0;
    while (n-- > 0)
        used += (size_t)snprintf(out + used, size - used, "/%u", path[n]);
}

/* All bars there are, opened; returns how many but the root. */
static uint32_t check_bars(FlameTree *tree, const Ways *ways) {
    uint32_t queue[8192], used = 0, n = 0;
    queue[used++] = FLAME_ROOT;
    for (uint32_t i = 0; i < used; i++) {
        uint32_t first, kids = flametree_children(tree, queue[i], &first);
        uint64_t sum = 0;
        for (uint32_t k = first; k < first + kids; k++) {
            char text[512];
            name_way(tree, k, text, sizeof text);
            const Way *way = way_of(ways, text);
            ck_assert_msg(way != NULL, "%s is not there", text);
            ck_assert_uint_eq(flametree_value(tree, k), way->value);
            ck_assert_uint_eq(flametree_call(tree, k)->parent, queue[i]);
            sum += way->value;
            queue[used++] = k;
            n++;
        }
        ck_assert_uint_le(sum, flametree_value(tree, queue[i]));
    }
    return n;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static Tree *random_tree(uint32_t n, uint32_t long_ways) {
    Tree *t = tree_new(n);
    LmpTreeRow *raw = random_nodes(n, long_ways);
    for (uint32_t i = 1; i < n; i++)
        raw[i].kind = (uint32_t)suite_below(LMP_KINDS + 1);
    tree_arrange(t, raw);
    free(raw);
    return t;
}

TEST(test_bars_by_chance) {
    OWN(flametree_free_at) FlameTree *tree = flametree_new();
    for (int round = 0; round < 60; round++) {
        OWN(tree_free_at)
        Tree *t = random_tree(1 + (uint32_t)suite_below(120), (uint32_t)suite_below(9));
        for (int inverted = 0; inverted < 2; inverted++) {
            FlameMetric metric = (FlameMetric)suite_below(FLAME_METRICS);
            Ways ways = naive(t, metric, inverted);
            ck_assert(flametree_update(tree, &t->ledger, metric, inverted));
            ck_assert_uint_eq(check_bars(tree, &ways), ways.n);
            ck_assert(!flametree_fold(tree)->cut);
            free(ways.way);
        }
    }
}

/* A bar is found again by the functions around it, in a tree that was read anew. */
TEST(test_places) {
    OWN(flametree_free_at) FlameTree *tree = flametree_new();
    FlamePlace place = {0};
    for (int round = 0; round < 60; round++) {
        OWN(tree_free_at) Tree *t = random_tree(80, 5);
        bool inverted = round % 2, whole;
        ck_assert(flametree_update(tree, &t->ledger, FLAME_LIVE, inverted));
        uint32_t bar = FLAME_ROOT, first;
        for (uint32_t n; (n = flametree_children(tree, bar, &first)) > 0;)
            bar = first + (uint32_t)suite_below(n);
        char was[512], is[512];
        uint64_t key = flametree_call(tree, bar)->key;
        name_way(tree, bar, was, sizeof was);
        ck_assert(flameplace_set(&place, tree, bar));
        ck_assert(flametree_update(tree, &t->ledger, FLAME_LIVE, inverted));
        bar = flameplace_find(&place, tree, &whole);
        name_way(tree, bar, is, sizeof is);
        ck_assert(whole);
        ck_assert_str_eq(was, is);
        ck_assert_uint_eq(flametree_call(tree, bar)->key, key);
        if (place.n == 0) continue;
        place.id[place.n - 1] = 1; /* no such function: what is around it */
        bar = flameplace_find(&place, tree, &whole);
        ck_assert(!whole);
        ck_assert_uint_eq(flametree_call(tree, bar)->depth, place.n - 1);
    }
    flameplace_free(&place);
}

/* Each byte once: what a node made counts if any function on its path is sought. */
TEST(test_finding_by_chance) {
    OWN(flametree_free_at) FlameTree *tree = flametree_new();
    OWN(flamefind_free) FlameFind find = {0};
    for (int round = 0; round < 80; round++) {
        OWN(tree_free_at)
        Tree *t = random_tree(1 + (uint32_t)suite_below(120), (uint32_t)suite_below(9));
        uint8_t match[FUNCTIONS];
        bool inverted = round % 2;
        for (int f = 0; f < FUNCTIONS; f++)
            match[f] = suite_below(3) == 0;
        Ways ways = naive(t, FLAME_LIVE, inverted);
        uint64_t want = 0;
        for (uint32_t i = 1; i < t->ledger.nodes; i++) {
            bool any = false;
            for (uint32_t at = i; at; at = t->row[at].parent)
                any |= match[t->row[at].function] != 0;
            if (any) want += t->row[i].shallow.live_bytes;
        }
        ck_assert(flametree_update(tree, &t->ledger, FLAME_LIVE, inverted));
        ck_assert(flamefind_update(&find, tree, match, FLAME_ROOT));
        ck_assert_uint_eq(find.value, want);
        ck_assert_uint_eq(find.inside, find.hits);
        uint32_t hits = 0;
        for (uint32_t i = 0; i < ways.n; i++)
            hits += match[strtoul(strrchr(ways.way[i].text, '/') + 1, NULL, 10)];
        ck_assert_uint_eq(find.hits, hits);
        /* from hit to hit by size, each once; its place leads to it */
        uint64_t last = UINT64_MAX;
        uint32_t bar = FLAME_ROOT; /* no hit */
        FlamePlace place = {0};
        for (uint32_t i = 0; i < hits; i++) {
            uint32_t number;
            bool whole;
            FlameHit hit, before;
            ck_assert(flamefind_next(&find, tree, bar, 1, &hit, &number));
            ck_assert_uint_eq(number, i + 1);
            ck_assert_uint_le(hit.value, last);
            last = hit.value;
            ck_assert(flameplace_of_hit(&place, tree, &hit));
            bar = flameplace_find(&place, tree, &whole);
            ck_assert(whole);
            ck_assert_uint_eq(flametree_call(tree, bar)->key, hit.key);
            ck_assert(flamefind_has(&find, tree, bar));
            ck_assert_uint_eq(flametree_value(tree, bar), hit.value);
            ck_assert(flamefind_next(&find, tree, bar, -1, &before, &number));
            ck_assert_uint_eq(number, i == 0 ? hits : i);
            ck_assert(hits == 1 || before.key != hit.key);
            /* those below a bar that is zoomed to */
            if (i > 3) continue;
            OWN(flamefind_free) FlameFind zoomed = {0};
            char from[512], text[520];
            uint32_t inside = 0;
            name_way(tree, bar, from, sizeof from);
            for (uint32_t k = 0; k < ways.n; k++) {
                snprintf(text, sizeof text, "%s/", ways.way[k].text);
                size_t n = strlen(from);
                bool is = strncmp(text, from, n) == 0 && text[n] == '/';
                inside += is && match[strtoul(strrchr(ways.way[k].text, '/') + 1, NULL, 10)];
            }
            ck_assert(flamefind_update(&zoomed, tree, match, bar));
            ck_assert_uint_eq(zoomed.hits, hits);
            ck_assert_uint_eq(zoomed.inside, inside);
        }
        flameplace_free(&place);
        free(ways.way);
    }
}

/* The type that has most below a bar, by what each node makes. */
TEST(test_types_by_chance) {
    OWN(flametree_free_at) FlameTree *tree = flametree_new();
    for (int round = 0; round < 60; round++) {
        OWN(tree_free_at) Tree *t = random_tree(100, 4);
        bool inverted = round % 2;
        ck_assert(flametree_update(tree, &t->ledger, FLAME_LIVE, inverted));
        uint32_t first, n = flametree_children(tree, FLAME_ROOT, &first);
        for (uint32_t f = first; f < first + n; f++) {
            uint64_t sum[LMP_KINDS] = {0}, most = 0;
            for (uint32_t i = 1; i < t->ledger.nodes; i++) {
                uint32_t outer = i;
                while (!inverted && t->row[outer].parent)
                    outer = t->row[outer].parent;
                if (t->row[outer].function == flametree_call(tree, f)->function &&
                    t->row[i].kind < LMP_KINDS)
                    sum[t->row[i].kind] += t->row[i].shallow.live_bytes;
            }
            for (int k = 0; k < LMP_KINDS; k++)
                if (sum[k] > most) most = sum[k];
            unsigned kind = flametree_kind(tree, f);
            if (most == 0)
                ck_assert_uint_eq(kind, LMP_KINDS);
            else
                ck_assert_uint_eq(sum[kind], most);
        }
    }
}

/* A quarter of a million calls deep, and as many callers: what is not looked at costs nothing. */
TEST(test_very_deep) {
    enum { DEEP = 250000 };
    OWN(tree_free_at) Tree *t = tree_new(DEEP);
    for (uint32_t i = 1; i < DEEP; i++) {
        t->row[i] = (LmpTreeRow){.id = i,
                                 .parent = i - 1,
                                 .depth = i,
                                 .first = i + 1,
                                 .children = i + 1 < DEEP,
                                 .function = i % FUNCTIONS};
        tally(&t->row[i].shallow, 1, 16);
    }
    t->row[0] = (LmpTreeRow){.first = 1, .children = 1};
    OWN(flametree_free_at) FlameTree *tree = flametree_new();
    FlameNodes nodes;
    OWN(flameplan_free) FlamePlan l = {0};
    FlameView view = {.w = 120, .h = 40, .top = DEEP};
    ck_assert(flametree_update(tree, &t->ledger, FLAME_LIVE, false));
    nodes = flametree_nodes(tree);
    flameplan_make(&l, &nodes, &view);
    ck_assert_int_gt(l.depth, 200000); /* the last ones have no column */
    ck_assert(flametree_update(tree, &t->ledger, FLAME_LIVE, true));
    nodes = flametree_nodes(tree);
    view.top = 0;
    flameplan_make(&l, &nodes, &view);
    ck_assert_int_gt(l.rows, 20);
    ck_assert(flametree_fold(tree)->cut); /* and no further */
    uint8_t match[FUNCTIONS] = {1};
    OWN(flamefind_free) FlameFind find = {0};
    ck_assert(flamefind_update(&find, tree, match, FLAME_ROOT));
    ck_assert(find.cut); /* 30 billion steps */
}
