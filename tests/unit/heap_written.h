/* heap_written.h - for suites of the reports of a heap snapshot: writes the reports of a made-up
 * heap. */
#ifndef LMP_HEAP_WRITTEN_H
#define LMP_HEAP_WRITTEN_H

#include <unistd.h>

#include "leaky_file.h"
#include "report/snapshot/snapshotreport.h"

static Leaky leaky;
static LmpSnapshot snapshot;

__attribute__((unused)) static void close_leaky(void) {
    snapshot_close(&snapshot);
    graph_free(leaky.graph);
}

__attribute__((unused)) static void open_heap(Leaky heap) {
    suite_closes(close_leaky);
    leaky = heap;
    const LmpObjectGraph *g = graph_done(leaky.graph);
    LmpObjectInfo info = leaky_info(g);
    ck_assert_int_eq(snapshot_of_graph(&snapshot, &info, g), LMP_OK);
}

__attribute__((unused)) static void open_leaky(void) {
    open_heap(leaky_heap());
}

__attribute__((unused)) static void open_with_lines(void) {
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
__attribute__((unused)) static char *opened_from(unsigned kind, const SnapshotReport *report,
                                                 size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    ck_assert_ptr_null(snapshotreport_lacks(&snapshotreport_kinds[kind], report));
    ck_assert_int_eq(snapshotreport_kinds[kind].write(report, out), LMP_OK);
    fclose(out);
    return text;
}

__attribute__((unused)) static char *heap_as(unsigned kind) {
    SnapshotReport report = {.s = &snapshot};
    size_t size;
    return opened_from(kind, &report, &size);
}

__attribute__((unused)) static void heap_golden(unsigned kind, const SnapshotReport *report,
                                                const char *name) {
    size_t size;
    char *text = opened_from(kind, report, &size);
    suite_golden(name, text);
    free(text);
}

#endif
