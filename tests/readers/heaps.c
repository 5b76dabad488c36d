/* heaps.c - writes heaps for programs of others to read: for each of them
 * DIR/NAME.heapsnapshot, and DIR/NAME.csv with what lmp says that each object retains, by the same
 * order of objects. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "leaky_heap.h"
#include "report/save.h"
#include "report/snapshot/snapshotreport.h"
#include "snapfile_fixture.h"

static uint64_t state = 54;

static uint32_t below(uint32_t n) { /* xorshift64* */
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)((state * 0x2545f4914f6cdd1dull >> 32) % n);
}

enum { OBJECTS = 3000, REFERENCES = 7000 };

static uint32_t any(uint32_t registry) {
    return registry + 1 + below(OBJECTS);
}

/* Tables that refer to each other at random: many loops, many ways to each. `weak`: one reference
 * in twelve holds nothing, one in twenty is a value that belongs to its key, and many are garbage.
 */
static Graph *random_heap(bool weak) {
    Graph *g = graph_new();
    uint32_t registry = graph_table(g, 4, 4, 0, 0);
    graph_edge(g, 0, registry, LMP_EDGE_ROOT, LMP_ROOT_REGISTRY);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        uint32_t table = graph_table(g, below(8), 0, below(8), 0);
        if (i < 3)
            graph_index(g, registry, i + 1, table);
        else if (!weak)
            graph_index(g, registry + 1 + below(i), i + 1, table);
        if (below(10) == 0) g->object[table].flags |= LMP_OBJECT_BEFORE;
    }
    for (uint32_t i = 0; i < REFERENCES; i++) {
        uint32_t from = any(registry);
        unsigned holds = weak && below(12) == 0 ? LMP_EDGE_WEAK : 0;
        graph_edge(g, from, any(registry), LMP_EDGE_INDEX | holds, i);
        if (!weak || below(20) != 0) continue;
        uint32_t key = any(registry);
        g->object[from].flags |= LMP_OBJECT_WEAK_KEYS;
        graph_edge(g, from, key, LMP_EDGE_KEY | LMP_EDGE_WEAK, 0);
        graph_edge(g, from, any(registry), LMP_EDGE_OBJECT | LMP_EDGE_EPHEMERON, key);
    }
    return g;
}

/* A list of 50,000 links, and functions with upvalues that share a table. */
static Graph *deep_heap(void) {
    enum { LINKS = 50000, FUNCTIONS = 500 };
    Graph *g = graph_new();
    uint32_t registry = graph_table(g, 4, 2, 0, 0), shared = graph_table(g, 16, 16, 0, 0);
    uint32_t proto = graph_proto(g, "@list.lua", 3, 9), next = graph_string(g, "next");
    graph_edge(g, 0, registry, LMP_EDGE_ROOT, LMP_ROOT_REGISTRY);
    for (uint32_t i = 0, above = registry; i < LINKS; i++) {
        uint32_t link = graph_table(g, 0, 0, 1, 1);
        graph_edge(g, above, link, LMP_EDGE_FIELD, next);
        above = link;
    }
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        uint32_t function = graph_function(g, proto);
        graph_index(g, registry, 10 + i, function);
        graph_upvalue(g, function, "shared", shared);
        graph_upvalue(g, function, "own", graph_table(g, below(30), 0, 0, 0));
    }
    return g;
}

typedef struct Job {
    const SnapshotReportKind *kind;
    SnapshotReport report;
} Job;

static LmpErr write_job(const void *of, FILE *out) {
    const Job *job = of;
    return job->kind->write(&job->report, out);
}

static LmpErr write_bytes(const void *of, FILE *out) {
    const FileBytes *file = of;
    fwrite(file->bytes, 1, file->n, out);
    return LMP_OK;
}

static LmpErr write_file(const char *dir, const char *name, const LmpObjectInfo *info,
                         const LmpObjectGraph *g) {
    FileBytes bytes = {0};
    char file[1024];
    LmpErr err = file_write(&bytes, info, g, &(LmpSnapState){0});
    snprintf(file, sizeof file, "%s/%s.heap", dir, name);
    if (!err) err = save_file(file, write_bytes, &bytes);
    free(bytes.bytes);
    return err;
}

static void write_heap(const char *dir, const char *name, Graph *graph) {
    static LmpSnapshot snapshot;
    char file[1024];
    const LmpObjectGraph *g = graph_done(graph);
    LmpObjectInfo info = leaky_info(g);
    LmpErr err = write_file(dir, name, &info, g);
    if (!err) err = snapshot_of_graph(&snapshot, &info, g);
    for (size_t i = 0; i < SNAPSHOT_REPORT_KINDS && !err; i++) {
        Job job = {&snapshotreport_kinds[i], {.s = &snapshot}};
        snprintf(file, sizeof file, "%s/%s.%s", dir, name, job.kind->name);
        err = save_file(file, write_job, &job);
    }
    if (err) {
        fprintf(stderr, "heaps: %s: %s\n", file, err_message(err));
        exit(1);
    }
    snapshot_close(&snapshot);
    graph_free(graph);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    write_heap(argv[1], "leaky", leaky_heap().graph);
    write_heap(argv[1], "random", random_heap(false));
    write_heap(argv[1], "weak", random_heap(true));
    write_heap(argv[1], "deep", deep_heap());
    return 0;
}
