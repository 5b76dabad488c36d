/* test_why_shapes.c - why_shapes.c: the paths of many objects, grouped by how they go. */
#include "graph_fixture.h"
#include "read/snapshot/why.h"
#include "suite.h"

static const LmpObjectInfo info; /* of nobody */

/* registry.handlers[i].callback = object i, but for a few that registry.special["name i"] has. */
TEST(test_shapes_of_many) {
    enum { MANY = 20000, SPECIAL = 600 };
    OWN(graph_free_at) Graph *graph = graph_new();
    uint32_t registry = graph_table(graph, 0, 0, 2, 2),
             handlers = graph_table(graph, MANY, MANY, 0, 0);
    uint32_t special = graph_table(graph, 0, 0, 1024, SPECIAL);
    uint32_t callback = graph_string(graph, "callback");
    static uint32_t member[MANY];
    graph_edge(graph, 0, registry, LMP_EDGE_ROOT, LMP_ROOT_REGISTRY);
    graph_field(graph, registry, "handlers", handlers);
    graph_field(graph, registry, "special", special);
    for (uint32_t i = 0; i < MANY; i++) {
        member[i] = graph_table(graph, 1, 1, 0, 0);
        if (i < SPECIAL) {
            char name[32];
            snprintf(name, sizeof name, "name %u", i);
            graph_field(graph, special, name, member[i]);
        } else {
            uint32_t handler = graph_table(graph, 0, 0, 1, 1);
            graph_index(graph, handlers, i, handler);
            graph_edge(graph, handler, member[i], LMP_EDGE_FIELD, callback);
        }
    }
    OWN(snapshot_close) LmpSnapshot s;
    LmpWhyShape shape[4];
    uint32_t asked = 0;
    ck_assert_int_eq(snapshot_of_graph(&s, &info, graph_done(graph)), LMP_OK);
    ck_assert_uint_eq(why_shapes(&s, member, MANY, shape, 4, &asked), 2);
    ck_assert_uint_eq(asked, MANY);
    ck_assert_uint_eq(shape[0].objects, MANY - SPECIAL);
    ck_assert_uint_eq(shape[0].holder, handlers);
    ck_assert_uint_eq(shape[0].size, (MANY - SPECIAL) * 72ull);
    ck_assert_ptr_nonnull(strstr(shape[0].path, "handlers[*].callback"));
    ck_assert_uint_eq(shape[1].objects, SPECIAL);
    ck_assert_uint_eq(shape[1].holder, special);
    ck_assert_ptr_nonnull(strstr(shape[1].path, "special[*]"));
    /* a single one keeps its name, and its end is the holder */
    ck_assert_uint_eq(why_shapes(&s, member, 1, shape, 4, &asked), 1);
    ck_assert_ptr_nonnull(strstr(shape[0].path, "special[\"name 0\"]"));
    ck_assert_uint_eq(shape[0].holder, member[0]);
}

/* A cache that a temporary of a call holds nearest to the root, and in a second temporary one that
 * is on its way there: the cache is the holder of all but that one. */
TEST(test_shapes_in_temporaries) {
    enum { MANY = 1000 };
    OWN(graph_free_at) Graph *graph = graph_new();
    uint32_t cache = graph_table(graph, MANY, MANY - 1, 0, 0);
    uint32_t main = graph_thread(graph, 0), frame = graph_frame(graph, 0, 7);
    static uint32_t member[MANY];
    graph_edge(graph, 0, main, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    graph_local(graph, frame, NULL, 6, cache);
    for (uint32_t i = 0; i < MANY; i++) {
        member[i] = graph_table(graph, 1, 1, 0, 0);
        if (i > 0) graph_index(graph, cache, i, member[i]);
    }
    graph_local(graph, frame, NULL, 8, member[0]);
    OWN(snapshot_close) LmpSnapshot s;
    LmpWhyShape shape[4];
    uint32_t asked = 0;
    ck_assert_int_eq(snapshot_of_graph(&s, &info, graph_done(graph)), LMP_OK);
    ck_assert_uint_ge(why_shapes(&s, member, MANY, shape, 4, &asked), 1);
    ck_assert_uint_eq(shape[0].objects, MANY - 1);
    ck_assert_uint_eq(shape[0].holder, cache);
}

/* A local of the caller has it, too, and is what the path names. */
TEST(test_a_local_before_a_temporary) {
    OWN(graph_free_at) Graph *graph = graph_new();
    uint32_t cache = graph_table(graph, 4, 0, 0, 0), main = graph_thread(graph, 0);
    graph_edge(graph, 0, main, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    graph_local(graph, graph_frame(graph, 0, 7), NULL, 6, cache);
    graph_local(graph, graph_frame(graph, 0, 30), "memo", 1, cache);
    OWN(snapshot_close) LmpSnapshot s;
    LmpWhyShape shape[4];
    uint32_t asked = 0;
    ck_assert_int_eq(snapshot_of_graph(&s, &info, graph_done(graph)), LMP_OK);
    ck_assert_uint_eq(why_shapes(&s, &cache, 1, shape, 4, &asked), 1);
    ck_assert_ptr_nonnull(strstr(shape[0].path, "local memo"));
}

TEST(test_shapes_of_a_long_list_end) {
    enum { LINKS = 300000 };
    OWN(graph_free_at) Graph *graph = graph_new();
    OWN(free_at) uint32_t *member = calloc(LINKS, sizeof *member);
    uint32_t at = graph_table(graph, 0, 0, 2, 2), next = graph_string(graph, "next");
    ck_assert_ptr_nonnull(member);
    graph_edge(graph, 0, at, LMP_EDGE_ROOT, LMP_ROOT_REGISTRY);
    for (uint32_t i = 0; i < LINKS; i++) {
        member[i] = graph_table(graph, 0, 0, 1, 1);
        graph_edge(graph, at, member[i], LMP_EDGE_FIELD, next);
        at = member[i];
    }
    OWN(snapshot_close) LmpSnapshot s;
    LmpWhyShape shape[4];
    uint32_t asked = 0;
    ck_assert_int_eq(snapshot_of_graph(&s, &info, graph_done(graph)), LMP_OK);
    ck_assert_uint_eq(why_shapes(&s, member, LINKS, shape, 4, &asked), 1);
    ck_assert_uint_gt(asked, 50); /* the budget of steps is used up, and no more */
    ck_assert_uint_lt(asked, 1000);
    ck_assert_uint_eq(shape[0].objects, asked);
}
