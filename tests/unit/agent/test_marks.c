/* Marks of a real program, read by a viewer of the same process: what lines, tags and call paths
 * say has changed since comes to what the types say, exactly; also for who comes later. */
#include <string.h>

#include "base/os.h"
#include "own_state.h"
#include "profiled.h"
#include "read/model/model.h"

static const char program[] =
    "local keep, drop = {}, {}\n"
    "function work(n)\n"
    "  for i = 1, n do keep[#keep + 1] = {i, tostring(i)} end\n"
    "  for i = 1, n do drop[i % 50] = ('x'):rep(i) end\n"
    "  if #keep > 3000 then keep = {} collectgarbage() end\n"
    "  local co = coroutine.wrap(function() keep[#keep + 1] = {n} end) co()\n"
    "end\n";

static lua_State *L;
static int fd;
static uint64_t
    now; /* the program's time: it passes as the test says, and a little with each look */
static LmpOs test_os;

static uint64_t test_clock(void) {
    return now += 1000;
}

static void begin(void) {
    test_os = os_real;
    test_os.clock = test_clock;
    lmp_os = &test_os;
    now = 1000000000;
    L = new_state();
    LmpOptions options = profiler_defaults;
    options.stacks = true;
    profiled_start(L, options);
    run_lua(L, program);
    fd = find_state();
    ck_assert_int_ge(fd, 0);
}

static void work(int n) {
    lua_getglobal(L, "work");
    lua_pushinteger(L, n);
    ck_assert(lua_pcall(L, 1, 0, 0) == LUA_OK);
}

/* A viewer that comes now: it counts from mark `number`. */
static void look(uint64_t number) {
    LmpView view;
    OWN(free_at) Model *model = calloc(1, sizeof *model);
    ck_assert_int_eq(view_open(&view, dup(fd)), LMP_OK);
    model->wanted.count_from = number;
    model_fill(model, &view, &(ModelInput){lmp_os->clock(), true, 0, 0, NULL, NULL});
    ck_assert(model_fill_ledger(model, &view, LEDGER_ALL));
    ck_assert(model->marked && model->ledger_marked);
    const Ledger *ledger = &model->ledger;
    int64_t bytes = 0, allocs = 0;
    bool changed = false;
    for (uint32_t i = 0; i < ledger->sites; i++) {
        const LmpTally *t = &ledger->site[i].tally;
        bytes += (int64_t)(t->live_bytes - t->mark.live);
        allocs += (int64_t)(t->allocs - t->mark.allocs);
        changed |= t->live_bytes != t->mark.live;
    }
    ck_assert(changed);
    ck_assert_int_eq(bytes, model->since_mark.total_bytes);
    ck_assert_int_eq(allocs, model->since_mark.total_allocs);
    ck_assert_uint_gt(ledger->nodes, 3);
    ck_assert_int_eq(
        (int64_t)(ledger->tree[0].retained.live_bytes - ledger->tree[0].retained.mark.live),
        model->since_mark.total_bytes);
    ledger_free(&model->ledger);
    view_close(&view);
}

TEST(lines_come_to_the_types) {
    begin();
    uint64_t marks = 0;
    for (int round = 0; round < 40; round++) {
        work(1 + (int)suite_below(900));
        if (round % 3 == 0) {
            now += 30000000; /* not so fast that one would be without rows */
            profiler_mark(L, NULL);
            marks++;
            work(1 + (int)suite_below(900));
        }
        for (uint64_t m = marks > LMP_MARKED ? marks - LMP_MARKED + 1 : 1; m <= marks; m++)
            look(m);
    }
    close(fd);
    profiler_stop(L, NULL);
    lua_close(L);
    lmp_os = &os_real;
}
