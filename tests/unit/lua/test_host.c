/* Tests of the C API within the module (lua/host/host.c): whatever the state is like and whatever
 * is refused, a call returns, says why, and leaves the stack as it was. */
#include <lauxlib.h>
#include <lualib.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "agent/interp/luafacts.h"
#include "host/host.h"
#include "suite.h"

extern const LmpHostTable lmp_host;

RELEASE_AT(lua_close)

static char why[LMP_WHY];

static lua_State *new_state(void) {
    lua_State *L = luaL_newstate();
    ck_assert_ptr_nonnull(L);
    luaL_openlibs(L);
    return L;
}

static lua_State *started(const char *options) {
    lua_State *L = new_state();
    ck_assert_msg(lmp_host.start(L, options, why) == 0, "%s", why);
    return L;
}

static void play(lua_State *L, const char *code) {
    ck_assert_msg(luaL_dostring(L, code) == LUA_OK, "%s", lua_tostring(L, -1));
}

/* Calls every function but start; the stack stays, and each returns this. */
static void all_return(lua_State *L, int expected) {
    lmp_Figures figures;
    lmp_Frame frame;
    lmp_Line line[2];
    size_t n = 2;
    const char *before = NULL;
    int top = lua_gettop(L);
    int got[] = {lmp_host.figures(L, &figures, why),
                 lmp_host.lines(L, line, &n, why),
                 lmp_host.frame(L, "frame", &frame, why),
                 lmp_host.frame(L, NULL, NULL, why),
                 lmp_host.tag(L, "tag", &before, why),
                 lmp_host.tag(L, NULL, NULL, why),
                 lmp_host.mark(L, NULL, why),
                 lmp_host.limit(L, 0, NULL, NULL, why),
                 lmp_host.snapshot(L, "/dev/null/none.heap", LMP_WAIT, why),
                 lmp_host.record(L, "/dev/null/none.lmprec", why),
                 lmp_host.stop(L, NULL, why)};
    for (size_t i = 0; i < sizeof got / sizeof *got; i++) {
        bool file = expected == 0 && (i == 8 || i == 9);
        ck_assert_msg(got[i] == (file ? LMP_ERR_FILE : expected), "%zu: %d (%s)", i, got[i], why);
    }
    ck_assert_int_eq(*why != 0, expected != 0);
    ck_assert_int_eq(lua_gettop(L), top);
}

TEST(without_a_profile) {
    OWN(lua_close_at) lua_State *L = new_state();
    ck_assert(!lmp_host.running(L));
    all_return(L, LMP_ERR_NOTSTARTED);
    ck_assert_str_eq(why, "the profiler is not running in this state");
    ck_assert_int_eq(lmp_host.start(L, NULL, why), 0);
    all_return(L, 0);
    all_return(L, LMP_ERR_NOTSTARTED);
}

TEST(options) {
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"stack=true",
         "unknown option 'stack'; there are: live, summary, hold, fps, name, lines, stacks, "
         "sample, record, calls, instructions, overrides, top"},
        {"stacks=maybe", "option 'stacks' must be a boolean, got 'maybe'"},
        {"stacks", "option 'stacks' must be a boolean, got ''"},
        {"follow=1",
         "unknown option 'follow'; there are: live, summary, hold, fps, name, lines, stacks, "
         "sample, record, calls, instructions, overrides, top"},
        {"fps=1000 top=x", "option 'fps' must be a number from 0.1 to 60, got '1000'"},
        {"top=1.5", "option 'top' must be an integer from 0 to 1000, got '1.5'"},
        {"top=-1", "option 'top' must be an integer from 0 to 1000, got '-1'"},
        {"sample=5", "option 'sample' must be a size from 1024 bytes on (524288, '512KiB') or "
                     "false, got '5'"},
        {"sample=1", "option 'sample' must be a size from 1024 bytes on (524288, '512KiB') or "
                     "false, got '1'"},
        {"name=''", "option 'name' must be a string that is not empty, got ''"},
        {"lines=false stacks=true", "option 'stacks' needs lines: leave out lines=false"},
        {"sample=1MiB overrides=true", "option 'overrides' needs every block: leave out sample"},
    };
    OWN(lua_close_at) lua_State *L = new_state();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(lmp_host.start(L, wrong[i].text, why), LMP_ERR_OPTION);
        ck_assert_str_eq(why, wrong[i].why);
        ck_assert(!lmp_host.running(L));
    }
    static const char *const right[] = {
        "",
        " stacks=true  top=3 ",
        "lines=0",
        "sample=512KiB name='it''s = mine'",
        "sample=0 stacks=1 calls=true instructions=true overrides=true fps=0.5 hold=false",
        "sample=false summary=false record=false live=false"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        ck_assert_msg(lmp_host.start(L, right[i], why) == 0, "%s: %s", right[i], why);
        ck_assert_int_eq(lmp_host.stop(L, NULL, why), 0);
    }
}

TEST(figures_are_those_of_lua) {
    OWN(lua_close_at) lua_State *L = started("stacks=true");
    lmp_Figures f, last;
    lmp_Line line[4];
    size_t n = 4;
    play(L, "local lmp = require 'luamemprofiler'\n"
            "keep = {}\n"
            "for i = 1, 1000 do keep[i] = {i} end\n"
            "collectgarbage()\n"
            "local s\n"
            "function look() s = lmp.stats() end\n"
            "function same(name, value)\n"
            "  local is = s[name] or s.types[name].live_bytes\n"
            "  assert(is == value, name .. ': ' .. is .. ', got ' .. value) end\n"
            "look()");
    ck_assert_int_eq(lmp_host.lines(L, line, &n, why), 0);
    ck_assert(n > 1 && n <= 4);
    ck_assert_int_eq(line[0].line, 3);
    ck_assert_ptr_nonnull(strstr(line[0].source, "local lmp"));
    ck_assert_uint_ge(line[0].live_bytes, 56 * 1000);
    ck_assert_uint_ge(line[0].live_blocks, 2000);
    ck_assert_uint_ge(line[0].made_bytes, line[0].live_bytes);
    n = 0;
    ck_assert_int_eq(lmp_host.lines(L, NULL, &n, why), 0);
    ck_assert_uint_eq(n, 0);
    lua_getglobal(L, "look");
    lua_call(L, 0, 0);
    ck_assert_int_eq(lmp_host.figures(L, &f, why), 0);
    const struct {
        const char *name;
        uint64_t value;
    } same[] = {{"mallocs", f.mallocs},
                {"live_bytes", f.live_bytes},
                {"live_blocks", f.live_blocks},
                {"peak_bytes", f.peak_bytes},
                {"frees", f.frees},
                {"free_bytes", f.free_bytes},
                {"gc_cycles", f.gc_cycles},
                {"string", f.type[LMP_TYPE_STRING].live_bytes},
                {"table", f.type[LMP_TYPE_TABLE].live_bytes},
                {"thread", f.type[LMP_TYPE_THREAD].live_bytes}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        lua_getglobal(L, "same");
        lua_pushstring(L, same[i].name);
        lua_pushinteger(L, (lua_Integer)same[i].value);
        ck_assert_msg(lua_pcall(L, 2, 0, 0) == LUA_OK, "%s", lua_tostring(L, -1));
    }
    ck_assert_int_eq(lmp_host.stop(L, &last, why), 0);
    ck_assert(last.mallocs >= f.mallocs && last.seconds >= f.seconds && last.seconds < 60);
}

TEST(frames_and_tags) {
    OWN(lua_close_at) lua_State *L = started(NULL);
    lmp_Frame frame = {.number = 77};
    const char *before = "?";
    ck_assert_int_eq(lmp_host.frame(L, NULL, &frame, why), 0);
    ck_assert_uint_eq(frame.number, 0);
    lua_newuserdatauv(L, 100, 0);
    ck_assert_int_eq(lmp_host.frame(L, "first", &frame, why), 0);
    ck_assert(frame.number == 1 && frame.allocs == 1 && frame.bytes >= 100 && frame.seconds >= 0);
    ck_assert_int_eq(lmp_host.frame(L, NULL, &frame, why), 0);
    ck_assert(frame.number == 2 && frame.allocs == 0 && frame.bytes == 0);
    ck_assert_int_eq(lmp_host.tag(L, "one", &before, why), 0);
    ck_assert_ptr_null(before);
    ck_assert_int_eq(lmp_host.tag(L, "two", &before, why), 0);
    ck_assert_str_eq(before, "one");
    ck_assert_int_eq(lmp_host.tag(L, NULL, &before, why), 0);
    ck_assert_str_eq(before, "two");
}

TEST(two_states) {
    lua_State *A = started(NULL), *B = new_state();
    lmp_Figures a, b;
    all_return(B, LMP_ERR_NOTSTARTED);
    ck_assert_int_eq(lmp_host.start(A, NULL, why), LMP_ERR_STARTED);
    ck_assert_int_eq(lmp_host.start(B, NULL, why), 0);
    lua_newuserdatauv(B, 5000, 0);
    ck_assert_int_eq(lmp_host.figures(A, &a, why), 0);
    ck_assert_int_eq(lmp_host.figures(B, &b, why), 0);
    ck_assert(a.malloc_bytes < 5000 && b.malloc_bytes >= 5000);
    lua_close(A);
    ck_assert(lmp_host.running(B));
    lua_close(B);
}

/* ---- states as they come --------------------------------------------------------------------- */

TEST(threads_that_cannot_run) {
    OWN(lua_close_at) lua_State *L = started(NULL);
    lua_State *co = lua_newthread(L);
    int results;
    luaL_loadstring(co, "coroutine.yield() error 'x'");
    ck_assert_int_eq(lua_resume(co, L, 0, &results), LUA_YIELD);
    all_return(co, LMP_ERR_THREAD);
    ck_assert_int_eq(lmp_host.start(co, NULL, why), LMP_ERR_THREAD);
    ck_assert_int_eq(lua_resume(co, L, 0, &results), LUA_ERRRUN);
    all_return(co, LMP_ERR_THREAD);
    all_return(L, 0);
}

TEST(a_full_stack) {
    OWN(lua_close_at) lua_State *L = started("lines=false");
    for (int refused = 0; refused < 2; refused++) /* after one, 5.5.1 has more room */
        while (lua_checkstack(L, 1))
            lua_pushinteger(L, 1);
    all_return(L, LMP_ERR_NOMEM);
    ck_assert_int_eq(lmp_host.start(L, NULL, why), LMP_ERR_NOMEM);
    lua_settop(L, 0);
    all_return(L, 0);
}

/* Within a closing state, whether or not it was profiled. */
static int close_codes[3];
static int when_closed(lua_State *L) {
    lmp_Figures figures;
    close_codes[0] = lmp_host.start(L, NULL, why);
    close_codes[1] = lmp_host.figures(L, &figures, why);
    close_codes[2] = lmp_host.mark(L, "closing", why);
    return 0;
}

TEST(a_closing_state) {
    for (int when = 0; when < 2; when++) { /* the object dies after the profile's own; before it */
        lua_State *L = new_state();
        if (when == 1) ck_assert_int_eq(lmp_host.start(L, NULL, why), 0);
        lua_newtable(L);
        lua_createtable(L, 0, 1);
        lua_pushcfunction(L, when_closed);
        lua_setfield(L, -2, "__gc");
        lua_setmetatable(L, -2);
        if (when == 0) ck_assert_int_eq(lmp_host.start(L, NULL, why), 0);
        lua_close(L);
        ck_assert_int_eq(close_codes[0], when == 0 ? LMP_ERR_CLOSED : LMP_ERR_STARTED);
        ck_assert_int_eq(close_codes[1], when == 0 ? LMP_ERR_CLOSED : 0);
        ck_assert_int_eq(close_codes[2], when == 0 ? LMP_ERR_CLOSED : 0);
    }
}

/* Requests until one is refused, and the next with it; below 0: none is. */
static long left = -1;
static void *refusing(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud, (void)osize;
    if (!nsize) {
        free(ptr);
        return NULL;
    }
    if (left >= 0 && left-- <= 1) {
        left = 0;
        return NULL;
    }
    return realloc(ptr, nsize);
}

TEST(memory_of_lua) {
    bool whole = false;
    for (long most = 1; !whole; most++) {
        left = -1;
        lua_State *L = luafacts_newstate(refusing, NULL);
        lua_pushliteral(L, "stays");
        left = most;
        int err = lmp_host.start(L, "stacks=true name=x", why);
        whole = left > 0;
        left = -1;
        ck_assert_msg(err == 0 || err == LMP_ERR_NOMEM, "%d: %s", err, why);
        ck_assert(err == 0 || *why);
        ck_assert_int_eq(lmp_host.running(L), err == 0);
        ck_assert_int_eq(lua_gettop(L), 1);
        if (err) ck_assert_int_eq(lmp_host.start(L, NULL, why), 0);
        lua_close(L);
        ck_assert_int_lt(most, 1000);
    }
}

/* A state that several threads use in turn: as Lua allows. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static void *serve(void *of) {
    lua_State *L = of;
    char own[LMP_WHY];
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&turn);
        ck_assert_int_eq(lmp_host.tag(L, i % 2 ? "odd" : "even", NULL, own), 0);
        lua_newuserdatauv(L, 64, 0);
        lua_pop(L, 1);
        ck_assert_int_eq(lmp_host.frame(L, NULL, NULL, own), 0);
        pthread_mutex_unlock(&turn);
    }
    return NULL;
}

TEST(threads_in_turn) {
    OWN(lua_close_at) lua_State *L = started(NULL);
    lmp_Figures f;
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, serve, L), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    ck_assert_int_eq(lmp_host.figures(L, &f, why), 0);
    ck_assert_uint_ge(f.mallocs, 400);
    ck_assert_uint_lt(f.mallocs, 500);
}

/* ---- a limit --------------------------------------------------------------------------------- */

static struct {
    int calls;
    uint64_t least;
    enum { COUNT, STOP, START, RAISE, AGAIN } what;
} seen;

static void reached(lua_State *L, uint64_t live, void *ud) {
    lmp_Figures f;
    ck_assert_ptr_eq(ud, &seen);
    ck_assert_uint_gt(live, seen.least);
    seen.calls++;
    ck_assert_int_eq(lmp_host.figures(L, &f, why), 0);
    ck_assert_uint_gt(f.live_bytes, seen.least);
    play(L, "local t = {} for i = 1, 100 do t[i] = {} end"); /* any call of Lua */
    if (seen.what == STOP || seen.what == START) ck_assert_int_eq(lmp_host.stop(L, NULL, why), 0);
    if (seen.what == START) ck_assert_int_eq(lmp_host.start(L, "stacks=true", why), 0);
    if (seen.what == AGAIN)
        ck_assert_int_eq(lmp_host.limit(L, seen.least *= 2, reached, &seen, why), 0);
    if (seen.what == RAISE) luaL_error(L, "too much memory");
}

static lua_State *limited(const char *options, int what) {
    lua_State *L = started(options);
    seen.calls = 0;
    seen.what = what;
    seen.least = 100000;
    ck_assert_int_eq(lmp_host.limit(L, seen.least, reached, &seen, why), 0);
    return L;
}

static const char grow[] =
    "function grow(n) local t = {} for i = 1, n do t[i] = {} end return t end\n";
static const char *const ways[] = {"", "lines=false", "stacks=true", "sample=4KiB", "calls=true"};

/* Grows to above and falls below, `n` times; long enough for ticks. */
static void rounds(lua_State *L, const char *how) {
    play(L, grow);
    play(L, how);
}

TEST(limit_is_told_once_each_time) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        OWN(lua_close_at) lua_State *L = limited(ways[i], COUNT);
        rounds(L, "for r = 1, 5 do local t = grow(30000) t = nil collectgarbage() end");
        ck_assert_msg(seen.calls == 5, "%s: %d", ways[i], seen.calls);
        rounds(L, "for r = 1, 200 do local t = grow(10) end collectgarbage()");
        ck_assert_int_eq(seen.calls, 5);
        ck_assert_int_eq(lmp_host.limit(L, 0, reached, &seen, why), 0);
        rounds(L, "local t = grow(30000)");
        ck_assert_int_eq(seen.calls, 5);
    }
}

TEST(limit_within_a_coroutine) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        OWN(lua_close_at) lua_State *L = limited(ways[i], COUNT);
        rounds(L, "coroutine.wrap(function() coroutine.wrap(function() keep = grow(100000) end)() "
                  "end)()");
        ck_assert_msg(seen.calls == 1, "%s: %d", ways[i], seen.calls);
    }
}

TEST(limit_ends_the_script) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        OWN(lua_close_at) lua_State *L = limited(ways[i], RAISE);
        rounds(L, "local ok, text = pcall(grow, 1e7)\n"
                  "assert(not ok and text:find 'too much memory', text)\n"
                  "collectgarbage() collectgarbage()\n"
                  "local ok, text = coroutine.resume(coroutine.create(grow), 1e7)\n"
                  "assert(not ok and text:find 'too much memory', text)");
        ck_assert_int_eq(seen.calls, 2);
        ck_assert(lmp_host.running(L));
    }
}

TEST(limit_stops_the_profile) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        for (int what = STOP; what <= START; what++) {
            OWN(lua_close_at) lua_State *L = limited(ways[i], what);
            rounds(L, "keep = grow(100000) keep = grow(100000)");
            ck_assert_int_eq(seen.calls, 1); /* it ends with the profile */
            ck_assert_int_eq(lmp_host.running(L), what == START);
        }
    }
}

TEST(limit_is_raised) {
    OWN(lua_close_at) lua_State *L = limited(NULL, AGAIN);
    rounds(L, "keep = {} for i = 1, 300000 do keep[i] = {} end"); /* some 20 MB */
    ck_assert_int_ge(seen.calls, 3);
    ck_assert_int_le(seen.calls, 9);
}

/* Grows and falls again without an instruction of Lua in between. */
static int within(lua_State *L) {
    lua_gc(L, LUA_GCSTOP);
    for (int i = 1; i <= 30000; i++)
        lua_newtable(L), lua_pop(L, 1);
    lua_gc(L, LUA_GCRESTART);
    lua_gc(L, LUA_GCCOLLECT);
    return 0;
}

TEST(limit_is_not_told_of_what_is_over) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        OWN(lua_close_at) lua_State *L = limited(ways[i], COUNT);
        lua_register(L, "within", within);
        rounds(L, "within() for i = 1, 100 do local t = {} end");
        ck_assert_msg(seen.calls == 0, "%s: %d", ways[i], seen.calls);
        rounds(L, "keep = grow(30000)");
        ck_assert_msg(seen.calls == 1, "%s: %d", ways[i], seen.calls);
    }
}

TEST(limit_and_another_hook) { /* the program's own goes on */
    OWN(lua_close_at) lua_State *L = limited(NULL, COUNT);
    rounds(L, "local n = 0 debug.sethook(function() n = n + 1 end, '', 1000)\n"
              "for r = 1, 3 do local t = grow(30000) t = nil collectgarbage() end\n"
              "assert(n > 100 and debug.gethook(), n)");
    ck_assert_int_eq(seen.calls, 3);
}
