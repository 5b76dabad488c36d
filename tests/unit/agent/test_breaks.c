/* Break conditions: a program pauses exactly where one is met, never otherwise; and their list,
 * whoever writes it. */
#include "agent/hook/break_check.h" /* before an L of the fixture's own */

#include "agent/hook/break_check.h"
#include "breaks_fixture.h"

/* The operation in which the array of a table grows. */
static unsigned array_grows_by(void) {
    return luafacts_is_array_back(luafacts_array_bytes(8)) ? LMP_OP_ALLOC : LMP_OP_REALLOC;
}

/* ---- conditions ------------------------------------------------------------------------------ */

TEST(test_size) {
    begin();
    ck_assert(goes_fast());
    ck_assert_int_eq(run_with("size 64KiB", "local n = 100000\n"
                                            "local small = string.rep('x', 60000)\n"
                                            "local big = small .. string.rep('x', 40000)"),
                     1);
    ck_assert_uint_eq(op.hit, 1);
    ck_assert_uint_eq(op.hits, 1);
    char words[60];
    snprintf(words, sizeof words, "block larger than 64 KiB: 100,0%d B", LMP_STRING_LONG_HEAD + 1);
    ck_assert_str_eq(op.hit_words, words);
    ck_assert_uint_eq(op.op, LMP_OP_ALLOC);
    ck_assert_uint_eq(op.cls, LMP_C_STRING);
    ck_assert_uint_eq(op.depth, 1);
    ck_assert_str_eq(op.frame[0].source, "src/prog.lua");
    ck_assert_int_eq(op.frame[0].line, 3);
    ck_assert_uint_eq(op.locals_frame, 0);
    ck_assert_uint_eq(op.locals_state, LMP_LOCALS_READ);
    local_is("n", "number", "100000");
    ck_assert_uint_eq(local_of("small")->whole, 60000);
    ck_assert_uint_eq(view->live->breaks.hits[0], 1);
    ck_assert_uint_eq(atomic_load(&view->live->breaks.taken), sent);
    /* growing a block asks for one, shrinking or freeing it does not */
    ck_assert_int_eq(run_with("size 64KiB", "t = {} for i = 1, 4097 do t[i] = i end"), 1);
    ck_assert_uint_eq(op.op, array_grows_by());
    ck_assert_uint_eq(op.new_size, luafacts_array_bytes(8192));
    ck_assert_int_eq(run_with("size 60KiB", "for i = 4097, 2101, -1 do t[i] = nil end t.x = 1"), 0);
    ck_assert_int_eq(run_with("size 10KiB", "t = nil collectgarbage()"), 0);
}

TEST(test_heap) {
    static const char grow[] = "t = {} for i = 1, 2000 do t[i] = {} end";
    begin();
    char text[64];
    run("collectgarbage('generational') collectgarbage() collectgarbage('incremental')");
    snprintf(text, sizeof text, "heap %lluB",
             (unsigned long long)view->live->counters.live_bytes + 50000);
    want(text, "size 1GiB", NULL);
    run(grow);
    ck_assert_int_eq(pauses, 1); /* not in every operation above it */
    ck_assert_uint_gt(view->live->counters.live_bytes, profile->breaks->row[0].bytes);
    ck_assert(strstr(op.hit_words, "heap above "));
    ck_assert_int_eq(op.frame[0].line, 1);
    want("peak", text, "size 1GiB", "size 2GiB", NULL); /* others are set: it does not pause anew */
    run("local a = {}");
    want(text, "size 1GiB", NULL);
    pauses = 0;
    run("local a = {}");
    ck_assert_int_eq(pauses, 0);
    run("t = nil collectgarbage()"); /* it has to fall first */
    run(grow);
    ck_assert_int_eq(pauses, 1);
    ck_assert_uint_eq(view->live->breaks.hits[0], 2);
    want("size 1GiB", NULL);
    want(text, NULL); /* set anew above it: at once */
    pauses = 0;
    run("local a = {}");
    ck_assert_int_eq(pauses, 0); /* the hook has only seen the last list: the same condition */
    want("size 1GiB", NULL);
    run("local a = {}");
    want(text, NULL);
    run("local a = {}");
    ck_assert_int_eq(pauses, 1);
}

static int lines[100]; /* pauses by line of the innermost Lua function */

static bool note_line(void) {
    uint32_t i = op.locals_frame;
    if (i < op.frames && op.frame[i].line > 0 && op.frame[i].line < 100) lines[op.frame[i].line]++;
    return true;
}

static const char at_script[] = "local function f(s)\n"
                                "  local n = s .. 'x'\n" /* 2 */
                                "  return n .. 'y'\n"    /* 3 */
                                "end\n"
                                "for i = 1, 10 do\n"
                                "  f('number ' .. i)\n" /* 6 */
                                "end\n"
                                "local s = string.format('%s and %d', {}, 7)\n" /* 8 */
                                "local co = coroutine.wrap(function()\n"
                                "  for i = 1, 3 do coroutine.yield('c' .. i) end\n" /* 10 */
                                "end)\n"
                                "co() co() co()\n"
                                "pcall(string.rep, 'ab', 400)\n" /* 13: by its Lua caller */
                                "for k in string.gmatch('ab cd', '%a+') do s = s .. k end\n"
                                "local list = {}\n"
                                "for i = 1, 64 do\n"
                                "  list[i] = i\n" /* 17: makes the array of line 15 larger */
                                "end\n"
                                "local nested = {\n"
                                "  {1, 2, 3}, \n" /* 20: the constructor has saved nothing yet */
                                "  {x = 1}}\n";

static void pauses_at(int line, int least) {
    char condition[40];
    memset(lines, 0, sizeof lines);
    snprintf(condition, sizeof condition, "at %sprog.lua:%d", line % 2 ? "" : "src/", line);
    int n = run_with(condition, at_script);
    ck_assert_msg(n >= least && lines[line] == n, "%s: %d pauses, %d there", condition, n,
                  lines[line]);
    ck_assert_msg(n < 2 * least + 8, "%s: %d pauses", condition, n);
}

TEST(test_at) {
    for (int way = 0; way < 3; way++) {
        begin_as(way > 0, way == 2);
        on_pause = note_line;
        pauses_at(2, 10);
        pauses_at(3, 10);
        pauses_at(6, 10);
        pauses_at(8, 2);
        pauses_at(10, 3);
        pauses_at(13, 1);
        pauses_at(14, 3);
        pauses_at(17, 6);
        if (way > 0 && view->live->tables.lines == LMP_LINES_EXACT) {
            pauses_at(19, 4);
            pauses_at(20, 2);
        }
        ck_assert_int_eq(run_with("at prog.lua:1000", at_script), 0);
        ck_assert_int_eq(run_with("at other.lua:2", at_script), 0);
        ck_assert_int_eq(run_with("at rog.lua:2", at_script), 0);
        run("t = {} for i = 1, 64 do t[i] = {} end"); /* what a line frees is not what it makes */
        ck_assert_int_eq(run_with("at prog.lua:2", "t = nil\ncollectgarbage()"), 0);
    }
}

/* The block under the pause is known by the line that made it. */
static int made_lines[3];

static bool note_context(void) {
    uint32_t record = tables_record_of(&view->tables, op.alloc_context);
    const LmpSite *site = &view->tables.site[view->tables.record[record].site];
    ck_assert_msg(record > 0, "operation %llu", (unsigned long long)op.number);
    if (made_lines[0] < 2) made_lines[++made_lines[0]] = site->line;
    return true;
}

TEST(test_maker) {
    for (int stacks = 0; stacks < 2; stacks++) {
        begin_as(true, stacks);
        if (view->live->tables.lines != LMP_LINES_EXACT) {
            suite_close();
            continue;
        }
        memset(made_lines, 0, sizeof made_lines);
        run("t = {}\n\nfor i = 1, 1024 do t[i] = i end");
        on_pause = note_context;
        run_with("size 17000", "local s = ('x'):rep(8000) .. ('y'):rep(8000)\n"
                               "local u = \ns .. s t[1025] = 1");
        ck_assert_int_eq(made_lines[0], 2);
        ck_assert_int_eq(made_lines[1], 3); /* made here */
        ck_assert_int_eq(made_lines[2], 3); /* made in the script before, made larger here */
        ck_assert_int_eq(op.op, array_grows_by());
    }
}

static unsigned wanted_kind;

static bool note_kind(void) {
    ck_assert_msg(class_owner(op.cls) == wanted_kind, "class %u", op.cls);
    ck_assert(op.op == LMP_OP_ALLOC || op.op == LMP_OP_REALLOC);
    return true;
}

TEST(test_type) {
    static const char script[] =
        "local t = {} for i = 1, 20 do t[i] = {i} end\n"
        "local s = '' for i = 1, 20 do s = s .. i end\n"
        "local f = load('return function() return 1 end')()\n"
        "local u = io.tmpfile() local c = coroutine.create(print) coroutine.resume(c) u:close()";
    static const char *const names[] = {"string", "function", "userdata", "thread", "table"};
    static const int least[] = {20, 2, 1, 2, 40};
    begin();
    run(script);
    on_pause = note_kind;
    for (unsigned k = 0; k < 5; k++) {
        LmpStats before, after;
        char condition[32];
        run("collectgarbage() collectgarbage()");
        snprintf(condition, sizeof condition, "type %s", names[k]);
        for (wanted_kind = 0; strcmp(kind_info[wanted_kind].name, names[k]) != 0; wanted_kind++)
            continue;
        want(condition, NULL);
        luaL_loadbuffer(L, script, strlen(script), "@src/prog.lua");
        pauses = 0;
        profiler_stats(L, &before);
        uint64_t grown = view->live->counters.count[LMP_C_TABLE_PART].reallocs;
        ck_assert_int_eq(lua_pcall(L, 0, 0, 0), LUA_OK);
        profiler_stats(L, &after);
        grown = view->live->counters.count[LMP_C_TABLE_PART].reallocs - grown;
        uint64_t allocs = after.kind[wanted_kind].allocs - before.kind[wanted_kind].allocs;
        ck_assert_int_ge(pauses, least[k]);
        /* exactly the allocations, and what grew */
        ck_assert_int_ge(pauses, (int)allocs);
        if (wanted_kind == LMP_TABLE) ck_assert_int_eq(pauses, (int)(allocs + grown));
        if (wanted_kind == LMP_FUNCTION) ck_assert_int_ge((int)allocs, 2);
    }
}

static uint64_t seen_cycles;

/* One operation may see the end of a cycle and, of a full collection within it, a second one's. */
static bool note_cycle(void) {
    seen_cycles = view->live->gc.cycles;
    uint64_t passed = seen_cycles - profile->breaks->cycles[0];
    ck_assert_msg(passed == 1 || passed == 2, "%llu cycles", (unsigned long long)passed);
    return true;
}

TEST(test_once) {
    begin();
    run("t = {} for i = 1, 1000 do t[i] = {} end t = nil collectgarbage()");
    uint64_t peak = view->live->counters.peak_bytes;
    ck_assert_uint_gt(peak, view->live->counters.live_bytes + 20000);
    want("peak", "-size 1", NULL);
    run("local a = {}");
    ck_assert_int_eq(pauses, 0);
    ck_assert(!goes_fast());
    run("t = {} for i = 1, 3000 do t[i] = {} end");
    ck_assert_int_eq(pauses, 1);
    ck_assert_uint_gt(op.new_size, 0);
    ck_assert(strstr(op.hit_words, "new peak of the heap: "));
    ck_assert_uint_eq(view->live->breaks.spent, 1);
    ck_assert(goes_fast()); /* nothing more to look for */
    on_pause = note_cycle;
    ck_assert_int_eq(run_with("gc", "t = nil collectgarbage('step', 0) collectgarbage() "
                                    "for i = 1, 10000 do local a = {} end collectgarbage()"),
                     1);
    char words[100];
    snprintf(words, sizeof words, "end of a collector cycle: cycle %llu",
             (unsigned long long)seen_cycles);
    ck_assert_str_eq(op.hit_words, words);
    ck_assert_uint_gt(view->live->gc.cycles, seen_cycles);
    ck_assert_uint_eq(view->live->breaks.spent, 1);
    /* switched on again, it waits for the next */
    LmpBreak again = parsed("gc");
    again.turn = 1;
    view_breaks(view, &again, 1);
    pauses = 0;
    run("local a = {}");
    ck_assert_int_eq(pauses, 0);
    run("collectgarbage() local a = {}");
    ck_assert_int_eq(pauses, 1);
}

/* ---- the list -------------------------------------------------------------------------------- */

TEST(test_list) {
    static const char script[] = "for i = 1, 10 do local a = {} end";
    begin();
    want("-type table", "-size 0", NULL);
    run(script);
    ck_assert_int_eq(pauses, 0);
    ck_assert(goes_fast()); /* none is on: nothing is paid */
    want("size 1GiB", "type table", "size 1", NULL);
    run(script);
    ck_assert_uint_eq(op.hit, 2); /* the first in the list that was met */
    ck_assert_uint_eq(op.hits, 6);
    ck_assert_uint_ge(view->live->breaks.hits[1], 10);
    uint64_t hits = view->live->breaks.hits[1];
    want("-type table", "size 1GiB", NULL); /* moved and off: its count goes with it */
    run(script);
    ck_assert_uint_eq(view->live->breaks.hits[0], hits);
    ck_assert_uint_eq(view->live->breaks.count, 2);
    view_breaks(view, NULL, 0);
    run(script);
    ck_assert_uint_eq(view->live->breaks.count, 0);
    ck_assert(goes_fast());
    LmpBreak all[LMP_BREAKS + 5];
    for (unsigned i = 0; i < LMP_BREAKS + 5; i++)
        all[i] = parsed("size 1GiB");
    all[LMP_BREAKS - 1] = parsed("type table");
    view_breaks(view, all, LMP_BREAKS + 5);
    run(script);
    ck_assert_uint_eq(op.hit, LMP_BREAKS);
}

TEST(test_viewer_gone) {
    static const char script[] = "for i = 1, 300000 do local a = {} end";
    begin();
    want("size 1GiB", NULL);
    run(script);
    ck_assert(!goes_fast());
    viewer_alive = false;
    for (int i = 0; i < 200 && !goes_fast(); i++)
        run(script);
    ck_assert(goes_fast());
    ck_assert_uint_eq(view->live->breaks.count, 0);
    want("type table", NULL); /* one that dies before its condition is met */
    on_pause = NULL;
    run(script);
    ck_assert_int_eq(pauses, 0);
    ck_assert_uint_eq(atomic_load(&view->live->state), LMP_RUNNING);
}

TEST(test_viewer_died_writing) {
    begin();
    want("type table", NULL);
    atomic_fetch_add(&view->control->breaks, 1); /* as if in the middle */
    atomic_store(&view->control->trap, 1);
    run("local a = {}");
    ck_assert_int_eq(pauses, 0);
    uint32_t before = atomic_load(&view->control->breaks);
    want("size 1MiB", NULL);
    ck_assert_uint_eq(sent % 2, 0);
    ck_assert_uint_gt(sent, before);
    run("local a = {}");
    ck_assert_uint_eq(atomic_load(&view->live->breaks.taken), sent);
    ck_assert_uint_eq(profile->breaks->row[0].kind, LMP_BREAK_SIZE);
}

TEST(test_foreign_list) { /* whatever stands in the control block, the program goes on */
    uint64_t seed = suite_seed;
    begin();
    for (int i = 0; i < 2000; i++) {
        LmpBreak row[LMP_BREAKS];
        unsigned char *bytes = (unsigned char *)row;
        for (size_t k = 0; k < sizeof row; k++)
            bytes[k] = (unsigned char)suite_random();
        for (unsigned k = 0; k < LMP_BREAKS; k++)
            if (suite_below(2)) row[k].kind = (uint32_t)suite_below(8);
        view_breaks(view, row, LMP_BREAKS);
        if (i % 2) view->control->break_count = (uint32_t)suite_random();
        run("local a = {'x' .. 1}");
    }
    ck_assert_msg(luaL_dostring(L, "return #'abc'") == 0, "SEED=%llu", (unsigned long long)seed);
}
