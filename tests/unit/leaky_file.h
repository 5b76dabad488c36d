/* leaky_file.h - the heap of leaky_heap.h as a snapshot file with lines and call paths, for the
 * suites of its reports. */
#ifndef LMP_LEAKY_FILE_H
#define LMP_LEAKY_FILE_H

#include "leaky_heap.h"
#include "report_fixture.h"
#include "snapfile_fixture.h"

/* Made by the program of fake_program.h: its objects by its lines and call paths in turn. The
 * caller frees file->bytes and the graph. */
static Leaky leaky_file(FileBytes *file) {
    enum { PATHS = 40 };
    FakeTables *f = program(true);
    Leaky leaky = leaky_heap();
    for (uint32_t k = 1; k <= PATHS; k++) {
        f->t.path[k].node = 1 + k % (live.tables.nodes - 1);
        f->t.path[k].record = 1 + k % (live.tables.records - 1);
    }
    live.tables.paths = PATHS + 1;
    live.tables.lines = LMP_LINES_EXACT;
    for (uint32_t i = 1; i < leaky.graph->objects; i++)
        leaky.graph->object[i].context =
            leaky.graph->object[i].flags & LMP_OBJECT_BEFORE ? 0 : 1 + i % PATHS;
    header.magic = LMP_MAGIC, header.layout = LMP_LAYOUT;
    header.header_size = sizeof(LmpHeader), header.control_size = sizeof(LmpControl);
    header.live_size = sizeof(LmpLive), header.leaf_size = sizeof(LmpLeaf);
    const LmpObjectGraph *g = graph_done(leaky.graph);
    LmpObjectInfo info = leaky_info(g);
    LmpSnapState state = {&header, &live, &f->t};
    ck_assert_int_eq(file_write(file, &info, g, &state), LMP_OK);
    fake_tables_free(f);
    return leaky;
}

#endif
