/* Tests of collector.c: which cycles looked at all of the heap. In incremental mode all do; in
 * generational mode the major ones, those that were asked for, and those after a bad one. */
#include "suite.h"

#include <unistd.h>

#include "own_state.h"
#include "profiled.h"
#include "read/view.h"

static lua_State *L;
static LmpView *view;

static void end(void) {
    own_view_close(view);
    profiler_stop(L, NULL);
    lua_close(L);
}

static void begin(void) {
    suite_closes(end);
    L = new_state();
    profiled_start(L, profiler_defaults);
    view = own_view();
}

static uint64_t cycles, full;

/* What the script added to both counts. */
static void counts(const char *script) {
    uint64_t c = view->live->gc.cycles, f = view->live->gc.full;
    run_lua(L, script);
    /* The end of a cycle is seen in the next operation that frees something. */
    run_lua(L, "local t = {} for i = 1, 20 do t['key' .. i] = i end");
    cycles = view->live->gc.cycles - c;
    full = view->live->gc.full - f;
}

BEFORE_TESTS(begin)

TEST(incremental) {
    counts("collectgarbage 'incremental' for i = 1, 300000 do local t = {i} end");
    ck_assert_uint_gt(cycles, 5);
    ck_assert_uint_eq(full, cycles);
    counts("local g = {} g = nil collectgarbage()");
    ck_assert_uint_ge(full, 1);
    ck_assert_uint_eq(full, cycles);
}

TEST(generational) {
    counts("keep = {} for i = 1, 2000 do keep[i] = {i} end collectgarbage()");
    counts("collectgarbage 'generational'"); /* begins with a full one */
    ck_assert_uint_le(full, 1);
    counts("for i = 1, 100000 do local t = {i} end"); /* the first may still be a major one */
    ck_assert_uint_gt(cycles, 20);
    ck_assert_uint_le(full, 1);
    counts("for i = 1, 100000 do local t = {i} end");
    ck_assert_uint_gt(cycles, 20);
    ck_assert_uint_eq(full, 0);
    for (int i = 0; i < 20; i++) {
        counts("for i = 1, 10 do local t = {i} end collectgarbage()");
        ck_assert_uint_eq(full, 1);
    }
    counts("for i = 1, 10 do local t = {i} end collectgarbage('step', 0)");
    ck_assert_uint_eq(full, 0);
}

/* A heap that grows has major cycles; these are bad ones, and further ones full, too. */
TEST(growing) {
    counts("collectgarbage 'generational' all = {} for i = 1, 200000 do all[i] = {i} end");
    ck_assert_uint_ge(full, 4);
    ck_assert_uint_gt(cycles, full);
    counts("for i = 1, 2000000 do local t = {i} end"); /* and then minor ones again */
    ck_assert_uint_gt(cycles, full + 5);
}
