/* test_snapfile.c - snapshot files: what is written is read again, to the byte; what is cut off or
 * changed is an error, and nothing worse, whether checksums notice it or not. */
#include "suite.h"

#include <sys/mman.h>

#include "graph_random.h"
#include "read/snapshot/snapshot.h"
#include "read/view.h"
#include "snapfile_fixture.h"

static const LmpObjectInfo info = {.pid = 7,
                                   .serial = 1,
                                   .number = 3,
                                   .live_bytes = 12345,
                                   .program = "app.lua",
                                   .lua = "Lua 5.4.6",
                                   .lmp = "1.0.0"};

static void check_same(const LmpObjectGraph *a, const LmpObjectGraph *b) {
    ck_assert_uint_eq(a->objects, b->objects);
    ck_assert_uint_eq(a->edges, b->edges);
    ck_assert_mem_eq(a->count, b->count, sizeof a->count);
    for (uint32_t i = 0; i < LMP_SNAP_COLUMNS; i++) {
        const LmpObjectColumn *column = &objectgraph_columns[i];
        uint64_t rows = objectgraph_rows(a, column);
        ck_assert_uint_eq(rows, objectgraph_rows(b, column));
        const void *x = *(void *const *)((const char *)a + column->at);
        const void *y = *(void *const *)((const char *)b + column->at);
        ck_assert_msg(rows == 0 || memcmp(x, y, rows * column->width) == 0, "%s", column->name);
    }
}

/* A heap with something in each column, and numbers of all lengths in those that may have any. */
static Graph *all_columns(void) {
    Graph *graph = graph_random(&(GraphPlan){60, 200, true, true, true});
    uint32_t thread = graph_thread(graph, 1),
             function = graph_function(graph, graph_proto(graph, "@b.lua", 3, 9));
    uint32_t frame = graph_frame(graph, function, 5);
    graph_frame(graph, 0, -1);
    graph_local(graph, frame, "conn", 1, thread);
    graph_local(graph, LMP_OBJECT_NONE, NULL, 2, function);
    uint32_t c = graph_object(graph, LMP_OBJECT_C_FUNCTION, 48),
             lot = graph_object(graph, LMP_OBJECT_LOT, 4096);
    graph->object[c].wide = 0xfedcba9876543210ull;
    graph->object[lot].a = LMP_LOT_CODE;
    graph_edge(graph, 0, lot, LMP_EDGE_LOT, LMP_LOT_CODE);
    graph_edge(graph, thread, c, LMP_EDGE_INTEGER, graph_wide(graph, INT64_MIN));
    graph_edge(graph, thread, c, LMP_EDGE_FLOAT, graph_wide(graph, INT64_MAX));
    for (uint32_t i = 1; i < graph->objects; i++) {
        GraphObject *o = &graph->object[i];
        o->size = suite_random() >> suite_below(64);
        o->context = (uint32_t)suite_random() >> suite_below(32);
        o->birth = (uint32_t)suite_random();
        o->addr = (int64_t)(suite_random() >> suite_below(64));
    }
    return graph;
}

TEST(test_round_trip) {
    for (int round = 0; round < 500; round++) {
        OWN(graph_free_at) Graph *graph = all_columns();
        const LmpObjectGraph *g = graph_done(graph);
        FileBytes file = {0};
        LmpSnapRead read;
        ck_assert_int_eq(file_write(&file, &info, g, NULL), LMP_OK);
        ck_assert_int_eq(file_read(&read, file.bytes, file.n), LMP_OK);
        check_same(g, &read.graph);
        ck_assert_mem_eq(&read.info, &info, sizeof info);
        ck_assert_uint_eq(read.bytes, file.n);
        ck_assert_ptr_null(read.whole);
        snapfile_free(&read);
        free(file.bytes);
    }
}

/* More than a chunk of each column that matters, some of which cannot be compressed. */
TEST(test_many_chunks) {
    OWN(graph_free_at) Graph *graph = graph_new();
    for (uint32_t i = 0; i < 400000; i++) {
        uint32_t table = graph_table(graph, (uint32_t)suite_random(), 0, 3, 4);
        graph->object[table].birth = (uint32_t)suite_random();
        graph->object[table].size = suite_random();
        graph_edge(graph, 0, 1 + (uint32_t)suite_below(table), LMP_EDGE_ROOT, LMP_ROOT_FIXED);
        graph_index(graph, table, i, 1 + (uint32_t)suite_below(table));
    }
    const LmpObjectGraph *g = graph_done(graph);
    FileBytes file = {0};
    LmpSnapRead read;
    ck_assert_int_eq(file_write(&file, &info, g, NULL), LMP_OK);
    ck_assert_int_eq(file_read(&read, file.bytes, file.n), LMP_OK);
    check_same(g, &read.graph);
    snapfile_free(&read);
    free(file.bytes);
}

/* ---- the shared state ------------------------------------------------------------------------ */

static char *state_whole(void) {
    char *whole = mmap(NULL, VIEW_WHOLE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert(whole != MAP_FAILED);
    LmpHeader *header = (LmpHeader *)whole;
    header->magic = LMP_MAGIC, header->layout = LMP_LAYOUT, header->pid = 7;
    header->header_size = sizeof(LmpHeader), header->control_size = sizeof(LmpControl);
    header->live_size = sizeof(LmpLive), header->leaf_size = sizeof(LmpLeaf);
    return whole;
}

static void fill(char *at, size_t n) {
    for (size_t i = 0; i < n; i++)
        at[i] = (char)suite_random();
}

TEST(test_state) {
    char *whole = state_whole();
    LmpLive *live = (LmpLive *)(whole + LMP_LIVE_AT);
    live->tables.text = 300000, live->tables.functions = 300, live->tables.sites = 5000;
    live->tables.records = 7000, live->tables.nodes = 900, live->tables.paths = 1;
    live->clock = 99;
    LmpTables tables = tables_at(whole + LMP_TABLES_AT, live);
    for (uint32_t i = SNAPFILE_TABLES; i < SNAPFILE_PARTS; i++)
        fill(whole + snapfile_parts[i].at,
             (size_t)snapfile_parts[i].rows(&tables) * snapfile_parts[i].row);
    Graph *graph = all_columns();
    const LmpObjectGraph *g = graph_done(graph);
    LmpSnapState state = {(LmpHeader *)whole, live, &tables};
    FileBytes file = {0};
    LmpSnapRead read;
    ck_assert_int_eq(file_write(&file, &info, g, &state), LMP_OK);
    ck_assert_int_eq(file_read(&read, file.bytes, file.n), LMP_OK);
    check_same(g, &read.graph);
    for (uint32_t i = 0; i < SNAPFILE_PARTS; i++) {
        const SnapfilePart *part = &snapfile_parts[i];
        size_t rows = part->rows ? part->rows(&tables) : 1;
        ck_assert_mem_eq((char *)read.whole + part->at, whole + part->at, rows * part->row);
    }
    static LmpView view;
    ck_assert_int_eq(view_open_whole(&view, read.whole), LMP_OK);
    ck_assert_uint_eq(view.live->clock, 99);
    view_close(&view);
    snapfile_free(&read);

    state.tables = NULL; /* a state without tables */
    ck_assert_int_eq(file_write(&file, &info, g, &state), LMP_OK);
    ck_assert_int_eq(file_read(&read, file.bytes, file.n), LMP_OK);
    snapfile_free(&read);
    free(file.bytes);
    graph_free(graph);
    munmap(whole, VIEW_WHOLE);
}

/* ---- trouble --------------------------------------------------------------------------------- */

TEST(test_disk_full) {
    OWN(graph_free_at) Graph *graph = all_columns();
    const LmpObjectGraph *g = graph_done(graph);
    FileBytes file = {0}, full = {0};
    ck_assert_int_eq(file_write(&file, &info, g, NULL), LMP_OK);
    for (full.most = 1; full.most < file.n; full.most += 1 + full.most / 50)
        ck_assert_int_eq(file_write(&full, &info, g, NULL), LMP_E_FILE);
    free(file.bytes);
    free(full.bytes);
}

TEST(test_every_prefix) {
    OWN(graph_free_at) Graph *graph = all_columns();
    FileBytes file = {0};
    LmpSnapRead read;
    ck_assert_int_eq(file_write(&file, &info, graph_done(graph), NULL), LMP_OK);
    for (size_t n = 0; n < file.n; n++) {
        /* in memory of its own, so that a byte read too far is noticed */
        LmpErr err = file_read(&read, file.bytes, n);
        ck_assert_msg(err == (n < 8 ? LMP_E_FOREIGN : LMP_E_DAMAGED), "%zu bytes: %s", n,
                      err_name(err));
        ck_assert_uint_le(read.bad_at, n);
    }
    unsigned char *more = malloc(file.n + 1); /* nor is a byte too many let pass */
    ck_assert_ptr_nonnull(more);
    memcpy(more, file.bytes, file.n);
    more[file.n] = 0;
    ck_assert_int_eq(file_read(&read, more, file.n + 1), LMP_E_DAMAGED);
    free(more);
    free(file.bytes);
}

/* One byte changed is noticed wherever it is. */
TEST(test_every_byte) {
    OWN(graph_free_at) Graph *graph = all_columns();
    FileBytes file = {0};
    LmpSnapRead read;
    ck_assert_int_eq(file_write(&file, &info, graph_done(graph), NULL), LMP_OK);
    for (size_t n = 0; n < file.n; n++) {
        file.bytes[n] ^= (unsigned char)(1 << suite_below(8));
        ck_assert_msg(file_read(&read, file.bytes, file.n) != LMP_OK, "byte %zu", n);
        file_write(&file, &info, &graph->g, NULL);
    }
    free(file.bytes);
}

/* Whoever makes a file up makes its checksums right: then it is an error, or a heap that can be
 * looked at in every way. */
TEST(test_made_up) {
    OWN(graph_free_at) Graph *graph = all_columns();
    const LmpObjectGraph *g = graph_done(graph);
    FileBytes file = {0};
    int good = 0, bad = 0;
    for (int round = 0; round < 20000; round++) {
        file_write(&file, &info, g, NULL);
        for (uint64_t n = 1 + suite_below(4); n > 0; n--)
            file.bytes[suite_below(file.n)] = (unsigned char)suite_random();
        file_mend(file.bytes, file.n);
        LmpSnapRead read;
        if (file_read(&read, file.bytes, file.n)) {
            bad++;
            continue;
        }
        good++;
        LmpSnapshot s;
        ck_assert_int_eq(snapshot_of_graph(&s, &read.info, &read.graph), LMP_OK);
        char words[64];
        for (uint32_t i = 0; i < s.g.objects; i++) {
            snapshot_name(&s, i, words, sizeof words);
            snapshot_preview(&s, i, words, sizeof words);
            for (uint32_t e = s.g.edge_at[i]; e < s.g.edge_at[i + 1]; e++)
                snapshot_step(&s, i, e, words, sizeof words);
        }
        snapshot_close(&s);
        snapfile_free(&read);
    }
    ck_assert_int_gt(good, 100);
    ck_assert_int_gt(bad, 100);
    free(file.bytes);
}

/* Each thing that the check looks at, damaged in a graph that is good otherwise. */
TEST(test_each_index) {
    struct {
        const char *column;
        uint64_t value;
    } row[] = {
        {"kind", LMP_OBJECT_KINDS},   {"kind", LMP_OBJECT_ROOT},   {"edge_at", 1},
        {"edge_at", UINT32_MAX - 1},  {"edge_to", UINT32_MAX - 1}, {"edge_to", 0},
        {"edge_label", UINT32_MAX},   {"edge_kind", 31},           {"string_shown", 1u << 31},
        {"proto_source", UINT32_MAX}, {"lot_what", LMP_LOTS},      {"thread_frames", 100},
        {"frame_function", 1u << 30}, {"slot_frame", 1u << 30},    {"slot_name", 1u << 30}};
    OWN(graph_free_at) Graph *graph = all_columns();
    const LmpObjectGraph *g = graph_done(graph);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        for (uint32_t c = 0; c < LMP_SNAP_COLUMNS; c++) {
            const LmpObjectColumn *column = &objectgraph_columns[c];
            if (strcmp(column->name, row[i].column) != 0) continue;
            uint64_t rows = objectgraph_rows(g, column), value = row[i].value;
            if (strcmp(row[i].column, "edge_to") == 0 && value == 0) value = g->objects;
            char *at = *(char **)((char *)&graph->g + column->at), was[8];
            ck_assert_uint_gt(rows, 0);
            for (uint64_t k = 0; k < rows; k++) {
                if (strcmp(column->name, "kind") == 0 && value == LMP_OBJECT_ROOT && k == 0)
                    continue;
                if (strcmp(column->name, "edge_label") == 0 &&
                    (1ull << (g->edge_kind[k] & LMP_EDGE_KIND) &
                     (1ull << LMP_EDGE_INDEX | 1ull << LMP_EDGE_METATABLE | 1ull << LMP_EDGE_KEY |
                      1ull << LMP_EDGE_PROTO | 1ull << LMP_EDGE_DEBUG | 1ull << LMP_EDGE_VALUE)))
                    continue; /* any number is one */
                if (strcmp(column->name, "edge_at") == 0 && value == 1 && k == 1)
                    continue; /* the root may have one edge, or more */
                memcpy(was, at + k * column->width, column->width);
                if (memcmp(was, &value, column->width) == 0) continue;
                memcpy(at + k * column->width, &value, column->width);
                FileBytes file = {0};
                LmpSnapRead read;
                ck_assert_int_eq(file_write(&file, &info, g, NULL), LMP_OK);
                ck_assert_msg(file_read(&read, file.bytes, file.n) == LMP_E_DAMAGED,
                              "%s[%llu] = %llu", column->name, (unsigned long long)k,
                              (unsigned long long)value);
                free(file.bytes);
                memcpy(at + k * column->width, was, column->width);
            }
        }
    }
}
