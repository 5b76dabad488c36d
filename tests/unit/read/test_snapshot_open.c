/* test_snapshot_open.c - files opened: what the tables of who made what say of objects (lines,
 * names, ages), and what is no snapshot. */
#include "suite.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_tables.h"
#include "graph_fixture.h"
#include "read/snapshot/groups.h"
#include "snapfile_fixture.h"

static const LmpObjectInfo info = {.pid = 7, .serial = 1, .number = 1, .clock = 100000000000};
static char path[64];

static void write_bytes(const unsigned char *bytes, size_t n) {
    snprintf(path, sizeof path, "/tmp/lmp-test-snapshot-%d.heap", (int)getpid());
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void write_snapshot(const LmpObjectGraph *g, FakeTables *t, uint32_t layout) {
    LmpHeader header = {.magic = LMP_MAGIC,
                        .layout = layout,
                        .header_size = sizeof(LmpHeader),
                        .control_size = sizeof(LmpControl),
                        .live_size = sizeof(LmpLive),
                        .leaf_size = sizeof(LmpLeaf),
                        .pid = 7};
    LmpSnapState state = {&header, t->live, &t->t};
    FileBytes file = {0};
    ck_assert_int_eq(file_write(&file, &info, g, t ? &state : NULL), LMP_OK);
    write_bytes(file.bytes, file.n);
    free(file.bytes);
}

static uint32_t made_at(FakeTables *t, uint32_t function, int line, unsigned cls) {
    uint32_t site = fake_site(t, function, line, 0);
    fake_made(t, (FakeSpot){.site = site, .cls = cls}, 1, 100);
    return fake_record(t, site, cls, 0);
}

TEST(test_with_tables) {
    OWN(fake_tables_free_at) FakeTables *t = fake_tables_new(NULL);
    t->live->tables.lines = LMP_LINES_EXACT;
    t->live->epoch_length = 1000000000;
    uint32_t get = fake_function(t, LMP_F_LUA, "@cache.lua", 3, "method 'fetch'");
    uint32_t insert = fake_function(t, LMP_F_C, "=[C]", -1, "function 'table.insert'");
    uint32_t first = made_at(t, get, 5, LMP_C_TABLE), second = made_at(t, get, 6, LMP_C_TABLE);

    OWN(graph_free_at) Graph *graph = graph_new();
    uint32_t object[4];
    for (uint32_t i = 0; i < 4; i++) {
        object[i] = graph_table(graph, 0, 0, 0, 0);
        graph_edge(graph, 0, object[i], LMP_EDGE_ROOT, LMP_ROOT_MAIN);
        graph->object[object[i]].context = i < 2 ? first : i == 2 ? second : 0;
        graph->object[object[i]].birth = i < 3 ? (1 + 40 * i) << LMP_BLOCK_BIRTH_SHIFT : 0;
    }
    uint32_t before = graph_table(graph, 0, 0, 0, 0);
    graph->object[before].flags = LMP_OBJECT_BEFORE;
    graph_edge(graph, 0, before, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    uint32_t function = graph_function(graph, graph_proto(graph, "@cache.lua", 3, 9));
    uint32_t c = graph_object(graph, LMP_OBJECT_C_FUNCTION, 48);
    graph->object[c].wide = t->t.function[insert].address;
    graph_edge(graph, 0, function, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    write_snapshot(graph_done(graph), t, LMP_LAYOUT);

    LmpSnapshot s;
    char out[80];
    ck_assert_int_eq(snapshot_open(&s, path), LMP_OK);
    ck_assert_str_eq(s.file, path);
    ck_assert_ptr_nonnull(s.view);
    ck_assert_str_eq(snapshot_site(&s, object[0], out, sizeof out), "cache.lua:5");
    ck_assert_str_eq(snapshot_site(&s, object[2], out, sizeof out), "cache.lua:6");
    ck_assert_str_eq(snapshot_site(&s, object[3], out, sizeof out), "");
    ck_assert_uint_eq(s.site_of[object[0]], first);
    ck_assert_uint_eq(s.site_of[object[3]], 0);
    ck_assert_uint_eq(snapshot_born(&s, object[0]), 0);
    ck_assert_uint_eq(snapshot_born(&s, object[1]), 40000000000);
    ck_assert_uint_eq(snapshot_born(&s, object[3]), UINT64_MAX);
    ck_assert_str_eq(snapshot_name(&s, function, out, sizeof out), "function fetch (cache.lua:3)");
    ck_assert_str_eq(snapshot_name(&s, c, out, sizeof out), "function table.insert [C]");

    LmpObjectGroups groups;
    ck_assert_int_eq(groups_make(&groups, &s, LMP_BY_LINE, false), LMP_OK);
    uint32_t found = 0;
    for (uint32_t k = 0; k < groups.groups; k++) {
        const LmpObjectGroup *group = &groups.group[k];
        bool line = strcmp(group->name, "cache.lua:5") == 0;
        found += line || strcmp(group->name, "(before start)") == 0 ||
                 strcmp(group->name, "(not known)") == 0;
        if (line) ck_assert_uint_eq(group->objects, 2);
    }
    ck_assert_uint_eq(found, 3);
    groups_free(&groups);
    ck_assert_int_eq(groups_make(&groups, &s, LMP_BY_AGE, false), LMP_OK);
    ck_assert_str_eq(groups.group[groups.group_of[object[0]]].name, "0 s to 10 s after start");
    ck_assert_uint_ne(groups.group_of[object[0]], groups.group_of[object[1]]);
    groups_free(&groups);
    *(uint64_t *)(uintptr_t)&s.view->live->epoch_length =
        60000000000; /* births are no more exact */
    ck_assert_int_eq(groups_make(&groups, &s, LMP_BY_AGE, false), LMP_OK);
    ck_assert_str_eq(groups.group[groups.group_of[object[0]]].name,
                     "00:00:00 to 00:01:00 after start");
    groups_free(&groups);
    snapshot_close(&s);
    unlink(path);
}

TEST(test_no_snapshot) {
    LmpSnapshot s;
    errno = 0;
    ck_assert_int_eq(snapshot_open(&s, "/tmp/there-is-no/such.heap"), LMP_E_FILE);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_int_eq(snapshot_open(&s, "/dev/null"), LMP_E_FOREIGN);
    ck_assert_int_eq(snapshot_open(&s, "/"), LMP_E_FOREIGN);
    write_bytes((const unsigned char *)"print 'a script, no snapshot of anything'\n", 42);
    ck_assert_int_eq(snapshot_open(&s, path), LMP_E_FOREIGN);
    snapshot_close(&s); /* closed is what never opened, too */

    OWN(fake_tables_free_at) FakeTables *t = fake_tables_new(NULL);
    OWN(graph_free_at) Graph *graph = graph_new();
    const LmpObjectGraph *g = graph_done(graph);
    write_snapshot(g, t, LMP_LAYOUT + 1);
    ck_assert_int_eq(snapshot_open(&s, path), LMP_E_VERSION);
    write_snapshot(g, t, LMP_LAYOUT);
    ck_assert_int_eq(snapshot_open(&s, path), LMP_OK); /* an empty heap is one */
    ck_assert_uint_eq(s.reachable_objects, 0);
    ck_assert_uint_eq(s.retained[0], 0);
    snapshot_close(&s);
    struct stat st;
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(truncate(path, st.st_size - 1), 0);
    ck_assert_int_eq(snapshot_open(&s, path), LMP_E_DAMAGED);
    unlink(path);
}
