/* Tests of free_callers.c: what is noted of who frees, on a stack of the test's own; what becomes
 * of it in the plan (saved_regs_plan.h); and that the play has seen every caller that a collector
 * frees from. */
#include "agent/interp/free_callers.h"
#include "agent/interp/luafacts.h"

#include <lauxlib.h>
#include <lualib.h>
#include <unwind.h>

#include "suite.h"

RELEASE_AT(lua_close)

static LmpFreeCallers noted;
static LmpSavedRegsPlan plan;

static void setup(void) {
    memset(&noted, 0, sizeof noted);
    memset(&plan, 0, sizeof plan);
}

/* ---- noting ---------------------------------------------------------------------------------- */

/* What follows a call, so that it is no jump. */
#define STAY() __asm__ volatile("" ::: "memory")
#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noipa))
#endif

/* The allocator, which the interpreter's function for frees calls, which others call. */
ALONE static uintptr_t allocator(void) {
    free_callers_note(&noted, (uintptr_t)__builtin_dwarf_cfa(),
                      (uintptr_t)__builtin_return_address(0));
    STAY();
    return (uintptr_t)__builtin_dwarf_cfa();
}

/* Of the last release: the stack pointer of who called the allocator, and what stands where the
 * first caller's own return address was found. */
static uintptr_t freed_from, stood;

/* Frees, with so much room between the two return addresses. */
#define FREES(room)                                                                                \
    char *some = __builtin_alloca((size_t)(room));                                                 \
    __asm__ volatile("" ::"r"(some) : "memory");                                                   \
    freed_from = allocator();                                                                      \
    if (noted.n == 1)                                                                              \
        memcpy(&stood, (const void *)(freed_from + (uintptr_t)noted.caller[0].at), 8);             \
    STAY()

LMP_READS_REGS ALONE static void release(int room) {
    FREES(room);
}

ALONE static void sweep(int room) {
    release(room);
    STAY();
}

ALONE static void resize(int room) {
    release(room);
    STAY();
}

static void while_collecting(void (*frees)(int), int room) {
    noted.collecting = true;
    frees(room);
    noted.collecting = false;
}

/* Does the address lie in this function of a few dozen bytes? */
static bool lies_in(uintptr_t at, uintptr_t function) {
    return at > function && at - function < 200;
}

/* Another function that frees, called from the same place. */
LMP_READS_REGS ALONE static void destroy(int room) {
    FREES(room);
}

ALONE static void by(void (*frees)(int)) {
    frees(0);
    STAY();
}

TEST(notes_each_function) {
    setup();
    by(release);
    by(destroy);
    ck_assert_uint_eq(noted.n, 2);
    ck_assert_int_eq(noted.caller[0].at, noted.caller[1].at);
    ck_assert(lies_in(noted.caller[0].ret, (uintptr_t)release) &&
              lies_in(noted.caller[1].ret, (uintptr_t)destroy));
    ck_assert(noted.caller[0].next == noted.caller[1].next &&
              lies_in(noted.caller[0].next, (uintptr_t)by));
}

TEST(notes_who_frees) {
    setup();
    while_collecting(sweep, 0);
    ck_assert_uint_eq(noted.n, 1);
    const struct LmpFreeCaller *f = noted.caller;
    ck_assert(lies_in(f->ret, (uintptr_t)release));
    ck_assert(lies_in(f->next, (uintptr_t)sweep));
    ck_assert_uint_eq(stood, f->next);
    ck_assert(f->collector && !f->program);
    while_collecting(sweep, 0);
    ck_assert_uint_eq(noted.n, 1);
    ck_assert(f->collector && !f->program);

    resize(0); /* another one, by the same function */
    ck_assert_uint_eq(noted.n, 2);
    ck_assert(f[1].ret == f->ret && lies_in(f[1].next, (uintptr_t)resize) && f[1].at == f->at);
    ck_assert(!f[1].collector && f[1].program);

    sweep(0); /* for both of them */
    while_collecting(resize, 0);
    ck_assert_uint_eq(noted.n, 2);
    ck_assert(f->collector && f->program && f[1].collector && f[1].program);
}

/* The next return address stands at one distance, and not far away. */
TEST(notes_what_is_near) {
    setup();
    resize(8192);
    ck_assert_uint_eq(noted.n, 0);
    resize(1024);
    ck_assert_uint_eq(noted.n, 1);
    resize(2048); /* at another distance, it is another one */
    ck_assert_uint_eq(noted.n, 2);
    ck_assert_int_ge(noted.caller[1].at - noted.caller[0].at, 1024);
}

static _Unwind_Reason_Code walk_all(struct _Unwind_Context *context, void *arg) {
    uintptr_t ip = (uintptr_t)_Unwind_GetIP(context);
    if (ip) *(uintptr_t *)arg = ip;
    return _URC_NO_REASON;
}

TEST(notes_no_more_than_it_can) {
    setup();
    uintptr_t cfa = (uintptr_t)__builtin_dwarf_cfa(), outermost = 0;
    free_callers_note(&noted, cfa, 1); /* nobody's return address */
    _Unwind_Backtrace(walk_all, &outermost);
    free_callers_note(&noted, cfa, outermost); /* and one that nobody has called */
    ck_assert_uint_eq(noted.n, 0);

    noted.n = LMP_MOST_FREE_CALLERS - 1;
    resize(0);
    ck_assert_uint_eq(noted.n, LMP_MOST_FREE_CALLERS);
    struct LmpFreeCaller last = noted.caller[LMP_MOST_FREE_CALLERS - 1];
    while_collecting(sweep, 0);
    ck_assert_uint_eq(noted.n, LMP_MOST_FREE_CALLERS);
    while_collecting(resize, 0); /* which was known already */
    last.collector = true;
    ck_assert_mem_eq(&noted.caller[LMP_MOST_FREE_CALLERS - 1], &last, sizeof last);
}

/* ---- the plan -------------------------------------------------------------------------------- */

enum { HERE, THERE, BOTH }; /* collector, program */

static void note(uintptr_t ret, uintptr_t next, int32_t at, int who) {
    noted.caller[noted.n++] = (struct LmpFreeCaller){ret, next, at, who != THERE, who != HERE};
}

/* Does the plan say that the collector frees, when that function has called, called by that one? */
static bool collects(uintptr_t ret, uintptr_t next) {
    uintptr_t stack[8] = {ret, 0, 0, next};
    return saved_regs_collects(&plan, LMP_FROM((const char *)&stack[1], ret));
}
enum { AT = 16 }; /* from the caller's stack pointer */

TEST(tells_who_frees) {
    setup();
    note(1000, 10, AT, HERE);
    note(2000, 20, AT, THERE);
    note(3000, 30, AT, HERE);
    note(3000, 31, AT, THERE);
    note(3000, 32, AT, HERE);
    note(4000, 40, AT, BOTH);
    note(4000, 41, AT, HERE);
    note(4000, 42, AT, THERE);
    free_callers_enter(&noted, &plan);
    ck_assert_uint_eq(plan.free_callers, noted.n);
    ck_assert(collects(1000, 10) && collects(1000, 11));
    ck_assert(!collects(2000, 20) && !collects(2000, 21));
    ck_assert(collects(3000, 30) && !collects(3000, 31) && collects(3000, 32));
    ck_assert(!collects(3000, 10));
    ck_assert(collects(4000, 40) && collects(4000, 41) && !collects(4000, 42)); /* in doubt */
    ck_assert(collects(5000, 10)); /* not known: in doubt, it is the collector */
}

/* Also for one and the same place, noted in the other order. */
TEST(tells_by_all_that_was_noted) {
    setup();
    note(3000, 31, AT, THERE);
    note(2000, 20, AT, THERE);
    note(3000, 30, AT, HERE);
    free_callers_enter(&noted, &plan);
    ck_assert(collects(3000, 30) && !collects(3000, 31) && !collects(2000, 20));
}

/* As many places and callers as an interpreter has, and more. */
TEST(tells_of_many) {
    setup();
    enum { PLACES = 100, CALLERS = 60 };
    uintptr_t ret[PLACES], next[CALLERS];
    for (int i = 0; i < PLACES; i++) {
        ret[i] = 0x7f0000000000 + suite_below(1 << 20);
        note(ret[i], 7, AT, i % 2 ? HERE : THERE);
    }
    note(1000, 8, AT, THERE);
    for (uintptr_t i = 0; i < 330; i++) /* which need not be told apart */
        note(2000, i, AT, HERE);
    for (int i = 0; i < CALLERS; i++) {
        next[i] = 0x7f0000000000 + suite_below(1 << 20);
        note(1000, next[i], AT, HERE);
    }
    free_callers_enter(&noted, &plan);
    ck_assert_uint_eq(plan.free_callers, noted.n);
    for (int i = 0; i < PLACES; i++)
        ck_assert(collects(ret[i], 7) == (i % 2 == 1));
    for (int i = 0; i < CALLERS; i++)
        ck_assert(collects(1000, next[i]));
    ck_assert(!collects(1000, 8) && collects(2000, 8));
}

/* Nothing is known then: all frees are taken for the collector's. */
static void knows_nothing(uintptr_t ret) {
    free_callers_enter(&noted, &plan);
    ck_assert_uint_eq(plan.free_callers, 0);
    ck_assert(collects(ret, 20));
    for (int i = 0; i < 1 << LMP_FREE_BITS; i++)
        ck_assert_uint_eq(plan.free_site[i].ret, 0);
}

TEST(two_distances) {
    setup();
    note(2000, 20, AT, THERE); /* who called it does not count */
    note(2000, 20, AT + 8, THERE);
    free_callers_enter(&noted, &plan);
    ck_assert_uint_eq(plan.free_callers, 2);
    ck_assert(!collects(2000, 20));

    setup();
    note(2000, 20, AT, THERE);
    note(2000, 21, AT + 8, HERE);
    knows_nothing(2000);
}

TEST(too_many) {
    setup();
    for (uint32_t i = 0; i < LMP_MOST_FREE_CALLERS - 1; i++)
        note(2000, i, AT, THERE);
    free_callers_enter(&noted, &plan);
    ck_assert_uint_eq(plan.free_callers, noted.n);
    ck_assert(!collects(2000, 20));

    note(2000, 7, AT, THERE); /* perhaps there were more */
    knows_nothing(2000);
}

/* Places that all want to stand at the last one of the table. */
TEST(crowded) {
    enum { ROOM = 1 << (LMP_FREE_BITS - 1) };
    const uint32_t home = (1 << LMP_FREE_BITS) - 1;
    uintptr_t ret[ROOM + 1], next = 1;
    for (int i = 0; i <= ROOM; i++) {
        while (saved_regs_free_home(next) != home)
            next++;
        ret[i] = next++;
    }
    setup();
    for (int i = 0; i < ROOM; i++)
        note(ret[i], 20, AT, i % 2 ? HERE : THERE);
    for (int i = 0; i < ROOM; i++) /* which have their place already */
        note(ret[i], 21, AT, i % 2 ? HERE : THERE);
    free_callers_enter(&noted, &plan);
    ck_assert_uint_eq(plan.free_callers, 2 * ROOM);
    for (int i = 0; i < ROOM; i++)
        ck_assert(collects(ret[i], 20) == (i % 2 == 1));
    note(ret[ROOM], 20, AT, THERE);
    memset(&plan, 0, sizeof plan);
    knows_nothing(ret[0]);
}

/* Two callers that cannot be told apart. */
TEST(no_way_to_spread) {
    setup();
    note(1000, 20 ^ 1000 << 1, AT, HERE);
    note(1000, 7, AT, THERE);
    note(2000, 20 ^ 2000 << 1, AT, HERE);
    note(2000, 7, AT, THERE);
    knows_nothing(2000);
}

/* ---- playing --------------------------------------------------------------------------------- */

static bool noting;
static unsigned asked, refuse; /* two requests from `refuse` on are refused; 0: none */

static void *noting_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud;
    bool grows = nsize && (!ptr || nsize > osize);
    if (grows && refuse && (++asked == refuse || asked == refuse + 1)) return NULL;
    if (nsize) return realloc(ptr, nsize);
    if (ptr && noting)
        free_callers_note(&noted, (uintptr_t)__builtin_dwarf_cfa(),
                          (uintptr_t)__builtin_return_address(0));
    free(ptr);
    return NULL;
}

static bool play(lua_State *L) {
    setup();
    lua_gc(L, LUA_GCSTOP);
    noting = true;
    bool good = free_callers_play(&noted, L);
    noting = false;
    return good;
}

static lua_State *open_state(void) {
    lua_State *L = luafacts_newstate(noting_alloc, NULL);
    luaL_openlibs(L);
    return L;
}

/* Garbage, dead and half dead, of any kind and size. */
static const char garbage[] =
    "local keep, n = {}, ...\n"
    "for i = 1, n do\n"
    "  local t, up = {i, {i}, ('x'):rep(i * 3), k = i}, i\n"
    "  for j = 1, i do t[j] = t t['key' .. j] = j end\n"
    "  local f = function() up = up + 1 return function() return up, t end end\n"
    "  local co = coroutine.create(function(...) local t = {...} coroutine.yield(f) return t end)\n"
    "  coroutine.resume(co, table.unpack(t, 1, i % 100))\n"
    "  local g = load('local a, b = {}, {} return function() a = b return function() end end')\n"
    "  g() f()\n"
    "  setmetatable(t, {__mode = ({'k', 'v', 'kv'})[i % 4]})\n"
    "  if i % 3 == 0 then keep[#keep + 1] = {t, f, co, g} end\n"
    "  if i % 5 == 0 then keep[#keep] = nil end\n"
    "end\n"
    "return keep\n";

static void make_garbage(lua_State *L, int n) {
    luaL_loadstring(L, garbage);
    lua_pushinteger(L, n);
    lua_call(L, 1, 1);
}

static void collect(lua_State *L, int what) {
    noting = noted.collecting = true;
    lua_gc(L, what, 0, 0, 0);
    noting = noted.collecting = false;
}

TEST(has_seen_all_collections) {
    OWN(lua_close_at) lua_State *L = open_state();
    lua_pushinteger(L, 54);
    ck_assert(play(L));
    ck_assert_int_eq(lua_gettop(L), 1);
    ck_assert_int_eq(lua_tointeger(L, 1), 54);
    ck_assert(!lua_gc(L, LUA_GCISRUNNING));
    ck_assert_int_eq(lua_gc(L, LUA_GCINC, 0, 0, 0), LUA_GCINC); /* as it was */
    uint32_t n = noted.n, collector = 0, program = 0;
    for (uint32_t i = 0; i < n; i++) {
        collector += noted.caller[i].collector && !noted.caller[i].program;
        program += noted.caller[i].program && !noted.caller[i].collector;
    }
    ck_assert_uint_ge(collector, 6); /* more kinds of objects have parts */
    ck_assert_uint_ge(program, 1);
    static const int ways[] = {LUA_GCSTEP, LUA_GCCOLLECT, LUA_GCGEN, LUA_GCSTEP,    LUA_GCCOLLECT,
                               LUA_GCSTEP, LUA_GCGEN,     LUA_GCINC, LUA_GCCOLLECT, LUA_GCINC};
    for (int i = 0; i < 30; i++) {
        make_garbage(L, 9 * i);
        if (i % 3 != 1) lua_settop(L, 1);
        collect(L, ways[i % 10]);
        lua_settop(L, 1);
    }
    for (uint32_t i = 0; i < noted.n; i++) {
        const struct LmpFreeCaller *f = &noted.caller[i];
        ck_assert_msg(i < n, "a collection has freed from %p, called by %p", (void *)f->ret,
                      (void *)f->next);
    }
}

static int play_it(lua_State *L) {
    lua_pushboolean(L, free_callers_play(&noted, L));
    return 1;
}

/* Without memory it says that it has not seen all, or raises an error. */
TEST(says_what_it_could_not_play) {
    OWN(lua_close_at) lua_State *L = open_state();
    unsigned failed[4] = {0}, raised = 0, all;
    lua_gc(L, LUA_GCSTOP);
    asked = 0;
    refuse = ~0u; /* none: how many there are */
    ck_assert(free_callers_play(&noted, L));
    all = asked;
    for (unsigned n = 0; n < 80; n++) {
        asked = 0;
        refuse = 1 + n * all / 80;
        lua_pushcfunction(L, play_it);
        if (lua_pcall(L, 0, 1, 0) == LUA_OK) {
            failed[n / 20] += !lua_toboolean(L, -1);
        } else {
            raised++;
        }
        lua_settop(L, 0);
        refuse = 0;
        lua_gc(L, LUA_GCINC, 0, 0, 0);
        lua_gc(L, LUA_GCCOLLECT);
    }
    for (int i = 0; i < 4; i++)
        ck_assert_uint_gt(failed[i], 0);
    ck_assert_uint_gt(raised, 0);
}

/* The plan that comes of it tells the collector's frees from those of tables that grow. */
TEST(plays_what_the_plan_needs) {
    OWN(lua_close_at) lua_State *L = open_state();
    ck_assert(play(L));
    free_callers_enter(&noted, &plan);
    ck_assert_uint_gt(plan.free_callers, 0);
    unsigned both = 0;
    for (int i = 0; i < 1 << LMP_FREE_BITS; i++)
        both += plan.free_site[i].ret && plan.free_site[i].who == LMP_FREE_BY_CALLER;
    ck_assert_uint_ge(both, 1); /* luaM_free_ is called by both */
}
