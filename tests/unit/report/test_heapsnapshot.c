/* Tests of the heap snapshot of Chrome: what its readers rely on. (They themselves: tests/readers.)
 */
#include "heap_written.h"

/* The numbers of an array of the file; the caller frees them. */
static uint64_t *numbers(const char *text, const char *key, size_t *n) {
    const char *at = strstr(text, key);
    ck_assert_msg(at != NULL, "no %s", key);
    uint64_t *list = malloc((strlen(at) + 1) * sizeof *list);
    char *end;
    *n = 0;
    for (at += strlen(key); *at != ']'; at = *end == ',' ? end + 1 : end) {
        list[(*n)++] = strtoull(at, &end, 10);
        ck_assert_msg(end != at, "no number in %s", key);
    }
    return list;
}

static uint64_t field(const char *text, const char *key) {
    const char *at = strstr(text, key);
    ck_assert_ptr_nonnull(at);
    return strtoull(at + strlen(key), NULL, 10);
}

enum { FIELDS = 7, WEAK = 6 };

/* All nodes are reached from the first one by edges that hold. */
static void check_reached(const uint64_t *node, size_t nodes, const uint64_t *edge) {
    size_t *first = malloc((nodes + 1) * sizeof *first), *queue = malloc(nodes * sizeof *queue);
    OWN(free_at) uint8_t *seen = calloc(nodes, 1);
    size_t head = 0, tail = 0;
    first[0] = 0;
    for (size_t i = 0; i < nodes; i++)
        first[i + 1] = first[i] + node[i * FIELDS + 4];
    queue[tail++] = 0;
    seen[0] = 1;
    while (head < tail) {
        size_t i = queue[head++];
        for (size_t e = first[i]; e < first[i + 1]; e++) {
            ck_assert_uint_eq(edge[3 * e + 2] % FIELDS, 0);
            size_t to = edge[3 * e + 2] / FIELDS;
            ck_assert_uint_lt(to, nodes);
            if (edge[3 * e] == WEAK || seen[to]) continue;
            seen[to] = 1;
            queue[tail++] = to;
        }
    }
    ck_assert_uint_eq(tail, nodes);
    ck_assert_uint_eq(first[nodes - 1], first[nodes]); /* the last one refers to nothing */
    free(first);
    free(queue);
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

TEST(heapsnapshot_is_sound) {
    size_t nodes, edges;
    open_leaky();
    char *text = heap_as(SNAPSHOT_REPORT_HEAPSNAPSHOT);
    uint64_t *node = numbers(text, "\"nodes\":[", &nodes);
    uint64_t *edge = numbers(text, "\"edges\":[", &edges), sum = 0, size = 0;
    ck_assert_uint_eq(nodes % FIELDS, 0);
    nodes /= FIELDS;
    ck_assert_uint_eq(edges % 3, 0);
    ck_assert_uint_eq(nodes, field(text, "\"node_count\":"));
    ck_assert_uint_eq(edges / 3, field(text, "\"edge_count\":"));
    ck_assert_uint_eq(nodes, snapshot.g.objects + 1); /* and the one for garbage */
    uint64_t *id = malloc(nodes * sizeof *id);
    for (size_t i = 0; i < nodes; i++) {
        id[i] = node[i * FIELDS + 2];
        ck_assert_uint_eq(id[i] % 2, 1);
        size += node[i * FIELDS + 3];
        sum += node[i * FIELDS + 4];
    }
    ck_assert_uint_eq(sum, edges / 3);
    ck_assert_uint_eq(size, snapshot.info.live_bytes);
    qsort(id, nodes, sizeof *id, by_number);
    for (size_t i = 1; i < nodes; i++)
        ck_assert_uint_ne(id[i - 1], id[i]);
    check_reached(node, nodes, edge);
    static const char *const order[] = {
        "\"snapshot\":",    "\"nodes\":[",   "\"edges\":[",     "\"trace_function_infos\":[",
        "\"trace_tree\":[", "\"samples\":[", "\"locations\":[", "\"strings\":["};
    for (size_t i = 1; i < sizeof order / sizeof order[0]; i++)
        ck_assert(strstr(text, order[i - 1]) < strstr(text, order[i]));
    free(id);
    free(node);
    free(edge);
    free(text);
}

/* An object that moved, or another one at its address, has another id; the rest keep theirs. */
TEST(ids_are_those_of_objects) {
    size_t nodes;
    open_leaky();
    char *text = heap_as(SNAPSHOT_REPORT_HEAPSNAPSHOT);
    uint64_t *before = numbers(text, "\"nodes\":[", &nodes), *after;
    free(text);
    uint32_t changed = leaky.entries;
    leaky.graph->g.birth[changed] = 77;
    text = heap_as(SNAPSHOT_REPORT_HEAPSNAPSHOT);
    after = numbers(text, "\"nodes\":[", &nodes);
    size_t differ = 0;
    for (size_t i = 0; i < nodes / FIELDS; i++)
        differ += before[i * FIELDS + 2] != after[i * FIELDS + 2];
    ck_assert_uint_eq(differ, 1);
    free(before);
    free(after);
    free(text);
}

/* Call paths: a node of the trace tree for each of the ledger's, each once, all closed again, and
 * every object that was made since start has one. */
TEST(call_paths) {
    size_t nodes;
    open_with_lines();
    ck_assert(snapshot.ledger.stacks);
    char *text = heap_as(SNAPSHOT_REPORT_HEAPSNAPSHOT);
    uint64_t functions = field(text, "\"trace_function_count\":"), ids = 0;
    ck_assert_uint_gt(functions, 10);
    const char *tree = strstr(text, "\"trace_tree\":[") + strlen("\"trace_tree\":["), *at = tree;
    uint8_t *seen = calloc(functions + 1, 1);
    for (int open = 1; open > 0; at++) {
        ck_assert(*at && *at != '-');
        open += (*at == '[') - (*at == ']');
        if (at == tree || at[-1] == '[' || (at[-1] == ',' && at[-2] == ']')) {
            uint64_t id = strtoull(at, NULL, 10);
            if (*at == ']') continue;
            ck_assert_uint_ge(id, 1);
            ck_assert_uint_le(id, functions);
            ck_assert(!seen[id]);
            seen[id] = 1;
            ids++;
        }
    }
    ck_assert_uint_eq(ids, functions);
    uint64_t *node = numbers(text, "\"nodes\":[", &nodes), with = 0;
    for (size_t i = 0; i < nodes / FIELDS; i++) {
        ck_assert_uint_le(node[i * FIELDS + 5], functions);
        with += node[i * FIELDS + 5] > 0;
    }
    ck_assert_uint_eq(with, snapshot.g.objects - 1 - snapshot.before_objects);
    free(node);
    free(seen);
    free(text);
}
