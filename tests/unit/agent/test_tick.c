/* What a tick writes down of the time since the one before it: the most and the least that was held
 * in between. */
#include "agent/hook/slow_path.h"
#include "agent/hook/tick.h"

#include "breaks_fixture.h"
#include "shared/counters.h"

static uint64_t now_ns;

static uint64_t clock_of_test(void) {
    return now_ns;
}

/* A tick a second later, and what the history says of that second. */
static const LmpHistoryPoint *tick(void) {
    const LmpHistory *history = &view->live->history;
    now_ns += 1000000000;
    tick_now(profile);
    return &history->samples[history->used - 1];
}

static void begin_with_clock(void) {
    begin();
    now_ns = os_real.clock();
    os.clock = clock_of_test;
    run("collectgarbage() collectgarbage('stop')");
    tick();
    profile->tick_ops = LMP_PACK_OPS_MAX; /* none by itself */
}

TEST(test_peak_in_between) {
    begin_with_clock();
    const LmpCounters *counters = &view->live->counters;
    run("local s = ('x'):rep(1000000) s = nil collectgarbage()");
    const LmpHistoryPoint *point = tick();
    ck_assert_uint_eq(point->max_bytes, counters->peak_bytes);
    ck_assert_uint_eq(point->last_bytes, counters->live_bytes);
    ck_assert_uint_gt(point->max_bytes, point->last_bytes + 900000);
    point = tick(); /* it was then, not now */
    ck_assert_uint_eq(point->max_bytes, point->last_bytes);
    run("local s = ('x'):rep(100000) s = nil collectgarbage()"); /* no peak of the whole run */
    point = tick();
    ck_assert_uint_lt(point->max_bytes, counters->peak_bytes);
}

TEST(test_low_after_a_collection) {
    begin_with_clock();
    const LmpGc *gc = &view->live->gc;
    run("held = ('x'):rep(500000)");
    tick();
    run("held = nil collectgarbage() held = ('y'):rep(500000)");
    const LmpHistoryPoint *point = tick();
    ck_assert_uint_eq(point->min_bytes, gc->ring[(gc->cycles - 1) % LMP_GC_RING].live_bytes);
    ck_assert_uint_lt(point->min_bytes + 400000, point->last_bytes);
    ck_assert_uint_eq(point->gc_cycles, gc->cycles);
    point = tick();
    ck_assert_uint_eq(point->min_bytes, point->last_bytes);
    run("big = {} for i = 1, 10000 do big[i] = i end for i = 2, 10000 do big[i] = nil end");
    tick();
    run("held = nil collectgarbage() big[20001] = 1"); /* which makes it small */
    point = tick();
    ck_assert_uint_eq(point->min_bytes, point->last_bytes);
    ck_assert_uint_lt(point->min_bytes + 100000,
                      gc->ring[(gc->cycles - 1) % LMP_GC_RING].live_bytes);
}

/* The births of all blocks are halved when the epochs are used up; not while the map is frozen for
 * a snapshot, of which every page would be copied. */
TEST(test_epochs_wait_for_a_snapshot) {
    begin_with_clock();
    run("kept = {}");
    uint64_t length = profile->live->epoch_length;
    profile->slow->snapshot = true;
    now_ns += 300 * length;
    tick_now(profile);
    ck_assert_uint_eq(profile->live->epoch_length, length);
    ck_assert_uint_lt(profile->live->epoch, 255);
    profile->slow->snapshot = false;
    tick_now(profile);
    ck_assert_uint_eq(profile->live->epoch_length, 2 * length);
    ck_assert_uint_gt(profile->live->epoch, 149);
    ck_assert_uint_lt(profile->live->epoch, 165); /* some had passed before */
}
