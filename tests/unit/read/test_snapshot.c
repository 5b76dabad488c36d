/* test_snapshot.c - reachability, paths, dominators and retained sizes against a judge that goes by
 * the definitions: who is held, in rounds until nothing changes; who dominates whom, by taking each
 * object away in turn; and heaps so long and so wide that nothing may recurse or be quadratic. */
#include "suite.h"

#include "graph_random.h"
#include "read/snapshot/snapshot.h"

static const LmpObjectInfo info = {.pid = 1, .serial = 1, .number = 1};

/* ---- the judge ------------------------------------------------------------------------------- */

enum { MOST = 256, ROUNDS = 4 };

typedef struct Judge {
    const LmpObjectGraph *g;
    uint32_t registry;
    uint32_t from[8 * MOST]; /* of each edge */
    bool held[MOST];
    uint32_t distance[MOST];
    bool dominates[MOST][MOST]; /* [a][b]: b is not held without a */
} Judge;

static bool is_ephemeron(const LmpObjectGraph *g, uint32_t e) {
    return (g->edge_kind[e] & LMP_EDGE_EPHEMERON) && !(g->edge_kind[e] & LMP_EDGE_WEAK);
}

static bool is_plain(const LmpObjectGraph *g, uint32_t e) {
    return !(g->edge_kind[e] & (LMP_EDGE_EPHEMERON | LMP_EDGE_WEAK));
}

static void judge_held(Judge *j) {
    const LmpObjectGraph *g = j->g;
    memset(j->held, 0, sizeof j->held);
    j->held[0] = true;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t e = 0; e < g->edges; e++) {
            bool holds = j->held[j->from[e]] &&
                         (is_plain(g, e) || (is_ephemeron(g, e) && j->held[g->edge_label[e]]));
            if (!holds || j->held[g->edge_to[e]]) continue;
            j->held[g->edge_to[e]] = more = true;
        }
    }
}

/* Who the reference counts as coming from: of a value in a table with weak keys, its key. MOST:
 * nobody. */
static uint32_t source(const Judge *j, uint32_t e) {
    if (is_plain(j->g, e)) return j->from[e];
    if (is_ephemeron(j->g, e) && j->held[j->from[e]]) return j->g->edge_label[e];
    return MOST;
}

static int judge_round(const Judge *j, uint32_t e) {
    const LmpObjectGraph *g = j->g;
    uint32_t label = g->edge_label[e];
    unsigned kind = g->edge_kind[e] & LMP_EDGE_KIND;
    if (!is_plain(g, e)) return 0;
    if (j->from[e] == j->registry) {
        bool loaded = false;
        if (kind == LMP_EDGE_FIELD) { /* the only key with an underscore at its begin */
            uint32_t at = 0;
            for (uint32_t i = 0; i < label; i++)
                if (g->kind[i] == LMP_OBJECT_STRING) at++;
            uint64_t text = 0;
            for (uint32_t i = 0; i < at; i++)
                text += g->string_shown[i];
            loaded = g->text[text] == '_';
        }
        if (kind == LMP_EDGE_INDEX && label == 1) return 1;
        return loaded || (kind == LMP_EDGE_INDEX && label == 2) ? 0 : 2;
    }
    if (j->from[e] != 0 || kind != LMP_EDGE_ROOT) return 0;
    if (label == LMP_ROOT_REGISTRY) return 0;
    if (label >= LMP_ROOT_METATABLE) return 2;
    return label == LMP_ROOT_FIXED || label == LMP_ROOT_FINALIZING ? 3 : 1;
}

static void judge_distances(Judge *j) {
    const LmpObjectGraph *g = j->g;
    bool done[MOST] = {false};
    for (uint32_t i = 0; i < g->objects; i++)
        j->distance[i] = LMP_OBJECT_NONE;
    j->distance[0] = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (bool more = true; more;) {
            more = false;
            for (uint32_t e = 0; e < g->edges; e++) {
                uint32_t from = source(j, e), to = g->edge_to[e];
                if (from == MOST || j->distance[from] == LMP_OBJECT_NONE) continue;
                if (judge_round(j, e) > round || done[to]) continue;
                if (j->distance[to] <= j->distance[from] + 1) continue;
                j->distance[to] = j->distance[from] + 1;
                more = true;
            }
        }
        for (uint32_t i = 0; i < g->objects; i++)
            done[i] = j->distance[i] != LMP_OBJECT_NONE;
    }
}

/* Who is held when the set `without` is gone. */
static void judge_without(const Judge *j, const bool *without, bool *held) {
    memset(held, 0, MOST * sizeof *held);
    held[0] = true;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t e = 0; e < j->g->edges; e++) {
            uint32_t from = source(j, e), to = j->g->edge_to[e];
            if (from == MOST || !held[from] || held[to] || without[from] || without[to]) continue;
            held[to] = more = true;
        }
    }
}

static void judge_dominators(Judge *j) {
    for (uint32_t a = 1; a < j->g->objects; a++) {
        bool without[MOST] = {false}, held[MOST];
        without[a] = true;
        judge_without(j, without, held);
        for (uint32_t b = 0; b < j->g->objects; b++)
            j->dominates[a][b] = j->held[a] && j->held[b] && !held[b];
    }
    for (uint32_t b = 0; b < j->g->objects; b++)
        j->dominates[0][b] = j->held[b];
}

static uint32_t judge_idom(const Judge *j, uint32_t b) {
    for (uint32_t a = 0; a < j->g->objects; a++) {
        if (a == b || !j->dominates[a][b]) continue;
        bool nearest = true; /* all other dominators of b dominate a as well */
        for (uint32_t c = 0; c < j->g->objects && nearest; c++)
            nearest = c == b || !j->dominates[c][b] || j->dominates[c][a];
        if (nearest) return a;
    }
    return LMP_OBJECT_NONE;
}

static void judge_make(Judge *j, const LmpObjectGraph *g) {
    ck_assert_uint_le(g->objects, MOST);
    ck_assert_uint_le(g->edges, sizeof j->from / sizeof *j->from);
    j->g = g;
    j->registry = LMP_OBJECT_NONE;
    for (uint32_t i = 0; i < g->objects; i++)
        for (uint32_t e = g->edge_at[i]; e < g->edge_at[i + 1]; e++)
            j->from[e] = i;
    for (uint32_t e = g->edge_at[0]; e < g->edge_at[1]; e++)
        if (g->edge_kind[e] == LMP_EDGE_ROOT && g->edge_label[e] == LMP_ROOT_REGISTRY)
            j->registry = g->edge_to[e];
    judge_held(j);
    judge_distances(j);
    judge_dominators(j);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void check_paths(const LmpSnapshot *s, const Judge *j) {
    const LmpObjectGraph *g = j->g;
    for (uint32_t i = 0; i < g->objects; i++) {
        ck_assert_uint_eq(s->distance[i], j->distance[i]);
        ck_assert_int_eq(snapshot_garbage(s, i), !j->held[i]);
        if (i == 0 || !j->held[i]) {
            ck_assert_uint_eq(s->parent[i], LMP_OBJECT_NONE);
            ck_assert_uint_eq(s->parent_edge[i], LMP_OBJECT_NONE);
            continue;
        }
        uint32_t edge = s->parent_edge[i];
        ck_assert_uint_eq(g->edge_to[edge], i);
        ck_assert_uint_eq(s->parent[i], source(j, edge));
        ck_assert_uint_eq(s->distance[i], s->distance[s->parent[i]] + 1);
    }
}

static void check_retained(const LmpSnapshot *s, const Judge *j) {
    const LmpObjectGraph *g = j->g;
    for (uint32_t a = 0; a < g->objects; a++) {
        uint64_t retained = 0, before = 0;
        for (uint32_t b = 0; b < g->objects; b++) {
            bool dominates = j->dominates[a][b] || (a == b && j->held[a]);
            ck_assert_int_eq(snapshot_dominates(s, a, b), dominates);
            if (!dominates && a != b) continue;
            if (g->flags[b] & LMP_OBJECT_BEFORE)
                before += g->size[b];
            else
                retained += g->size[b];
        }
        ck_assert_uint_eq(s->retained[a], retained);
        ck_assert_uint_eq(s->retained_before[a], before);
        ck_assert_uint_eq(s->idom[a], a == 0 || !j->held[a] ? LMP_OBJECT_NONE : judge_idom(j, a));
    }
}

static void check_children(const LmpSnapshot *s) {
    uint32_t seen = 0;
    ck_assert_uint_eq(s->child_at[0], 0);
    for (uint32_t i = 0; i < s->g.objects; i++) {
        for (uint32_t k = s->child_at[i]; k < s->child_at[i + 1]; k++, seen++) {
            ck_assert_uint_eq(s->idom[s->child[k]], i);
            if (k > s->child_at[i])
                ck_assert_uint_ge(s->retained[s->child[k - 1]], s->retained[s->child[k]]);
        }
    }
    ck_assert_uint_eq(seen, s->reachable_objects);
}

static void check_incoming(const LmpSnapshot *s) {
    const LmpObjectGraph *g = &s->g;
    bool met[8 * MOST] = {false};
    ck_assert_uint_eq(s->in_at[g->objects], g->edges);
    for (uint32_t i = 0; i < g->objects; i++)
        for (uint32_t k = s->in_at[i]; k < s->in_at[i + 1]; k++) {
            uint32_t e = s->in[k], from = s->in_from[k];
            ck_assert(!met[e]);
            met[e] = true;
            ck_assert_uint_eq(g->edge_to[e], i);
            ck_assert(g->edge_at[from] <= e && e < g->edge_at[from + 1]);
        }
}

static void check_sums(const LmpSnapshot *s, const Judge *j) {
    uint64_t reachable = 0, garbage = 0, before = 0;
    uint32_t objects = 0, dead = 0, old = 0;
    for (uint32_t i = 1; i < j->g->objects; i++) {
        bool is_old = j->g->flags[i] & LMP_OBJECT_BEFORE;
        uint64_t size = is_old ? 0 : j->g->size[i];
        if (is_old) before += j->g->size[i], old++;
        if (j->held[i])
            reachable += size, objects++;
        else
            garbage += size, dead++;
    }
    ck_assert_uint_eq(s->reachable_bytes, reachable);
    ck_assert_uint_eq(s->garbage_bytes, garbage);
    ck_assert_uint_eq(s->before_bytes, before);
    ck_assert_uint_eq(s->reachable_objects, objects);
    ck_assert_uint_eq(s->garbage_objects, dead);
    ck_assert_uint_eq(s->before_objects, old);
}

/* Every word that can be asked of a heap, which says something and stays in its bounds. */
static void check_words(const LmpSnapshot *s) {
    char out[40];
    for (uint32_t i = 0; i < s->g.objects; i++) {
        size_t size = 1 + suite_below(sizeof out);
        ck_assert_uint_lt(strlen(snapshot_name(s, i, out, size)), size);
        ck_assert_uint_lt(strlen(snapshot_preview(s, i, out, size)), size);
        ck_assert_uint_lt(strlen(snapshot_site(s, i, out, size)), size);
        ck_assert(*s->class_list[s->class_of[i]].name);
        ck_assert_uint_lt(s->class_of[i], s->classes);
        for (uint32_t e = s->g.edge_at[i]; e < s->g.edge_at[i + 1]; e++)
            ck_assert_uint_lt(strlen(snapshot_step(s, i, e, out, size)), size);
    }
}

static void play(const GraphPlan *plan) {
    OWN(graph_free_at) Graph *graph = graph_random(plan);
    const LmpObjectGraph *g = graph_done(graph);
    static Judge j;
    judge_make(&j, g);
    OWN(snapshot_close) LmpSnapshot s;
    ck_assert_int_eq(snapshot_of_graph(&s, &info, g), LMP_OK);
    check_paths(&s, &j);
    check_retained(&s, &j);
    check_children(&s);
    check_incoming(&s);
    check_sums(&s, &j);
    check_words(&s);
}

TEST(test_random_heaps) {
    for (int round = 0; round < 6000; round++) {
        GraphPlan plan = {.objects = 1 + (uint32_t)suite_below(20)};
        plan.edges = (uint32_t)suite_below(4 * plan.objects);
        plan.weak = suite_below(2);
        plan.ephemerons = suite_below(2);
        plan.registry = suite_below(2);
        play(&plan);
    }
    for (int round = 0; round < 100; round++) {
        GraphPlan plan = {100, 60 + (uint32_t)suite_below(300), true, true, true};
        play(&plan);
    }
}

/* ---- large ----------------------------------------------------------------------------------- */

enum { MANY = 20000 };

/* Counts who is held when an object is gone, by plain references only. */
static uint32_t held_without(const LmpObjectGraph *g, uint32_t gone, bool *held) {
    static uint32_t queue[MANY + 1];
    uint32_t head = 0, tail = 0;
    memset(held, 0, g->objects * sizeof *held);
    held[0] = held[gone] = true;
    for (queue[tail++] = 0; head < tail; head++)
        for (uint32_t e = g->edge_at[queue[head]]; e < g->edge_at[queue[head] + 1]; e++) {
            if (held[g->edge_to[e]]) continue;
            held[g->edge_to[e]] = true;
            queue[tail++] = g->edge_to[e];
        }
    held[gone] = false;
    return tail;
}

/* More numbers than one block has (dominators.c), near and far references, and some that many
 * have. */
TEST(test_many_random_objects) {
    enum { ROUNDS_OF_MANY = 6, ASKED = 100, NEAR = 3000 };
    for (uint32_t round = 0; round < ROUNDS_OF_MANY; round++) {
        OWN(graph_free_at) Graph *graph = graph_new();
        for (uint32_t i = 1; i <= MANY; i++) {
            uint32_t to = graph_table(graph, 0, 0, 0, 0), far = i < NEAR ? i : NEAR;
            uint32_t from = i == 1 ? 0 : i - 1 - (uint32_t)suite_below(round % 2 ? far : 2);
            graph_edge(graph, from, to, from ? LMP_EDGE_INDEX : LMP_EDGE_ROOT,
                       from ? i : LMP_ROOT_MAIN);
        }
        for (uint32_t i = 0; i < MANY * round / 4; i++) {
            uint32_t to = 1 + (uint32_t)suite_below(MANY), from = to;
            if (suite_below(8))
                from = 1 + (uint32_t)suite_below(suite_below(2) ? MANY : 40);
            else if (to > NEAR)
                from = to - (uint32_t)suite_below(NEAR);
            graph_index(graph, from, MANY + i, to);
        }
        const LmpObjectGraph *g = graph_done(graph);
        OWN(snapshot_close) LmpSnapshot s;
        ck_assert_int_eq(snapshot_of_graph(&s, &info, g), LMP_OK);
        ck_assert_uint_eq(s.reachable_objects, MANY);
        for (uint32_t asked = 0; asked < ASKED; asked++) {
            static bool held[MANY + 1];
            uint32_t a = 1 + (uint32_t)suite_below(MANY);
            a = s.idom[a] ? s.idom[a] : a; /* most retain only themselves */
            ck_assert_uint_eq(s.tree_end[a] - s.tree_at[a], MANY + 1 - held_without(g, a, held));
            for (uint32_t b = 0; b <= MANY; b++)
                ck_assert_int_eq(snapshot_dominates(&s, a, b), !held[b]);
        }
        check_children(&s);
    }
}

/* ---- long and wide --------------------------------------------------------------------------- */

/* A list of a million and more, doubly linked: a million deep, and every element refers back. */
TEST(test_long_list) {
    enum { LINKS = 2500000 };
    LmpObjectGraph g = {.objects = LINKS + 1, .edges = 2 * LINKS};
    g.count[LMP_OBJECT_ROOT] = 1, g.count[LMP_OBJECT_TABLE] = LINKS;
    for (uint32_t c = 0; c < LMP_SNAP_COLUMNS; c++)
        *(void **)((char *)&g + objectgraph_columns[c].at) = graph_column(
            objectgraph_rows(&g, &objectgraph_columns[c]), objectgraph_columns[c].width);
    uint32_t e = 0;
    for (uint32_t i = 0; i <= LINKS; i++) {
        g.kind[i] = i ? LMP_OBJECT_TABLE : LMP_OBJECT_ROOT;
        g.size[i] = i ? 56 : 0;
        g.addr[i] = 64ull * i;
        g.edge_at[i] = e;
        if (i > 1) g.edge_to[e] = i - 1, g.edge_label[e] = 1, g.edge_kind[e++] = LMP_EDGE_INDEX;
        if (i < LINKS)
            g.edge_to[e] = i + 1, g.edge_label[e] = i ? 2 : LMP_ROOT_MAIN,
            g.edge_kind[e++] = i ? LMP_EDGE_INDEX : LMP_EDGE_ROOT;
    }
    g.edge_at[LINKS + 1] = g.edges = e;
    LmpSnapshot s;
    ck_assert_int_eq(snapshot_of_graph(&s, &info, &g), LMP_OK);
    for (uint32_t i = 1; i <= LINKS; i++) {
        ck_assert_uint_eq(s.distance[i], i);
        ck_assert_uint_eq(s.idom[i], i - 1);
        ck_assert_uint_eq(s.retained[i], 56ull * (LINKS - i + 1));
    }
    snapshot_close(&s);
    for (uint32_t c = 0; c < LMP_SNAP_COLUMNS; c++)
        free(*(void **)((char *)&g + objectgraph_columns[c].at));
}

TEST(test_wide_array) {
    enum { ITEMS = 1000000 };
    OWN(graph_free_at) Graph *graph = graph_new();
    uint32_t array = graph_table(graph, ITEMS, ITEMS, 0, 0);
    graph_edge(graph, 0, array, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    for (uint32_t i = 1; i <= ITEMS; i++) {
        uint32_t item = graph_table(graph, 0, 0, 0, 0);
        graph->object[item].size = 56 + i * 7919ull % 100003;
        graph_index(graph, array, i, item);
    }
    const LmpObjectGraph *g = graph_done(graph);
    OWN(snapshot_close) LmpSnapshot s;
    ck_assert_int_eq(snapshot_of_graph(&s, &info, g), LMP_OK);
    ck_assert_uint_eq(s.child_at[array + 1] - s.child_at[array], ITEMS);
    for (uint32_t k = s.child_at[array]; k + 1 < s.child_at[array + 1]; k++)
        ck_assert_uint_ge(s.retained[s.child[k]], s.retained[s.child[k + 1]]);
    char name[64];
    ck_assert_str_eq(snapshot_name(&s, array, name, sizeof name), "table [table]\xc3\x97"
                                                                  "1,000,000");
}
