/* test_snapshot_names.c - words for objects and references: what a person would call them, and
 * never anything that a terminal takes for a command or a character cut in half. */
#include "suite.h"

#include "base/format.h"
#include "graph_fixture.h"
#include "read/snapshot/snapshot.h"

static const LmpObjectInfo info = {.pid = 1, .serial = 1, .number = 1};

/* A program with globals, modules, a registry, and a graph to fill. */
typedef struct Program {
    Graph *graph;
    uint32_t registry, globals, loaded, main;
    LmpSnapshot s;
} Program;

static Program program_new(void) {
    Program p = {.graph = graph_new()};
    Graph *g = p.graph;
    p.registry = graph_table(g, 2, 2, 2, 1);
    p.globals = graph_table(g, 0, 0, 8, 8);
    p.loaded = graph_table(g, 0, 0, 8, 8);
    p.main = graph_thread(g, 0);
    graph_edge(g, 0, p.registry, LMP_EDGE_ROOT, LMP_ROOT_REGISTRY);
    graph_edge(g, 0, p.main, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    graph_index(g, p.registry, 1, p.main);
    graph_index(g, p.registry, 2, p.globals);
    graph_field(g, p.registry, "_LOADED", p.loaded);
    graph_field(g, p.loaded, "_G", p.globals);
    return p;
}

static void program_open(Program *p) {
    ck_assert_int_eq(snapshot_of_graph(&p->s, &info, graph_done(p->graph)), LMP_OK);
}

static void program_close(Program *p) {
    snapshot_close(&p->s);
    graph_free(p->graph);
}

static const char *name(const Program *p, uint32_t object) {
    static char out[200];
    return snapshot_name(&p->s, object, out, sizeof out);
}

static const char *class(const Program *p, uint32_t object) {
    return p->s.class_list[p->s.class_of[object]].name;
}

static const char *preview(const Program *p, uint32_t object) {
    static char out[200];
    return snapshot_preview(&p->s, object, out, sizeof out);
}

/* The word of the only reference from one to the other. */
static const char *step(const Program *p, uint32_t from, uint32_t to) {
    static char out[200];
    for (uint32_t e = p->s.g.edge_at[from]; e < p->s.g.edge_at[from + 1]; e++)
        if (p->s.g.edge_to[e] == to) return snapshot_step(&p->s, from, e, out, sizeof out);
    return "(no reference)";
}

TEST(test_tables) {
    OWN(program_close) Program p = program_new();
    Graph *g = p.graph;
    uint32_t item = graph_table(g, 0, 0, 4, 3), same = graph_table(g, 0, 0, 4, 3);
    const char *key[] = {"price", "id", "name"};
    for (int i = 0; i < 3; i++) {
        graph_edge(g, item, graph_string(g, key[i]), LMP_EDGE_KEY, 0);
        graph_edge(g, same, graph_string(g, key[2 - i]), LMP_EDGE_KEY, 0);
    }
    graph_edge(g, item, graph_string(g, "bolt"), LMP_EDGE_FIELD, graph_string(g, "name"));
    uint32_t array = graph_table(g, 4, 4, 0, 0), empty = graph_table(g, 0, 0, 0, 0);
    graph_index(g, array, 1, item);
    graph_index(g, array, 2, same);
    uint32_t numbers = graph_table(g, 1000, 1000, 0, 0), set = graph_table(g, 0, 0, 4, 1);
    graph_edge(g, set, item, LMP_EDGE_KEY, 0);
    uint32_t weak = graph_table(g, 0, 0, 4, 1);
    g->object[weak].flags = LMP_OBJECT_WEAK_VALUES;
    graph_edge(g, weak, item, LMP_EDGE_KEY, 0);
    graph_edge(g, weak, item, LMP_EDGE_OBJECT | LMP_EDGE_WEAK, item);
    uint32_t many = graph_table(g, 0, 0, 32, 32);
    for (int i = 0; i < 20; i++) {
        char text[16];
        snprintf(text, sizeof text, "k%d", i);
        graph_field(g, many, text, array);
    }
    uint32_t odd = graph_table(g, 0, 0, 2, 2), both = graph_table(g, 1, 1, 1, 1);
    graph_field(g, odd, "not a name", item);
    graph_field(g, odd, "\x1b[31m\xff", same);
    graph_field(g, both, "n", item);
    graph_index(g, both, 1, item);
    program_open(&p);
    ck_assert_str_eq(class(&p, item), "{id, name, price}");
    ck_assert_uint_eq(p.s.class_of[item], p.s.class_of[same]);
    ck_assert_str_eq(name(&p, item), "table {id, name, price}");
    ck_assert_str_eq(preview(&p, item), "{name = \"bolt\", id, price}");
    ck_assert_str_eq(class(&p, array), "[table]");
    ck_assert_str_eq(name(&p, array), "table [table]\xc3\x97"
                                      "4");
    ck_assert_str_eq(preview(&p, array), "{{\xe2\x80\xa6}, {\xe2\x80\xa6}}");
    ck_assert_str_eq(name(&p, empty), "table {}");
    ck_assert_str_eq(name(&p, numbers), "table [plain]\xc3\x97"
                                        "1,000");
    ck_assert_str_eq(class(&p, set), "{[table] = plain}");
    ck_assert_str_eq(class(&p, weak), "weak {[table] = table}");
    ck_assert_str_eq(class(&p, many), "{[string] = table}");
    ck_assert_str_eq(class(&p, odd), "{[\"?[31m?\"], [\"not a name\"]}");
    ck_assert_str_eq(class(&p, both), "{[n], n}");
    ck_assert_str_eq(step(&p, odd, item), "[\"not a name\"]");
    ck_assert_str_eq(step(&p, odd, same), "[\"?[31m?\"]");
    ck_assert_str_eq(step(&p, array, item), "[1]");
    ck_assert_str_eq(step(&p, many, array), ".k0");
    ck_assert_str_eq(name(&p, p.registry), "registry");
    ck_assert_str_eq(name(&p, p.globals), "_G");
    ck_assert_str_eq(name(&p, p.loaded), "package.loaded");
}

/* What a metatable says, where it lives, and where what it refers to lives. */
TEST(test_metatables) {
    OWN(program_close) Program p = program_new();
    Graph *g = p.graph;
    uint32_t named = graph_table(g, 0, 0, 4, 1), global = graph_table(g, 0, 0, 4, 1);
    uint32_t module = graph_table(g, 0, 0, 4, 1), inner = graph_table(g, 0, 0, 4, 1);
    uint32_t by_index = graph_table(g, 0, 0, 1, 1), nameless = graph_table(g, 0, 0, 1, 1);
    graph_field(g, named, "__name", graph_string(g, "FILE*"));
    graph_field(g, p.globals, "Account", global);
    graph_field(g, p.loaded, "app.shop", module);
    graph_field(g, module, "Order", inner);
    graph_field(g, by_index, "__index", inner);
    uint32_t meta[] = {named, global, inner, by_index, nameless}, object[5];
    uint32_t file = graph_object(g, LMP_OBJECT_USERDATA, 60),
             plain = graph_object(g, LMP_OBJECT_USERDATA, 60);
    graph_edge(g, file, named, LMP_EDGE_METATABLE, 0);
    for (int i = 0; i < 5; i++) {
        object[i] = graph_table(g, 0, 0, 1, 1);
        graph_edge(g, object[i], graph_string(g, "balance"), LMP_EDGE_KEY, 0);
        graph_edge(g, object[i], meta[i], LMP_EDGE_METATABLE, 0);
    }
    program_open(&p);
    ck_assert_str_eq(class(&p, object[0]), "FILE*");
    ck_assert_str_eq(class(&p, object[1]), "Account");
    ck_assert_str_eq(class(&p, object[2]), "app.shop.Order");
    ck_assert_str_eq(class(&p, object[3]), "app.shop.Order");
    ck_assert_str_eq(class(&p, object[4]), "{balance}");
    ck_assert_str_eq(name(&p, object[1]), "table Account");
    ck_assert_str_eq(name(&p, module), "table app.shop");
    ck_assert_str_eq(name(&p, file), "userdata FILE*");
    ck_assert_str_eq(name(&p, plain), "userdata");
    ck_assert_uint_ne(p.s.class_of[file], p.s.class_of[object[0]]); /* of another type */
    ck_assert_str_eq(step(&p, object[0], named), " \xe2\x96\xb8 metatable");
}

TEST(test_functions) {
    OWN(program_close) Program p = program_new();
    Graph *g = p.graph;
    uint32_t cache = graph_table(g, 0, 0, 1, 1), entries = graph_table(g, 0, 0, 0, 0);
    uint32_t get = graph_function(g, graph_proto(g, "@cache.lua", 3, 9));
    graph_field(g, p.loaded, "cache", cache);
    graph_field(g, cache, "get", get);
    uint32_t upvalue = graph_upvalue(g, get, "entries", entries);
    uint32_t helper = graph_function(g, graph_proto(g, "@cache.lua", 20, 30));
    uint32_t held = graph_upvalue(g, get, "helper", helper);
    uint32_t nameless = graph_function(g, graph_proto(g, "=stdin", 7, 7));
    graph_index(g, entries, 1, nameless);
    uint32_t chunk = graph_proto(g, "local x = 1\nreturn x", 0, 0), main = graph_function(g, chunk);
    graph_index(g, entries, 2, main);
    uint32_t insert = graph_object(g, LMP_OBJECT_C_FUNCTION, 32),
             table = graph_table(g, 0, 0, 1, 1);
    graph_field(g, p.globals, "table", table);
    graph_field(g, table, "insert", insert);
    uint32_t other = graph_object(g, LMP_OBJECT_C_FUNCTION, 48);
    g->object[insert].wide = 0x1000, g->object[other].wide = 0x2000;
    graph_edge(g, other, entries, LMP_EDGE_UPVALUE, 2);
    uint32_t worker = graph_thread(g, 1);
    uint32_t frame = graph_frame(g, helper, 25);
    graph_frame(g, get, 5);
    graph_local(g, frame, "conn", 1, cache);
    graph_local(g, frame, NULL, 4, entries);
    uint32_t fresh = graph_thread(g, 0);
    graph_local(g, LMP_OBJECT_NONE, NULL, 1, get);
    program_open(&p);
    ck_assert_str_eq(name(&p, get), "function get (cache.lua:3)");
    ck_assert_str_eq(class(&p, get), "function get (cache.lua:3)");
    ck_assert_str_eq(name(&p, helper), "function helper (cache.lua:20)");
    ck_assert_str_eq(name(&p, nameless), "function (stdin:7)");
    ck_assert_str_eq(name(&p, main), "main chunk ([string \"local x = 1\xe2\x80\xa6\"])");
    ck_assert_str_eq(name(&p, insert), "function table.insert [C]");
    ck_assert_str_eq(name(&p, other), "function 0x2000 [C]");
    ck_assert_str_eq(name(&p, upvalue), "upvalue entries");
    ck_assert_str_eq(preview(&p, get), "entries = {\xe2\x80\xa6}, helper = function");
    ck_assert_str_eq(name(&p, snapshot_proto(&p.s, get)), "code of get (cache.lua:3)");
    ck_assert_str_eq(class(&p, snapshot_proto(&p.s, get)), "code of cache.lua");
    ck_assert_uint_eq(snapshot_proto(&p.s, held), snapshot_proto(&p.s, get));
    ck_assert_str_eq(name(&p, p.main), "main thread");
    ck_assert_str_eq(name(&p, worker), "coroutine get (cache.lua:3)");
    ck_assert_str_eq(name(&p, fresh), "coroutine get (cache.lua:3)");
    ck_assert_str_eq(preview(&p, worker), "cache.lua:25 < cache.lua:5");
    ck_assert_str_eq(step(&p, get, upvalue), " \xe2\x96\xb8 upvalue entries");
    ck_assert_str_eq(step(&p, upvalue, entries), "");
    ck_assert_str_eq(step(&p, other, entries), " \xe2\x96\xb8 upvalue 2");
    ck_assert_str_eq(step(&p, worker, cache), " \xe2\x96\xb8 local conn (cache.lua:25)");
    ck_assert_str_eq(step(&p, worker, entries), " \xe2\x96\xb8 temporary 4 (cache.lua:25)");
    ck_assert_str_eq(step(&p, 0, p.registry), "registry");
}

TEST(test_strings_and_keys) {
    OWN(program_close) Program p = program_new();
    Graph *g = p.graph;
    uint32_t table = graph_table(g, 0, 0, 8, 8), value = graph_table(g, 0, 0, 0, 0);
    uint32_t wild = graph_string(g, "a\nb\x1b]\xff \xc3\xa9");
    uint32_t word =
        graph_string(g, "a long text that goes on for longer than anybody wants to read it "
                        "in a row of a table");
    graph_edge(g, table, value, LMP_EDGE_INTEGER, graph_wide(g, -5));
    uint32_t half = graph_object(g, LMP_OBJECT_USERDATA, 50),
             yes = graph_object(g, LMP_OBJECT_USERDATA, 50);
    uint32_t light = graph_object(g, LMP_OBJECT_USERDATA, 50),
             keyed = graph_object(g, LMP_OBJECT_USERDATA, 50);
    double x = 0.5;
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    graph_edge(g, table, half, LMP_EDGE_FLOAT, graph_wide(g, bits));
    graph_edge(g, table, yes, LMP_EDGE_BOOLEAN, 1);
    graph_edge(g, table, light, LMP_EDGE_LIGHT, graph_wide(g, 0xbeef));
    graph_edge(g, table, keyed, LMP_EDGE_OBJECT, value);
    uint32_t lot = graph_object(g, LMP_OBJECT_LOT, 4096);
    g->object[lot].a = LMP_LOT_CODE, g->object[lot].b = 12;
    graph_edge(g, 0, lot, LMP_EDGE_LOT, LMP_LOT_CODE);
    program_open(&p);
    ck_assert_str_eq(name(&p, wild), "\"a?b?]? \xc3\xa9\"");
    const char *cut = name(&p, word);
    ck_assert(strstr(cut, "a long text") && strstr(cut, "\"\xe2\x80\xa6"));
    ck_assert_str_eq(step(&p, table, value), "[-5]");
    ck_assert_str_eq(step(&p, table, half), "[0.5]");
    ck_assert_str_eq(step(&p, table, yes), "[true]");
    ck_assert_str_eq(step(&p, table, light), "[light 0xbeef]");
    ck_assert_str_eq(step(&p, table, keyed), "[table {}]");
    ck_assert_str_eq(name(&p, lot), objectgraph_lot(LMP_LOT_CODE));
    ck_assert_str_eq(preview(&p, lot), "12 blocks");
}

/* Of texts of all kinds of characters, cut anywhere, what comes out is whole and harmless. */
TEST(test_safe_at_any_length) {
    static const char *piece[] = {"a",    "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                                  "\x1b", "\xff",     "\xe2\x80\xae", "\xe2\x82",
                                  "\n",   "\""};
    for (int round = 0; round < 300; round++) {
        OWN(program_close) Program p = program_new();
        Graph *g = p.graph;
        char text[200] = "";
        for (uint64_t n = suite_below(40); n > 0; n--)
            strcat(text, piece[suite_below(sizeof piece / sizeof *piece)]);
        uint32_t string = graph_string(g, text), table = graph_table(g, 0, 0, 1, 1);
        graph_field(g, table, text, string);
        program_open(&p);
        for (size_t size = 1; size < 120; size++) {
            char out[3][120], safe[120];
            snapshot_name(&p.s, string, out[0], size);
            snapshot_preview(&p.s, table, out[1], size);
            snapshot_step(&p.s, table, p.s.g.edge_at[table], out[2], size);
            for (int i = 0; i < 3; i++) {
                ck_assert_uint_lt(strlen(out[i]), size);
                ck_assert_str_eq(format_text(safe, sizeof safe, out[i], 0), out[i]);
            }
        }
    }
}
