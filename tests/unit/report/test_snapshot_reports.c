/* Tests of the reports of a heap snapshot: golden files of a heap made up for it, and what their
 * formats want. Programs that read these formats: tests/readers. */
#include <unistd.h>
#include <zlib.h>

#include "base/luawords.h"
#include "heap_written.h"

TEST(as_they_are) {
    open_leaky();
    SnapshotReport report = {.s = &snapshot};
    heap_golden(SNAPSHOT_REPORT_SUMMARY, &report, "heap-summary.txt");
    heap_golden(SNAPSHOT_REPORT_JSON, &report, "heap.json");
    heap_golden(SNAPSHOT_REPORT_HOLDERS, &report, "heap.folded");
    report.top = 20;
    heap_golden(SNAPSHOT_REPORT_DOT, &report, "heap.dot");
    report.address = snapshot.g.addr[leaky.ephemeron_value];
    heap_golden(SNAPSHOT_REPORT_DOT, &report, "heap-paths.dot");
}

TEST(with_lines) {
    open_with_lines();
    SnapshotReport report = {.s = &snapshot, .top = 4};
    heap_golden(SNAPSHOT_REPORT_SUMMARY, &report, "heap-summary-lines.txt");
    heap_golden(SNAPSHOT_REPORT_JSON, &report, "heap-lines.json");
}

/* ---- compared -------------------------------------------------------------------------------- */

static void golden_diff(const SnapshotDiff *diff, const char *name) {
    ck_assert_int_eq(snapshotdiff_write(diff, suite_write()), LMP_OK);
    OWN(free_at) char *text = suite_written();
    suite_golden(name, text);
}

/* A run later: thirty more handlers; the cache is another object at its old address. */
TEST(differences) {
    static LmpSnapshot newer;
    open_leaky();
    Leaky later = leaky_heap();
    for (uint32_t i = 1; i <= 30; i++) {
        uint32_t function = graph_function(later.graph, later.handler);
        graph_upvalue(later.graph, function, "self", graph_table(later.graph, 90, 3, 0, 0));
        graph_index(later.graph, later.handlers, 200 + i, function);
    }
    later.graph->object[later.entries].birth = 99u << LMP_BLOCK_BIRTH_SHIFT;
    const LmpObjectGraph *g = graph_done(later.graph);
    LmpObjectInfo info = leaky_info(g);
    info.number = 2;
    info.clock += 30000000000;
    info.realtime += 30000000000;
    ck_assert_int_eq(snapshot_of_graph(&newer, &info, g), LMP_OK);
    SnapshotDiff diff = {.old = &snapshot, .newer = &newer};
    golden_diff(&diff, "heap-diff.txt");
    diff.json = true;
    golden_diff(&diff, "heap-diff.json");
    SnapshotReport report = {.s = &newer, .old = &snapshot};
    char *text = opened_from(SNAPSHOT_REPORT_SUMMARY, &report);
    ck_assert_ptr_nonnull(strstr(text, " grew by "));
    free(text);
    newer.info.pid = 1; /* of another run: counts alone */
    diff.json = false;
    golden_diff(&diff, "heap-diff-runs.txt");
    snapshot_close(&newer);
    graph_free(later.graph);
}

/* Three of a run: thirty handlers more each time; of tables with x there were many in between. */
TEST(step_by_step) {
    static LmpSnapshot s[3];
    Leaky at[3];
    for (uint32_t k = 0; k < 3; k++) {
        at[k] = leaky_heap();
        Graph *graph = at[k].graph;
        for (uint32_t i = 1; i <= 30 * k; i++) {
            uint32_t function = graph_function(graph, at[k].handler);
            graph_upvalue(graph, function, "self", graph_table(graph, 90, 3, 0, 0));
            graph_index(graph, at[k].handlers, 200 + i, function);
        }
        uint32_t burst = graph_table(graph, 99, 0, 0, 0);
        graph_field(graph, at[k].globals, "burst", burst);
        for (uint32_t i = 1; i <= (k == 1 ? 90u : 40 * k); i++) {
            uint32_t point = graph_table(graph, 0, 0, 2, 1);
            graph_field(graph, point, "x", point);
            graph_index(graph, burst, i, point);
        }
        const LmpObjectGraph *g = graph_done(graph);
        LmpObjectInfo info = leaky_info(g);
        info.number = k + 1;
        info.clock += k * 30000000000;
        info.realtime += k * 30000000000;
        ck_assert_int_eq(snapshot_of_graph(&s[k], &info, g), LMP_OK);
    }
    const LmpSnapshot *between = &s[1];
    SnapshotDiff diff = {
        .old = &s[0], .newer = &s[2], .between = &between, .betweens = 1, .top = 12};
    golden_diff(&diff, "heap-diff-steps.txt");
    diff.json = true;
    golden_diff(&diff, "heap-diff-steps.json");
    for (uint32_t k = 0; k < 3; k++) {
        snapshot_close(&s[k]);
        graph_free(at[k].graph);
    }
}

/* By call path: each has one row under a name of its own, and all of them are the whole heap. */
TEST(by_call_path) {
    LmpObjectGroups groups;
    uint64_t bytes = 0;
    uint32_t callers = 0;
    open_with_lines();
    ck_assert_int_eq(groups_make(&groups, &snapshot, LMP_BY_PATH, false), LMP_OK);
    for (uint32_t i = 0; i < groups.groups; i++) {
        bytes += groups.group[i].size;
        callers += strstr(groups.group[i].name, " < ") != NULL;
        for (uint32_t k = 0; k < i; k++)
            ck_assert_str_ne(groups.group[i].name, groups.group[k].name);
    }
    ck_assert_uint_eq(bytes, snapshot.reachable_bytes);
    ck_assert_uint_gt(groups.groups, 5);
    ck_assert_uint_gt(callers, 3);
    groups_free(&groups);
}

/* ---- no word of the program -------------------------------------------------------------------
 */

/* Gives all strings other letters but those that are Lua's own; what a source's first byte says
 * stays, and so does their order in the alphabet, which that of keys is. Short words, keys and
 * words of the formats ("id", "name") among them. */
static void other_words(const LmpObjectGraph *g) {
    char *at = (char *)g->text; /* the fixture's */
    for (uint32_t i = 1, row = 0; i < g->objects; i++) {
        if (g->kind[i] != LMP_OBJECT_STRING) continue;
        size_t n = g->string_shown[row++];
        bool lua = g->flags[i] & LMP_OBJECT_FIXED || luawords_only(at, n, "");
        for (size_t k = 0; k < n && !lua; k++)
            if (at[k] >= 'a' && at[k] < 'z') at[k]++;
        at += n;
    }
}

/* A report says the same whatever words a program has. */
TEST(redacted) {
    for (unsigned kind = 0; kind < SNAPSHOT_REPORT_KINDS; kind++) {
        char *text[2];
        size_t size[2];
        bool lacks = false;
        for (int other = 0; other < 2 && !lacks; other++) {
            static const char *const constant[] = {"timeout", "AKIA7SECRET", "key-9f3a", "x"};
            leaky = leaky_heap();
            Graph *graph = leaky.graph;
            uint32_t table = graph_table(graph, 2, 2, 4, 3);
            graph_field(graph, leaky.globals, "held", table);
            for (uint32_t i = 0; i < sizeof constant / sizeof *constant; i++) {
                uint32_t string = graph_string(graph, constant[i]);
                graph_edge(graph, leaky.handler, string, LMP_EDGE_CONSTANT, i);
                graph_field(graph, table, constant[i], graph_table(graph, 2000 + i, 0, 0, 0));
                graph_index(graph, table, i + 1, string);
            }
            const LmpObjectGraph *g = graph_done(graph);
            LmpObjectInfo info = leaky_info(g);
            if (other) other_words(g);
            if (other) strcpy(info.program, "zzz.lua");
            ck_assert_int_eq(snapshot_of_graph(&snapshot, &info, g), LMP_OK);
            SnapshotReport report = {.s = &snapshot, .redact = true, .top = 400};
            lacks = snapshotreport_lacks(&snapshotreport_kinds[kind], &report) != NULL;
            if (!lacks) text[other] = opened_from(kind, &report);
            size[other] = suite_wrote;
            snapshot_close(&snapshot);
            graph_free(graph);
        }
        ck_assert_int_eq(lacks, kind == SNAPSHOT_REPORT_SUMMARY || kind == SNAPSHOT_REPORT_JSON);
        if (lacks) continue;
        ck_assert_msg(size[0] == size[1] && memcmp(text[0], text[1], size[0]) == 0,
                      "report %s has words of the program", snapshotreport_kinds[kind].name);
        free(text[0]);
        free(text[1]);
    }
}

TEST(not_redacted) {
    open_leaky();
    char *text = heap_as(SNAPSHOT_REPORT_HEAPSNAPSHOT);
    ck_assert_ptr_nonnull(strstr(text, "req-1003"));
    ck_assert_ptr_nonnull(strstr(text, "client 7"));
    free(text);
}

/* ---- pprof ----------------------------------------------------------------------------------- */

static unsigned char *unzipped(const char *bytes, size_t n, size_t *size) {
    unsigned char *out = malloc(1 << 20);
    z_stream z = {.next_in = (unsigned char *)bytes,
                  .avail_in = (uInt)n,
                  .next_out = out,
                  .avail_out = 1 << 20};
    ck_assert_int_eq(inflateInit2(&z, 15 + 16), Z_OK);
    ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
    *size = z.total_out;
    inflateEnd(&z);
    return out;
}

static uint64_t varint(const unsigned char **at) {
    uint64_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
        n |= (uint64_t)(**at & 127) << shift;
        if (!(*(*at)++ & 128)) return n;
    }
}

/* Sum of a sample's second value, which are packed in field 2. */
static uint64_t sample_bytes(const unsigned char *at, const unsigned char *end) {
    uint64_t bytes = 0;
    while (at < end) {
        uint64_t key = varint(&at), length = varint(&at);
        const unsigned char *next = at + length;
        if (key >> 3 == 2) {
            varint(&at);
            bytes = varint(&at);
        }
        at = next;
    }
    return bytes;
}

TEST(pprof) {
    SnapshotReport report;
    size_t size;
    uint64_t sum = 0, texts = 0;
    open_leaky();
    report = (SnapshotReport){.s = &snapshot};
    char *bytes = opened_from(SNAPSHOT_REPORT_PPROF, &report);
    unsigned char *profile = unzipped(bytes, suite_wrote, &size);
    const unsigned char *at = profile;
    while (at < profile + size) {
        uint64_t key = varint(&at);
        if ((key & 7) == 0) {
            varint(&at);
            continue;
        }
        ck_assert_uint_eq(key & 7, 2);
        uint64_t length = varint(&at);
        if (key >> 3 == 2) sum += sample_bytes(at, at + length);
        if (key >> 3 == 6 && texts++ == 0) ck_assert_uint_eq(length, 0); /* string 0 is "" */
        at += length;
    }
    ck_assert_ptr_eq(at, profile + size);
    ck_assert_uint_eq(sum, snapshot.reachable_bytes);
    ck_assert_uint_gt(texts, 10);
    free(profile);
    free(bytes);
}

TEST(holders_sum_up) {
    uint64_t sum = 0;
    open_leaky();
    char *text = heap_as(SNAPSHOT_REPORT_HOLDERS);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *blank = strrchr(line, ' ');
        ck_assert_ptr_nonnull(blank);
        sum += strtoull(blank + 1, NULL, 10);
    }
    ck_assert_uint_eq(sum, snapshot.reachable_bytes);
    free(text);
}

/* ---- pages ----------------------------------------------------------------------------------- */

static void check_page(unsigned kind, const char *name) {
    OWN(free_at) char *text = heap_as(kind);
    char *data = strstr(text, "<script type=\"application/json\"");
    ck_assert_ptr_nonnull(data);
    char *end = strstr(data, "</script>");
    data = strchr(data, '>') + 1;
    *end = 0;
    ck_assert_ptr_null(strchr(data, '<')); /* nothing that could end it before */
    ck_assert_ptr_null(strstr(text, "http:"));
    suite_golden(name, data);
}

TEST(pages) {
    open_leaky();
    check_page(SNAPSHOT_REPORT_ICICLE, "heap-icicle.json");
}

/* A row for each object: a few of each kind show it all. */
TEST(object_by_object) {
    open_heap(leaky_heap_of(4, 3));
    SnapshotReport report = {.s = &snapshot};
    heap_golden(SNAPSHOT_REPORT_CSV, &report, "heap.csv");
    check_page(SNAPSHOT_REPORT_TREEMAP, "heap-treemap.json");
}

TEST(lacking) {
    open_leaky();
    SnapshotReport report = {.s = &snapshot, .address = 1};
    ck_assert_str_eq(snapshotreport_lacks(snapshotreport_find("dot"), &report),
                     "there is no object at this address");
    ck_assert_str_eq(snapshotreport_lacks(snapshotreport_find("csv"), &report),
                     "only dot is about one object");
    report.address = snapshot.g.addr[leaky.garbage];
    ck_assert_ptr_nonnull(snapshotreport_lacks(snapshotreport_find("dot"), &report));
    ck_assert_ptr_null(snapshotreport_find("nothing"));
}
