/* test_snapshot_refused.c - memory that is refused at each request in turn, whether from malloc or
 * as a mapping: an error, nothing lost, and the next attempt works. */
#include "suite.h"

#include "base/os.h"
#include "graph_random.h"
#include "read/snapshot/compare.h"
#include "refused_memory.h"
#include "snapfile_fixture.h"

static const LmpObjectInfo info = {.pid = 1, .serial = 1, .number = 1};

static long maps_until; /* mappings until one is refused; below zero: none is */

static void *refusing_map(size_t size, int fd, uint64_t offset, bool writable) {
    if (maps_until == 0) was_refused = true;
    return maps_until-- == 0 ? NULL : os_real.map(size, fd, offset, writable);
}

/* Does `make` until nothing is refused any more; it returns an error exactly when something was. */
static void refuse_each(LmpErr (*make)(void *of), void *of) {
    for (int maps = 0; maps < 2; maps++) {
        long refusals = 0;
        do {
            was_refused = false;
            maps_until = maps ? refusals : -1;
            refuse_after = maps ? -1 : refusals;
            LmpErr err = make(of);
            refuse_after = maps_until = -1;
            ck_assert_int_eq(err, was_refused ? LMP_E_NOMEM : LMP_OK);
        } while (was_refused && ++refusals < 1000);
        ck_assert_int_lt(refusals, 1000);
        if (!maps) ck_assert_int_gt(refusals, 0);
    }
}

typedef struct Heaps {
    const LmpObjectGraph *graph;
    LmpSnapshot s;
    FileBytes file;
} Heaps;

static LmpErr make_snapshot(void *of) {
    Heaps *h = of;
    LmpSnapshot s;
    LmpErr err = snapshot_of_graph(&s, &info, h->graph);
    if (!err) snapshot_close(&s);
    return err;
}

static LmpErr read_file(void *of) {
    Heaps *h = of;
    int fd = file_fd(h->file.bytes, h->file.n);
    LmpSnapRead read;
    LmpErr err = snapfile_read(&read, fd);
    close(fd);
    if (!err) snapfile_free(&read);
    return err;
}

static LmpErr make_groups(void *of) {
    Heaps *h = of;
    LmpObjectGroups groups;
    LmpErr err = groups_make(&groups, &h->s, LMP_BY_CLASS, false);
    if (!err) groups_free(&groups);
    return err;
}

static LmpErr make_compare(void *of) {
    Heaps *h = of;
    LmpSnapshotCompare compare;
    LmpErr err = compare_make(&compare, &h->s, &h->s, LMP_BY_CLASS);
    if (!err) compare_free(&compare);
    return err;
}

static void play(Graph *graph) {
    Heaps h = {.graph = graph_done(graph)};
    ck_assert_int_eq(snapshot_of_graph(&h.s, &info, h.graph), LMP_OK);
    ck_assert_int_eq(file_write(&h.file, &info, h.graph, NULL), LMP_OK);
    refuse_each(make_snapshot, &h);
    refuse_each(read_file, &h);
    refuse_each(make_groups, &h);
    refuse_each(make_compare, &h);
    snapshot_close(&h.s);
    free(h.file.bytes);
    graph_free(graph);
}

TEST(test_each_request) {
    LmpOs refusing = os_real;
    refusing.map = refusing_map;
    maps_until = -1;
    lmp_os = &refusing;
    for (int round = 0; round < 5; round++)
        play(graph_random(&(GraphPlan){40, 200, true, true, true}));
    Graph *large = graph_new(); /* its arrays are mapped */
    for (uint32_t i = 0; i < 600000; i++)
        graph_edge(large, 0, graph_table(large, 0, 0, 0, 0), LMP_EDGE_ROOT, LMP_ROOT_FIXED);
    play(large);
    lmp_os = &os_real;
}
