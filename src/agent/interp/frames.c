/* frames.c - tests whether the interpreter keeps its frames as we read them.
 *
 * A private state, made by the same code as the user's, runs a chunk whose lines are known and that
 * calls a probe from many places: from plain and tail calls, as light function and as closure, in
 * the main thread and in a coroutine. The probe compares every word that is read here with what the
 * documented API says of the same frames. A single difference disables all of it. */
#include "agent/interp/frames.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "agent/interp/learning.h"

/* The probe's argument is the line of its call, here and in what it is called from. */
static const char chunk[] = "local p, q = ...\n"
                            "local function f(n)\n"
                            "  if n > 0 then\n"
                            "    local r = f(n - 1)\n"
                            "    return r\n"
                            "  end\n"
                            "  p(7)\n"
                            "  q(8, nil, nil)\n"
                            "  local x = p(9, {}, 'x')\n"
                            "  p(10) q(10)\n"
                            "  return x\n"
                            "end\n"
                            "f(0) f(3)\n"
                            "local function g(n) return f(n) end\n"
                            "g(0) g(2)\n"
                            "local function v(...) local a = ... p(16) return a end\n"
                            "v(1, 2, 3) v()\n"
                            "p(18)\n";

typedef struct Study {
    bool good;
    unsigned probes, tails, plain, lights, closures, coroutines; /* seen, so that each was tested */
    uintptr_t pc[32];                                            /* of the call in a line; 0 */
    const void *proto[32];                                       /* that the line was in */
    bool jumps[LMP_LUA_RELEASES], stacks[LMP_LUA_RELEASES];      /* a release's offset is right */
    uintptr_t outside; /* place on the C stack where the coroutine was resumed */
    unsigned tail;     /* bits of callstatus that said each time whether it was a tail call */
    unsigned hooked;   /* bits set in every hook, and never otherwise in a Lua frame */
    unsigned hooks;    /* seen */
    size_t extra;
    const char *thread_block, *stack_block; /* the newest */
} Study;

LmpFrameBits frames_bits = {.extra = LUA_EXTRASPACE};

static void set_status(LmpCallInfo *ci, unsigned status) {
    LmpCallStatus s = (LmpCallStatus)status;
    memcpy((char *)ci + LMP_AT_CI_STATUS, &s, sizeof s);
}

static void set_pc(LmpCallInfo *ci, uintptr_t pc) {
    memcpy((char *)ci + LMP_AT_CI_SAVEDPC, &pc, sizeof pc);
}

static bool lua_frame_fits(Study *study, lua_State *L, lua_Debug *ar, LmpCallInfo *ci, int line) {
    const void *proto = frames_proto(frames_func(ci));
    uintptr_t pc = frames_pc(ci);
    if (!proto || frames_code_size(proto) > 10000 || !frames_after_instruction(proto, pc))
        return false;
    if (line <= 0) return true;
    if (ar->currentline != line) return false;
    for (int other = 1; other < 32; other++) { /* the saved pc is what makes the line */
        if (!study->pc[other] || study->proto[other] != proto) continue;
        set_pc(ci, study->pc[other]);
        lua_getinfo(L, "l", ar);
        set_pc(ci, pc);
        if (ar->currentline != other) return false;
    }
    study->pc[line] = pc;
    study->proto[line] = proto;
    return true;
}

static bool c_frame_fits(Study *study, lua_State *L, LmpCallInfo *ci, lua_CFunction probe) {
    const char *func = frames_func(ci);
    if (frames_c_function(func) != (uintptr_t)probe) return false;
    if (frames_tag(func) == LMP_TAG_LIGHT_C) study->lights++;
    if (frames_tag(func) == LMP_TAG_C_CLOSURE) study->closures++;
    uintptr_t base = (uintptr_t)func + LMP_SLOT, top = frames_word(L, LMP_AT_L_TOP);
    if (top != base + LMP_SLOT * (uintptr_t)lua_gettop(L)) return false;
    if (frames_word(ci, LMP_AT_CI_TOP) != top + LMP_SLOT * LUA_MINSTACK) return false;
    return *((const uint8_t *)L + LMP_AT_L_STATUS) == LUA_OK;
}

static bool stack_fits(Study *study, lua_State *L, lua_CFunction probe) {
    lua_Debug ar;
    LmpCallInfo *ci = frames_top(L);
    int line = (int)lua_tointeger(L, 1);
    if (line <= 0 || line >= 32) return false;
    if (!c_frame_fits(study, L, ci, probe)) return false;
    if (frames_status(ci) & LMP_CI_SEEN) return false; /* a new call has cleared it */
    for (int level = 0; lua_getstack(L, level, &ar); level++, ci = frames_caller(ci)) {
        if ((const void *)ar.i_ci != (const void *)ci || !ci) return false;
        lua_getinfo(L, "Slt", &ar);
        unsigned status = frames_status(ci);
        bool is_c = *ar.what == 'C', tail = ar.istailcall != 0;
        if (is_c != ((status & LMP_CI_C) != 0)) return false;
        study->tail &= tail ? status : ~status;
        if (!is_c) study->hooked &= ~status;
        if (!is_c && !lua_frame_fits(study, L, &ar, ci, level == 1 ? line : 0)) return false;
        if (!is_c && tail) study->tails++;
        if (!is_c && !tail) study->plain++;
        set_status(ci, status | LMP_CI_SEEN);
    }
    return ci && !frames_caller(ci); /* the bottom frame belongs to no function */
}

static int probe(lua_State *L) {
    Study *study = lua_touserdata(L, lua_upvalueindex(1));
    if (!study) { /* a light function has no upvalue: the registry has it */
        lua_rawgetp(L, LUA_REGISTRYINDEX, probe);
        study = lua_touserdata(L, -1);
        lua_pop(L, 1);
    }
    study->probes++;
    char here;
    for (int i = 0; i < LMP_LUA_RELEASES && study->outside; i++) {
        uintptr_t jump = frames_word(L, luafacts_releases[i].at_jump);
        if (!(jump > (uintptr_t)&here && jump < study->outside)) study->jumps[i] = false;
    }
    study->good = study->good && stack_fits(study, L, probe);
    return 0;
}

/* In a debug hook, the frame of the function it interrupts has a bit set. */
static void hook(lua_State *L, lua_Debug *ar) {
    (void)ar;
    lua_rawgetp(L, LUA_REGISTRYINDEX, probe);
    Study *study = lua_touserdata(L, -1);
    lua_pop(L, 1);
    study->hooked &= frames_status(frames_top(L));
    study->hooks++;
}

/* The chunk is played in a coroutine, too, and a thread's status compared before, between and
 * after. */
static int yields(lua_State *L) {
    return lua_yield(L, 0);
}

/* Upvalue 1, a thread or not; argument 1, the same; argument 2: which thread is expected. */
static int resumes(lua_State *L) {
    lua_pushboolean(L, frames_resumed(L) == lua_touserdata(L, 2));
    return 1;
}

static bool resumed_is(lua_State *L, lua_State *upvalue, lua_State *argument, bool closure) {
    int n = lua_gettop(L);
    if (closure) {
        if (upvalue) {
            lua_pushthread(upvalue);
            if (upvalue != L) lua_xmove(upvalue, L, 1);
            lua_pushcclosure(L, resumes, 1);
        } else {
            lua_pushinteger(L, 1);
            lua_pushcclosure(L, resumes, 1);
        }
    } else {
        lua_pushcfunction(L, resumes);
    }
    if (argument) {
        lua_pushthread(argument);
        if (argument != L) lua_xmove(argument, L, 1);
    } else {
        lua_pushnil(L);
    }
    lua_pushlightuserdata(L, argument ? argument : upvalue);
    lua_call(L, 2, 1);
    bool right = lua_toboolean(L, -1);
    lua_settop(L, n);
    return right;
}

static bool status_is(const lua_State *L, int status) {
    return *((const uint8_t *)L + LMP_AT_L_STATUS) == status;
}

static bool play(lua_State *L, Study *study) {
    if (luaL_loadbuffer(L, chunk, sizeof chunk - 1, "=chunk")) return false;
    lua_pushcfunction(L, probe);
    lua_pushlightuserdata(L, study);
    lua_pushcclosure(L, probe, 1);
    return true;
}

static int study_all(lua_State *L) {
    Study *study = lua_touserdata(L, 1);
    study->good = true;
    lua_rawsetp(L, LUA_REGISTRYINDEX, probe); /* the argument itself */
    if (!play(L, study)) return 0;
    lua_call(L, 2, 0);
    lua_State *thread = lua_newthread(L);
    int results;
    char here;
    study->extra = (size_t)((const char *)thread - study->thread_block);
    for (int i = 0; i < LMP_LUA_RELEASES; i++)
        study->stacks[i] =
            frames_word(thread, luafacts_releases[i].at_stack) == (uintptr_t)study->stack_block;
    for (int i = 0; i < LMP_LUA_RELEASES; i++)
        study->jumps[i] = frames_word(thread, luafacts_releases[i].at_jump) == 0 &&
                          frames_word(L, luafacts_releases[i].at_jump) > (uintptr_t)&here;
    study->outside = (uintptr_t)&here;
    memset(study->pc, 0, sizeof study->pc);
    bool ok = frames_word(thread, LMP_AT_L_GLOBAL) == frames_word(L, LMP_AT_L_GLOBAL) &&
              frames_word(L, LMP_AT_L_GLOBAL) != 0 && status_is(thread, LUA_OK) &&
              !frames_caller(frames_top(thread)) && play(thread, study) &&
              lua_resume(thread, L, 2, &results) == LUA_OK;
    for (int i = 0; i < LMP_LUA_RELEASES; i++)
        if (frames_word(thread, luafacts_releases[i].at_jump)) study->jumps[i] = false;
    ok = ok && resumed_is(L, NULL, NULL, false) && resumed_is(L, NULL, thread, false) &&
         resumed_is(L, NULL, NULL, true) && resumed_is(L, thread, NULL, true) &&
         resumed_is(L, NULL, thread, true) && resumed_is(L, L, thread, true);
    lua_settop(thread, 0);
    lua_pushcfunction(thread, yields);
    ok = ok && lua_resume(thread, L, 0, &results) == LUA_YIELD && status_is(thread, LUA_YIELD) &&
         lua_resume(thread, L, 0, &results) == LUA_OK && status_is(thread, LUA_OK);
    study->outside = 0;
    lua_sethook(L, hook, LUA_MASKCOUNT, 1);
    ok = ok && !luaL_loadstring(L, "local a = 1 a = a + 1 return a") && !lua_pcall(L, 0, 0, 0);
    lua_sethook(L, NULL, 0, 0);
    if (!ok) study->good = false;
    lua_settop(L, 0);
    return 0;
}

static bool known;

static void *study_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    Study *study = ud;
    if (!nsize) {
        free(ptr);
        return NULL;
    }
    if (ptr) return realloc(ptr, nsize);
    void *r = malloc(nsize);
    if (osize == LUA_TTHREAD) {
        study->thread_block = r;
        study->stack_block = NULL;
    } else if (!osize && !study->stack_block) {
        study->stack_block = r; /* what comes next */
    }
    return r;
}

/* Returns where all releases whose offset behaved right have the jump; 0: they do not agree. */
static uint16_t one_jump(const Study *study) {
    uint16_t at = 0;
    for (int i = 0; i < LMP_LUA_RELEASES; i++) {
        if (!study->jumps[i] || luafacts_releases[i].at_jump == at) continue;
        if (at) return 0;
        at = luafacts_releases[i].at_jump;
    }
    return at;
}

/* Takes over what the releases say that behaved right in all the rest. Returns false if there is
 * none, or if they do not agree. */
static bool enter_bits(const Study *study) {
    const LmpLuaRelease *found = NULL;
    for (int i = 0; i < LMP_LUA_RELEASES; i++) {
        const LmpLuaRelease *r = &luafacts_releases[i];
        if (!(study->tail & r->tail) || !(study->hooked & r->hooked) || !study->stacks[i]) continue;
        if (found && (found->tail != r->tail || found->at_stack != r->at_stack)) return false;
        found = r;
    }
    if (!found || !study->hooks || study->extra >= 4096) return false;
    frames_bits.tail = (LmpCallStatus)found->tail;
    frames_bits.hooked = (LmpCallStatus)found->hooked;
    frames_bits.stale = (LmpCallStatus)found->stale;
    frames_bits.c_or_hooked = (LmpCallStatus)(found->hooked | found->stale | LMP_CI_C);
    frames_bits.at_jump = one_jump(study);
    frames_bits.at_stack = found->at_stack;
    frames_bits.extra = (uint32_t)study->extra;
    return true;
}

static void study_once(void) {
    if (sizeof(void *) != 8) return;
    Study study = {.good = false, .tail = ~0u, .hooked = ~0u};
    lua_State *L = luafacts_newstate(study_alloc, &study);
    if (!L) return;
    lua_pushcfunction(L, study_all);
    lua_pushlightuserdata(L, &study);
    bool ran = lua_pcall(L, 1, 0, 0) == LUA_OK;
    known = ran && study.good && study.probes == 2 * 23 && study.tails && study.plain &&
            study.lights && study.closures && enter_bits(&study);
    lua_close(L);
}

bool frames_known(void) {
    static atomic_bool once;
    learning_once(&once, study_once);
    return known;
}

bool frames_fit(lua_State *L) {
    lua_Debug ar;
    if (!frames_known()) return false;
    LmpCallInfo *ci = frames_top(L);
    for (int level = 0; level < 200; level++, ci = frames_caller(ci)) {
        if (!ci) return false;
        if (!lua_getstack(L, level, &ar)) return !frames_caller(ci);
        if ((const void *)ar.i_ci != (const void *)ci) return false;
        lua_getinfo(L, "S", &ar);
        bool is_c = *ar.what == 'C';
        if (is_c != ((frames_status(ci) & LMP_CI_C) != 0)) return false;
        if (!is_c && !frames_proto(frames_func(ci))) return false;
    }
    return true;
}
