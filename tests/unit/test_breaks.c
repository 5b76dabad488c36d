/* Break conditions: how they are read and worded, and that a program pauses exactly where one is
 * met, with its stack and locals; never otherwise.
 *
 * The program runs here, in the test's own process: when it pauses, the system call that it would
 * sleep in is ours, and plays the viewer. */
#include "suite.h"

#include <lauxlib.h>
#include <lualib.h>
#include <unistd.h>

#include "breaks.h"
#include "os.h"
#include "profile.h"
#include "profiler.h"
#include "view.h"

/* ---- words --------------------------------------------------------------------------------------
 */

static LmpBreak parsed(const char *text) {
    LmpBreak b = {0};
    char problem[200] = "";
    ck_assert_msg(breaks_parse(text, &b, problem, sizeof problem), "\"%s\": %s", text, problem);
    ck_assert_int_eq(b.on, 1);
    return b;
}

START_TEST(test_read) {
    static const struct {
        const char *typed, *text, *words;
    } good[] = {
        {"size 64KiB", "size 64KiB", "block larger than 64 KiB"},
        {"  size\t 65536  ", "size 64KiB", "block larger than 64 KiB"},
        {"size 1000", "size 1000B", "block larger than 1000 B"},
        {"size 1000000", "size 1000000B", "block larger than 976.6 KiB (1,000,000 B)"},
        {"size 0", "size 0B", "block larger than 0 B"},
        {"heap 1.5 MiB", "heap 1.5MiB", "heap above 1.5 MiB"},
        {"heap 2000MiB", "heap 2000MiB", "heap above 2000 MiB"},
        {"heap 1.3MiB", "heap 1363148B", "heap above 1.3 MiB (1,363,148 B)"},
        {"heap 10m", "heap 10MiB", "heap above 10 MiB"},
        {"at file.lua:12", "at file.lua:12", "allocation at file.lua:12"},
        {"at ./src/a b.lua:7", "at src/a b.lua:7", "allocation at src/a b.lua:7"},
        {"at C:x.lua:7", "at C:x.lua:7", "allocation at C:x.lua:7"},
        {"type table", "type table", "memory of type table"},
        {"type strings", "type string", "memory of type string"},
        {"type h", "type thread", "memory of type thread"},
        {"type userdata", "type userdata", "memory of type userdata"},
        {"peak", "peak", "new peak of the heap"},
        {"gc ", "gc", "end of a collector cycle"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char text[BREAKS_TEXT], words[BREAKS_TEXT];
        LmpBreak b = parsed(good[i].typed), again;
        ck_assert_str_eq(breaks_text(text, sizeof text, &b), good[i].text);
        ck_assert_str_eq(breaks_words(words, sizeof words, &b), good[i].words);
        again = parsed(text);
        ck_assert_msg(breaks_same(&b, &again), "\"%s\" is not itself", text);
        breaks_check(&again);
        ck_assert_uint_eq(again.kind, b.kind);
    }
}
END_TEST

START_TEST(test_misread) {
    static const struct {
        const char *typed, *problem;
    } bad[] = {
        {"", "no condition is called '': size, heap, at, type, peak or gc"},
        {"sizes 10", "no condition is called 'sizes': size, heap, at, type, peak or gc"},
        {"size", "size: a number of bytes was expected, as in: size 64KiB"},
        {"size -1", "size: a number of bytes was expected, as in: size 64KiB"},
        {"size 64 chickens", "size: a number of bytes was expected, as in: size 64KiB"},
        {"size 99999999999999999999", "size: a number of bytes was expected, as in: size 64KiB"},
        {"heap all", "heap: a number of bytes was expected, as in: heap 10MiB"},
        {"at file.lua", "at: FILE:LINE was expected, as in: at main.lua:12"},
        {"at :12", "at: FILE:LINE was expected, as in: at main.lua:12"},
        {"at f.lua:", "at: a line's number was expected behind the colon, as in: at main.lua:12"},
        {"at f.lua:0", "at: a line's number was expected behind the colon, as in: at main.lua:12"},
        {"at f.lua:1x", "at: a line's number was expected behind the colon, as in: at main.lua:12"},
        {"at f.lua:99999999999",
         "at: a line's number was expected behind the colon, as in: at main.lua:12"},
        {"type number", "type: string, function, userdata, thread, table or other was expected, as "
                        "in: type string"},
        {"type", "type: string, function, userdata, thread, table or other was expected, as in: "
                 "type string"},
        {"peak 7", "peak: nothing was expected behind it, as in: peak"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char problem[200] = "";
        LmpBreak b = {.kind = 77};
        ck_assert_msg(!breaks_parse(bad[i].typed, &b, problem, sizeof problem), "\"%s\" was read",
                      bad[i].typed);
        ck_assert_str_eq(problem, bad[i].problem);
        ck_assert_uint_eq(b.kind, 77);
        char little[8];
        breaks_parse(bad[i].typed, &b, little, sizeof little);
        ck_assert_uint_lt(strlen(little), sizeof little);
    }
    char path[400], problem[200];
    LmpBreak b;
    memset(path, 'x', sizeof path);
    memcpy(path, "at ", 3);
    snprintf(path + 150, 20, ".lua:12");
    ck_assert(!breaks_parse(path, &b, problem, sizeof problem));
    ck_assert_msg(strstr(problem, "last parts"), "%s", problem);
    path[157] = 'x';
    snprintf(path + 390, 10, ".lua:12");
    ck_assert(!breaks_parse(path, &b, problem, sizeof problem));
}
END_TEST

START_TEST(test_lines) {
    LmpBreak row[LMP_BREAKS];
    ck_assert_uint_eq(breaks_parse_lines("", row), 0);
    ck_assert_uint_eq(breaks_parse_lines("\n  \n", row), 0);
    ck_assert_uint_eq(breaks_parse_lines("peak\n\nat a.lua:3\nsize 1KiB", row), 3);
    ck_assert_uint_eq(row[0].kind, LMP_BREAK_PEAK);
    ck_assert_int_eq(row[1].line, 3);
    ck_assert_uint_eq(row[2].bytes, 1024);
    ck_assert_uint_eq(breaks_parse_lines("peak\nnonsense\ngc\n", row), 1);
    char many[2000] = "";
    for (int i = 0; i < 40; i++)
        strcat(many, "type table\n");
    ck_assert_uint_eq(breaks_parse_lines(many, row), LMP_BREAKS);
    memset(many, 'x', sizeof many - 1);
    ck_assert_uint_eq(breaks_parse_lines(many, row), 0);
}
END_TEST

START_TEST(test_hit_words) {
    static const struct {
        const char *typed;
        uint64_t value;
        const char *words;
    } rows[] = {
        {"size 64KiB", 131072, "block larger than 64 KiB: 131,072 B"},
        {"heap 10MiB", 10485761, "heap above 10 MiB: 10,485,761 B"},
        {"at a.lua:3", 0, "allocation at a.lua:3"},
        {"type table", 0, "memory of type table"},
        {"peak", 5000, "new peak of the heap: 5,000 B"},
        {"gc", 14, "end of a collector cycle: cycle 14"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char words[BREAKS_WORDS];
        LmpBreak b = parsed(rows[i].typed);
        ck_assert_str_eq(breaks_hit_words(words, sizeof words, &b, rows[i].value), rows[i].words);
    }
}
END_TEST

START_TEST(test_files) {
    static const struct {
        const char *file, *source, *short_src;
        bool is;
    } rows[] = {
        {"a.lua", "@a.lua", "a.lua", true},
        {"a.lua", "@dir/a.lua", "dir/a.lua", true},
        {"a.lua", "@/long/way/dir/a.lua", "...dir/a.lua", true},
        {"dir/a.lua", "@/long/way/dir/a.lua", "...r/a.lua", true},
        {"/long/way/dir/a.lua", "@/long/way/dir/a.lua", "...r/a.lua", true},
        {"...r/a.lua", "@/long/way/dir/a.lua", "...r/a.lua", true},
        {"a.lua", "@dir/aa.lua", "dir/aa.lua", false},
        {"r/a.lua", "@dir/a.lua", "dir/a.lua", false},
        {"dir/a.lua", "@a.lua", "a.lua", false},
        {"a.lua", "@a.luac", "a.luac", false},
        {"a.lua", "return 'a.lua'", "[string \"return 'a.lua'\"]", false},
        {"stdin", "=stdin", "stdin", true},
        {"[string \"x = {}\"]", "x = {}", "[string \"x = {}\"]", true},
        {"", "@a.lua", "a.lua", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(breaks_file_is(rows[i].file, rows[i].source, rows[i].short_src) == rows[i].is,
                      "%s, %s", rows[i].file, rows[i].source);
}
END_TEST

START_TEST(test_foreign_rows) { /* from a process that may write anything */
    suite_seed();
    for (int i = 0; i < 20000; i++) {
        LmpBreak b;
        unsigned char *bytes = (unsigned char *)&b;
        char text[BREAKS_WORDS];
        for (size_t k = 0; k < sizeof b; k++)
            bytes[k] = (unsigned char)suite_random();
        if (suite_below(2)) b.kind = (uint32_t)suite_below(LMP_BREAK_KINDS + 1);
        if (suite_below(2)) b.type = (uint32_t)suite_below(LMP_KINDS + 1);
        breaks_check(&b);
        ck_assert_uint_lt(b.kind, LMP_BREAK_KINDS);
        breaks_text(text, BREAKS_TEXT, &b);
        breaks_words(text, BREAKS_TEXT, &b);
        breaks_hit_words(text, sizeof text, &b, suite_random());
        ck_assert_uint_lt(strlen(text), sizeof text);
    }
}
END_TEST

/* ---- a program and its viewer -------------------------------------------------------------------
 */

static LmpOs os; /* os_real but for what the program sleeps in */
static LmpView *view;
static lua_State *L;
static LmpProfile *profile;
static LmpOp op;               /* of the last pause */
static int pauses;             /* so far (count) */
static bool viewer_alive;      /* what the program is told */
static uint32_t sent;          /* sequence of the last list */
static bool (*on_pause)(void); /* looks at op; false: the pause goes on. NULL: resume */

static void viewer_in_wait(const void *word, uint32_t value, uint64_t ns) {
    (void)word;
    (void)value;
    (void)ns;
    static uint64_t number;
    ck_assert_uint_eq(atomic_load(&view->live->state), LMP_PAUSED);
    ck_assert(view_copy_op(view, &op));
    if (op.number != number) pauses++;
    number = op.number;
    if (!on_pause || on_pause()) view_pause(view, false);
}

static bool is_alive(uint32_t pid) {
    (void)pid;
    return viewer_alive;
}

static int find_state(void) {
    for (int fd = 3; fd < 256; fd++) {
        char path[64], name[128] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        if (readlink(path, name, sizeof name - 1) > 0 && strstr(name, LMP_MEMFD_NAME))
            return dup(fd);
    }
    return -1;
}

static void begin_as(bool lines, bool stacks) {
    LmpOptions options = profiler_defaults;
    LmpErr display;
    void *ud;
    os = os_real;
    os.futex_wait = viewer_in_wait;
    os.alive = is_alive;
    lmp_os = &os;
    viewer_alive = true;
    on_pause = NULL;
    pauses = 0;
    L = luaL_newstate();
    luaL_openlibs(L);
    options.summary = "";
    options.live = false;
    options.lines = lines;
    options.stacks = stacks;
    ck_assert_int_eq(profiler_start(L, &options, &display), LMP_OK);
    view = calloc(1, sizeof *view);
    ck_assert_int_eq(view_open(view, find_state()), LMP_OK);
    lua_getallocf(L, &ud);
    profile = ud;
}

static void begin(void) {
    begin_as(true, false);
}

static void end(void) {
    view_close(view);
    free(view);
    profiler_stop(L, NULL);
    lua_close(L);
    lmp_os = &os_real;
}

/* Sets these conditions, up to a NULL; "-..." is one switched off. */
static void want(const char *first, ...) {
    LmpBreak row[LMP_BREAKS];
    uint32_t n = 0;
    va_list args;
    va_start(args, first);
    for (const char *text = first; text; text = va_arg(args, const char *)) {
        row[n] = parsed(text + (*text == '-'));
        row[n++].on = *text != '-';
    }
    va_end(args);
    sent = view_breaks(view, row, n);
}

/* Runs a script under the name "@src/prog.lua". */
static void run(const char *script) {
    ck_assert_msg(luaL_loadbuffer(L, script, strlen(script), "@src/prog.lua") == LUA_OK &&
                      lua_pcall(L, 0, 0, 0) == LUA_OK,
                  "%s", lua_tostring(L, -1));
}

/* Runs it with one condition and gives how often it paused. */
static int run_with(const char *condition, const char *script) {
    run("collectgarbage() collectgarbage()"); /* so that no string is there already */
    want(condition, NULL);
    pauses = 0;
    run(script);
    return pauses;
}

static bool goes_fast(void) {
    return profile->trap == &profile->control->trap;
}

static const LmpLocal *local_of(const char *name) {
    const LmpLocal *found = NULL;
    for (uint32_t i = 0; i < op.locals; i++) /* the last of a name hides those before */
        if (strcmp(op.local[i].name, name) == 0) found = &op.local[i];
    return found;
}

static void local_is(const char *name, const char *type, const char *value) {
    const LmpLocal *local = local_of(name);
    ck_assert_msg(local, "no local '%s' of %u", name, op.locals);
    ck_assert_str_eq(local->type, type);
    ck_assert_msg(strlen(value) == local->size && !memcmp(value, local->value, local->size),
                  "%s is '%.*s', not '%s'", name, (int)local->size, local->value, value);
}

START_TEST(test_size) {
    begin();
    ck_assert(goes_fast());
    ck_assert_int_eq(run_with("size 64KiB", "local n = 100000\n"
                                            "local small = string.rep('x', 60000)\n"
                                            "local big = small .. string.rep('x', 40000)"),
                     1);
    ck_assert_uint_eq(op.hit, 1);
    ck_assert_uint_eq(op.hits, 1);
    ck_assert_str_eq(op.hit_words, "block larger than 64 KiB: 100,025 B");
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
    ck_assert_uint_eq(op.op, LMP_OP_REALLOC);
    ck_assert_uint_eq(op.new_size, 131072);
    ck_assert_int_eq(run_with("size 60KiB", "for i = 4097, 2, -1 do t[i] = nil end t.x = 1"), 0);
    ck_assert_int_eq(run_with("size 10KiB", "t = nil collectgarbage()"), 0);
    end();
}
END_TEST

START_TEST(test_heap) {
    static const char grow[] = "t = {} for i = 1, 2000 do t[i] = {} end";
    begin();
    char text[64];
    run("collectgarbage('generational') collectgarbage() collectgarbage('incremental')");
    snprintf(text, sizeof text, "heap %lluB",
             (unsigned long long)view->live->counters.live_bytes + 50000);
    want(text, "size 1GiB", NULL);
    run(grow);
    ck_assert_int_eq(pauses, 1); /* not in every operation above it */
    ck_assert_uint_gt(view->live->counters.live_bytes, profile->watch.row[0].bytes);
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
    end();
}
END_TEST

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

START_TEST(test_at) {
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
        end();
    }
}
END_TEST

/* The block under the pause is known by the line that made it. */
static int made_lines[3];

static bool note_maker(void) {
    uint32_t record = tables_record_of(&view->tables, op.maker);
    const LmpSite *site = &view->tables.site[view->tables.record[record].site];
    ck_assert_msg(record > 0, "operation %llu", (unsigned long long)op.number);
    if (made_lines[0] < 2) made_lines[++made_lines[0]] = site->line;
    return true;
}

START_TEST(test_maker) {
    for (int stacks = 0; stacks < 2; stacks++) {
        begin_as(true, stacks);
        if (view->live->tables.lines != LMP_LINES_EXACT) {
            end();
            continue;
        }
        memset(made_lines, 0, sizeof made_lines);
        run("t = {}\n\nfor i = 1, 1024 do t[i] = i end");
        on_pause = note_maker;
        run_with("size 17000", "local s = ('x'):rep(8000) .. ('y'):rep(8000)\n"
                               "local u = \ns .. s t[1025] = 1");
        ck_assert_int_eq(made_lines[0], 2);
        ck_assert_int_eq(made_lines[1], 3); /* made here */
        ck_assert_int_eq(made_lines[2], 3); /* made in the script before, made larger here */
        ck_assert_int_eq(op.op, LMP_OP_REALLOC);
        end();
    }
}
END_TEST

static unsigned wanted_kind;

static bool note_kind(void) {
    ck_assert_msg(class_owner(op.cls) == wanted_kind, "class %u", op.cls);
    ck_assert(op.op == LMP_OP_ALLOC || op.op == LMP_OP_REALLOC);
    return true;
}

START_TEST(test_type) {
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
    end();
}
END_TEST

static uint64_t seen_cycles;

/* One operation may see the end of a cycle and, of a full collection within it, a second one's. */
static bool note_cycle(void) {
    seen_cycles = view->live->gc.cycles;
    uint64_t passed = seen_cycles - profile->watch.cycles[0];
    ck_assert_msg(passed == 1 || passed == 2, "%llu cycles", (unsigned long long)passed);
    return true;
}

START_TEST(test_once) {
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
    end();
}
END_TEST

/* ---- the list -----------------------------------------------------------------------------------
 */

START_TEST(test_list) {
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
    end();
}
END_TEST

START_TEST(test_viewer_gone) {
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
    end();
}
END_TEST

START_TEST(test_viewer_died_writing) {
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
    ck_assert_uint_eq(profile->watch.row[0].kind, LMP_BREAK_SIZE);
    end();
}
END_TEST

START_TEST(test_foreign_list) { /* whatever stands in the control block, the program goes on */
    uint64_t seed = suite_seed();
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
    end();
}
END_TEST

/* ---- locals -------------------------------------------------------------------------------------
 */

static bool read_locals_of(uint32_t frame) {
    view_locals(view, frame);
    return false;
}

START_TEST(test_locals) {
    begin();
    ck_assert_int_eq(run_with("at prog.lua:13", "local nothing\n"
                                                "local yes, no = true, false\n"
                                                "local int, float, whole = -7, 0.5, 2.0\n"
                                                "local huge, big = math.huge, 2^63\n"
                                                "local short, long = 'a\\0b\"', ('x'):rep(1000)\n"
                                                "local t, f, c = {}, function() end, print\n"
                                                "local co = coroutine.create(print)\n"
                                                "local u = io.stdout\n"
                                                "do local hidden = 1 end\n"
                                                "for i = 5, 5 do\n"
                                                "  for k, v in pairs{'one'} do\n"
                                                "    local int = k .. ''\n"
                                                "    local made = int .. 'made'\n"
                                                "  end\n"
                                                "end\n"),
                     1);
    ck_assert_uint_eq(op.locals_state, LMP_LOCALS_READ);
    local_is("nothing", "nil", "");
    local_is("yes", "boolean", "true");
    local_is("no", "boolean", "false");
    local_is("float", "number", "0.5");
    local_is("whole", "number", "2.0");
    local_is("huge", "number", "inf");
    local_is("big", "number", "9.2233720368548e+18");
    local_is("i", "number", "5");
    local_is("k", "number", "1");
    local_is("v", "string", "one");
    local_is("int", "string", "1");
    ck_assert_str_eq(op.local[3].name, "int"); /* the one that is hidden is there too */
    ck_assert_uint_eq(op.local[3].size, 2);
    const LmpLocal *text = local_of("short");
    ck_assert_uint_eq(text->size, 4);
    ck_assert_int_eq(memcmp(text->value, "a\0b\"", 4), 0);
    ck_assert_uint_eq(local_of("long")->whole, 1000);
    ck_assert_uint_eq(local_of("long")->size, LMP_LOCAL_BYTES);
    static const char *const others[][2] = {
        {"t", "table"}, {"f", "function"}, {"c", "function"}, {"co", "thread"}, {"u", "userdata"}};
    for (int i = 0; i < 5; i++) {
        ck_assert_str_eq(local_of(others[i][0])->type, others[i][1]);
        ck_assert_int_eq(memcmp(local_of(others[i][0])->value, "0x", 2), 0);
    }
    ck_assert_ptr_null(local_of("hidden"));
    ck_assert_ptr_null(local_of("made")); /* not yet */
    ck_assert_ptr_null(local_of("(for state)"));
    end();
}
END_TEST

START_TEST(test_many_locals) {
    begin();
    char script[4000] = "", *at = script;
    for (int i = 1; i <= 150; i++)
        at += sprintf(at, "local v%d = %d\n", i, i * i);
    sprintf(at, "local t = v1 .. 'x'");
    ck_assert_int_ge(run_with("at prog.lua:151", script), 1);
    ck_assert_uint_eq(op.locals, LMP_LOCALS);
    ck_assert_uint_eq(op.locals_more, 150 - LMP_LOCALS);
    local_is("v24", "number", "576");
    end();
}
END_TEST

/* Frame by frame, through C functions and coroutines, from the innermost outwards. */
static uint32_t asked;
static char found[2000];

static bool walk_frames(void) {
    if (asked > op.frames) return true;
    if (asked > 0) {
        ck_assert_uint_eq(op.locals_frame, asked - 1);
        const LmpFrame *f = &op.frame[op.locals_frame];
        char line[100];
        snprintf(line, sizeof line, "%s:%d", f->is_c ? "C" : "L", f->line);
        strcat(found, line);
        for (uint32_t i = 0; i < op.locals; i++) {
            snprintf(line, sizeof line, " %s=%.*s", op.local[i].name,
                     op.local[i].value[0] == '0' && op.local[i].size > 2 ? 1
                                                                         : (int)op.local[i].size,
                     op.local[i].value);
            strcat(found, line);
        }
        if (f->is_c) ck_assert_uint_eq(op.locals_state, LMP_LOCALS_NONE);
        strcat(found, "\n");
    }
    if (asked >= op.frames) asked = op.frames + 1; /* of the first pause only */
    return asked > op.frames || read_locals_of(asked++);
}

START_TEST(test_frames) {
    begin();
    asked = 0;
    found[0] = 0;
    on_pause = walk_frames;
    run_with("size 5000", "local outer = 'main'\n"
                          "local function leaf(a, ...)\n"
                          "  local b = a + 1\n"
                          "  local s = outer:rep(2000)\n"
                          "end\n"
                          "local function middle(n)\n"
                          "  local x = n * 2\n"
                          "  if n > 0 then middle2(n - 1) else leaf(x + 1, 'v') end\n"
                          "  local later = 1\n"
                          "end\n"
                          "middle2 = middle\n"
                          "local co = coroutine.wrap(function(p)\n"
                          "  local q = 'in coroutine'\n"
                          "  local ok = pcall(middle, 1)\n"
                          "end)\n"
                          "table.sort({1, 2}, function(l, r) if co then local c = co co = nil "
                          "c('P') end return l < r end)\n");
    ck_assert_str_eq(found, "C:-1\n"
                            "L:4 a=1 b=2\n"
                            "L:8 n=0 x=0\n"
                            "L:8 n=1 x=2\n"
                            "C:-1\n"
                            "L:14 p=P q=in coroutine\n"
                            "C:-1\n"
                            "L:16 l=2 r=1 c=0\n"
                            "C:-1\n"
                            "L:16 outer=main leaf=0 middle=0 co=\n");
    ck_assert_uint_eq(op.coroutines, 2);
    end();
}
END_TEST

/* Of a stack too deep to be kept whole, the locals belong to the frame they are shown for. */
static uint32_t deep_at;

static bool deep_frame(void) {
    static const uint32_t frames[] = {1, 2, 100, 159, 160, 161, 198};
    if (asked > 0) {
        char want_n[20];
        uint32_t level = op.locals_frame < op.cut_at ? op.locals_frame
                                                     : op.depth - (op.frames - op.locals_frame);
        snprintf(want_n, sizeof want_n, "%u", level - 1); /* frame 0: rep */
        local_is("n", "number", want_n);
        deep_at++;
    }
    if (asked == sizeof frames / sizeof *frames) return true;
    return read_locals_of(frames[asked++]);
}

START_TEST(test_deep) {
    begin();
    asked = 0;
    on_pause = deep_frame;
    run_with("size 50MiB", "local function f(n, k) if k == 0 then local s = ('x'):rep(52428800) "
                           "return n end return f(n - 1, k - 1) + 1 end f(999, 999)");
    ck_assert_uint_eq(op.depth, 1002);
    ck_assert_uint_eq(deep_at, 7);
    end();
}
END_TEST

/* The value at each pause is the one of that moment, and in every kind of call. */
static int told;

static bool count_up(void) {
    char want_i[20];
    if (op.frame[op.locals_frame].line != 2) return true;
    snprintf(want_i, sizeof want_i, "%d", told / 2 + 1);
    local_is("i", "number", want_i);
    told++;
    return true;
}

START_TEST(test_values_follow) {
    begin();
    told = 0;
    on_pause = count_up;
    run_with("at prog.lua:2",
             "for i = 1, 1000 do\n"
             "  local s = 'number ' .. i .. ' of many that are longer than forty bytes'\n"
             "end\n");
    ck_assert_int_eq(told, 2000); /* the number as text, and the whole */
    end();
}
END_TEST

/* ---- stress -------------------------------------------------------------------------------------
 */

static char *stress_result(lua_State *state) {
    if (luaL_loadfile(state, TEST_GOLDEN "/../unit/breaks_stress.lua") != LUA_OK ||
        lua_pcall(state, 0, 1, 0) != LUA_OK)
        ck_abort_msg("%s", lua_tostring(state, -1));
    char *result = strdup(lua_tostring(state, -1));
    lua_pop(state, 1);
    return result;
}

static void random_list(void) {
    static const char *const some[] = {"type string",
                                       "type function",
                                       "type userdata",
                                       "type thread",
                                       "type table",
                                       "type other",
                                       "size 0",
                                       "size 1000",
                                       "at breaks_stress.lua:24",
                                       "peak",
                                       "gc",
                                       "heap 30KiB"};
    static const char *const often[] = {"type table", "type string", "size 0"};
    LmpBreak row[LMP_BREAKS];
    uint32_t n = 1 + (uint32_t)suite_below(3);
    for (uint32_t i = 0; i < n; i++) {
        row[i] = parsed(i == 0 ? often[suite_below(3)] : some[suite_below(12)]);
        row[i].turn = suite_random();
    }
    row[n++] = parsed("gc");
    row[n - 1].turn = suite_random();
    view_breaks(view, row, n);
}

static uint64_t locals_seen, most;
static int frames_asked;
static bool resting;

/* Looks at some frames of each pause, steps now and then, and changes the list. */
static bool stress_pause(void) {
    for (uint32_t i = 0; i < op.locals; i++) {
        const LmpLocal *local = &op.local[i];
        locals_seen++;
        ck_assert_uint_le(local->size, LMP_LOCAL_BYTES);
        ck_assert_uint_gt(strlen(local->name), 0);
    }
    if ((uint64_t)pauses > most) {
        view_breaks(view, NULL, 0);
        return true;
    }
    if (op.depth > 400) { /* looking at it takes its time */
        LmpBreak rest[3] = {parsed("type function"), parsed("gc"), parsed("type userdata")};
        view_breaks(view, rest, 3);
        resting = true;
        return true;
    }
    if (resting) random_list();
    resting = false;
    if (op.frames > 0 && frames_asked++ % 4 != 3)
        return read_locals_of((uint32_t)suite_below(op.frames));
    if (suite_below(60) == 0) random_list();
    if (suite_below(3) == 0) { /* whatever comes next, frees too */
        view_step(view, 1);
        return false;
    }
    return true;
}

START_TEST(test_stress) {
    suite_seed();
    lua_State *plain = luaL_newstate();
    luaL_openlibs(plain);
    char *expected = stress_result(plain);
    lua_close(plain);
    most = 15000;
    for (int round = 0; round < 3; round++) {
        begin_as(round > 0, round == 2);
        on_pause = stress_pause;
        random_list();
        pauses = 0;
        char *got = stress_result(L);
        ck_assert_str_eq(got, expected);
        free(got);
        fprintf(stderr, "%d pauses, %llu locals\n", pauses, (unsigned long long)locals_seen);
        ck_assert_int_gt(pauses, 1000);
        end();
    }
    ck_assert_uint_gt(locals_seen, 10000);
    free(expected);
}
END_TEST

SUITE("breaks", test_read, test_misread, test_lines, test_hit_words, test_files, test_foreign_rows,
      test_size, test_heap, test_at, test_maker, test_type, test_once, test_list, test_viewer_gone,
      test_viewer_died_writing, test_foreign_list, test_locals, test_many_locals, test_frames,
      test_deep, test_values_follow, test_stress)
