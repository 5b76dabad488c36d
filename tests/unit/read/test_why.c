/* test_why.c - why.c: paths from the root, the reference to cut.
 *
 * The judge of a cut is the graph itself: without that one reference, what is no longer reachable
 * has to be exactly what was promised. */
#include "graph_fixture.h"
#include "read/snapshot/why.h"
#include "suite.h"

static const LmpObjectInfo info; /* of nobody */

/* ---- a judge --------------------------------------------------------------------------------- */

/* Bytes that cannot be reached without the edge `cut` (LMP_OBJECT_NONE: with all), and whether
 * `object` is among them. No ephemerons in these graphs. */
static uint64_t unreachable(const LmpObjectGraph *g, uint32_t cut, uint32_t object, bool *gone) {
    uint8_t *seen = calloc(g->objects, 1);
    uint32_t *list = calloc(g->objects, sizeof *list), n = 0;
    uint64_t bytes = 0;
    ck_assert(seen && list);
    list[n++] = 0;
    seen[0] = 1;
    for (uint32_t at = 0; at < n; at++) {
        for (uint32_t e = g->edge_at[list[at]]; e < g->edge_at[list[at] + 1]; e++) {
            uint32_t to = g->edge_to[e];
            if (e == cut || g->edge_kind[e] & LMP_EDGE_WEAK || seen[to]) continue;
            seen[to] = 1;
            list[n++] = to;
        }
    }
    for (uint32_t i = 0; i < g->objects; i++)
        if (!seen[i]) bytes += g->size[i];
    *gone = !seen[object];
    free(seen);
    free(list);
    return bytes;
}

static void expect_sound(const LmpSnapshot *s, uint32_t object, const LmpWhyPath *path) {
    ck_assert_uint_gt(path->steps, 0);
    ck_assert_uint_eq(path->step[0].from, 0);
    ck_assert_uint_eq(path->step[path->steps - 1].to, object);
    uint32_t cuts = 0;
    for (uint32_t k = 0; k < path->steps; k++) {
        const LmpWhyStep *step = &path->step[k];
        ck_assert_uint_ge(step->edge, s->g.edge_at[step->from]);
        ck_assert_uint_lt(step->edge, s->g.edge_at[step->from + 1]);
        if (k) ck_assert_uint_eq(step->from, path->step[k - 1].to);
        cuts += step->cut;
    }
    ck_assert_uint_le(cuts, 1);
    ck_assert_int_eq(cuts == 0, path->frees == 0);
}

/* A graph of `n` tables with random references, some of them weak. */
static Graph *random_graph(uint32_t n, uint32_t edges) {
    Graph *graph = graph_new();
    for (uint32_t i = 0; i < n; i++)
        graph_table(graph, (uint32_t)(suite_random() % 5), 0, 0, 0);
    graph_edge(graph, 0, 1, LMP_EDGE_ROOT, LMP_ROOT_RUNNING);
    if (n > 3) graph_edge(graph, 0, 2, LMP_EDGE_ROOT, LMP_ROOT_RUNNING);
    for (uint32_t e = 0; e < edges; e++) {
        uint32_t from = 1 + (uint32_t)(suite_random() % n), to = 1 + (uint32_t)(suite_random() % n);
        unsigned weak = suite_random() % 8 == 0 ? LMP_EDGE_WEAK : 0;
        graph_edge(graph, from, to, LMP_EDGE_INDEX | weak, e); /* all labels differ: no folding */
    }
    return graph;
}

TEST(test_random_cuts_free_what_they_promise) {
    uint32_t promised = 0, several = 0;
    for (int round = 0; round < 600; round++) {
        uint32_t n = 2 + (uint32_t)(suite_random() % 14);
        OWN(graph_free_at) Graph *graph = random_graph(n, (uint32_t)(suite_random() % (2 * n + 2)));
        const LmpObjectGraph *g = graph_done(graph);
        LmpSnapshot s;
        ck_assert_int_eq(snapshot_of_graph(&s, &info, g), LMP_OK);
        for (uint32_t i = 1; i < g->objects; i++) {
            LmpWhyPaths why;
            bool gone;
            uint64_t waste = unreachable(g, LMP_OBJECT_NONE, i, &gone);
            ck_assert_int_eq(why_make(&why, &s, i, 4, NULL, 0), LMP_OK);
            ck_assert_int_eq(why.paths == 0, gone);
            ck_assert_int_eq(why.held == LMP_HELD, !gone);
            several += why.paths > 1;
            for (uint32_t p = 0; p < why.paths; p++) {
                expect_sound(&s, i, &why.path[p]);
                bool any = false; /* does any single reference of this path free it? */
                for (uint32_t k = 0; k < why.path[p].steps; k++) {
                    const LmpWhyStep *step = &why.path[p].step[k];
                    uint64_t freed = unreachable(g, step->edge, i, &gone) - waste;
                    if (k > 0) any = any || gone;
                    if (!step->cut) continue;
                    promised++;
                    ck_assert(gone);
                    ck_assert_uint_eq(freed, why.path[p].frees);
                }
                ck_assert_int_eq(any, why.path[p].frees != 0);
            }
            why_free(&why);
        }
        snapshot_close(&s);
    }
    ck_assert_uint_gt(promised, 1000);
    ck_assert_uint_gt(several, 500);
}

/* ---- further paths, ignored holders ---------------------------------------------------------- */

enum { FAR = 1000000 };

/* How many of the references in `costs` the path from the root that has fewest of them has; those
 * that `closed` has, and weak ones, are not to be used. FAR: there is no path. */
static uint32_t cheapest(const LmpObjectGraph *g, uint32_t object, const bool *costs,
                         const bool *closed, const bool *ignored) {
    uint32_t *cost = calloc(g->objects, sizeof *cost);
    ck_assert_ptr_nonnull(cost);
    for (uint32_t i = 1; i < g->objects; i++)
        cost[i] = FAR;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < g->objects; i++)
            for (uint32_t e = g->edge_at[i]; e < g->edge_at[i + 1]; e++) {
                uint32_t to = g->edge_to[e], by = cost[i] + costs[e];
                if (cost[i] == FAR || g->edge_kind[e] & LMP_EDGE_WEAK || closed[e]) continue;
                if (by >= cost[to] || (ignored[to] && to != object)) continue;
                cost[to] = by;
                more = true;
            }
    }
    uint32_t found = cost[object];
    free(cost);
    return found;
}

/* Paths from the root, none twice through the same object or through an ignored one, each with as
 * few references of those before as there can be. */
static void expect_few_in_common(const LmpSnapshot *s, uint32_t object, uint32_t most,
                                 const bool *ignored, const LmpWhyPaths *why) {
    const LmpObjectGraph *g = &s->g;
    bool *used = calloc(g->edges, sizeof *used), *unused = calloc(g->edges, sizeof *unused);
    bool *none = calloc(g->edges, sizeof *none), *met = calloc(g->objects, sizeof *met);
    ck_assert(used && unused && none && met);
    for (uint32_t p = 0; p < why->paths; p++) {
        const LmpWhyPath *path = &why->path[p];
        uint32_t counts = 0;
        expect_sound(s, object, path);
        memset(met, 0, g->objects * sizeof *met);
        for (uint32_t k = 0; k < path->steps; k++) {
            ck_assert(!met[path->step[k].to]);
            ck_assert(path->step[k].to == object || !ignored[path->step[k].to]);
            met[path->step[k].to] = true;
            counts += used[path->step[k].edge];
        }
        ck_assert_uint_eq(counts, cheapest(g, object, used, none, ignored));
        for (uint32_t k = 0; k < path->steps; k++)
            used[path->step[k].edge] = true;
    }
    for (uint32_t e = 0; e < g->edges; e++)
        unused[e] = !used[e];
    uint32_t any = cheapest(g, object, used, none, ignored);
    uint32_t known = cheapest(g, object, used, unused, ignored);
    ck_assert(why->paths == most || any >= known); /* not less than one of the paths it has */
    free(used);
    free(unused);
    free(none);
    free(met);
}

TEST(test_random_paths_have_least_in_common) {
    enum { MOST = 6 };
    uint32_t paths = 0, with_ignored = 0;
    for (int round = 0; round < 150; round++) {
        uint32_t n = 4 + (uint32_t)(suite_random() % 40);
        OWN(graph_free_at) Graph *graph = random_graph(n, n + (uint32_t)(suite_random() % (3 * n)));
        const LmpObjectGraph *g = graph_done(graph);
        OWN(snapshot_close) LmpSnapshot s;
        ck_assert_int_eq(snapshot_of_graph(&s, &info, g), LMP_OK);
        OWN(free_at) bool *ignored = calloc(g->objects, sizeof *ignored);
        ck_assert_ptr_nonnull(ignored);
        for (uint32_t i = 1; i < g->objects; i++) {
            OWN(why_free) LmpWhyPaths why;
            uint32_t ignore[2] = {1 + (uint32_t)(suite_random() % n), i}, some = i % 3;
            for (uint32_t k = 0; k < some; k++)
                ignored[ignore[k]] = true;
            ck_assert_int_eq(why_make(&why, &s, i, MOST, ignore, some), LMP_OK);
            if (!snapshot_garbage(&s, i)) expect_few_in_common(&s, i, MOST, ignored, &why);
            paths += why.paths > 2;
            with_ignored += some && why.paths > 1;
            for (uint32_t k = 0; k < some; k++)
                ignored[ignore[k]] = false;
        }
    }
    ck_assert_uint_gt(paths, 500);
    ck_assert_uint_gt(with_ignored, 300);
}

/* ---- one graph ------------------------------------------------------------------------------- */

static Graph *graph;
static uint32_t registry; /* a root */
static LmpSnapshot s;
static LmpWhyPaths why; /* the last answer */

static void end(void) {
    why_free(&why);
    snapshot_close(&s);
    graph_free(graph);
}

static void begin(void) {
    suite_closes(end);
    graph = graph_new();
    registry = graph_table(graph, 0, 0, 4, 2);
    graph_edge(graph, 0, registry, LMP_EDGE_ROOT, LMP_ROOT_REGISTRY);
}

static void open_it(void) {
    ck_assert_int_eq(snapshot_of_graph(&s, &info, graph_done(graph)), LMP_OK);
}

/* Asks for `most` paths to the object that go by none of `ignored`: there are so many. */
static void expect_but(uint32_t object, uint32_t most, const uint32_t *ignored, uint32_t n,
                       uint32_t paths) {
    why_free(&why);
    ck_assert_int_eq(why_make(&why, &s, object, most, ignored, n), LMP_OK);
    ck_assert_uint_eq(why.paths, paths);
}

static void expect(uint32_t object, uint32_t most, uint32_t paths) {
    expect_but(object, most, NULL, 0, paths);
}

static const char *path(uint32_t i) {
    static char text[200];
    return why_text(&s, &why.path[i], text, sizeof text);
}

/* registry.left.a = object, registry.right.b.c = object */
static uint32_t left, right, object;
static void two_holders(void) {
    begin();
    left = graph_table(graph, 0, 0, 1, 1);
    right = graph_table(graph, 0, 0, 1, 1);
    uint32_t inner = graph_table(graph, 0, 0, 1, 1);
    object = graph_table(graph, 100, 0, 0, 0);
    graph_field(graph, registry, "left", left);
    graph_field(graph, registry, "right", right);
    graph_field(graph, left, "a", object);
    graph_field(graph, right, "b", inner);
    graph_field(graph, inner, "c", object);
    open_it();
}

TEST(test_two_holders) {
    two_holders();
    expect(object, 5, 2);
    ck_assert_ptr_nonnull(strstr(path(0), "left.a"));
    ck_assert_ptr_nonnull(strstr(path(1), "right.b.c"));
    ck_assert_uint_eq(why.path[0].frees, 0); /* neither alone */
    ck_assert_uint_eq(why.path[1].frees, 0);
}

/* _G is held by the registry in two ways, what is in it in one: that is one path, not two. */
TEST(test_the_frame_is_held_in_many_ways) {
    begin();
    uint32_t globals = graph_table(graph, 0, 0, 4, 2), list = graph_table(graph, 4, 2, 0, 0);
    object = graph_table(graph, 100, 0, 0, 0);
    graph_index(graph, registry, 2, globals);
    graph_field(graph, registry, "env", globals);
    graph_field(graph, globals, "list", list);
    graph_index(graph, list, 1, object);
    open_it();
    expect(object, 5, 1);
    ck_assert_uint_gt(why.path[0].frees, 0);
    expect(globals, 5, 2);
}

/* A bus of 20 handlers, which a temporary of a call holds nearest to the root, and a field at the
 * end of a longer path: the field comes first, also where one path is wanted; the bus is where to
 * take handlers out. */
TEST(test_names_first_and_the_container) {
    begin();
    uint32_t app = graph_table(graph, 0, 0, 1, 1), bus = graph_table(graph, 20, 20, 0, 0);
    uint32_t main = graph_thread(graph, 0), frame = graph_frame(graph, 0, 7);
    graph_edge(graph, 0, main, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    graph_local(graph, frame, NULL, 6, bus);
    graph_local(graph, frame, "app", 1, app);
    graph_field(graph, app, "bus", bus);
    for (int i = 1; i <= 20; i++) {
        object = graph_table(graph, 0, 0, 4, 2);
        graph_index(graph, bus, i, object);
    }
    open_it();
    for (uint32_t most = 1; most <= 5; most += 4) {
        expect(object, most, most == 1 ? 1 : 2);
        ck_assert_msg(strstr(path(0), "local app") && strstr(path(0), ".bus"), "%s", path(0));
        ck_assert(!why.path[0].shortest && why.path[0].named);
        ck_assert_uint_eq(why.path[0].container, bus);
        ck_assert(most == 1 || (why.path[1].shortest && !why.path[1].named));
    }
    expect(bus, 1, 1);
    ck_assert_uint_eq(why.path[0].container, 0); /* no table of many holds it */
}

TEST(test_an_ignored_holder) {
    two_holders();
    expect_but(object, 5, &left, 1, 1);
    ck_assert_ptr_nonnull(strstr(path(0), "right.b.c"));
    expect_but(object, 5, (uint32_t[]){left, right}, 2, 0);
    ck_assert_int_eq(why.held, LMP_HELD);
}

/* ---- long lists, upvalues -------------------------------------------------------------------- */

TEST(test_a_list_is_one_step) {
    enum { LINKS = 200000 };
    begin();
    uint32_t at = registry, next = graph_string(graph, "next");
    for (int i = 0; i < LINKS; i++) {
        uint32_t link = graph_table(graph, 0, 0, 1, 1);
        graph_edge(graph, at, link, LMP_EDGE_FIELD, next);
        graph_edge(graph, link, at, LMP_EDGE_OBJECT, at); /* and back */
        at = link;
    }
    open_it();
    expect(at, 3, 1);
    ck_assert_uint_eq(why.path[0].steps, 2);
    ck_assert_uint_eq(why.path[0].step[1].times, LINKS);
    ck_assert(why.path[0].step[1].cut);
    ck_assert_uint_eq(why.path[0].frees, s.g.size[at]);
    ck_assert_ptr_nonnull(strstr(path(0), ".next×200000"));
}

/* A list with a table that holds both of its ends, and each link refers to this table. */
TEST(test_a_list_from_both_ends) {
    enum { LINKS = 100000 };
    begin();
    uint32_t before = 0, next = graph_string(graph, "next"), back = graph_string(graph, "back");
    for (int i = 0; i < LINKS; i++) {
        uint32_t link = graph_table(graph, 0, 0, 4, 3);
        graph_field(graph, link, "list", registry);
        if (i == 0) graph_field(graph, registry, "first", link);
        if (before) graph_edge(graph, before, link, LMP_EDGE_FIELD, next);
        if (before) graph_edge(graph, link, before, LMP_EDGE_FIELD, back);
        if (i == LINKS / 5) object = link;
        before = link;
    }
    graph_field(graph, registry, "last", before);
    open_it();
    expect(object, 5, 2);
    ck_assert_str_eq(path(0), "registry.first.next×20000");
    ck_assert_str_eq(path(1), "registry.last.back×79999");
    /* the table itself: all links refer to it, and hold nothing by that */
    expect_but(before, 5, &object, 1, 1);
    ck_assert_uint_eq(why.path[0].frees, 0);
}

/* What is in a table with weak keys is held by its key, which is where it can be cut. */
TEST(test_a_value_of_a_weak_key) {
    begin();
    uint32_t cache = graph_table(graph, 0, 0, 1, 1), key = graph_table(graph, 0, 0, 0, 0);
    uint32_t value = graph_table(graph, 5, 5, 0, 0);
    graph->object[cache].flags |= LMP_OBJECT_WEAK_KEYS;
    graph_field(graph, registry, "cache", cache);
    graph_field(graph, registry, "user", key);
    graph_edge(graph, cache, value, LMP_EDGE_OBJECT | LMP_EDGE_EPHEMERON, key);
    graph_edge(graph, cache, key, LMP_EDGE_KEY | LMP_EDGE_WEAK, 0);
    open_it();
    expect(value, 5, 1);
    ck_assert_str_eq(path(0), "registry.user ▸ value in weak {[table] = table}");
    ck_assert_uint_eq(why.path[0].frees, s.g.size[value]);
    expect_but(value, 5, &key, 1, 0);
}

TEST(test_an_upvalue_and_its_value_are_one_step) {
    begin();
    uint32_t get = graph_function(graph, graph_proto(graph, "@cache.lua", 3, 5));
    uint32_t entries = graph_table(graph, 0, 0, 2, 1);
    object = graph_table(graph, 10, 10, 0, 0);
    graph_field(graph, registry, "get", get);
    graph_upvalue(graph, get, "entries", entries);
    graph_field(graph, entries, "req-1042", object);
    open_it();
    expect(object, 3, 1);
    ck_assert_uint_eq(why.path[0].steps, 4);
    ck_assert_uint_eq(why.path[0].step[2].to, entries);
    ck_assert_uint_eq(why.path[0].step[2].retained, s.retained[entries]);
    ck_assert(why.path[0].step[3].cut);
}

/* A local that a closure uses is on the stack and in the closure's upvalue, which the thread marks,
 * too: two holders, not three. */
TEST(test_an_open_upvalue_is_no_further_holder) {
    begin();
    uint32_t cache = graph_table(graph, 9, 9, 0, 0);
    uint32_t get = graph_function(graph, graph_proto(graph, "@cache.lua", 3, 5));
    uint32_t entries = graph_upvalue(graph, get, "entries", cache);
    graph->object[entries].flags |= LMP_OBJECT_OPEN;
    graph_field(graph, registry, "get", get);
    uint32_t thread = graph_thread(graph, 0);
    graph_edge(graph, 0, thread, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    graph_local(graph, graph_frame(graph, 0, 7), "entries", 1, cache);
    graph_edge(graph, thread, entries, LMP_EDGE_UPVALUE, 0);
    open_it();
    expect(cache, 5, 2);
}

/* Each is the key of the next in one weak table, and the last has one more in a table of its own.
 */
TEST(test_a_run_through_a_weak_table_names_it) {
    enum { LINKS = 50 };
    begin();
    uint32_t globals = graph_table(graph, 0, 0, 4, 4), first = graph_table(graph, 1, 1, 0, 0);
    uint32_t weak = graph_table(graph, 0, 0, 64, LINKS), other = graph_table(graph, 0, 0, 1, 1);
    uint32_t at = first, link[LINKS], asked;
    graph->object[weak].flags |= LMP_OBJECT_WEAK_KEYS;
    graph->object[other].flags |= LMP_OBJECT_WEAK_KEYS;
    graph_index(graph, registry, 2, globals);
    graph_field(graph, globals, "props", weak);
    graph_field(graph, registry, "own", other);
    graph_field(graph, globals, "first", first);
    for (int i = 0; i < LINKS; i++) {
        link[i] = graph_table(graph, 1, 1, 0, 0);
        uint32_t table = i == LINKS - 1 ? other : weak;
        graph_edge(graph, table, at, LMP_EDGE_KEY | LMP_EDGE_WEAK, 0);
        graph_edge(graph, table, link[i], LMP_EDGE_OBJECT | LMP_EDGE_EPHEMERON, at);
        at = link[i];
    }
    open_it();
    expect(at, 1, 1);
    ck_assert_str_eq(path(0), "_G.first ▸ value in weak table props×49 ▸ value in weak {[table] = "
                              "table}");
    /* Those within the run have one shape, the last one another. */
    LmpWhyShape shape[4];
    ck_assert_uint_eq(why_shapes(&s, link, LINKS, shape, 4, &asked), 2);
    ck_assert_uint_eq(shape[0].objects, LINKS - 1);
    ck_assert_str_eq(shape[0].path, "_G.first ▸ value in weak table props");
}

/* ---- not held -------------------------------------------------------------------------------- */

TEST(test_weakly_by_a_finalizer_and_not_at_all) {
    begin();
    uint32_t weak = graph_table(graph, 1, 1, 0, 0);
    uint32_t dying = graph_table(graph, 1, 1, 0, 0), of_dying = graph_table(graph, 1, 1, 0, 0);
    uint32_t garbage = graph_table(graph, 1, 1, 0, 0), of_garbage = graph_table(graph, 1, 1, 0, 0);
    graph_edge(graph, registry, weak, LMP_EDGE_INDEX | LMP_EDGE_WEAK, 1);
    graph_edge(graph, 0, dying, LMP_EDGE_ROOT, LMP_ROOT_FINALIZING);
    graph_index(graph, dying, 1, of_dying);
    graph_index(graph, garbage, 1, of_garbage);
    open_it();
    const struct {
        uint32_t object;
        LmpWhyHeld held;
        uint32_t paths;
    } row[] = {{weak, LMP_HELD_WEAKLY, 0},
               {of_dying, LMP_HELD_FINALIZER, 1},
               {dying, LMP_HELD_FINALIZER, 1},
               {of_garbage, LMP_HELD_GARBAGE, 0},
               {registry, LMP_HELD, 1}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        expect(row[i].object, 3, row[i].paths);
        ck_assert_int_eq(why.held, row[i].held);
    }
}
