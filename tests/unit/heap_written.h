/* heap_written.h - for suites of the reports of a heap snapshot: writes the reports of a made-up
 * heap. */
#ifndef LMP_HEAP_WRITTEN_H
#define LMP_HEAP_WRITTEN_H

#include <unistd.h>

#include "leaky_file.h"
#include "report/snapshot/snapshotreport.h"

static Leaky leaky;
static LmpSnapshot snapshot;

static inline void close_leaky(void) {
    snapshot_close(&snapshot);
    graph_free(leaky.graph);
}

static inline void open_heap(Leaky heap) {
    suite_closes(close_leaky);
    leaky = heap;
    const LmpObjectGraph *g = graph_done(leaky.graph);
    LmpObjectInfo info = leaky_info(g);
    ck_assert_int_eq(snapshot_of_graph(&snapshot, &info, g), LMP_OK);
}

static inline void open_leaky(void) {
    open_heap(leaky_heap());
}

static inline void open_with_lines(void) {
    suite_closes(close_leaky);
    FileBytes file = {0};
    char name[64];
    leaky = leaky_file(&file);
    int fd = file_fd(file.bytes, file.n);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ck_assert_int_eq(snapshot_open(&snapshot, name), LMP_OK);
    close(fd);
    free(file.bytes);
}

/* The caller frees it. */
static inline char *opened_from(unsigned kind, const SnapshotReport *report) {
    ck_assert_ptr_null(snapshotreport_lacks(&snapshotreport_kinds[kind], report));
    ck_assert_int_eq(snapshotreport_kinds[kind].write(report, suite_write()), LMP_OK);
    return suite_written();
}

static inline char *heap_as(unsigned kind) {
    return opened_from(kind, &(SnapshotReport){.s = &snapshot});
}

static inline void heap_golden(unsigned kind, const SnapshotReport *report, const char *name) {
    OWN(free_at) char *text = opened_from(kind, report);
    suite_golden(name, text);
}

#endif
