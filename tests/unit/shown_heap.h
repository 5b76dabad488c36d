/* shown_heap.h - for suites of app_fixture.h: opens and shows the snapshot of cached_heap.h, and
 * finds words on the screen. */
#ifndef LMP_SHOWN_HEAP_H
#define LMP_SHOWN_HEAP_H

#include "app_fixture.h"
#include "cached_heap.h"

static Graph *graph;
static LmpSnapshot snapshot;
static OpenedSnapshot *heap;

/* Snapshot `number`, taken at 62 s; the program's clock is at 102 s. */
static void open_snapshot(uint32_t number) {
    setenv("TZ", "UTC", 1); /* the header says when it was taken */
    graph = cached_graph(60);
    const LmpObjectGraph *g = graph_done(graph);
    LmpObjectInfo info = cached_info(g, number);
    ck_assert_int_eq(snapshot_of_graph(&snapshot, &info, g), LMP_OK);
    heap = opened_of(&snapshot, NULL);
}

static void close_heap(void) {
    opened_close(heap);
    snapshot_close(&snapshot);
    graph_free(graph);
}

#endif
