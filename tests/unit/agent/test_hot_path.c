/* Tests that what is common stays on the hot path: a program's usual operations, done once more by
 * lines that are known, call nothing of what is there for unusual ones. That what the hot path
 * counts is right is compared elsewhere; going the cold way would be right as well, and slow. */

#include "agent/charge/inspect.h"
#include "agent/charge/lines.h"
#include "agent/hook/odd.h"
#include "agent/hook/slow_path.h"
#include "agent/hook/trap.h"
#include "base/os.h"
#include "profiled.h"

/* ---- what is counted ------------------------------------------------------------------------- */

/* The linker puts these before those that the hot path calls: link with -Wl,--wrap. */
static struct {
    unsigned made, release, resized, operate, trap; /* odd.c, trap.c */
    unsigned ask, learn, outside, thread;           /* lines_asking.c */
    unsigned made_and_tick, tick_and_release;
} cold;

void *__real_odd_made(LmpProfile *p, void *r, size_t n, uint64_t alloc_context);
void *__wrap_odd_made(LmpProfile *p, void *r, size_t n, uint64_t alloc_context);
void *__wrap_odd_made(LmpProfile *p, void *r, size_t n, uint64_t alloc_context) {
    cold.made++;
    return __real_odd_made(p, r, n, alloc_context);
}

void *__real_odd_release(LmpProfile *p, void *ptr, size_t osize, const char *cfa);
void *__wrap_odd_release(LmpProfile *p, void *ptr, size_t osize, const char *cfa);
void *__wrap_odd_release(LmpProfile *p, void *ptr, size_t osize, const char *cfa) {
    cold.release++;
    return __real_odd_release(p, ptr, osize, cfa);
}

void *__real_odd_resized(LmpProfile *p, void *ptr, void *r, size_t osize, size_t nsize,
                         uint32_t here);
void *__wrap_odd_resized(LmpProfile *p, void *ptr, void *r, size_t osize, size_t nsize,
                         uint32_t here);
void *__wrap_odd_resized(LmpProfile *p, void *ptr, void *r, size_t osize, size_t nsize,
                         uint32_t here) {
    cold.resized++;
    return __real_odd_resized(p, ptr, r, osize, nsize, here);
}

void *__real_odd_made_and_tick(LmpProfile *p, void *r);
void *__wrap_odd_made_and_tick(LmpProfile *p, void *r);
void *__wrap_odd_made_and_tick(LmpProfile *p, void *r) {
    cold.made_and_tick++;
    return __real_odd_made_and_tick(p, r);
}

void *__real_odd_tick_and_release(LmpProfile *p, void *ptr, size_t osize);
void *__wrap_odd_tick_and_release(LmpProfile *p, void *ptr, size_t osize);
void *__wrap_odd_tick_and_release(LmpProfile *p, void *ptr, size_t osize) {
    cold.tick_and_release++;
    return __real_odd_tick_and_release(p, ptr, osize);
}

void *__real_odd_operate(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller,
                         bool own);
void *__wrap_odd_operate(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller,
                         bool own);
void *__wrap_odd_operate(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller,
                         bool own) {
    cold.operate++;
    return __real_odd_operate(p, ptr, osize, nsize, caller, own);
}

void *__real_trap_operation(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller);
void *__wrap_trap_operation(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller);
void *__wrap_trap_operation(LmpProfile *p, void *ptr, size_t osize, size_t nsize,
                            LmpCaller caller) {
    cold.trap++;
    return __real_trap_operation(p, ptr, osize, nsize, caller);
}

uint32_t __real_lines_ask(LmpProfile *p, LmpSavedRegs words, unsigned cls, LmpAsk *ask);
uint32_t __wrap_lines_ask(LmpProfile *p, LmpSavedRegs words, unsigned cls, LmpAsk *ask);
uint32_t __wrap_lines_ask(LmpProfile *p, LmpSavedRegs words, unsigned cls, LmpAsk *ask) {
    cold.ask++;
    return __real_lines_ask(p, words, cls, ask);
}

bool __real_lines_learn(LmpProfile *p, lua_State *L, LmpSavedRegs words, unsigned cls);
bool __wrap_lines_learn(LmpProfile *p, lua_State *L, LmpSavedRegs words, unsigned cls);
bool __wrap_lines_learn(LmpProfile *p, lua_State *L, LmpSavedRegs words, unsigned cls) {
    cold.learn++;
    return __real_lines_learn(p, L, words, cls);
}

uint32_t __real_lines_ask_outside(LmpProfile *p, const lua_State *L, unsigned cls);
uint32_t __wrap_lines_ask_outside(LmpProfile *p, const lua_State *L, unsigned cls);
uint32_t __wrap_lines_ask_outside(LmpProfile *p, const lua_State *L, unsigned cls) {
    cold.outside++;
    return __real_lines_ask_outside(p, L, cls);
}

bool __real_lines_learn_thread(LmpProfile *p, const lua_State *L);
bool __wrap_lines_learn_thread(LmpProfile *p, const lua_State *L);
bool __wrap_lines_learn_thread(LmpProfile *p, const lua_State *L) {
    cold.thread++;
    return __real_lines_learn_thread(p, L);
}

/* ---- programs -------------------------------------------------------------------------------- */

static uint64_t stopped(void) {
    return 1000000;
}

static LmpOs test_os;
static LmpProfile *profile;

/* Begins a profile in which nothing hangs on the clock, with a peak that is not reached again. */
static lua_State *begin(bool lines, bool stacks) {
    LmpOptions options = profiler_defaults;
    lua_State *L = new_state();
    lua_gc(L, LUA_GCSTOP);
    test_os = os_real;
    test_os.clock = stopped;
    lmp_os = &test_os;
    options.lines = lines;
    options.stacks = stacks;
    profile = profiled_start(L, options);
    inspect_close(profile); /* which take a few operations, from time to time */
    slow_path_route(profile);
    lua_newuserdatauv(L, 32 << 20, 0);
    lua_pop(L, 1);
    lua_gc(L, LUA_GCCOLLECT);
    return L;
}

static void end(lua_State *L) {
    profiler_stop(L, NULL);
    lua_close(L);
    lmp_os = &os_real;
}

/* The function that a chunk returns. */
static void load_function(lua_State *L, const char *text) {
    if (luaL_loadstring(L, text) != LUA_OK || lua_pcall(L, 0, 1, 0) != LUA_OK)
        ck_abort_msg("%s", lua_tostring(L, -1));
}

static void call(lua_State *L) {
    lua_pushvalue(L, -1);
    if (lua_pcall(L, 0, 0, 0) != LUA_OK) ck_abort_msg("%s", lua_tostring(L, -1));
}

static char trouble[200]; /* what was cold, the last time */

static bool none(const char *what, const char *name, unsigned is) {
    if (is > 0) snprintf(trouble, sizeof trouble, "%s: %u calls of %s", name, is, what);
    return is == 0;
}

static bool nothing_cold(const char *name) {
    return none("odd_made", name, cold.made) && none("odd_release", name, cold.release) &&
           none("odd_resized", name, cold.resized) && none("odd_operate", name, cold.operate) &&
           none("trap_operation", name, cold.trap) && none("lines_ask", name, cold.ask) &&
           none("lines_learn", name, cold.learn) && none("lines_learn_thread", name, cold.thread) &&
           none("lines_ask_outside", name, cold.outside) &&
           (cold.made_and_tick + cold.tick_and_release <= 1 ||
            none("ticks", name, cold.made_and_tick + cold.tick_and_release));
}

typedef struct Program {
    const char *name, *text;
    bool new_threads; /* which have to be met */
} Program;

static const Program programs[] = {
    {.name = "objects of Lua functions",
     .text = "local function f(a) local up = a\n"
             "  return function() up = a return up end end\n"
             "return function() for i = 1, 50 do\n"
             "  local s = 'x' .. i .. 'y' f(s) f({}) local t = {i, i, x = i}\n"
             "end end"},
    {.name = "tables that grow",
     .text = "return function() local t, u = {}, {}\n"
             "  for i = 1, 300 do t[i] = i u['k' .. i] = i end\n"
             "  for i = 1, 300 do t[#t] = nil end t.x = 1 end"},
    {.name = "C functions",
     .text = "local rep, pack, format, concat = string.rep, table.pack, string.format,\n"
             "  table.concat\n"
             "return function() for i = 1, 50 do\n"
             "  local s, t = rep('ab', 30 + i), pack(1, 2, i)\n"
             "  s = format('%d %s', i, s) s = concat({s, s, i}, '-') s = s:upper():sub(2)\n"
             "  table.insert(t, s) table.insert(t, s) setmetatable({}, t)\n"
             "end end"},
    {.name = "calls by C functions",
     .text = "local function g(a) local t = {a} return a .. 'x' end\n"
             "return function() for i = 1, 30 do pcall(g, i)\n"
             "  local s = ('abc'):gsub('.', g) table.sort({3, 1, 2}, function(a, b)\n"
             "    local t = {a, b} return a < b end)\n"
             "end end"},
    {.name = "frames",
     .text = "local function f(n) if n == 0 then return {} end return f(n - 1), {} end\n"
             "return function() for i = 1, 30 do f(i % 20) end end"},
    {.name = "a coroutine's stretches",
     .text = "local co = coroutine.wrap(function() while true do local t = {} t[1] = 1 "
             "coroutine.yield(t)\n"
             "  t = ('x'):rep(50) t = 'y' .. t coroutine.yield() end end)\n"
             "return function() for i = 1, 50 do local t = {i} co() t = 'a' .. i t = ('z'):rep(i)\n"
             "end end"},
    {.name = "C functions called by C functions",
     .text =
         "local rep, concat = string.rep, table.concat\n"
         "local function g(a) return rep(a, 50) end\n"
         "return function() for i = 1, 20 do pcall(rep, 'ab', 30 + i) pcall(pcall, concat, {i, "
         "'x'})\n"
         "  pcall(pcall, g, 'y') local s = ('abc'):gsub('.', g) for w in s:gmatch('%a+') do end\n"
         "  select(2, xpcall(g, print, 'z' .. i)) table.sort({3, 2, 1}, rawequal)\n"
         "end end"},
    {.name = "coroutines by resume",
     .text = "local resume, yield = coroutine.resume, coroutine.yield\n"
             "local co = coroutine.create(function() while true do local t = {} yield(t) t = {1}\n"
             "  t = ('x'):rep(60) pcall(yield, t) end end)\n"
             "return function() for i = 1, 30 do local t = {i} resume(co) t = {x = 1} "
             "pcall(resume, co)\n"
             "  t = 'a' .. i end end"},
    {.name = "coroutines that begin and end",
     .text = "local wrap, create, resume = coroutine.wrap, coroutine.create, coroutine.resume\n"
             "local function body(a) local t = {} coroutine.yield(t) t = ('x'):rep(a) end\n"
             "return function() for i = 1, 20 do local f = wrap(body) f(50 + i) f()\n"
             "  local co = create(body) local t = {} resume(co, 60 + i) t = {} resume(co) end end",
     .new_threads = true},
    {.name = "userdata and code",
     .text = "local text = 'local a, b = {}, ... return function() return a, b end'\n"
             "return function() for i = 1, 10 do load(text) io.tmpfile():close()\n"
             "  load('return ' .. i) end end"},
    {.name = "coroutines in coroutines",
     .text = "local function gen(n) return coroutine.wrap(function()\n"
             "  local inner = n > 0 and gen(n - 1)\n"
             "  while true do local t = {} if inner then inner() end t[1] = 1 coroutine.yield() "
             "end end)\n"
             "end\n"
             "local g = gen(4)\n"
             "return function() for i = 1, 20 do local t = {} g() t.x = 1 end end"},
};

/* A collection's frees are plain, though the collector moves on (trap.h). It may shrink the stack.
 */
static bool collect(lua_State *L, const char *name) {
    memset(&cold, 0, sizeof cold);
    lua_gc(L, LUA_GCCOLLECT);
    if (cold.resized <= 1) cold.resized = 0; /* as above */
    return none("trap_operation, in a collection", name, cold.trap) &&
           none("odd_made", name, cold.made) && none("odd_release", name, cold.release) &&
           none("odd_resized", name, cold.resized) && none("lines_learn", name, cold.learn);
}

static bool play_program(lua_State *L, const Program *program) {
    load_function(L, program->text);
    memset(&cold, 0, sizeof cold);
    call(L);
    if (cold.ask > 10 || cold.learn > 10) /* each line once */
        return none("lines_ask and lines_learn, the first time", program->name,
                    cold.ask + cold.learn);
    for (int k = 0; k < 2; k++)
        call(L);
    lua_gc(L, LUA_GCCOLLECT); /* a table's size has settled */
    call(L);
    memset(&cold, 0, sizeof cold);
    call(L);
    if (program->new_threads) cold.thread = 0;
    if (!nothing_cold(program->name)) return false;
    lua_gc(L, LUA_GCCOLLECT);
    lua_newuserdatauv(L, 1, 0); /* which sees that the collector has moved on */
    lua_pop(L, 1);
    memset(&cold, 0, sizeof cold);
    call(L);
    if (program->new_threads) cold.thread = 0;
    if (cold.operate <= 1) cold.operate = 0; /* the stack, which is from before start */
    if (cold.resized <= 1) cold.resized = 0;
    if (!nothing_cold(program->name)) return false;
    lua_pop(L, 1);
    return collect(L, program->name);
}

/* Where blocks of a thread's size fit, at other distances each turn. */
static void leave_gaps(lua_State *L, int turn) {
    lua_newtable(L);
    for (int i = 0; i < 30 * turn; i++) {
        lua_newthread(L);
        if (i * (turn + 3) % 7 < 3) {
            lua_rawseti(L, -2, i + 1);
        } else {
            lua_pop(L, 1);
        }
    }
    lua_gc(L, LUA_GCCOLLECT);
}

/* Two threads, or two places in the code, may have the same slot of a cache, and evict each other
 * again and again: that hangs on their addresses, so others are tried. */
static void play_programs(bool lines, bool stacks) {
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        bool hot = false;
        for (int turn = 0; turn < 10 && !hot; turn++) {
            lua_State *L = begin(lines, stacks);
            leave_gaps(L, turn);
            hot = play_program(L, &programs[i]);
            end(L);
        }
        ck_assert_msg(hot, "%s", trouble);
    }
}

TEST(programs_of_totals) {
    play_programs(false, false);
}

TEST(programs_with_lines) {
    play_programs(true, false);
}

TEST(programs_with_stacks) {
    play_programs(true, true);
}

/* A host that calls the API with no function running; and C functions of its own. */
static void make_some(lua_State *L) {
    lua_createtable(L, 3, 3);
    lua_pushfstring(L, "%d", (int)lua_gettop(L));
    lua_rawseti(L, -2, 1);
    lua_newuserdatauv(L, 40, 1);
    lua_pushcclosure(L, lua_error, 1);
    lua_pop(L, 2);
}

static void play_host(bool lines, bool stacks) {
    lua_State *L = begin(lines, stacks);
    for (int k = 0; k < 4; k++) {
        memset(&cold, 0, sizeof cold);
        for (int i = 0; i < 50; i++)
            make_some(L);
    }
    if (lines) ck_assert_uint_eq(cold.outside, 250);
    cold.outside = 0; /* which is how it is done */
    ck_assert_msg(nothing_cold("the host") && collect(L, "the host"), "%s", trouble);
    end(L);
}

TEST(host_of_totals) {
    play_host(false, false);
}

TEST(host_with_lines) {
    play_host(true, false);
}

TEST(host_with_stacks) {
    play_host(true, true);
}

/* A tick comes when so much of one class was made, or freed, by a line or by the collector. */
static void play_ticks(bool lines, bool stacks) {
    lua_State *L = begin(lines, stacks);
    load_function(L, "return function() for i = 1, 40000 do local t = {} end end");
    call(L);
    memset(&cold, 0, sizeof cold);
    call(L);
    ck_assert_uint_ge(cold.made_and_tick, 2);
    memset(&cold, 0, sizeof cold);
    lua_gc(L, LUA_GCCOLLECT);
    ck_assert_uint_ge(cold.tick_and_release, 2);
    lua_pop(L, 1);
    load_function(L, "local t = {}\n"
                     "return function() for i = 1, 40000 do t = {1} t.x = i t[2] = 1 t.y = 1 end\n"
                     "end");
    call(L);
    lua_gc(L, LUA_GCCOLLECT);
    memset(&cold, 0, sizeof cold);
    call(L);
    ck_assert_uint_ge(cold.made_and_tick, 2);
    lua_pop(L, 1);
    end(L);
}

TEST(ticks) {
    play_ticks(false, false);
    play_ticks(true, false);
    play_ticks(true, true);
}
