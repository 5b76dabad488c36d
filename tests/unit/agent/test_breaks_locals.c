/* What can be seen in a pause: the stack, and the locals of its frames; and pauses by the thousand,
 * which change nothing in the program. */
#include "breaks_fixture.h"

/* ---- locals ---------------------------------------------------------------------------------- */

static uint32_t asked;

static bool read_locals_of(uint32_t frame) {
    view_locals(view, frame);
    return false;
}

BEFORE_TESTS(begin)

TEST(test_locals) {
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
    lua_pushnumber(L, 0x1p63);
    local_is("big", "number", lua_tostring(L, -1));
    lua_pop(L, 1);
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
    static const char *const others[][2] = {{"t", "table"}, {"c", "function"}, {"co", "thread"}};
    for (int i = 0; i < 3; i++) {
        ck_assert_str_eq(local_of(others[i][0])->type, others[i][1]);
        ck_assert_int_eq(memcmp(local_of(others[i][0])->value, "0x", 2), 0);
    }
    local_is("f", "function", "prog.lua:6"); /* where it is, and what C has made of it */
    local_is("u", "userdata", "FILE*");
    ck_assert_ptr_null(local_of("hidden"));
    ck_assert_ptr_null(local_of("made")); /* not yet */
    ck_assert_ptr_null(local_of("(for state)"));
}

TEST(test_many_locals) {
    char script[4000] = "", *at = script;
    for (int i = 1; i <= 150; i++)
        at += sprintf(at, "local v%d = %d\n", i, i * i);
    sprintf(at, "local t = v1 .. 'x'");
    ck_assert_int_ge(run_with("at prog.lua:151", script), 1);
    ck_assert_uint_eq(op.locals, LMP_LOCALS);
    ck_assert_uint_eq(op.locals_more, 150 - LMP_LOCALS);
    local_is("v24", "number", "576");
}

/* ---- upvalues -------------------------------------------------------------------------------- */

static void upvalue_is(const char *name, const char *type, const char *value) {
    const LmpLocal *found = NULL;
    for (uint32_t i = 0; i < op.upvalues; i++)
        if (strcmp(op.upvalue[i].name, name) == 0) found = &op.upvalue[i];
    ck_assert_msg(found, "no upvalue '%s' of %u", name, op.upvalues);
    ck_assert_str_eq(found->type, type);
    ck_assert_msg(strlen(value) == found->size && !memcmp(value, found->value, found->size),
                  "%s is '%.*s', not '%s'", name, (int)found->size, found->value, value);
}

/* Those of a function that is over, of one that still runs, of one two functions further out; with
 * the values of this moment. _ENV is none to see. */
TEST(test_upvalues) {
    ck_assert_int_eq(run_with("at prog.lua:11", "local outer, gone = 'as it was', nil\n"
                                                "local function counter()\n"
                                                "  local count = 40\n"
                                                "  return function(by)\n"
                                                "    count = count + by\n"
                                                "    return (function()\n"
                                                "      local mine = by\n"
                                                "      outer = 'as it is'\n"
                                                "      gone = count == 42\n"
                                                "      print = print\n"
                                                "      return mine .. 'x'\n"
                                                "    end)()\n"
                                                "  end\n"
                                                "end\n"
                                                "local unseen = 1\n"
                                                "counter()(2)\n"),
                     2); /* the number as text, and the whole */
    ck_assert_uint_eq(op.upvalues_state, LMP_LOCALS_READ);
    ck_assert_uint_eq(op.upvalues, 4);
    ck_assert_uint_eq(op.upvalues_more, 0);
    upvalue_is("by", "number", "2");
    upvalue_is("outer", "string", "as it is");
    upvalue_is("gone", "boolean", "true");
    upvalue_is("count", "number", "42");
    ck_assert_uint_eq(op.locals, 1);
    local_is("mine", "number", "2");
}

TEST(test_many_upvalues) {
    char script[4000] = "", *at = script;
    for (int i = 1; i <= 100; i++)
        at += sprintf(at, "local v%d = %d ", i, i * i);
    at += sprintf(at, "\nlocal function f()\nlocal t = v1");
    for (int i = 2; i <= 100; i++)
        at += sprintf(at, " + v%d", i);
    sprintf(at, "\nreturn t .. 'x'\nend f()");
    ck_assert_int_ge(run_with("at prog.lua:4", script), 1);
    ck_assert_uint_eq(op.upvalues, LMP_UPVALUES);
    ck_assert_uint_eq(op.upvalues_more, 100 - LMP_UPVALUES);
    upvalue_is("v16", "number", "256");
    local_is("t", "number", "338350");
}

/* A C function's are its own affair, and what has been stripped of names has none to show. */
static bool outer_frames(void) {
    bool is_c = op.locals_frame == 0;
    ck_assert_uint_le(op.locals_frame, 1);
    ck_assert_uint_eq(op.upvalues_state, is_c ? LMP_LOCALS_NONE : LMP_LOCALS_READ);
    ck_assert_uint_eq(op.upvalues + op.upvalues_more, 0);
    asked++;
    return is_c || read_locals_of(0);
}

TEST(test_upvalues_without_names) {
    asked = 0;
    on_pause = outer_frames;
    int times = run_with("size 50MiB", "local up = 'secret'\n"
                                       "local function f() return up:rep(10000000) end\n"
                                       "local g = load(string.dump(f, true))\n"
                                       "debug.setupvalue(g, 1, up)\n"
                                       "local s = g() s = nil\n");
    ck_assert_int_gt(times, 0);
    ck_assert_uint_eq(asked, 2 * (unsigned)times);
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Frame by frame, through C functions and coroutines, from the innermost outwards. */
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
        for (uint32_t i = 0; i < op.upvalues; i++) {
            const LmpLocal *up = &op.upvalue[i];
            bool address = up->size > 2 && up->value[0] == '0';
            snprintf(line, sizeof line, " ^%s=%.*s", up->name, address ? 1 : (int)up->size,
                     up->value);
            strcat(found, line);
        }
        if (f->is_c) ck_assert_uint_eq(op.locals_state, LMP_LOCALS_NONE);
        ck_assert_uint_eq(op.upvalues_state, op.locals_state);
        strcat(found, "\n");
    }
    if (asked >= op.frames) asked = op.frames + 1; /* of the first pause only */
    return asked > op.frames || read_locals_of(asked++);
}

TEST(test_frames) {
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
                            "L:4 a=1 b=2 ^outer=main\n"
                            "L:8 n=0 x=0 ^leaf=prog.lua:2\n"
                            "L:8 n=1 x=2 ^leaf=prog.lua:2\n"
                            "C:-1\n"
                            "L:14 p=P q=in coroutine ^middle=prog.lua:6\n"
                            "C:-1\n"
                            "L:16 l=2 r=1 c=0 ^co=\n"
                            "C:-1\n"
                            "L:16 outer=main leaf=prog.lua:2 middle=prog.lua:6 co=\n");
    ck_assert_uint_eq(op.coroutines, 2);
}

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

TEST(test_deep) {
    asked = 0;
    on_pause = deep_frame;
    run_with("size 50MiB", "local function f(n, k) if k == 0 then local s = ('x'):rep(52428800) "
                           "return n end return f(n - 1, k - 1) + 1 end f(999, 999)");
    ck_assert_uint_eq(op.depth, 1002);
    ck_assert_uint_eq(deep_at, 7);
}

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

TEST(test_values_follow) {
    told = 0;
    on_pause = count_up;
    run_with("at prog.lua:2",
             "for i = 1, 1000 do\n"
             "  local s = 'number ' .. i .. ' of many that are longer than forty bytes'\n"
             "end\n");
    ck_assert_int_eq(told, 2000); /* the number as text, and the whole */
}

/* ---- stress ---------------------------------------------------------------------------------- */

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

static uint64_t locals_seen, upvalues_seen, unread, most;
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
    upvalues_seen += op.upvalues;
    for (uint32_t i = 0; i < op.upvalues; i++)
        ck_assert_uint_le(op.upvalue[i].size, LMP_LOCAL_BYTES);
    unread += op.upvalues_state != op.locals_state;
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

TEST(test_stress) {
    lua_State *plain = new_state();
    OWN(free_at) char *expected = stress_result(plain);
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
        fprintf(stderr, "%d pauses, %llu locals, %llu upvalues, of %llu frames none\n", pauses,
                (unsigned long long)locals_seen, (unsigned long long)upvalues_seen,
                (unsigned long long)unread);
        ck_assert_int_gt(pauses, 1000);
    }
    ck_assert_uint_gt(locals_seen, 10000);
    ck_assert_uint_gt(upvalues_seen, 10000);
}
