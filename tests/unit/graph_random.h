/* graph_random.h - small random heaps for suites: any kind may refer to any, with weak references
 * and ephemerons, a registry or none. Include after suite.h. */
#ifndef LMP_GRAPH_RANDOM_H
#define LMP_GRAPH_RANDOM_H

#include "graph_fixture.h"

typedef struct GraphPlan {
    uint32_t objects, edges;         /* at most about so many */
    bool weak, ephemerons, registry; /* may there be some? */
} GraphPlan;

static uint32_t graph_random_object(Graph *graph) {
    uint32_t i = 0, lines = (uint32_t)suite_below(4);
    char text[16];
    switch (suite_below(8)) {
    case 0:
        snprintf(text, sizeof text, "s%u", (unsigned)suite_below(40));
        i = graph_string(graph, text);
        break;
    case 1:
        i = graph_proto(graph, "@a.lua", lines, lines + 3);
        break;
    case 2:
        i = graph_object(graph, LMP_OBJECT_LUA_FUNCTION, 40);
        break;
    case 3:
        i = graph_object(graph, LMP_OBJECT_UPVALUE, 40);
        break;
    case 4:
        i = graph_object(graph, LMP_OBJECT_USERDATA, 80);
        break;
    default:
        i = graph_table(graph, (uint32_t)suite_below(5), 0, (uint32_t)suite_below(9), 0);
        break;
    }
    graph->object[i].size = 1 + suite_below(1000);
    if (suite_below(6) == 0) graph->object[i].flags |= LMP_OBJECT_BEFORE;
    return i;
}

static void graph_random_edge(Graph *graph, const GraphPlan *plan) {
    uint32_t from = (uint32_t)suite_below(graph->objects);
    uint32_t to = (uint32_t)suite_below(graph->objects);
    uint32_t other = (uint32_t)suite_below(graph->objects);
    switch (suite_below(10)) {
    case 0:
        graph_index(graph, from, (uint32_t)suite_below(4), to);
        break;
    case 1:
        graph_edge(graph, from, to, LMP_EDGE_METATABLE, 0);
        break;
    case 2:
    case 3:
        if (plan->weak) graph_edge(graph, from, to, LMP_EDGE_INDEX | LMP_EDGE_WEAK, 1);
        break;
    case 4:
    case 5:
    case 6:
        if (plan->ephemerons)
            graph_edge(graph, from, to, LMP_EDGE_OBJECT | LMP_EDGE_EPHEMERON, other);
        break;
    case 7:
        graph_edge(graph, 0, to, LMP_EDGE_ROOT, (uint32_t)suite_below(LMP_ROOTS));
        break;
    default:
        graph_field(graph, from, suite_below(3) ? "name" : "_LOADED", to);
        break;
    }
}

static Graph *graph_random(const GraphPlan *plan) {
    Graph *graph = graph_new();
    for (uint32_t i = 0; i < plan->objects; i++)
        graph_random_object(graph);
    if (plan->registry) {
        uint32_t registry = graph_table(graph, 2, 2, 0, 0);
        graph_edge(graph, 0, registry, LMP_EDGE_ROOT, LMP_ROOT_REGISTRY);
        graph_index(graph, registry, 2, (uint32_t)suite_below(graph->objects));
        for (uint64_t n = suite_below(3); n > 0; n--)
            graph_field(graph, registry, n == 1 ? "_LOADED" : "own",
                        (uint32_t)suite_below(graph->objects));
    }
    graph_edge(graph, 0, (uint32_t)suite_below(graph->objects), LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    for (uint32_t i = 0; i < plan->edges; i++)
        graph_random_edge(graph, plan);
    return graph;
}

#endif
