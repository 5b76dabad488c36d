/* framed_heap.h - a heap with registry, globals and main thread, to which a test adds its own
 * objects; then the heap is opened and judged. */
#ifndef LMP_FRAMED_HEAP_H
#define LMP_FRAMED_HEAP_H

#include "leaky_heap.h"
#include "read/snapshot/suspects.h"
#include "suite.h"

static Graph *graph;
static LmpSnapshot snapshot;
static LmpSuspects suspects;

static uint32_t globals, registry;

static inline void end(void) {
    snapshot_close(&snapshot);
    graph_free(graph);
}

/* A heap with a frame and nothing in it. */
static inline void begin(void) {
    suite_closes(end);
    graph = graph_new();
    registry = graph_table(graph, 4, 2, 2, 1);
    globals = graph_table(graph, 0, 0, 8, 1);
    uint32_t main = graph_thread(graph, 0);
    graph_edge(graph, 0, registry, LMP_EDGE_ROOT, LMP_ROOT_REGISTRY);
    graph_edge(graph, 0, main, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    graph_edge(graph, 0, main, LMP_EDGE_ROOT, LMP_ROOT_RUNNING);
    graph_index(graph, registry, 1, main);
    graph_index(graph, registry, 2, globals);
}

static inline void open_snapshot(void) {
    const LmpObjectGraph *g = graph_done(graph);
    LmpObjectInfo info = leaky_info(g);
    ck_assert_int_eq(snapshot_of_graph(&snapshot, &info, g), LMP_OK);
}

static inline void judge(void) {
    open_snapshot();
    ck_assert_int_eq(suspects_make(&suspects, &snapshot, NULL, NULL), LMP_OK);
}

static inline uint32_t block(uint64_t size) {
    return graph_object(graph, LMP_OBJECT_USERDATA, size);
}

#endif
