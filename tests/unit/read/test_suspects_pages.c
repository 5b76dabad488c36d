/* Tests of Lua's usual suspects, a page each. */
#include "framed_heap.h"
#include "read/snapshot/suspects.h"

static LmpSuspectTable table;

static void page(LmpSuspectPage which) {
    suspects_page_free(&table);
    ck_assert_int_eq(suspects_page_make(&table, &snapshot, which), LMP_OK);
    uint32_t members = 0;
    for (uint32_t i = 0; i < table.rows; i++) {
        const LmpSuspectRow *row = &table.row[i];
        ck_assert_uint_eq(row->first, members);
        members += row->objects;
        bool among = false;
        for (uint32_t k = 0; k < row->objects; k++)
            among = among || table.member[row->first + k] == row->object;
        ck_assert(among);
        if (i > 0) ck_assert_uint_le(row->bytes, table.row[i - 1].bytes);
    }
}

static void cell(uint32_t row, uint32_t column, const char *expected) {
    char text[200];
    ck_assert_str_eq(suspects_cell(&table, row, column, text, sizeof text), expected);
}

/* The row whose first text begins so. */
static uint32_t row_of(const char *text) {
    for (uint32_t i = 0; i < table.rows; i++)
        if (strncmp(table.row[i].text[0], text, strlen(text)) == 0) return i;
    ck_abort_msg("no row %s", text);
    return 0;
}

TEST(pages) {
    suite_closes(end);
    Leaky l = leaky_heap();
    graph = l.graph;
    open_snapshot();
    page(LMP_PAGE_REFERENCES);
    ck_assert_uint_eq(table.rows, 1);
    cell(0, 2, "12");
    ck_assert_uint_eq(table.all_bytes, LEAKY_REFERENCES * 64);
    page(LMP_PAGE_COROUTINES);
    ck_assert_uint_eq(table.rows, 1);
    cell(0, 0, "suspended");
    ck_assert_ptr_nonnull(strstr(table.row[0].text[1], "worker.lua:18"));
    cell(0, 2, "4");
    page(LMP_PAGE_MAKERS);
    ck_assert_uint_eq(table.rows, 1); /* no line is known */
    cell(0, 1, "4");
    cell(0, 2, "4");
    page(LMP_PAGE_CLOSURES);
    ck_assert_uint_eq(table.row[row_of("function (bus.lua:31)")].number[2], LEAKY_HANDLERS);
    ck_assert_ptr_nonnull(strstr(table.row[0].text[1], "self "));
    page(LMP_PAGE_CHUNKS);
    ck_assert_uint_eq(table.rows, 4);
    page(LMP_PAGE_FINALIZERS);
    ck_assert_uint_eq(table.rows, 1);
    cell(0, 3, "100 B");
    page(LMP_PAGE_WEAK);
    ck_assert_uint_eq(table.rows, 1);
    ck_assert_ptr_nonnull(strstr(table.row[0].text[0], "weak keys: "));
    cell(0, 2, "1");
    cell(0, 3, "1"); /* its key is held by the handlers */
    page(LMP_PAGE_STRINGS);
    ck_assert_uint_eq(table.row[0].number[2], LEAKY_ENTRIES);
    ck_assert_uint_eq(table.row[0].bytes,
                      (LEAKY_ENTRIES - 1) * table.row[0].number[4] / LEAKY_ENTRIES);
    page(LMP_PAGE_TABLES);
    uint64_t unused = 0;
    for (uint32_t i = 0; i < table.rows; i++)
        unused += table.row[i].bytes;
    ck_assert_uint_eq(unused, table.all_bytes);
    ck_assert_uint_ge(unused, (256 - LEAKY_ENTRIES) * 24);
}

/* What a weak table loses at the next collection does not stay. */
/* While a state is being closed all that has a __gc waits for it; what is held is not dead. */
TEST(held_and_waiting) {
    begin();
    uint32_t held = block(100), dead = block(200), both[] = {held, dead};
    for (size_t i = 0; i < 2; i++) {
        graph->object[both[i]].flags |= LMP_OBJECT_FINALIZER | LMP_OBJECT_FINALIZING;
        graph_edge(graph, 0, both[i], LMP_EDGE_ROOT, LMP_ROOT_FINALIZING);
    }
    graph_field(graph, globals, "held", held);
    open_snapshot();
    page(LMP_PAGE_FINALIZERS);
    ck_assert_uint_eq(table.rows, 1);
    ck_assert_uint_eq(table.row[0].objects, 1);
    ck_assert_uint_eq(table.row[0].bytes, 200);
}

/* As coroutine.status has it: those not begun are suspended, ended and failed ones are dead. */
TEST(coroutines_by_state) {
    suite_closes(end);
    enum { OK, YIELD, ERROR = 2 };
    graph = graph_new();
    globals = graph_table(graph, 0, 0, 8, 1);
    uint32_t main = graph_thread(graph, OK);
    graph_edge(graph, 0, globals, LMP_EDGE_ROOT, LMP_ROOT_REGISTRY);
    graph_edge(graph, 0, main, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    uint32_t body = graph_function(graph, graph_proto(graph, "@co.lua", 1, 9)), running = 0;
    static const struct {
        unsigned status;
        bool frame, body;
    } state[] = {{YIELD, true, false},  {YIELD, true, false}, {OK, false, true}, /* suspended */
                 {OK, true, false},                                              /* runs */
                 {OK, true, false},     {OK, true, false},                       /* normal */
                 {ERROR, false, false}, {OK, false, false},   {OK, false, false},
                 {OK, false, false}};
    for (size_t i = 0; i < sizeof state / sizeof *state; i++) {
        char name[8];
        uint32_t thread = graph_thread(graph, state[i].status);
        snprintf(name, sizeof name, "co%zu", i);
        graph_field(graph, globals, name, thread);
        if (state[i].frame) graph_frame(graph, body, 3);
        if (state[i].body) graph_local(graph, LMP_OBJECT_NONE, NULL, 0, body);
        if (i == 3) running = thread;
    }
    graph_edge(graph, 0, running, LMP_EDGE_ROOT, LMP_ROOT_RUNNING);
    open_snapshot();
    page(LMP_PAGE_MAKERS);
    ck_assert_uint_eq(table.rows, 1);
    ck_assert_uint_eq(table.row[0].objects, 10);
    cell(0, 1, "10");
    cell(0, 2, "3");
    cell(0, 3, "1");
    cell(0, 4, "2");
    cell(0, 5, "4");
    ck_assert_uint_eq(table.row[0].number[6], 10 * (208 + 720));
    ck_assert_uint_eq(table.all_bytes, 10 * (208 + 720));
}

TEST(weak_tables) {
    begin();
    uint32_t weak = graph_table(graph, 4, 3, 0, 0), held = block(100);
    graph->object[weak].flags |= LMP_OBJECT_WEAK_VALUES;
    graph_field(graph, globals, "weak", weak);
    graph_field(graph, globals, "held", held);
    graph_edge(graph, weak, held, LMP_EDGE_INDEX | LMP_EDGE_WEAK, 1);
    graph_edge(graph, weak, block(100), LMP_EDGE_INDEX | LMP_EDGE_WEAK, 2);
    graph_edge(graph, weak, block(100), LMP_EDGE_INDEX | LMP_EDGE_WEAK, 3);
    open_snapshot();
    page(LMP_PAGE_WEAK);
    cell(0, 2, "3");
    cell(0, 3, "1");
}

/* Code whose text differs in numbers alone is there several times. */
TEST(copies_of_code) {
    begin();
    uint32_t list = graph_table(graph, 16, 12, 0, 0);
    graph_field(graph, globals, "list", list);
    for (uint32_t i = 1; i <= 12; i++) {
        char text[32];
        snprintf(text, sizeof text, "return %u + x", i * 7);
        graph_index(graph, list, i, graph_function(graph, graph_proto(graph, text, 0, 1)));
    }
    graph_field(graph, globals, "f", graph_function(graph, graph_proto(graph, "@f.lua", 1, 2)));
    open_snapshot();
    page(LMP_PAGE_CHUNKS);
    ck_assert_uint_eq(table.rows, 2);
    cell(0, 2, "12");
    ck_assert_uint_eq(table.row[1].number[2], 1);
    ck_assert_str_eq(table.row[1].text[0], "f.lua");
}

/* A row for each of many: the largest stay, the rest is summed up. */
TEST(more_than_there_is_room) {
    begin();
    uint32_t list = graph_table(graph, 2048, 1500, 0, 0);
    graph_field(graph, globals, "list", list);
    for (uint32_t i = 1; i <= 1500; i++) {
        char text[16];
        snprintf(text, sizeof text, "%u", i);
        graph_index(graph, list, i, graph_string(graph, text));
    }
    open_snapshot();
    page(LMP_PAGE_STRINGS);
    ck_assert_uint_eq(table.rows, SUSPECTS_MOST);
    ck_assert_uint_ge(table.more, 500);
}

/* Objects below others of their row count once. */
TEST(retained_once) {
    begin();
    uint32_t proto = graph_proto(graph, "@f.lua", 3, 4), above = globals;
    uint64_t all = 0;
    for (uint32_t i = 0; i < 10; i++) {
        uint32_t function = graph_function(graph, proto), next = graph_table(graph, 0, 0, 1, 1);
        graph_field(graph, above, "f", function);
        graph_upvalue(graph, function, "next", next);
        above = next;
    }
    open_snapshot();
    page(LMP_PAGE_CLOSURES);
    all = snapshot.retained[table.row[0].object];
    ck_assert_uint_eq(table.row[0].objects, 10);
    ck_assert_uint_eq(table.row[0].number[4], all);
    ck_assert_uint_eq(table.all_bytes, all);
}
