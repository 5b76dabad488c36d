/* heap.c - a Lua module for tests of the walk over a heap: it profiles the state that loads it,
 * with an allocator beneath that counts by itself and spoils what is freed, and compares the graph
 * of a walk with what the documented API says (judge.h).
 *
 *   heap.start([options])   begins a profile; {lines = true, stacks = true}
 *   heap.stop()
 *   heap.check(label)       walks, and compares with the API
 *   heap.alive(label)       the same after full collections: all that is alive is reached
 *   heap.paused(n)          from now on the program pauses at each operation, and at each n-th of
 *                           them the heap is walked within it; 0: no more
 *   heap.refuse(n, times)   the n-th request from now on is refused, and those after it
 *   heap.maps()             walks with every request for memory of its own refused in turn
 *   heap.bare(label)        walks as if nothing were profiled, and compares
 *   heap.walks()            how many there were so far, and in how many something was in hand
 * A difference is an error of the function; one in a pause, of the next that is called. The table
 * `host` has more C functions (hostcalls.c). */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "agent/doctor/hostcalls.h"
#include "agent/objects/offsets.h"
#include "agent/objects/walk.h"
#include "agent/session/profiler.h"
#include "agent/state/profile.h"
#include "base/os.h"
#include "judge.h"
#include "shared/counters.h"

static struct {
    lua_State *L;
    LmpProfile *p;
    uint64_t bytes, blocks, base_bytes, base_blocks; /* of the allocator beneath; at start */
    uint64_t requests, refuse_at, refuse_for;
    uint64_t walks, in_hand, paused, every;
    char wrong[800];
    LmpOs os;
    int maps_left; /* < 0: all are granted */
    lua_Alloc before;
    void *before_ud;
} t;

/* ---- the allocator beneath ------------------------------------------------------------------- */

/* Blocks move whenever they change their size, and what is old is spoilt. */
static void *beneath(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud;
    if (!ptr) osize = 0;
    if (nsize > osize) {
        t.requests++;
        if (t.refuse_at && t.requests >= t.refuse_at && t.requests < t.refuse_at + t.refuse_for)
            return NULL;
    }
    char *r = NULL;
    if (nsize) {
        r = t.before(t.before_ud, NULL, 0, nsize);
        if (!r) return NULL;
        memset(r, 0xcc, nsize);
        if (ptr) memcpy(r, ptr, osize < nsize ? osize : nsize);
    }
    if (ptr) {
        memset(ptr, 0xdd, osize);
        t.before(t.before_ud, ptr, osize, 0);
    }
    return r;
}

/* ---- walking --------------------------------------------------------------------------------- */

static bool fails(const char *label, const char *what) {
    if (!*t.wrong) snprintf(t.wrong, sizeof t.wrong, "%s: %s", label, what);
    return false;
}

/* Do its sizes sum to what is counted? */
static bool sums_fit(const LmpObjectGraph *g, const LmpObjectSums *sums, const char *label) {
    LmpClassTotal total[LMP_CLASSES];
    uint64_t bytes = 0, blocks = 0;
    counters_read(t.p->counters, total);
    for (unsigned c = 1; c < LMP_C_COUNTED; c++)
        blocks += total[c].live_blocks;
    for (uint32_t i = 0; i < g->objects; i++)
        if (!(g->flags[i] & LMP_OBJECT_BEFORE)) bytes += g->size[i];
    if (bytes == t.p->counters->live_bytes && sums->bytes == bytes && sums->blocks == blocks)
        return true;
    char what[200];
    snprintf(what, sizeof what, "%llu bytes and %llu blocks, counted are %llu and %llu",
             (unsigned long long)bytes, (unsigned long long)sums->blocks,
             (unsigned long long)t.p->counters->live_bytes, (unsigned long long)blocks);
    return fails(label, what);
}

static bool walk(LmpObjectMemory *memory, LmpObjectGraph *g, const LmpObjectHand *hand,
                 const char *label) {
    LmpObjectSource source;
    LmpObjectSums sums;
    if (t.p) {
        walk_source(&source, t.p, hand);
    } else {
        walk_source_bare(&source, t.L);
    }
    LmpErr err = walk_run(&source, memory, g, &sums);
    if (err == LMP_E_LAYOUT) return fails(label, offsets_why());
    if (err != LMP_OK) return fails(label, err_message(err));
    t.walks++;
    if (hand && (hand->old_addr || hand->new_addr)) t.in_hand++;
    if (judge_form(g) && (!t.p || sums_fit(g, &sums, label))) return true;
    objectmemory_free(memory);
    return *t.wrong ? false : fails(label, judge_said());
}

/* ---- at each operation ----------------------------------------------------------------------- */

static void in_pause(const void *word, uint32_t value, uint64_t ns) {
    (void)word, (void)value, (void)ns;
    LmpControl *control = t.p->control;
    if (t.every && atomic_load(&t.p->live->state) == LMP_PAUSED && ++t.paused % t.every == 0 &&
        !*t.wrong && !t.p->closing) {
        const LmpOp *op = &t.p->live->op;
        LmpObjectHand hand = {(uintptr_t)op->old_addr, (uintptr_t)op->new_addr, op->old_size,
                              op->new_size};
        LmpObjectMemory memory;
        LmpObjectGraph g;
        char label[100];
        snprintf(label, sizeof label, "operation %llu (%u: %llu -> %llu bytes)",
                 (unsigned long long)op->number, op->op, (unsigned long long)op->old_size,
                 (unsigned long long)op->new_size);
        if (walk(&memory, &g, &hand, label)) objectmemory_free(&memory);
    }
    if (!t.every) atomic_store(&control->pause, 0);
    atomic_fetch_add(&control->step, 1);
    atomic_fetch_add(&control->wake, 1);
}

static void *map_some(size_t size, int fd, uint64_t offset, bool writable) {
    if (t.maps_left == 0) return NULL;
    if (t.maps_left > 0) t.maps_left--;
    return os_real.map(size, fd, offset, writable);
}

/* ---- for Lua --------------------------------------------------------------------------------- */

static int raise_wrong(lua_State *L) {
    if (!*t.wrong) return 0;
    lua_pushstring(L, t.wrong); /* again each time: a script may catch errors */
    return lua_error(L);
}

static int start(lua_State *L) {
    LmpOptions options = profiler_defaults;
    LmpErr lack;
    void *ud;
    if (lua_istable(L, 1)) {
        options.lines = (lua_getfield(L, 1, "lines"), lua_toboolean(L, -1));
        options.stacks = (lua_getfield(L, 1, "stacks"), lua_toboolean(L, -1));
    }
    options.summary = "";
    options.live = false;
    lua_settop(L, 0);
    profiler_prepare(L);
    t.before = lua_getallocf(L, &t.before_ud);
    lua_setallocf(L, beneath, NULL);
    t.requests = t.refuse_at = 0;
    LmpErr err = profiler_start(L, &options, &lack);
    if (err != LMP_OK) return luaL_error(L, "start: %s", err_message(err));
    lua_getallocf(L, &ud);
    t.p = ud;
    t.os = os_real;
    t.os.futex_wait = in_pause;
    t.os.map = map_some;
    t.maps_left = -1;
    lmp_os = &t.os;
    offsets_known();
    return 0;
}

static int stop(lua_State *L) {
    t.every = 0;
    lmp_os = &os_real;
    t.p = NULL;
    LmpErr err = profiler_stop(L, NULL);
    lua_setallocf(L, t.before, t.before_ud);
    if (err != LMP_OK) return luaL_error(L, "stop: %s", err_message(err));
    return raise_wrong(L);
}

static int check_graph(lua_State *L, bool alive) {
    const char *label = luaL_optstring(L, 1, "check");
    int top = lua_gettop(L);
    LmpObjectMemory memory;
    LmpObjectGraph g;
    if (!t.L) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
        t.L = lua_tothread(L, -1);
        lua_settop(L, top);
    }
    uint64_t every = t.every;
    t.every = 0;
    if (walk(&memory, &g, NULL, label)) {
        if (alive && !judge_alive(&g)) fails(label, judge_said());
        if (!judge_compare(L, top, &g)) fails(label, judge_said());
        objectmemory_free(&memory);
    }
    t.every = every;
    if (every) {
        atomic_store(&t.p->control->pause, 1);
        atomic_store(&t.p->control->trap, 1);
    }
    return raise_wrong(L);
}

static int check(lua_State *L) {
    return check_graph(L, false);
}

static int alive(lua_State *L) {
    for (int i = 0; i < 3; i++) /* finalizers make garbage */
        lua_gc(L, LUA_GCCOLLECT);
    return check_graph(L, true);
}

static int paused(lua_State *L) {
    t.every = (uint64_t)luaL_checkinteger(L, 1);
    t.paused = 0;
    if (t.every) {
        atomic_store(&t.p->control->pause, 1);
        atomic_store(&t.p->control->trap, 1);
    }
    return raise_wrong(L);
}

static int refuse(lua_State *L) {
    lua_Integer n = luaL_checkinteger(L, 1);
    t.refuse_at = n ? t.requests + (uint64_t)n : 0;
    t.refuse_for = (uint64_t)luaL_optinteger(L, 2, 1);
    return 0;
}

static int maps(lua_State *L) {
    LmpObjectSource source;
    LmpObjectMemory memory;
    LmpObjectGraph g;
    LmpErr err = LMP_E_NOMEM;
    int n = 0;
    walk_source(&source, t.p, NULL);
    for (; err == LMP_E_NOMEM && n < 1000; n++) {
        t.maps_left = n;
        err = walk_run(&source, &memory, &g, NULL);
    }
    t.maps_left = -1;
    if (err != LMP_OK) return luaL_error(L, "with %d pieces: %s", n, err_message(err));
    objectmemory_free(&memory);
    lua_pushinteger(L, n);
    return 1;
}

static int bare(lua_State *L) {
    LmpProfile *p = t.p;
    t.p = NULL;
    lua_settop(L, 1);
    lua_pushcfunction(L, check);
    lua_insert(L, 1);
    int err = lua_pcall(L, 1, 0, 0);
    t.p = p;
    return err ? lua_error(L) : 0;
}

static int walks(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)t.walks);
    lua_pushinteger(L, (lua_Integer)t.in_hand);
    return 2;
}

__attribute__((visibility("default"))) int luaopen_truth_heap(lua_State *L);
int luaopen_truth_heap(lua_State *L) {
    static const HostCalls calls = {lua_resume, lua_sethook};
    static const luaL_Reg functions[] = {
        {"start", start},   {"stop", stop}, {"check", check}, {"alive", alive}, {"paused", paused},
        {"refuse", refuse}, {"maps", maps}, {"bare", bare},   {"walks", walks}, {NULL, NULL}};
    hostcalls_open(L, &calls);
    luaL_newlib(L, functions);
    return 1;
}
