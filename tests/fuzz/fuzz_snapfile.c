/* fuzz_snapfile.c - a snapshot file in which anything may stand: whoever reads it gets an error, or
 * a heap that can be looked at in every way, but never crashes, hangs or leaks.
 *
 * An input is a row of overwritings: of a sound heap's file, whose checksums are made right then
 * (first byte even), or of the heap's columns, which are written and read (odd). Each is: column,
 * place (2 bytes), length, bytes. */
#include <stdio.h>

#include "graph_fixture.h"
#include "read/snapshot/compare.h"
#include "read/snapshot/suspects.h"
#include "read/snapshot/why.h"
#include "report/snapshot/snapshotreport.h"
#include "snapfile_fixture.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const LmpObjectInfo info = {.pid = 1, .serial = 1, .number = 1, .program = "fuzzed.lua"};
static Graph *sound;
static LmpSnapshot older; /* of the sound heap */

/* ---- a sound heap ---------------------------------------------------------------------------- */

/* Something of each kind, and each kind of reference. */
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    Graph *h = sound = graph_new();
    uint32_t registry = graph_table(h, 2, 2, 2, 1), globals = graph_table(h, 0, 0, 8, 4);
    uint32_t loaded = graph_table(h, 0, 0, 4, 1), class = graph_table(h, 0, 0, 4, 2);
    graph_edge(h, 0, registry, LMP_EDGE_ROOT, LMP_ROOT_REGISTRY);
    graph_index(h, registry, 2, globals);
    graph_field(h, registry, "_LOADED", loaded);
    graph_field(h, globals, "Account", class);
    graph_field(h, class, "__name", graph_string(h, "bank.Account"));
    uint32_t get = graph_function(h, graph_proto(h, "@cache.lua", 3, 9));
    graph_field(h, class, "get", get);
    uint32_t entries = graph_table(h, 3, 3, 0, 0),
             upvalue = graph_upvalue(h, get, "entries", entries);
    for (uint32_t i = 1; i <= 3; i++) {
        uint32_t object = graph_table(h, 0, 0, 2, 2);
        graph_field(h, object, "id", graph_string(h, i == 2 ? "a\xff\xe2\x80" : "text"));
        graph_edge(h, object, class, LMP_EDGE_METATABLE, 0);
        graph_index(h, entries, i, object);
    }
    uint32_t weak = graph_table(h, 0, 0, 4, 2), file = graph_object(h, LMP_OBJECT_USERDATA, 60);
    h->object[weak].flags = LMP_OBJECT_WEAK_KEYS;
    graph_field(h, globals, "weak", weak);
    graph_edge(h, weak, file, LMP_EDGE_OBJECT | LMP_EDGE_EPHEMERON, entries);
    graph_edge(h, weak, entries, LMP_EDGE_KEY | LMP_EDGE_WEAK, 0);
    graph_edge(h, file, class, LMP_EDGE_USER_VALUE, 1);
    uint32_t c = graph_object(h, LMP_OBJECT_C_FUNCTION, 48), thread = graph_thread(h, 1);
    graph_field(h, loaded, "insert", c);
    graph_edge(h, c, weak, LMP_EDGE_UPVALUE, 1);
    graph_edge(h, 0, thread, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    uint32_t frame = graph_frame(h, get, 5);
    graph_frame(h, c, -1);
    graph_local(h, frame, "conn", 1, file);
    graph_local(h, LMP_OBJECT_NONE, NULL, 2, c);
    graph_edge(h, upvalue, thread, LMP_EDGE_THREAD, 0);
    graph_edge(h, globals, c, LMP_EDGE_INTEGER, graph_wide(h, -5));
    graph_edge(h, globals, c, LMP_EDGE_FLOAT, graph_wide(h, 1));
    graph_edge(h, globals, c, LMP_EDGE_LIGHT, graph_wide(h, 2));
    graph_edge(h, globals, c, LMP_EDGE_BOOLEAN, 1);
    uint32_t lot = graph_object(h, LMP_OBJECT_LOT, 4096);
    h->object[lot].a = LMP_LOT_CODE;
    graph_edge(h, 0, lot, LMP_EDGE_LOT, LMP_LOT_CODE);
    graph_table(h, 0, 0, 0, 0); /* garbage */
    if (snapshot_of_graph(&older, &info, graph_done(h)) != LMP_OK) abort();
    return 0;
}

/* ---- looking --------------------------------------------------------------------------------- */

enum { MOST_OBJECTS = 3000, MOST_PATHS = 8 };

static void look_at_words(const LmpSnapshot *s) {
    char words[48];
    for (uint32_t i = 0; i < s->g.objects; i++) {
        snapshot_name(s, i, words, sizeof words);
        snapshot_preview(s, i, words, sizeof words);
        snapshot_site(s, i, words, sizeof words);
        if (snapshot_at(s, s->g.addr[i]) >= s->g.objects && s->g.kind[i] != LMP_OBJECT_LOT &&
            i != 0 && s->g.kind[i] != LMP_OBJECT_ROOT && snapshot_born(s, i) != UINT64_MAX)
            abort();
        for (uint32_t e = s->g.edge_at[i]; e < s->g.edge_at[i + 1]; e++)
            snapshot_step(s, i, e, words, sizeof words);
    }
}

static void look_at_groups(const LmpSnapshot *s) {
    for (unsigned by = 0; by < LMP_BYS; by++) {
        LmpObjectGroups groups;
        if (groups_make(&groups, s, (LmpSnapshotBy)by, false) != LMP_OK) abort();
        groups_free(&groups);
    }
    LmpSnapshotCompare compare;
    if (compare_any(&compare, &older, s, LMP_BY_CLASS) != LMP_OK) abort();
    compare_free(&compare);
    if (compare_make(&compare, &older, s, LMP_BY_CLASS) == LMP_OK) compare_free(&compare);
}

static void look_at_paths(const LmpSnapshot *s) {
    for (uint32_t n = 0; n < MOST_PATHS; n++) {
        LmpWhyPaths why;
        char words[200];
        if (why_make(&why, s, s->g.objects * n / MOST_PATHS, 3, NULL, 0) != LMP_OK) abort();
        for (uint32_t k = 0; k < why.paths; k++)
            why_text(s, &why.path[k], words, sizeof words);
        why_free(&why);
    }
    LmpSuspects *suspects = malloc(sizeof *suspects);
    if (!suspects || suspects_make(suspects, s, &older, NULL) != LMP_OK) abort();
    free(suspects);
}

/* In all formats, and what changed in either direction. */
static void look_at_reports(const LmpSnapshot *s) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) abort();
    for (unsigned k = 0; k < SNAPSHOT_REPORT_KINDS; k++) {
        SnapshotReport report = {.s = s, .old = &older};
        if (snapshotreport_kinds[k].write(&report, out) != LMP_OK) abort();
    }
    for (int json = 0; json < 2; json++) {
        if (snapshotdiff_write(&(SnapshotDiff){.old = &older, .newer = s, .json = json}, out))
            abort();
        if (snapshotdiff_write(&(SnapshotDiff){.old = s, .newer = &older, .json = json}, out))
            abort();
    }
    fclose(out);
    free(text);
}

static void look(const unsigned char *bytes, size_t n) {
    LmpSnapRead read;
    if (file_read(&read, bytes, n) != LMP_OK) return;
    LmpSnapshot s;
    LmpObjectGraph g = file_apart(&read.graph);
    if (g.objects <= MOST_OBJECTS) { /* large ones take their time, and nothing else */
        if (snapshot_of_graph(&s, &read.info, &g) != LMP_OK) abort();
        look_at_words(&s);
        look_at_groups(&s);
        look_at_paths(&s);
        look_at_reports(&s);
        snapshot_close(&s);
    }
    file_apart_free(&g);
    snapfile_free(&read);
}

/* `file` NULL: the graph's columns. */
static void overwrite(LmpObjectGraph *g, FileBytes *file, const uint8_t *data, size_t size) {
    while (size >= 5) {
        const LmpObjectColumn *column = &objectgraph_columns[data[0] % LMP_SNAP_COLUMNS];
        char *rows = file ? (char *)file->bytes : *(char **)((char *)g + column->at);
        size_t all = file ? file->n : (size_t)objectgraph_rows(g, column) * column->width;
        size_t at = (size_t)(data[1] | data[2] << 8) * (file ? 1 : column->width);
        size_t n = 1 + data[3] % 8;
        data += 4, size -= 4;
        if (n > size) n = size;
        if (at < all) memcpy(rows + at, data, n < all - at ? n : all - at);
        data += n, size -= n;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    FileBytes file = {0};
    bool bytes = data[0] % 2 == 0;
    LmpObjectGraph g = file_apart(&sound->g);
    if (!bytes) overwrite(&g, NULL, data + 1, size - 1);
    if (file_write(&file, &info, &g, NULL) != LMP_OK) abort();
    if (bytes) overwrite(&g, &file, data + 1, size - 1);
    file_mend(file.bytes, file.n);
    file_apart_free(&g);
    look(file.bytes, file.n);
    free(file.bytes);
    return 0;
}
