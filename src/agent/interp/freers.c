/* freers.c - see freers.h. */
#include "agent/interp/freers.h"

#include <lauxlib.h>
#include <unwind.h>

#include "agent/interp/scenes.h"

/* ---- noting ---------------------------------------------------------------------------------- */

static _Unwind_Reason_Code walk_frame(struct _Unwind_Context *context, void *arg) {
    LmpWalk *walk = arg;
    uintptr_t ip = (uintptr_t)_Unwind_GetIP(context);
    if (!walk->found && ip != walk->ret) return _URC_NO_REASON;
    walk->ip[walk->found] = ip;
    walk->at[walk->found] = (uintptr_t)_Unwind_GetCFA(context) - sizeof(uintptr_t);
    return ++walk->found == 3 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

void freers_walk(LmpWalk *walk) {
    _Unwind_Backtrace(walk_frame, walk);
}

LMP_READS_WORDS void freers_note(LmpFreers *freers, uintptr_t cfa, uintptr_t ret) {
    for (uint32_t i = 0; i < freers->n; i++) {
        struct LmpFreer *f = &freers->freer[i];
        uintptr_t next;
        memcpy(&next, (const char *)cfa + f->at, sizeof next); /* NOLINT */
        if (f->ret != ret || f->next != next) continue;
        *(freers->collecting ? &f->collector : &f->program) = true;
        return;
    }
    LmpWalk walk = {.ret = ret, .found = 0};
    freers_walk(&walk);
    if (walk.found < 2 || freers->n == LMP_MOST_FREERS) return;
    uintptr_t at = walk.at[1] - cfa, next;
    if (at > 4096) return;
    memcpy(&next, (const void *)walk.at[1], sizeof next); /* NOLINT */
    if (next != walk.ip[1]) return;
    freers->freer[freers->n++] =
        (struct LmpFreer){ret, next, (int32_t)at, freers->collecting, !freers->collecting};
}

/* ---- playing --------------------------------------------------------------------------------- */

static const char garbage[] = "local t, u = {}, {}\n"
                              "for i = 1, 40 do t[i] = i; t['k' .. i] = u; u[-i] = t end\n"
                              "return function() t = u; return t end\n";

/* Of every kind, with something in the middle that L keeps on its stack: what is dead in front of
 * all that lives is freed elsewhere than what is behind it. */
static bool make_garbage(lua_State *L) {
    for (int i = 0; i < 6; i++) {
        lua_createtable(L, i, i);
        lua_State *thread = lua_newthread(L);
        lua_checkstack(thread, 200);
        lua_pushcfunction(thread, scenes_nest);
        lua_pushinteger(thread, 20);
        lua_pcall(thread, 1, 0, 0);
        lua_newuserdatauv(L, 10, 2);
        if (luaL_loadstring(L, garbage) != LUA_OK) return false;
        lua_pushvalue(L, -1);
        lua_call(L, 0, 1);
        lua_settop(L, -6);
        if (i == 2) lua_newtable(L);
    }
    return true;
}

/* True: a cycle has ended. */
static bool collect(LmpFreers *freers, lua_State *L, int what) {
    freers->collecting = true;
    bool ended = lua_gc(L, what, 0) != 0;
    freers->collecting = false;
    return ended;
}

bool freers_play(LmpFreers *freers, lua_State *L) {
    int top = lua_gettop(L);
    luaL_checkstack(L, 40, NULL);
    bool good = make_garbage(L);
    collect(freers, L, LUA_GCCOLLECT);
    good = make_garbage(L) && good;
    for (int steps = 0; steps < 200 && !collect(freers, L, LUA_GCSTEP); steps++) {
    }
    lua_gc(L, LUA_GCGEN, 0, 0);
    for (int i = 0; i < 4; i++) {
        good = make_garbage(L) && good;
        collect(freers, L, i == 2 ? LUA_GCCOLLECT : LUA_GCSTEP);
    }
    good = make_garbage(L) && good;
    freers->collecting = true; /* what a change of the mode sweeps */
    lua_gc(L, LUA_GCINC, 0, 0, 0);
    freers->collecting = false;
    lua_gc(L, LUA_GCSTOP);
    lua_settop(L, top);
    return good;
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* A factor by which all have homes of their own. */
static bool spread(const uintptr_t *key, uint32_t n, LmpWordsPlan *plan) {
    for (uint64_t odd = 1; odd < 4000; odd += 2) {
        uint32_t i = 0;
        memset(plan->freer, 0, sizeof plan->freer);
        plan->freer_factor = odd * 0x9e3779b97f4a7c15ull;
        for (; i < n; i++) {
            uintptr_t *home = &plan->freer[words_freer_home(plan, key[i])];
            if (*home) break;
            *home = key[i];
        }
        if (i == n) return true;
    }
    return false;
}

/* Who was seen to free from a place. */
static LmpFreeWho who_frees(const LmpFreers *freers, uintptr_t ret) {
    bool collector = false, program = false;
    for (uint32_t i = 0; i < freers->n; i++) {
        if (freers->freer[i].ret != ret) continue;
        collector = collector || freers->freer[i].collector;
        program = program || freers->freer[i].program;
    }
    return !collector ? LMP_FREE_PROGRAM : program ? LMP_FREE_BY_CALLER : LMP_FREE_COLLECTOR;
}

/* Enters the place of a freer, if it is new. False: it has two distances, or there is no room. */
static bool enter_place(const LmpFreers *freers, LmpWordsPlan *plan, const struct LmpFreer *f) {
    uint32_t i = words_free_home(f->ret), tries = 0;
    while (plan->free_place[i].ret && plan->free_place[i].ret != f->ret) {
        if (++tries == 1 << (LMP_FREE_BITS - 1)) return false;
        i = (i + 1) & ((1 << LMP_FREE_BITS) - 1);
    }
    LmpFreePlace *place = &plan->free_place[i];
    if (place->ret) return place->next == f->at || place->who != LMP_FREE_BY_CALLER;
    *place = (LmpFreePlace){f->ret, f->at, who_frees(freers, f->ret)};
    return true;
}

void freers_enter(const LmpFreers *freers, LmpWordsPlan *plan) {
    uintptr_t key[LMP_MOST_FREERS];
    uint32_t n = 0, places = 0;
    bool good = freers->n < LMP_MOST_FREERS;
    for (uint32_t i = 0; i < freers->n && good; i++) {
        const struct LmpFreer *f = &freers->freer[i];
        good = enter_place(freers, plan, f);
        places++;
        if (f->collector && !f->program && who_frees(freers, f->ret) == LMP_FREE_BY_CALLER)
            key[n++] = words_freer_key(f->ret, f->next);
    }
    good = good && spread(key, n, plan);
    plan->freers = good ? places : 0;
    if (!good) memset(plan->free_place, 0, sizeof plan->free_place); /* nothing is known of frees */
}
