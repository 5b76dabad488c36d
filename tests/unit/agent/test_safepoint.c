/* What is done between two instructions of the program: a requested collection comes, whatever
 * debug hook the program has, and that hook does not notice. */

#include "profiled.h"

#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/state/profile.h"
#include "base/os.h"
#include "own_state.h"
#include "read/view.h"

static LmpView *view;
static lua_State *L;

/* ---- what the program can call --------------------------------------------------------------- */

static int api_start(lua_State *T) {
    profiled_start(T, profiler_defaults);
    return 0;
}

static int api_stop(lua_State *T) {
    profiler_stop(T, NULL);
    return 0;
}

/* A viewer requests a collection, and the program sees it at once, in here. */
static int api_request(lua_State *T) {
    view_collect(view);
    lua_newtable(T);
    lua_pop(T, 1);
    return 0;
}

/* It sees it when it asks for memory next. */
static int api_request_next(lua_State *T) {
    (void)T;
    view_collect(view);
    return 0;
}

static int api_request_in_vain(lua_State *T) {
    api_request(T);
    view_collect_no_more(view);
    return 0;
}

static bool is_done(void) {
    return atomic_load(&view->live->collect_done) == atomic_load(&view->control->collect);
}

static int api_done(lua_State *T) {
    lua_pushboolean(T, is_done());
    return 1;
}

/* Resumes its arguments, threads, one after the other, in a way that nobody knows of. */
static int api_relay(lua_State *T) {
    int n = lua_gettop(T), results;
    for (int i = 1; i <= n; i++) {
        lua_State *one = lua_tothread(T, i);
        int status = lua_resume(one, T, lua_gettop(one) - 1, &results);
        ck_assert_msg(status == LUA_OK || status == LUA_YIELD, "%s", lua_tostring(one, -1));
    }
    return 0;
}

static int api_yield_requesting(lua_State *T) {
    api_request(T);
    return lua_yield(T, 0);
}

/* A debug hook in C, of the program's. */
static long long events[5];

static void count_events(lua_State *T, lua_Debug *ar) {
    (void)T;
    events[ar->event]++;
}

static int api_count(lua_State *T) { /* (mask, count) */
    lua_sethook(T, count_events, (int)luaL_checkinteger(T, 1), (int)luaL_checkinteger(T, 2));
    if (lua_gethook(T)) memset(events, 0, sizeof events);
    return 0;
}

static int api_is_counting(lua_State *T) { /* (mask, count) */
    lua_pushboolean(T, lua_gethook(T) == count_events &&
                           lua_gethookmask(T) == luaL_checkinteger(T, 1) &&
                           lua_gethookcount(T) == luaL_checkinteger(T, 2));
    return 1;
}

static const luaL_Reg api[] = {{"start", api_start},
                               {"stop", api_stop},
                               {"request", api_request},
                               {"request_next", api_request_next},
                               {"request_in_vain", api_request_in_vain},
                               {"done", api_done},
                               {"relay", api_relay},
                               {"yield_requesting", api_yield_requesting},
                               {"count", api_count},
                               {"is_counting", api_is_counting},
                               {NULL, NULL}};

static void end(void) {
    own_view_close(view);
    profiler_stop(L, NULL);
    lua_close(L);
}

static void begin(void) {
    suite_closes(end);
    L = new_state();
    lua_pushglobaltable(L);
    luaL_setfuncs(L, api, 0);
    lua_settop(L, 0);
    api_start(L);
    view = own_view();
}

/* ---- the program's hook ---------------------------------------------------------------------- */

TEST(nobody_hooks) {
    begin();
    run_lua(L, "local weak = setmetatable({[{}] = 1}, {__mode = 'k'})\n"
               "collectgarbage 'stop' request()\n"
               "local a = 1\n"
               "assert(done() and not next(weak) and not debug.gethook())");
}

/* By lines, as coverage tools do. */
TEST(lines_are_seen) {
    begin();
    run_lua(L, "local seen = {}\n"
               "local function work(request)\n"
               "  local a = 1\n"
               "  request()\n"
               "  a = a + 1\n"
               "  for i = 1, 3 do\n"
               "    a = a + i\n"
               "    request() a = 2\n"
               "  end\n"
               "  return a\n"
               "end\n"
               "local function hook(event, line) seen[#seen + 1] = event .. line end\n"
               "local function lines(request)\n"
               "  seen = {}\n"
               "  debug.sethook(hook, 'l')\n"
               "  work(request)\n"
               "  local f, mask, count = debug.gethook()\n"
               "  debug.sethook()\n"
               "  assert(f == hook and mask == 'l' and count == 0)\n"
               "  return table.concat(seen, ' ')\n"
               "end\n"
               "local without, with = lines(done), lines(request)\n"
               "assert(done() and #with > 50)\n"
               "assert(without == with, without .. '\\n' .. with)");
}

static void count_with(const char *request, int mask, int count, long long out[5]) {
    char script[512];
    snprintf(script, sizeof script,
             "local request = %s count(%d, %d)"
             " for i = 1, 50 do request() local t = tostring(i) t = (function() return t end)() end"
             " local same = is_counting(%d, %d) count(0, 0) assert(same and done())",
             request, mask, count, mask, count);
    run_lua(L, "collectgarbage()");
    lua_gc(L, LUA_GCSTOP);
    ck_assert_msg(luaL_loadstring(L, script) == LUA_OK, "%s", lua_tostring(L, -1));
    int status = lua_pcall(L, 0, 0, 0);
    ck_assert_msg(status == LUA_OK, "%s", lua_tostring(L, -1));
    memcpy(out, events, sizeof events);
    lua_gc(L, LUA_GCRESTART);
}

/* All that a C hook asks for arrives, and its count of instructions is the same after. */
TEST(events_are_seen) {
    static const int masks[][2] = {{LUA_MASKCALL | LUA_MASKRET, 0},
                                   {LUA_MASKLINE, 0},
                                   {LUA_MASKCOUNT, 1},
                                   {LUA_MASKCOUNT | LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE, 1},
                                   {LUA_MASKCOUNT, 100}};
    begin();
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        long long with[5], without[5];
        count_with("done", masks[i][0], masks[i][1], without);
        count_with("request", masks[i][0], masks[i][1], with);
        ck_assert(without[0] + without[1] + without[2] + without[3] > 0);
        for (int e = 0; e < 5 && masks[i][1] <= 1; e++) /* a longer count begins anew */
            ck_assert_msg(with[e] == without[e], "mask %d: event %d %lld times, not %lld",
                          masks[i][0], e, with[e], without[e]);
    }
}

/* A coroutine that was made meanwhile inherits the program's hook, not ours, however late it runs.
 */
TEST(coroutines_inherit) {
    for (int way = 0; way < 4; way++) {
        begin();
        lua_pushboolean(L, way & 1);
        lua_setglobal(L, "counts");
        lua_pushboolean(L, way & 2);
        lua_setglobal(L, "late");
        run_lua(L,
                "local function body() local a = 1 return is_counting(1, 0), debug.gethook() end\n"
                "if counts then count(1, 0) end\n"
                "request_next()\n"
                "local co = coroutine.create(body)\n"
                "if late then stop() end\n"
                "local ok, is, left = coroutine.resume(co)\n"
                "assert(ok and is == counts and (counts or left == nil), tostring(left))\n"
                "assert(is_counting(1, 0) == counts) count(0, 0)");
        if (way & 2) run_lua(L, "start()");
    }
}

/* A handler of a signal may set a debug hook at any time: it is never lost. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(lua_State *T, lua_Debug *ar) {
    (void)ar;
    lua_sethook(T, NULL, 0, 0);
    interrupted = 0;
}

static void on_signal(int number) {
    (void)number;
    if (interrupted) return;
    interrupted = 1;
    lua_sethook(L, on_interrupt, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

TEST(interrupts_are_kept) {
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
    struct itimerval every = {{0, 50}, {0, 50}}, none = {{0, 0}, {0, 0}};
    begin();
    sigaction(SIGALRM, &act, &before);
    for (int i = 0; i < 300; i++) {
        setitimer(ITIMER_REAL, &every, NULL);
        run_lua(L, "for i = 1, 20 do request() local a = {} end");
        setitimer(ITIMER_REAL, &none, NULL);
        run_lua(L, "local a = 1 a = 2");
        ck_assert_int_eq(interrupted, 0);
    }
    sigaction(SIGALRM, &before, NULL);
}

/* ---- the collection -------------------------------------------------------------------------- */

/* The profile ends in the middle of it; or another one begins, at the same place, whose requests
 * are its own. */
TEST(finalizers_end_it) {
    begin();
    run_lua(L, "setmetatable({}, {__gc = function() stop() end})\n"
               "request() local t = {} for i = 1, 100 do t[i] = {} end");
    run_lua(L, "start()");
    begin();
    run_lua(L, "setmetatable({}, {__gc = function() stop() start() end})\n"
               "request() local t = {} for i = 1, 100 do t[i] = {} end");
    void *ud;
    lua_getallocf(L, &ud);
    const LmpProfile *p = ud;
    ck_assert_uint_eq(atomic_load(&p->live->collect_done), 0);
    ck_assert_uint_eq(atomic_load(&p->control->collect), 0);
}

/* Other threads run than those that were asked. */
TEST(threads_take_turns) {
    begin();
    run_lua(L, "local a = coroutine.create(yield_requesting)\n"
               "local b = coroutine.create(function()\n"
               "  local t, i = {}, 0\n"
               "  repeat i = i + 1 t[i % 1000] = {} until done() or i > 1e8\n"
               "  assert(done(), 'never')\n"
               "end)\n"
               "relay(a, b)");
}

/* What has been withdrawn does not come late. */
TEST(withdrawn) {
    begin();
    run_lua(L, "collectgarbage 'stop'\n"
               "local weak = setmetatable({}, {__mode = 'k'}) weak[{}] = 1\n"
               "request_in_vain()\n"
               "local t = {} for i = 1, 1000 do t[i] = {} end\n"
               "assert(done() and next(weak) and not debug.gethook())");
    ck_assert_uint_eq(atomic_load(&view->control->collect), 0);
    run_lua(L, "request() local a = 1 assert(done())");
    ck_assert_uint_eq(atomic_load(&view->control->collect), 1);
}

/* ---- a program that sleeps ------------------------------------------------------------------- */

static uint64_t slept;

static uint64_t clock_of_test(void) {
    return os_real.clock() + slept;
}

static int api_sleep(lua_State *T) {
    (void)T;
    slept += 100000000;
    return 0;
}

/* It asks for memory once, and its tick comes with that. */
TEST(one_operation_each_time) {
    static LmpOs os;
    os = os_real;
    os.clock = clock_of_test;
    lmp_os = &os;
    begin();
    lua_register(L, "sleep", api_sleep);
    run_lua(L, "local function work() local t = {} end\n"
               "local function go_on() local a = 1 return a end\n"
               "work() request_next() sleep() work() go_on()\n"
               "assert(done())");
}

/* ---- fork ------------------------------------------------------------------------------------ */

static pid_t child;
static bool done_by_child;

/* The request has been seen, and the child is the first to run an instruction. */
static int api_fork(lua_State *T) {
    int status = 0;
    api_request(T);
    ck_assert(!is_done());
    child = fork();
    if (child == 0) return 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child: %x", (unsigned)status);
    done_by_child = is_done();
    return 0;
}

TEST(a_child_is_left_alone) {
    begin();
    lua_register(L, "fork", api_fork);
    child = 1;
    bool ok = luaL_dostring(L, "collectgarbage 'stop' local weak = setmetatable({}, {__mode = 'k'})"
                               " weak[{}] = 1 count(1, 0) fork() local a = 1"
                               " assert(is_counting(1, 0)) return next(weak)") == LUA_OK;
    if (child == 0) _exit(ok && !lua_isnil(L, -1) ? 0 : 1);
    ck_assert_msg(ok, "%s", lua_tostring(L, -1));
    ck_assert(!done_by_child);
    ck_assert(is_done());
    ck_assert(lua_isnil(L, -1));
}
