/* free_callers.c - in the private state, notes the return addresses of a free and of its caller,
 * with their distance on the stack, then makes a table of them whose keys never share a slot. */
#include "agent/interp/free_callers.h"

#include <lauxlib.h>

#include "agent/interp/calibration.h"
#include "agent/interp/unwind.h"

/* ---- noting ---------------------------------------------------------------------------------- */

LMP_READS_REGS void free_callers_note(LmpFreeCallers *free_callers, uintptr_t cfa, uintptr_t ret) {
    for (uint32_t i = 0; i < free_callers->n; i++) {
        struct LmpFreeCaller *f = &free_callers->caller[i];
        uintptr_t next;
        memcpy(&next, (const char *)cfa + f->at, sizeof next); /* NOLINT */
        if (f->ret != ret || f->next != cpu_address(next)) continue;
        *(free_callers->collecting ? &f->collector : &f->program) = true;
        return;
    }
    uintptr_t ip[2], stands[2], next;
    LmpUnwindCallers callers = {.ret = ret, .ip = ip, .at = stands, .most = 2};
    _Unwind_Backtrace(unwind_caller, &callers);
    if (callers.found < 2 || free_callers->n == LMP_MOST_FREE_CALLERS) return;
    uintptr_t at = stands[1] - cfa;
    if (!free_caller_near((int64_t)at)) return;
    memcpy(&next, (const void *)stands[1], sizeof next); /* NOLINT */
    next = cpu_address(next);
    if (next != ip[1]) return;
    free_callers->caller[free_callers->n++] = (struct LmpFreeCaller){
        ret, next, (int32_t)at, free_callers->collecting, !free_callers->collecting};
}

/* ---- playing --------------------------------------------------------------------------------- */

static const char garbage[] = "local t, u = {}, {}\n"
                              "for i = 1, 40 do t[i] = i; t['k' .. i] = u; u[-i] = t end\n"
                              "return function() t = u; return t end\n";

/* Makes garbage of every kind, with live objects in the middle that L keeps on its stack: objects
 * that are dead before all live ones are freed by another call site than those after, and a live
 * thread loses what it no longer needs. */
static bool make_garbage(lua_State *L, bool survivors) {
    for (int i = 0; i < 6; i++) {
        lua_createtable(L, i, i);
        lua_State *thread = lua_newthread(L);
        lua_checkstack(thread, 200);
        lua_pushcfunction(thread, calibration_nest);
        lua_pushinteger(thread, 20);
        lua_pcall(thread, 1, 0, 0);
        lua_newuserdatauv(L, 10, 2);
        if (luaL_loadstring(L, garbage) != LUA_OK) return false;
        lua_pushvalue(L, -1);
        lua_call(L, 0, 1);
        if (!survivors) lua_settop(L, i == 2 ? -4 : -6);
    }
    return true;
}

/* Drops what has survived one young collection, but for some in the middle: compilers have the free
 * of such objects apart from that of new ones. */
static void kill_survivors(lua_State *L, int top) {
    int middle = (top + lua_gettop(L)) / 2;
    for (int i = top + 1; i <= lua_gettop(L); i++) {
        if (i >= middle && i < middle + 5) continue;
        lua_pushnil(L);
        lua_replace(L, i);
    }
}

bool free_callers_play(LmpFreeCallers *free_callers, lua_State *L) {
    static const struct {
        int what;
        bool makes, kills; /* survivors */
    } ways[] = {{LUA_GCCOLLECT, false, false}, {LUA_GCSTEP, false, false},
                {LUA_GCGEN, false, false},     {LUA_GCSTEP, true, false},
                {LUA_GCSTEP, true, true},      {LUA_GCSTEP, false, true},
                {LUA_GCCOLLECT, false, false}, {LUA_GCSTEP, false, false},
                {LUA_GCINC, false, false}}; /* a change of mode sweeps */
    int top = lua_gettop(L);
    luaL_checkstack(L, 200, NULL);
    bool good = true;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (ways[i].kills) kill_survivors(L, top);
        good = make_garbage(L, ways[i].makes) && good;
        free_callers->collecting = true;
        lua_gc(L, ways[i].what, (LmpStep)0, 0, 0); /* a step is a whole cycle: the heap is small */
        free_callers->collecting = false;
    }
    lua_gc(L, LUA_GCSTOP);
    lua_settop(L, top);
    return good;
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* Enters the keys. Returns false if two of them share a slot. */
static bool enter_callers(const uintptr_t *key, uint32_t n, LmpSavedRegsPlan *plan) {
    memset(plan->caller, 0, sizeof plan->caller);
    for (uint32_t i = 0; i < n; i++) {
        uintptr_t *home = &plan->caller[saved_regs_free_caller_home(plan, key[i])];
        if (*home) return false;
        *home = key[i];
    }
    return true;
}

/* Finds a factor for which no two keys share a slot. */
static bool spread(const uintptr_t *key, uint32_t n, LmpSavedRegsPlan *plan) {
    for (uint64_t odd = 1; odd < 4000; odd += 2) {
        plan->free_caller_factor = odd * 0x9e3779b97f4a7c15ull;
        if (enter_callers(key, n, plan)) return true;
    }
    return false;
}

/* Who was seen freeing from a call site. */
static LmpFreeWho who_frees(const LmpFreeCallers *free_callers, uintptr_t ret) {
    bool collector = false, program = false;
    for (uint32_t i = 0; i < free_callers->n; i++) {
        if (free_callers->caller[i].ret != ret) continue;
        collector = collector || free_callers->caller[i].collector;
        program = program || free_callers->caller[i].program;
    }
    return !collector ? LMP_FREE_PROGRAM : program ? LMP_FREE_BY_CALLER : LMP_FREE_COLLECTOR;
}

/* Enters the call site of a free, if it is new. Returns false if it has two distances, or there is
 * no room. */
static bool enter_site(const LmpFreeCallers *free_callers, LmpSavedRegsPlan *plan,
                       const struct LmpFreeCaller *f) {
    uint32_t i = saved_regs_free_home(f->ret), tries = 0;
    while (plan->free_site[i].ret && plan->free_site[i].ret != f->ret) {
        if (++tries == 1 << (LMP_FREE_BITS - 1)) return false;
        i = (i + 1) & ((1 << LMP_FREE_BITS) - 1);
    }
    LmpFreeSite *site = &plan->free_site[i];
    if (site->ret) return site->next == f->at || site->who != LMP_FREE_BY_CALLER;
    *site = (LmpFreeSite){f->ret, f->at, who_frees(free_callers, f->ret)};
    if (site->who == LMP_FREE_BY_CALLER) plan->by_caller = *site;
    return true;
}

void free_callers_enter(const LmpFreeCallers *free_callers, LmpSavedRegsPlan *plan) {
    uintptr_t key[LMP_MOST_FREE_CALLERS];
    uint32_t n = 0, sites = 0;
    bool good = free_callers->n < LMP_MOST_FREE_CALLERS;
    for (uint32_t i = 0; i < free_callers->n && good; i++) {
        const struct LmpFreeCaller *f = &free_callers->caller[i];
        good = enter_site(free_callers, plan, f);
        sites++;
        if (f->collector && who_frees(free_callers, f->ret) == LMP_FREE_BY_CALLER)
            key[n++] = saved_regs_free_caller_key(f->ret, f->next);
    }
    good = good && spread(key, n, plan);
    plan->free_callers = good ? sites : 0;
    if (good) return;
    memset(plan->free_site, 0, sizeof plan->free_site); /* nothing is known of frees */
    plan->by_caller = (LmpFreeSite){0};
}
