/* Tests of the verdict on a snapshot: heaps made up for each rule, just above and just below where
 * it holds. */
#include "framed_heap.h"

/* The row of a rule; NULL: it has none. */
static const LmpSuspect *of(LmpSuspectRule rule) {
    for (uint32_t i = 0; i < suspects.rows; i++)
        if (suspects.row[i].rule == rule) return &suspects.row[i];
    return NULL;
}

static bool fired(LmpSuspectRule rule) {
    const LmpSuspect *row = of(rule);
    return row && row->fired;
}

/* ---- holders --------------------------------------------------------------------------------- */

/* A chain of tables, the last with many entries: that one it is, not those above it. */
TEST(accumulation_point) {
    begin();
    uint32_t app = graph_table(graph, 0, 0, 2, 1), list = graph_table(graph, 64, 50, 0, 0);
    graph_field(graph, globals, "app", app);
    graph_field(graph, app, "list", list);
    for (uint32_t i = 1; i <= 50; i++)
        graph_index(graph, list, i, block(1000));
    judge();
    const LmpSuspect *row = of(LMP_SUSPECT_HOLDER);
    ck_assert(row->fired);
    ck_assert_uint_eq(row->object, list);
    ck_assert_uint_eq(row->bytes, snapshot.retained[list]);
    ck_assert_ptr_nonnull(strstr(row->words, "through 50 \xc3\x97 "));
    ck_assert_ptr_nonnull(strstr(row->path, "app.list"));
    ck_assert_uint_eq(suspects.row[0].object, list); /* the first of all */
}

/* One that nearly all is in goes down to it: 0.7 of what is above. */
TEST(down_to_the_drop) {
    for (uint64_t part = 600; part <= 800; part += 200) {
        begin();
        uint32_t box = graph_table(graph, 2, 2, 0, 0), big = block(part * 10);
        graph_field(graph, globals, "box", box);
        graph_index(graph, box, 1, big);
        graph_index(graph, box, 2, block(10000 - part * 10));
        judge();
        ck_assert_uint_eq(suspects.row[0].object, part < 700 ? box : big);
    }
}

/* A list drops little at each of its links: it is told by who holds it, and with all that it holds.
 */
TEST(a_list) {
    for (int way = 0; way < 2; way++) {
        begin();
        uint32_t head = 0, at = globals;
        for (uint32_t i = 0; i < 2000; i++) {
            uint32_t link = graph_table(graph, 0, 0, 2, 2);
            graph_field(graph, at, at == globals ? "list" : "next", link);
            graph_field(graph, link, "payload", block(100));
            if (way == 1 && at != globals) graph_field(graph, link, "prev", at);
            if (!head) head = link;
            at = link;
        }
        judge();
        const LmpSuspect *row = of(LMP_SUSPECT_HOLDER);
        ck_assert(row->fired);
        ck_assert_uint_eq(row->object, head);
        ck_assert_uint_eq(row->bytes, snapshot.retained[row->object]);
        ck_assert_uint_gt(row->bytes * 10, snapshot.reachable_bytes * 9);
    }
}

TEST(a_tenth) {
    for (uint64_t percent = 8; percent <= 12; percent += 4) {
        begin();
        uint64_t rest = 0;
        uint32_t big = block(percent * 1000);
        graph_field(graph, globals, "big", big);
        for (uint32_t i = 0; i < 20; i++) { /* each below a tenth */
            char name[16];
            snprintf(name, sizeof name, "other %u", i);
            rest = (100 - percent) * 1000 / 20 - 200;
            graph_field(graph, globals, name, block(rest));
        }
        judge();
        bool found = false;
        for (uint32_t i = 0; i < suspects.fired; i++)
            found = found ||
                    (suspects.row[i].rule == LMP_SUSPECT_HOLDER && suspects.row[i].object == big);
        ck_assert(found == (percent > 10));
    }
}

/* Registry, globals and main thread hold everything everywhere: they are no news. */
TEST(the_frame_is_no_suspect) {
    begin();
    uint32_t a = block(5000), b = block(5000);
    graph_field(graph, globals, "a", a);
    graph_field(graph, globals, "b", b);
    judge();
    for (uint32_t i = 0; i < suspects.fired; i++)
        ck_assert(suspects.row[i].object != globals && suspects.row[i].object != registry);
    ck_assert(fired(LMP_SUSPECT_HOLDER));
}

/* ... but where it is full of small things, it is. */
TEST(a_thousand_globals) {
    begin();
    for (uint32_t i = 0; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "g%u", i);
        graph_field(graph, globals, name, block(100));
    }
    uint32_t one = block(90000); /* that is told by itself, and not again with the globals */
    graph_field(graph, globals, "one", one);
    judge();
    uint64_t bytes[2] = {0};
    for (uint32_t i = 0; i < suspects.fired; i++) {
        const LmpSuspect *row = &suspects.row[i];
        if (row->object == globals) bytes[0] += row->bytes;
        if (row->object == one) bytes[1] += row->bytes;
        if (row->object == globals)
            ck_assert_msg(strstr(row->words, "in small things, through 1,000 \xc3\x97 "), "%s",
                          row->words);
    }
    ck_assert_uint_eq(bytes[0], snapshot.retained[globals] - 90000);
    ck_assert_uint_eq(bytes[1], 90000);
}

/* Objects of one class in many places: none of them holds much, all together do. */
TEST(a_class) {
    begin();
    for (uint32_t i = 0; i < 40; i++) {
        char name[16];
        uint32_t place = graph_table(graph, 0, 0, 1, 1), point = graph_table(graph, 0, 0, 2, 2);
        snprintf(name, sizeof name, "place%u", i);
        graph_field(graph, globals, name, place);
        graph_field(graph, place, "at", point);
        graph_field(graph, point, "x", block(500));
        graph_field(graph, point, "y", block(500));
    }
    judge();
    const LmpSuspect *row = NULL;
    for (uint32_t i = 0; i < suspects.fired; i++)
        if (suspects.row[i].rule == LMP_SUSPECT_CLASS && strstr(suspects.row[i].words, "{x, y}"))
            row = &suspects.row[i];
    ck_assert_ptr_nonnull(row);
    ck_assert_uint_eq(row->by, LMP_BY_CLASS);
    ck_assert_ptr_nonnull(strstr(row->words, "40 \xc3\x97 {x, y}"));
}

/* One of a class that is a suspect by itself is told by itself: its bytes are not told again, and
 * it is not counted among the others. */
TEST(the_others_of_a_class) {
    begin();
    for (uint32_t i = 0; i < 41; i++) {
        char name[16];
        uint32_t place = graph_table(graph, 0, 0, 1, 1), point = graph_table(graph, 0, 0, 2, 2);
        snprintf(name, sizeof name, "place%u", i);
        graph_field(graph, globals, name, place);
        graph_field(graph, place, "at", point);
        graph_field(graph, point, "x", block(500));
        graph_field(graph, point, "y", block(i == 0 ? 30000 : 500));
    }
    judge();
    uint32_t told = 0;
    for (uint32_t i = 0; i < suspects.fired; i++) {
        const LmpSuspect *row = &suspects.row[i];
        if (row->rule != LMP_SUSPECT_CLASS) continue;
        if (strstr(row->words, "Another 40 \xc3\x97 {x, y}") == row->words) {
            told++;
            ck_assert_uint_eq(row->bytes, 40 * (56 + 2 * 24 + 1000));
        } else {
            ck_assert_msg(!strstr(row->words, "41 "), "%s", row->words);
        }
    }
    ck_assert_uint_eq(told, 1);
}

/* What a table holds and the class of what is in it are one verdict. */
TEST(one_holder_one_verdict) {
    Leaky l = leaky_heap();
    graph = l.graph;
    judge();
    uint32_t about = 0;
    for (uint32_t i = 0; i < suspects.fired; i++)
        about += suspects.row[i].object == l.handlers;
    ck_assert_uint_eq(about, 1);
    ck_assert_uint_eq(suspects.row[0].object, l.handlers);
    ck_assert_uint_eq(suspects.row[0].rule, LMP_SUSPECT_HOLDER);
    ck_assert(!fired(LMP_SUSPECT_CLASS));
    ck_assert(of(LMP_SUSPECT_CLASS) != NULL); /* and says so */
}

/* Growth from 2 % of the older heap on, and where the new ones are held. */
TEST(growth) {
    for (uint32_t added = 10; added <= 30; added += 20) {
        static LmpSnapshot old;
        static LmpSuspects now;
        Leaky before = leaky_heap(), after = leaky_heap();
        uint32_t list = graph_table(after.graph, 64, added, 0, 0);
        graph_field(after.graph, after.globals, "added", list);
        for (uint32_t i = 1; i <= added; i++) {
            uint32_t point = graph_table(after.graph, 0, 0, 2, 2); /* 104 bytes */
            graph_field(after.graph, point, "x", point);
            graph_field(after.graph, point, "y", point);
            graph_index(after.graph, list, i, point);
        }
        const LmpObjectGraph *g = graph_done(before.graph);
        LmpObjectInfo info = leaky_info(g);
        ck_assert_int_eq(snapshot_of_graph(&old, &info, g), LMP_OK);
        graph = after.graph;
        open_snapshot();
        ck_assert_int_eq(suspects_make(&now, &snapshot, &old, NULL), LMP_OK);
        bool found = false;
        for (uint32_t i = 0; i < now.fired; i++)
            found = found || (now.row[i].rule == LMP_SUSPECT_GROWN && now.row[i].object == list);
        ck_assert(found == (added * 104 * 50 >= old.reachable_bytes));
        ck_assert(found == (added == 30));
        old.info.pid++; /* of another run: it says so */
        ck_assert_int_eq(suspects_make(&now, &snapshot, &old, NULL), LMP_OK);
        for (uint32_t i = 0; i < now.fired; i++)
            ck_assert(now.row[i].rule != LMP_SUSPECT_GROWN);
        end();
        snapshot_close(&old);
        graph_free(before.graph);
    }
}

/* ---- what is there for nothing ----------------------------------------------------------------
 */

/* Every rule has a row, whether it holds or not, and in an empty heap none holds. */
TEST(nothing) {
    suite_closes(end);
    graph = graph_new();
    judge();
    ck_assert_uint_eq(suspects.fired, 0);
    for (uint32_t rule = 0; rule < LMP_SUSPECT_RULES; rule++) {
        ck_assert_ptr_nonnull(of(rule));
        ck_assert_uint_gt(strlen(of(rule)->words), 10);
    }
}

TEST(equal_strings) {
    for (uint32_t copies = 1; copies <= 20; copies += 19) {
        begin();
        uint32_t list = graph_table(graph, 32, 21, 0, 0);
        graph_field(graph, globals, "list", list);
        for (uint32_t i = 1; i <= copies; i++)
            graph_index(graph, list, i,
                        graph_string(graph, "a string of more than forty bytes, made many times"));
        judge();
        ck_assert(fired(LMP_SUSPECT_STRINGS) == (copies > 1));
        if (copies > 1)
            ck_assert_uint_eq(of(LMP_SUSPECT_STRINGS)->bytes,
                              (copies - 1) * (25 + strlen("a string of more than forty bytes, "
                                                          "made many times")));
    }
}

TEST(empty_slots) {
    for (uint32_t used = 10; used <= 1000; used += 990) {
        begin();
        graph_field(graph, globals, "list", graph_table(graph, 1000, used, 0, 0));
        judge();
        ck_assert(fired(LMP_SUSPECT_SLOTS) == (used < 1000));
        if (used < 1000) ck_assert_uint_ge(of(LMP_SUSPECT_SLOTS)->bytes, 990 * 16);
    }
}

TEST(garbage) {
    for (uint64_t size = 100; size <= 1000; size += 900) {
        begin();
        graph_field(graph, globals, "live", block(10000));
        block(size);
        judge();
        ck_assert(fired(LMP_SUSPECT_GARBAGE) == (size == 1000));
    }
}

TEST(suspended) {
    for (unsigned status = 0; status <= 1; status++) {
        begin();
        uint32_t list = graph_table(graph, 4, 3, 0, 0);
        uint32_t body = graph_function(graph, graph_proto(graph, "@worker.lua", 7, 30));
        graph_field(graph, globals, "list", list);
        for (uint32_t i = 1; i <= 3; i++) {
            uint32_t thread = graph_thread(graph, status);
            uint32_t frame = graph_frame(graph, body, 18);
            graph_local(graph, frame, "buffer", 1, block(1000));
            graph_index(graph, list, i, thread);
        }
        judge();
        const LmpSuspect *row = of(LMP_SUSPECT_COROUTINES);
        ck_assert(row->fired == (status == 1));
        if (row->fired) ck_assert_ptr_nonnull(strstr(row->words, "3 coroutines are suspended"));
        if (row->fired) ck_assert_ptr_nonnull(strstr(row->words, "worker.lua:18"));
    }
}

TEST(references) {
    bool one = false;
    for (uint32_t refs = 0; refs <= 30; refs += 30) {
        begin();
        graph_field(graph, globals, "other", block(1000));
        for (uint32_t i = 0; i < refs; i++)
            graph_index(graph, registry, 3 + i, block(100));
        judge();
        ck_assert(fired(LMP_SUSPECT_REFERENCES) == false || refs > 0);
        bool said = false;
        for (uint32_t i = 0; i < suspects.fired; i++)
            said = said || strstr(suspects.row[i].words, "30 numbers in the registry");
        ck_assert(said == (refs == 30));
    }
    begin();
    graph_index(graph, registry, 3, block(100));
    judge();
    for (uint32_t i = 0; i < suspects.fired; i++)
        if (strstr(suspects.row[i].words, "One number in the registry")) one = true;
    ck_assert(one);
}
