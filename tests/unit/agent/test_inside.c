/* What is in single values of a program that stands within an operation: entries, upvalues, user
 * values; a page at a time, as it is, whatever the operation moves. */
#include "breaks_fixture.h"
#include "moving_alloc.h"

/* ---- asking ---------------------------------------------------------------------------------- */

static LmpInside inside; /* the last answer */

/* A row of it; NULL: none of that name. */
static const LmpLocal *entry(const char *name) {
    for (uint32_t i = 0; i < inside.rows; i++)
        if (strcmp(inside.row[i].name, name) == 0) return &inside.row[i];
    return NULL;
}

static void entry_is(const char *name, const char *type, const char *value) {
    const LmpLocal *row = entry(name);
    ck_assert_msg(row, "no entry '%s' of %u", name, inside.rows);
    ck_assert_str_eq(row->type, type);
    ck_assert_msg(strlen(value) == row->size && !memcmp(value, row->value, row->size),
                  "%s is '%.*s', not '%s'", name, (int)row->size, row->value, value);
}

static uint32_t variable(const char *name) {
    for (uint32_t i = op.locals; i-- > 0;)
        if (strcmp(op.local[i].name, name) == 0) return i;
    for (uint32_t i = 0; i < op.upvalues; i++)
        if (strcmp(op.upvalue[i].name, name) == 0) return LMP_LOCALS + i;
    ck_abort_msg("no variable '%s'", name);
}

static LmpInsideWish wish_for(const char *name) {
    return (LmpInsideWish){.number = op.number,
                           .frame = op.locals_frame,
                           .variable = variable(name),
                           .rows = LMP_INSIDE_ROWS};
}

/* What a test does in a pause, question by question: asks the next one, or false: no more. */
static bool (*next_question)(uint32_t number);
static uint32_t asked;

static bool play_questions(void) {
    if (asked > 0) ck_assert(view_copy_inside(view, &inside));
    return !next_question(asked++);
}

static bool want_inside(LmpInsideWish wish) {
    view_inside(view, &wish);
    return true;
}

static void questions(bool (*ask)(uint32_t number)) {
    next_question = ask;
    asked = 0;
    on_pause = play_questions;
}

/* Goes one step further, to an entry by its name. */
static bool want_entry(LmpInsideWish *wish, const char *name) {
    const LmpLocal *row = entry(name);
    ck_assert_msg(row, "no entry '%s'", name);
    wish->step[wish->steps++] = row->place;
    return want_inside(*wish);
}

/* ---- kinds of values ------------------------------------------------------------------------- */

static LmpInsideWish way;

static bool all_kinds(uint32_t number) {
    switch (number) {
    case 0:
        way = wish_for("t");
        return want_inside(way);
    case 1:
        ck_assert_uint_eq(inside.state, LMP_INSIDE_READ);
        ck_assert_uint_eq(inside.entries, 12);
        ck_assert_uint_eq(inside.rows, 12);
        ck_assert_uint_eq(inside.next, LMP_INSIDE_END);
        entry_is("1", "string", "one");
        entry_is("2", "number", "2");
        entry_is("-7", "boolean", "false");
        entry_is("0.5", "number", "1e+300");
        entry_is("true", "number", "3.0");
        entry_is("name", "string", "bolt");
        ck_assert_uint_eq(entry("name")->key, LMP_KEY_STRING);
        ck_assert_uint_eq(entry("1")->key, LMP_KEY_INTEGER);
        ck_assert_uint_eq(entry("true")->key, LMP_KEY_OTHER);
        ck_assert_uint_eq(entry("long")->whole, 1000);
        ck_assert_uint_eq(entry("long")->size, LMP_LOCAL_BYTES);
        entry_is("f", "function", "prog.lua:3");
        ck_assert(entry("f")->flags & LMP_LOCAL_OPENS);
        entry_is("file", "userdata", "FILE*");
        ck_assert_str_eq(entry("co")->type, "thread");
        ck_assert(!(entry("co")->flags & LMP_LOCAL_OPENS));
        entry_is("inner", "table", "history, seen, user");
        ck_assert_uint_eq(entry("inner")->flags & (LMP_LOCAL_SEEN | LMP_LOCAL_ALL),
                          LMP_LOCAL_SEEN | LMP_LOCAL_ALL);
        ck_assert_uint_eq(entry("inner")->whole, 3);
        return want_entry(&way, "inner");
    case 2:
        ck_assert_uint_eq(inside.rows, 4); /* and the metatable */
        ck_assert_uint_eq(inside.row[3].key, LMP_KEY_METATABLE);
        ck_assert_uint_eq(inside.row[3].place, LMP_INSIDE_META);
        way.step[way.steps++] = LMP_INSIDE_META;
        return want_inside(way);
    case 3:
        entry_is("__name", "string", "Session");
        way = wish_for("t");
        return want_inside(way);
    case 4:
        return want_entry(&way, "f");
    case 5:
        ck_assert_uint_eq(inside.rows, 2);
        entry_is("kept", "string", "as it is");
        entry_is("late", "number", "42");
        way = wish_for("t");
        return want_inside(way);
    case 6:
        return want_entry(&way, "file");
    case 7:
        ck_assert_uint_eq(inside.rows, 1);
        ck_assert_uint_eq(inside.row[0].key, LMP_KEY_METATABLE);
        way = wish_for("u");
        return want_inside(way);
    case 8:
        ck_assert_uint_eq(inside.rows, 2);
        entry_is("1", "string", "first");
        ck_assert_uint_eq(entry("1")->key, LMP_KEY_VALUE);
        entry_is("2", "table", "x");
        return want_inside(wish_for("kept"));
    case 9: /* a string has nothing in it */
        ck_assert_uint_eq(inside.state, LMP_INSIDE_NONE);
        return want_inside(wish_for("each"));
    default: /* a C function, whose upvalues have no names */
        ck_assert_uint_eq(inside.state, LMP_INSIDE_READ);
        ck_assert_uint_ge(inside.rows, 1);
        ck_assert_str_eq(inside.row[0].name, "");
        return false;
    }
}

static int with_user_values(lua_State *state) {
    lua_newuserdatauv(state, 100, 2);
    lua_pushvalue(state, 1);
    lua_setiuservalue(state, -2, 1);
    lua_pushvalue(state, 2);
    lua_setiuservalue(state, -2, 2);
    return 1;
}

BEFORE_TESTS(begin)

TEST(test_kinds) {
    lua_register(L, "with_user_values", with_user_values);
    questions(all_kinds);
    int paused = run_with("at prog.lua:12", "local kept, late = 'as it is', 0\n"
                                            "local u = with_user_values('first', {x = 1})\n"
                                            "local f = function() late = late + 1 return kept end\n"
                                            "local inner = setmetatable({user = 1, seen = {}, "
                                            "history = 'h'}, {__name = 'Session'})\n"
                                            "local t = {'one', 2, [-7] = false, [0.5] = 1e300, "
                                            "[true] = 3.0, name = 'bolt',\n"
                                            "  long = ('x'):rep(1000), f = f, file = io.stdout,\n"
                                            "  co = coroutine.create(print), inner = inner, "
                                            "empty = {}, gone = 1}\n"
                                            "t.gone = nil\n"
                                            "late = 42\n"
                                            "local each = ('a'):gmatch('.')\n"
                                            "collectgarbage('stop')\n"
                                            "local made = {}\n");
    ck_assert_int_eq(paused, 1);
    ck_assert_uint_eq(asked, 11);
}

/* ---- what holds itself ----------------------------------------------------------------------- */

static bool around(uint32_t number) {
    if (number == 0) way = wish_for("t");
    if (number > 0) {
        ck_assert_uint_eq(inside.state, LMP_INSIDE_READ);
        ck_assert_uint_eq(inside.object, local_of("t")->object);
        ck_assert_uint_eq(entry("self")->object, local_of("t")->object);
        if (way.steps == LMP_INSIDE_STEPS) return false;
        return want_entry(&way, "self");
    }
    return want_inside(way);
}

TEST(test_cycles) {
    questions(around);
    run_with("at prog.lua:3", "local t = {}\nt.self = t setmetatable(t, t)\nlocal made = {}");
    ck_assert_uint_eq(way.steps, LMP_INSIDE_STEPS);
}

/* ---- large ones ------------------------------------------------------------------------------ */

enum { MILLION = 1000000 };
static uint64_t met, sum;

static bool pages(uint32_t number) {
    if (number == 0) {
        ck_assert_uint_ge(local_of("t")->whole, 256);
        ck_assert(local_of("t")->flags & LMP_LOCAL_LEAST); /* a preview does not count them */
        way = wish_for("t");
        return want_inside(way);
    }
    if (number == 1) ck_assert_uint_eq(inside.entries, MILLION + 3);
    for (uint32_t i = 0; i < inside.rows; i++, met++)
        if (inside.row[i].key == LMP_KEY_INTEGER) sum += strtoull(inside.row[i].name, NULL, 10);
    if (inside.next == LMP_INSIDE_END) return false;
    ck_assert_uint_eq(inside.rows, LMP_INSIDE_ROWS);
    way.from = inside.next;
    return want_inside(way);
}

TEST(test_a_million_entries) {
    met = sum = 0;
    questions(pages);
    run_with("at prog.lua:4", "local t = {a = 1, b = 2}\n"
                              "for i = 1, 1000000 do t[i] = i end\n"
                              "setmetatable(t, {})\n"
                              "local made = {}");
    ck_assert_uint_eq(met, MILLION + 3);
    ck_assert_uint_eq(sum, MILLION * (MILLION + 1ull) / 2);
}

/* Of a table that once was large a page is what there is, found in so many steps. */
static bool hollow(uint32_t number) {
    if (number == 0) {
        way = wish_for("t");
        return want_inside(way);
    }
    if (number == 1) {
        ck_assert_uint_eq(inside.least, 1); /* not all of it was looked at */
        ck_assert_uint_eq(inside.rows, 0);
    }
    met += inside.rows;
    if (inside.next == LMP_INSIDE_END) return false;
    way.from = inside.next;
    return want_inside(way);
}

TEST(test_hollow) {
    met = 0;
    questions(hollow);
    run_with("at prog.lua:4", "local t = table.pack(table.unpack({}, 1, 200000))\n"
                              "t = {} for i = 1, 2^23 do t[i] = true end\n"
                              "for i = 1, 2^23 - 1 do t[i] = nil end collectgarbage('stop')\n"
                              "local made = {}");
    ck_assert_uint_eq(met, 1);
    ck_assert_uint_ge(asked, 3);
}

/* ---- within an operation --------------------------------------------------------------------- */

static uint64_t looked, unseen, not_now;

/* In each operation that grows, shrinks or frees it the table has only what belongs there. */
static bool step_by_step(void) {
    if (asked == 0) {
        bool there = op.locals_state == LMP_LOCALS_READ && local_of("t");
        if (there) way = wish_for("t");
        not_now += op.locals_state == LMP_LOCALS_NOT_NOW;
        if (!there) {
            view_step(view, 1);
            return false;
        }
        asked = 1;
        return !want_inside(way);
    }
    ck_assert(view_copy_inside(view, &inside));
    ck_assert_uint_eq(inside.wish.number, op.number);
    ck_assert_uint_eq(inside.state, LMP_INSIDE_READ);
    for (uint32_t i = 0; i < inside.rows; i++) {
        const LmpLocal *row = &inside.row[i];
        char value[1 + sizeof row->name];
        snprintf(value, sizeof value, "=%s", row->name);
        ck_assert_str_eq(row->type, "string");
        ck_assert_msg(row->size == strlen(value) && !memcmp(row->value, value, row->size),
                      "%s: %.*s", row->name, (int)row->size, row->value);
        looked++;
    }
    unseen += inside.unseen > 0;
    if (inside.next != LMP_INSIDE_END) {
        way.from = inside.next;
        return !want_inside(way);
    }
    asked = 0;
    view_step(view, 1);
    return false;
}

TEST(test_within_operations) {
    made_by = moves;
    begin();
    looked = unseen = not_now = 0;
    asked = 0;
    on_pause = step_by_step;
    view_pause(view, true);
    run("local function deep(n) if n > 0 then return deep(n - 1) + 1 end return 0 end\n"
        "local t = {}\n"
        "for i = 1, 70 do t[i] = '=' .. i end\n"
        "for i = 1, 40 do t['k' .. i] = '=k' .. i end\n"
        "for i = 70, 3, -1 do t[i] = nil end\n"
        "for i = 41, 140 do t['k' .. i] = '=k' .. i end deep(200)\n"
        "for i = 1, 40 do t['k' .. i] = nil end\n"
        "for i = 1000, 1040 do t[i] = '=' .. i end collectgarbage()\n");
    view_pause(view, false);
    on_pause = NULL;
    suite_close();
    made_by = NULL;
    ck_assert_uint_gt(looked, 1000);
    ck_assert_uint_gt(unseen, 0); /* an array that shrinks */
    ck_assert_uint_gt(not_now, 0);
}

/* Reading asks for no memory, and changes nothing that is counted. */
static uint64_t live_before;

static bool same_heap(uint32_t number) {
    if (number == 0) {
        live_before = view->live->counters.live_bytes;
        return want_inside(wish_for("t"));
    }
    ck_assert_uint_eq(view->live->counters.live_bytes, live_before);
    return number < 50 && want_inside(wish_for("t"));
}

TEST(test_no_memory_is_asked_for) {
    questions(same_heap);
    run_with("at prog.lua:2", "local t = {1.5, 'a', {}, print, x = {y = 1}}\nlocal made = {}");
    ck_assert_uint_eq(asked, 51);
}

/* ---- wrong questions ------------------------------------------------------------------------- */

static bool wrong(uint32_t number) {
    LmpInsideWish wish = wish_for("t");
    if (number > 0 && number < 6) ck_assert_uint_eq(inside.state, LMP_INSIDE_NONE);
    switch (number) {
    case 0:
        wish.number++;
        break;
    case 1:
        wish.frame++;
        break;
    case 2:
        wish.variable = 23;
        break;
    case 3:
        wish.variable = UINT32_MAX;
        break;
    case 4:
        wish.steps = 1;
        wish.step[0] = 1ull << 40;
        break;
    default: { /* any words at all */
        ck_assert_uint_le(inside.rows, LMP_INSIDE_ROWS);
        static const uint64_t some[] = {
            0, 1, 2, 3, 7, 100, 1ull << 32, LMP_INSIDE_META, LMP_INSIDE_END};
        wish.steps = (uint32_t)suite_below(number % 100 ? 5 : UINT32_MAX);
        wish.rows = (uint32_t)suite_random();
        wish.from = some[suite_below(9)];
        for (uint32_t i = 0; i < LMP_INSIDE_STEPS; i++)
            wish.step[i] = some[suite_below(9)];
        break;
    }
    }
    return number < 20000 && want_inside(wish);
}

TEST(test_wrong_questions) {
    questions(wrong);
    run_with("at prog.lua:3",
             "local t = {1, {2, {3}}, print, io.stdout, x = {y = {z = {}}}}\n"
             "t[2][3] = t t[7] = setmetatable({}, t) t[8] = function() return t end\n"
             "local made = {}");
    ck_assert_uint_eq(asked, 20001);
}

/* What has no names is there without. */
static bool nameless(uint32_t number) {
    if (number == 0) return want_inside(wish_for("g"));
    ck_assert_uint_eq(inside.rows, 2);
    ck_assert_str_eq(inside.row[0].name, "");
    ck_assert_str_eq(inside.row[0].type, "string");
    return false;
}

TEST(test_stripped) {
    questions(nameless);
    run_with("at prog.lua:5", "local up = 'secret'\n"
                              "local function f() return up, print end\n"
                              "local g = load(string.dump(f, true))\n"
                              "debug.setupvalue(g, 1, up)\n"
                              "local made = {}");
    ck_assert_uint_eq(asked, 2);
}
