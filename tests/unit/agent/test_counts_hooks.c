/* test_counts_hooks.c - debug hooks that C code sets by itself while calls are counted: they stay
 * and are called, and figures say that calls are not all there from then on. */
#include <time.h>

#include "agent/charge/ownhooks.h"
#include "agent/session/profiler.h"
#include "base/os.h"
#include "profiled.h"
#include "read/stats.h"

RELEASE_AT(lua_close)

static LmpProfile *p;
static int told; /* events of the program's own hook */

static void own_hook(lua_State *L, lua_Debug *ar) {
    (void)L, (void)ar;
    told++;
}

static int set_by_c(lua_State *L) {
    lua_sethook(L, own_hook, LUA_MASKCALL, 0);
    return 0;
}

static int take_away(lua_State *L) {
    lua_sethook(L, NULL, 0, 0);
    return 0;
}

static lua_State *begin(unsigned counts) {
    lua_State *L = new_state();
    lua_register(L, "set_by_c", set_by_c);
    lua_register(L, "take_away", take_away);
    LmpOptions options = profiler_defaults;
    options.counts = counts;
    p = profiled_start(L, options);
    told = 0;
    return L;
}

static LmpStats stats(lua_State *L) {
    LmpStats s;
    ck_assert_int_eq(profiler_stats(L, &s), LMP_OK);
    return s;
}

/* Until lmp has looked once more; what is seen is seen within seconds. */
static void until_lost(lua_State *L, uint64_t n) {
    uint64_t begun = os_real.clock();
    while (stats(L).hook_lost < n) {
        ck_assert_uint_lt(os_real.clock() - begun, 60000000000ull);
        run_lua(L, "local t for i = 1, 20000 do t = {i} end");
    }
}

static void end(lua_State *L) {
    ck_assert_int_eq(profiler_stop(L, NULL), LMP_OK);
    lua_close(L);
}

static const char calling[] = "local function f() end for i = 1, 100 do f() end";

TEST(a_hook_that_c_code_sets) {
    char lost[STATS_LOST];
    OWN(lua_close_at) lua_State *L = begin(LMP_COUNTS_CALLS);
    run_lua(L, calling);
    LmpStats s = stats(L);
    ck_assert_uint_eq(s.hook_lost, 0);
    ck_assert_str_eq(stats_counts_lost(lost, &s), "");
    ck_assert(s.hook_lost_seconds == 0);
    run_lua(L, "set_by_c()");
    until_lost(L, 1);
    ck_assert(lua_gethook(L) == own_hook);
    int before = told;
    run_lua(L, calling);
    ck_assert_int_ge(told, before + 100);
    s = stats(L);
    ck_assert(s.hook_lost_seconds > 0 && s.hook_lost_seconds <= s.seconds);
    ck_assert_ptr_nonnull(strstr(stats_counts_lost(lost, &s), "calls are not all there: another"));
    ck_assert_uint_eq(s.hook_lost, 1); /* the same one is not lost again and again */
    ck_assert_int_eq(profiler_stop(L, NULL), LMP_OK);
    ck_assert(lua_gethook(L) == own_hook); /* it stays */
}

/* What takes ours away without another one in its place does not keep it away. */
TEST(a_hook_that_c_code_takes_away) {
    lua_State *L = begin(LMP_COUNTS_ALL);
    run_lua(L, "take_away()");
    until_lost(L, 1);
    ck_assert(lua_gethook(L) != NULL);
    uint64_t calls = p->tables.edge[1].calls;
    for (uint32_t i = 2; i < p->live->tables.edges; i++)
        calls += p->tables.edge[i].calls;
    run_lua(L, calling);
    uint64_t now = p->tables.edge[1].calls;
    for (uint32_t i = 2; i < p->live->tables.edges; i++)
        now += p->tables.edge[i].calls;
    ck_assert_uint_ge(now, calls + 100);
    end(L);
}

/* At its end a profile looks once more: a short run says it, too. */
TEST(just_before_the_end) {
    lua_State *L = begin(LMP_COUNTS_INSTRUCTIONS);
    run_lua(L, calling);
    run_lua(L, "set_by_c()");
    LmpStats s = stats(L);
    char lost[STATS_LOST];
    ck_assert_uint_eq(s.hook_lost, 1);
    ck_assert_ptr_nonnull(strstr(stats_counts_lost(lost, &s), "instructions are not all there"));
    end(L);
}

/* Where neither is counted, nothing can be lost. */
TEST(nothing_to_lose) {
    lua_State *L = begin(LMP_COUNTS_OVERRIDES);
    run_lua(L, "set_by_c()");
    run_lua(L, calling);
    ck_assert_uint_eq(stats(L).hook_lost, 0);
    end(L);
}

/* So many hooks of the program's own are known; of one more calls are missing, and that is said. */
TEST(too_many_hooks_of_its_own) {
    lua_State *L = begin(LMP_COUNTS_CALLS);
    char text[200];
    snprintf(text, sizeof text,
             "CO = {} for i = 1, %d do CO[i] = coroutine.create(print) "
             "debug.sethook(CO[i], function() end, 'c') end",
             LMP_OWN_HOOKS);
    run_lua(L, text);
    ck_assert_uint_eq(stats(L).hook_lost, 0);
    run_lua(L, "CO.more = coroutine.create(print) debug.sethook(CO.more, function() end, 'c')");
    ck_assert_uint_eq(stats(L).hook_lost, 1);
    run_lua(L, "for k, co in pairs(CO) do assert(debug.gethook(co)) debug.sethook(co) end "
               "assert(not debug.gethook(CO[1]) and not debug.gethook(CO.more))");
    end(L);
}
