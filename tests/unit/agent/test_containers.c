/* Tests of containers.c: which tables a look finds, how many entries they have, what is found in
 * these, and that it stops after its share of a tick. */
#include "agent/objects/containers.h"

#include <math.h>

#include "agent/hook/tick.h"
#include "base/os.h"
#include "profiled_state.h"

static LmpContainers found;
static uint64_t clock_set; /* of the look; 0: as it is */

/* Looks until one has ended. Returns how many ticks that took. */
static int look(uint64_t passed) {
    int ticks = 0;
    p->containers->due = 0;
    if (clock_set) p->live->clock = clock_set;
    for (uint32_t before = p->live->containers.looks; p->live->containers.looks == before; ticks++)
        containers_tick(p, passed);
    return ticks;
}

/* Runs a script, ends the look that has begun in it, and looks at all of the heap then. */
static int look_after(const char *script, uint64_t passed) {
    run_lua(L, script);
    look(1000000000);
    int ticks = look(passed);
    ck_assert(containers_copy(&p->live->containers, &found));
    return ticks;
}

static int line_of(uint32_t site) {
    return p->tables.site[site].line;
}

static const LmpContainer *at(int line) {
    for (uint32_t i = 0; i < found.rows; i++)
        if (line_of(found.row[i].site) == line) return &found.row[i];
    return NULL;
}

/* Objects of a line for each entry. */
static double each(const LmpContainer *c, int line) {
    double sum = 0;
    for (uint32_t i = 0; i < LMP_CONTAINER_LINES; i++)
        if (c->line[i].site && line_of(c->line[i].site) == line)
            sum += (double)c->line[i].each / LMP_CONTAINER_EACH;
    return sum;
}

static bool about(double a, double b) {
    return fabs(a - b) <= 0.1 * b;
}

/* Values and keys; what is below them, in fields, upvalues and on stacks. */
TEST(what_tables_hold) {
    for (int stacks = 0; stacks < 2; stacks++) {
        begin(stacks);
        look_after("\n"
                   "cache, list, keyed, threads, small = {}, {}, {}, {}, {}\n"
                   "for i = 1, 3000 do\n"
                   "  local item = { n = i }\n"               /* 4 */
                   "  item.text = 'some text ' .. i\n"        /* 5 */
                   "  cache['k' .. i] = item\n"               /* 6 */
                   "  list[i] = function() return item end\n" /* 7 */
                   "  keyed[{ i }] = true\n"                  /* 8 */
                   "end\n"
                   "for i = 1, 300 do\n"
                   "  local co = coroutine.create(function(a) coroutine.yield(a) end)\n" /* 11 */
                   "  coroutine.resume(co, { i })\n"                                     /* 12 */
                   "  threads[i] = co\n"                                                 /* 13 */
                   "end\n"
                   "for i = 1, 12 do small[i] = { i } end\n",
                   1000000000);
        ck_assert(at(6) != NULL);
        ck_assert_msg(about((double)at(6)->entries, 3000), "%u", (unsigned)at(6)->entries);
        ck_assert_uint_eq(at(6)->tables, 1);
        ck_assert(about(each(at(6), 4), 1));
        ck_assert(about(each(at(6), 5), 2)); /* the string, and the part for it */
        ck_assert(at(7) && about((double)at(7)->entries, 3000));
        ck_assert(each(at(7), 7) >= 0.9 && about(each(at(7), 4) + each(at(7), 5), 3));
        ck_assert(at(8) && about((double)at(8)->entries, 3000) && about(each(at(8), 8), 2));
        ck_assert(at(13) && about((double)at(13)->entries, 300));
        ck_assert(each(at(13), 11) >= 0.9 && each(at(13), 12) >= 0.9);
        ck_assert_ptr_null(at(15)); /* too few */
    }
}

static uint64_t now_ns;

static uint64_t clock_of_test(void) {
    return now_ns;
}

/* A second passes, and what comes next is after a tick. */
static int wait_a_second(lua_State *state) {
    (void)state;
    now_ns += 1000000000;
    tick_now(p);
    return 0;
}

/* A program that wakes once in a while makes the first things before the tick, and what keeps them
 * after it: no more than that is said to be older than the entry. */
TEST(what_is_made_around_a_tick) {
    static LmpOs os;
    const LmpOs *before = lmp_os;
    begin(false);
    os = *lmp_os;
    now_ns = os.clock();
    os.clock = clock_of_test;
    lmp_os = &os;
    p->tick_ops = 1 << 14; /* none by itself */
    lua_register(L, "wait", wait_a_second);
    look_after("list, late = {}, {}\n"
               "for i = 1, 40 do\n"
               "  local item = { n = i }\n" /* 3 */
               "  wait()\n"
               "  list[i] = function() return item end\n" /* 5 */
               "  wait()\n"
               "  late[i] = function() return item end\n" /* 7 */
               "end\n",
               1000000000);
    lmp_os = before;
    ck_assert(at(5) && each(at(5), 3) >= 0.9);
    ck_assert(at(7) && each(at(7), 7) >= 0.9 && each(at(7), 3) < 0.1);
}

/* Entries that went are not counted; a table that is gone is forgotten. */
TEST(what_has_gone) {
    begin(false);
    look_after("t = {}\nfor i = 1, 4000 do\nt[i] = { i }\nend\n", 1000000000);
    ck_assert(at(3) && about((double)at(3)->entries, 4000));
    look_after("for i = 1, 4000 do if i % 2 == 0 then t[i] = false end end\n"
               "for i = 2001, 4000 do t[i] = nil end\n",
               1000000000);
    ck_assert(at(3) && about((double)at(3)->entries, 2000));
    for (int i = 0; i < 4; i++)
        look_after("t = nil collectgarbage()", 1000000000);
    ck_assert_ptr_null(at(3));
}

/* With each tick only so much: a large heap takes many, and nothing is lost. */
TEST(a_little_at_a_time) {
    begin(false);
    int ticks = look_after("t = {}\nfor i = 1, 100000 do\nt[i] = { i }\nend\n", 2000000);
    ck_assert_int_ge(ticks, 30);
    ck_assert(at(3) && about((double)at(3)->entries, 100000));
}

/* Moments are as far apart as the run is long, and keep what there was. */
TEST(moments) {
    begin(false);
    look_after("t = {}\nfor i = 1, 100 do\nt[i] = { i }\nend\n", 1000000000);
    for (int i = 1; i <= 40; i++) {
        lua_pushinteger(L, i);
        lua_setglobal(L, "n");
        clock_set = (uint64_t)i * 1000000000;
        look_after("for i = #t + 1, 100 + n * 100 do t[i] = { i } end", 1000000000);
    }
    const LmpContainer *c = found.rows ? &found.row[0] : NULL;
    ck_assert(c && about((double)c->entries, 4100));
    ck_assert_uint_le(found.moments, LMP_CONTAINER_MOMENTS);
    ck_assert_uint_ge(found.moments, LMP_CONTAINER_MOMENTS / 2);
    ck_assert(found.interval >= 2000000000);
    clock_set = 0;
}
