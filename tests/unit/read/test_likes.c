/* Objects that are alike: every member is in one row, strings by their content, tables by their
 * keys, all others by their class. */
#include "suite.h"

#include "graph_fixture.h"
#include "read/snapshot/groups.h"

static const LmpObjectInfo info = {.pid = 1, .serial = 1, .number = 1, .realtime = 5000000000};

static Graph *graph;
static LmpSnapshot s;
static LmpLikes likes;
static uint32_t all[4096], members;

static uint32_t registry;

static void end(void) {
    likes_free(&likes);
    snapshot_close(&s);
    graph_free(graph);
}

static void begin(void) {
    suite_closes(end);
    graph = graph_new();
    registry = graph_table(graph, 0, 0, 4, 4);
    graph_edge(graph, 0, registry, LMP_EDGE_ROOT, LMP_ROOT_REGISTRY);
}

/* A table with these keys, in this order; a long string as a value. */
static uint32_t table_of(const char *const *key, unsigned keys, const char *text) {
    static unsigned number;
    char name[16];
    snprintf(name, sizeof name, "t%u", ++number);
    uint32_t t = graph_table(graph, 0, 0, 4, keys);
    graph_field(graph, registry, name, t);
    for (unsigned i = 0; i < keys; i++)
        graph_field(graph, t, key[i], graph_string(graph, text));
    return t;
}

static void make(LmpLikeBy by) {
    const LmpObjectGraph *g = graph_done(graph);
    ck_assert_int_eq(snapshot_of_graph(&s, &info, g), LMP_OK);
    members = 0;
    for (uint32_t i = 1; i < g->objects; i++)
        all[members++] = i;
    ck_assert_int_eq(likes_make(&likes, &s, all, members, by), LMP_OK);
}

static const LmpLike *row_named(const char *name) {
    for (uint32_t i = 0; i < likes.rows; i++)
        if (strcmp(likes.row[i].name, name) == 0) return &likes.row[i];
    return NULL;
}

/* Each of them once, with its size. */
static void all_are_there(void) {
    bool seen[4096] = {false};
    uint64_t size = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < likes.rows; i++) {
        uint64_t of_row = 0;
        ck_assert_uint_eq(likes.row[i].first, at);
        for (uint32_t j = 0; j < likes.row[i].objects; j++) {
            uint32_t object = likes.member[at++];
            ck_assert(!seen[object]);
            seen[object] = true;
            of_row += snapshot_counted(&s, object);
        }
        ck_assert_uint_eq(of_row, likes.row[i].size);
        if (i > 0 && likes.row[i].alike == likes.row[i - 1].alike)
            ck_assert_uint_le(likes.row[i].size, likes.row[i - 1].size);
        if (i > 0) ck_assert_uint_le(likes.row[i].alike, likes.row[i - 1].alike);
        size += of_row;
    }
    ck_assert_uint_eq(at, members);
    for (uint32_t i = 0; i < members; i++)
        size -= snapshot_counted(&s, all[i]);
    ck_assert_uint_eq(size, 0);
}

static const char long_text[] = "this is a text of more than forty bytes, so it is not shared";

static void some_tables(void) {
    static const char *const one[] = {"id", "name", "price"},
                             *const other[] = {"price", "id", "name"},
                             *const two[] = {"id", "name"};
    for (int i = 0; i < 3; i++)
        table_of(one, 3, long_text);
    table_of(other, 3, long_text);
    table_of(two, 2, "another text, of more than forty bytes as well, but not the same");
    uint32_t list = graph_table(graph, 4, 2, 0, 0);
    graph_field(graph, registry, "list", list);
    graph_index(graph, list, 1, graph_string(graph, long_text));
    graph_index(graph, list, 2, graph_string(graph, long_text));
    graph_field(graph, registry, "empty", graph_table(graph, 0, 0, 0, 0));
}

BEFORE_TESTS(begin)

TEST(test_keys) {
    some_tables();
    make(LMP_LIKE_KEYS);
    all_are_there();
    const LmpLike *row = row_named("{id, name, price}");
    ck_assert_ptr_nonnull(row);
    ck_assert_uint_eq(row->objects, 4); /* in whatever order the keys came */
    ck_assert_ptr_nonnull(row_named("{id, name}"));
    ck_assert_uint_eq(row_named("{id, name}")->objects, 1);
    ck_assert_ptr_nonnull(row_named("{[n]}"));
    ck_assert_ptr_nonnull(row_named("{}"));
    ck_assert_ptr_nonnull(row_named("string"));
    ck_assert(!row_named("string")->alike);
}

TEST(test_content) {
    some_tables();
    make(LMP_LIKE_CONTENT);
    all_are_there();
    ck_assert(likes.row[0].alike);
    ck_assert_uint_eq(likes.row[0].objects, 14); /* four times three, and two in the list */
    ck_assert_uint_eq(likes.row[1].objects, 2);
    ck_assert_ptr_nonnull(strstr(likes.row[0].name, "this is a text"));
    const LmpLike *row = row_named("{id, name, price}");
    ck_assert(row && !row->alike && row->objects == 4); /* others by their class */
}

/* A dictionary is one, whatever its keys. */
TEST(test_dictionaries) {
    for (int t = 0; t < 2; t++) {
        const char *key[20];
        char name[20][32];
        for (int i = 0; i < 20; i++) {
            snprintf(name[i], sizeof name[i], "key %d %d", t, i);
            key[i] = name[i];
        }
        table_of(key, 20, "short");
    }
    make(LMP_LIKE_KEYS);
    all_are_there();
    ck_assert_ptr_nonnull(row_named("{many keys}"));
    ck_assert_uint_eq(row_named("{many keys}")->objects, 2);
}

TEST(test_none) {
    make(LMP_LIKE_KEYS);
    likes_free(&likes);
    ck_assert_int_eq(likes_make(&likes, &s, all, 0, LMP_LIKE_CONTENT), LMP_OK);
    ck_assert_uint_eq(likes.rows, 0);
}
