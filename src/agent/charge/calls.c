/* calls.c - the hook that counts: places and callees are looked up in a cache of edges (counts.h),
 * and asked for only on a miss; where the hook is set, and taken back.
 *
 * A place is where a call comes from, as a word: the pc of a Lua function; a C function; the site
 * of the tail calls of the function that was there; nothing at all (the host). */
#include "agent/charge/calls.h"

#include "agent/charge/counts.h"
#include "agent/charge/lines.h"
#include "agent/charge/sites.h"
#include "agent/interp/frames.h"
#include "agent/interp/private_state.h"
#include "agent/interp/safepoint.h"
#include "agent/interp/stack.h"
#include "base/os.h"

#define PLACE_TAIL (1ull << 62) /* with a site */
#define PLACE_HOST (1ull << 61)

enum { STATES = 64 }; /* profiled with calls at once, in one process */

/* ---- whose hook ------------------------------------------------------------------------------ */

/* A hook gets only the thread, and a look into the registry costs more than everything else that
 * the hook does. */
static struct {
    _Atomic uintptr_t global; /* of a state; 0: free, 1: being written */
    LmpCounts *counts;
} states[STATES];

static uintptr_t global_of(const lua_State *L) {
    return frames_word(L, LMP_AT_L_GLOBAL);
}

static bool enter_state(LmpCounts *c) {
    for (int i = 0; i < STATES; i++) {
        uintptr_t none = 0;
        if (!atomic_compare_exchange_strong(&states[i].global, &none, 1)) continue;
        states[i].counts = c;
        atomic_store(&states[i].global, global_of(c->p->main));
        return true;
    }
    return false;
}

static void leave_state(const LmpCounts *c) {
    uintptr_t global = global_of(c->p->main);
    for (int i = 0; i < STATES; i++)
        if (atomic_load(&states[i].global) == global) atomic_store(&states[i].global, 0);
}

static inline LmpCounts *counts_of(const lua_State *L) {
    uintptr_t global = global_of(L);
    for (int i = 0; i < STATES; i++)
        if (atomic_load_explicit(&states[i].global, memory_order_acquire) == global)
            return states[i].counts;
    return NULL;
}

/* ---- calls ----------------------------------------------------------------------------------- */

typedef struct Call {
    lua_State *L;
    const LmpCallInfo *ci, *caller; /* caller NULL: none, or a tail call */
    const void *proto;              /* of the callee; NULL: a C function */
    uintptr_t from, to;             /* as in a slot */
} Call;

/* Returns the site of a function's tail calls: their line if all are on one, else line -1; 0 if
 * there are none. `ci`: a frame of the function. */
static uint32_t tail_site(LmpProfile *p, lua_State *L, const LmpCallInfo *ci, uint32_t function) {
    const void *proto = frames_proto(frames_func(ci));
    uintptr_t code = frames_code(proto);
    uint32_t n = frames_code_size(proto), site = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t instruction;
        memcpy(&instruction, (const char *)code + i * LMP_INSTRUCTION,
               sizeof instruction); /* NOLINT */
        if (luafacts_opcode(instruction) != LMP_OP_TAILCALL) continue;
        uint32_t one = lines_site_at(p, L, ci, code + (i + 1) * (uintptr_t)LMP_INSTRUCTION);
        if (site && site != one) return sites_site(p, function, -1, 0);
        site = one;
    }
    return site;
}

static uint32_t c_site(LmpProfile *p, uintptr_t function) {
    uint32_t row = sites_find_function(p, 0, -1, (const void *)function); /* NOLINT */
    return row ? sites_site(p, row, -1, 0) : sites_pseudo(p, LMP_PSEUDO_UNKNOWN);
}

static uint32_t caller_site(LmpProfile *p, const Call *call) {
    if (call->from & PLACE_TAIL) return (uint32_t)call->from;
    if (call->from == PLACE_HOST) return sites_pseudo(p, LMP_PSEUDO_HOST);
    if (!call->caller) return c_site(p, call->from);
    if (frames_status(call->caller) & LMP_CI_C) return lines_c_site(p, call->L, call->caller);
    return lines_site_at(p, call->L, call->caller, call->from);
}

static uint32_t callee_function(LmpProfile *p, const Call *call) {
    if (call->proto) return lines_function(p, call->L, call->ci);
    return p->tables.site[lines_c_site(p, call->L, call->ci)].function;
}

/* Returns true if the slot may be kept: all code in it is watched, so that its death will be
 * noticed. */
static bool is_watched(LmpProfile *p, const Call *call) {
    if (call->proto && !lines_watch(p, call->proto)) return false;
    if (!call->caller || frames_status(call->caller) & LMP_CI_C) return true;
    const void *proto = frames_proto(frames_func(call->caller));
    return proto && lines_watch(p, proto);
}

static COLD void learn(LmpCounts *c, const Call *call, LmpCallSlot *slot) {
    LmpProfile *p = c->p;
    LmpCallSlot fresh = {.from = call->from, .to = call->to};
    fresh.function = callee_function(p, call);
    fresh.edge = counts_edge(p, caller_site(p, call), fresh.function);
    if (call->proto) fresh.tail = tail_site(p, call->L, call->ci, fresh.function);
    fresh.deaths = is_watched(p, call) ? p->code_deaths : p->code_deaths - 1;
    *slot = fresh;
}

/* Notes which thread the called C function resumes, if any. A thread from before start has no hook
 * yet. */
static inline void note_resumer(LmpCounts *c, const Call *call);

static inline void count_call(LmpCounts *c, lua_State *L, bool tail) {
    LmpProfile *p = c->p;
    Call call = {.L = L, .ci = frames_top(L)};
    const void *func = frames_func(call.ci);
    call.proto = frames_proto(func);
    call.to = call.proto ? frames_code(call.proto) : frames_c_function(func);
    if (tail) {
        uint32_t site = callframes_find(&c->frames, (uintptr_t)call.ci);
        call.from = PLACE_TAIL | (site ? site : sites_pseudo(p, LMP_PSEUDO_UNKNOWN));
    } else {
        const LmpCallInfo *caller = frames_caller(call.ci);
        if (!frames_caller(caller)) {
            call.from = c->resumed == L ? c->resumer : PLACE_HOST;
        } else {
            call.caller = caller;
            call.from = frames_status(caller) & LMP_CI_C ? frames_c_function(frames_func(caller))
                                                         : frames_pc(caller);
        }
    }
    LmpCallSlot *slot = counts_call_slot(c, call.from, call.to);
    if (UNLIKELY(slot->from != call.from || slot->to != call.to || slot->deaths != p->code_deaths))
        learn(c, &call, slot);
    p->tables.edge[slot->edge].calls++;
    p->tables.function[slot->function].calls++;
    if (UNLIKELY(slot->tail)) callframes_put(&c->frames, (uintptr_t)call.ci, slot->tail);
    if (!call.proto) note_resumer(c, &call);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static COLD void learn_instruction(LmpCounts *c, lua_State *L, uintptr_t pc, LmpRunSlot *slot) {
    LmpProfile *p = c->p;
    const void *proto = frames_proto(frames_func(frames_top(L)));
    uint32_t site =
        proto ? lines_site_at(p, L, frames_top(L), pc) : sites_pseudo(p, LMP_PSEUDO_UNKNOWN);
    bool watched = proto && lines_watch(p, proto);
    *slot = (LmpRunSlot){pc, site, watched ? p->code_deaths : p->code_deaths - 1};
}

static inline void count_instruction(LmpCounts *c, lua_State *L) {
    uintptr_t pc = frames_pc(frames_top(L));
    LmpRunSlot *slot = counts_run_slot(c, pc);
    if (UNLIKELY(slot->pc != pc || slot->deaths != c->p->code_deaths))
        learn_instruction(c, L, pc, slot);
    c->p->tables.instructions[slot->site]++;
}

/* ---- the hook -------------------------------------------------------------------------------- */

static void told(lua_State *L, lua_Debug *ar);

/* Puts the program's own hook of a thread, or none, in the place of ours. */
static void give_back(LmpCounts *c, lua_State *L) {
    const LmpOwnHook *own = ownhooks_find(&c->hooks, L);
    if (lua_gethook(L) != told) return;
    lua_sethook(L, own ? own->hook : NULL, own ? own->mask : 0, own ? own->count : 0);
}

static void told(lua_State *L, lua_Debug *ar) {
    LmpCounts *c = counts_of(L);
    if (!c) { /* the profile is over */
        lua_sethook(L, NULL, 0, 0);
        return;
    }
    if (UNLIKELY(pass_over(&c->p->pass))) {
        give_back(c, L);
    } else if (ar->event == LUA_HOOKCOUNT) {
        if (c->run) count_instruction(c, L);
    } else if (ar->event == LUA_HOOKCALL || ar->event == LUA_HOOKTAILCALL) {
        if (c->call) count_call(c, L, ar->event == LUA_HOOKTAILCALL);
    }
    if (LIKELY(!c->hooks.n)) return;
    LmpOwnHook *own = ownhooks_find(&c->hooks, L);
    if (own) ownhooks_pass(own, L, ar, c->run != NULL);
}

/* ---- setting it ------------------------------------------------------------------------------ */

static void set(LmpCounts *c, lua_State *L) {
    const LmpOwnHook *own = ownhooks_find(&c->hooks, L);
    int mask = (c->call ? LUA_MASKCALL : 0) | (c->run ? LUA_MASKCOUNT : 0);
    int count = c->run ? 1 : own ? own->count : 0;
    lua_sethook(L, told, own ? mask | own->mask : mask, count);
}

static void lost(LmpCounts *c) {
    LmpTablesUsed *used = &c->p->live->tables;
    if (!used->hook_lost) used->hook_lost_clock = lmp_os->clock() - c->p->start;
    used->hook_lost++;
}

/* Sets our hook in the place of the thread's own, which ours calls from now on. */
static void place(LmpCounts *c, lua_State *L) {
    sigset_t before;
    safepoint_hold_signals(&before);
    LmpOwnHook own = {L, lua_gethook(L), lua_gethookmask(L), lua_gethookcount(L), 0};
    if (own.hook != told && !safepoint_stands(L)) { /* that gives back what it found */
        ownhooks_drop(&c->hooks, L);
        if (own.hook && !ownhooks_note(&c->hooks, &own)) {
            lost(c); /* no room to note it: the program keeps its hook */
        } else {
            set(c, L);
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Notes the frames that are there already: the hook is not told of their calls any more. */
static void note_frames(LmpCounts *c, lua_State *L) {
    for (const LmpCallInfo *ci = frames_top(L); c->call && ci && frames_caller(ci);
         ci = frames_caller(ci)) {
        if (frames_status(ci) & LMP_CI_C || !frames_proto(frames_func(ci))) continue;
        uint32_t site = tail_site(c->p, L, ci, lines_function(c->p, L, ci));
        if (site) callframes_put(&c->frames, (uintptr_t)ci, site);
    }
}

static inline void note_resumer(LmpCounts *c, const Call *call) {
    const lua_State *L = frames_resumed(call->L);
    c->resumed = NULL;
    if (LIKELY(!L)) return;
    if (private_state_is_resumer(call->to)) {
        c->resumed = L;
        c->resumer = call->to;
    }
    lua_State *of = (lua_State *)L; /* NOLINT: a value of the program's */
    if (lua_gethook(of) || of == call->L) return;
    place(c, of);
    note_frames(c, of);
}

/* ---- the program's own hooks ----------------------------------------------------------------- */

static LmpCounts *counting(const lua_State *L) {
    LmpCounts *c = counts_of(L);
    return c && !pass_over(&c->p->pass) ? c : NULL;
}

static void hook_changed(lua_State *L, lua_State *of) {
    LmpCounts *c = counting(L);
    if (c) place(c, of);
}

/* While the library's function reads the hook, it finds the program's own, as if we were not
 * there. */
static void hook_asked(lua_State *L, lua_State *of, bool before) {
    LmpCounts *c = counting(L);
    if (!c) return;
    if (!before) {
        if (c->hooks.asking) set(c, of);
        c->hooks.asking = false;
        return;
    }
    if (lua_gethook(of) != told) return;
    const LmpOwnHook *own = ownhooks_find(&c->hooks, of);
    c->hooks.asking = true;
    lua_sethook(of, own ? own->hook : NULL, own ? own->mask : 0, own ? own->count : 0);
}

static const LmpHookWatch watch = {hook_changed, hook_asked};

/* ---- life ------------------------------------------------------------------------------------ */

void calls_begin(LmpProfile *p, lua_State *L) {
    LmpCounts *c = p->counts;
    if (!c || (!c->call && !c->run)) return;
    if (!enter_state(c)) {
        p->live->tables.counts_why = LMP_WHY_MEMORY;
        p->live->tables.counts &= LMP_COUNTS_OVERRIDES;
        return;
    }
    private_state_find_resumers();
    ownhooks_watch(L, &watch);
    lua_State *chain[LMP_CHAIN];
    for (int n = stack_chain(p->main, chain); n > 0; n--) {
        place(c, chain[n - 1]);
        note_frames(c, chain[n - 1]);
    }
    place(c, L);
    note_frames(c, L);
}

/* Looks whether our hook still stands in a thread. Returns true if there is no hook at all. */
static bool look_at(LmpCounts *c, lua_State *L) {
    lua_Hook there = lua_gethook(L);
    if (there == told || safepoint_stands(L)) return false;
    if (there && there == c->stranger) return false;
    c->stranger = there;
    lost(c);
    return !there;
}

void calls_look(LmpProfile *p) {
    LmpCounts *c = p->counts;
    lua_State *L = (lua_State *)p->running; /* NOLINT: it lives, or there is none */
    if (!L || (!c->call && !c->run) || c->hooks.asking || p->closing) return;
    if (look_at(c, L)) place(c, L);
}

void calls_end(LmpProfile *p, lua_State *L) {
    LmpCounts *c = p->counts;
    if (!c || (!c->call && !c->run)) return;
    bool over = pass_over(&p->pass); /* in a forked child */
    if (L && !over)
        calls_look(p); /* a short run has had no tick */
    else if (!over)
        look_at(c, p->main);
    for (uint32_t i = 0; L && i < c->hooks.n; i++)
        if (c->hooks.of[i].L == L || lines_is_thread(p, c->hooks.of[i].L))
            give_back(c, c->hooks.of[i].L);
    if (L) {
        lua_State *chain[LMP_CHAIN];
        for (int n = stack_chain(p->main, chain); n > 0; n--)
            give_back(c, chain[n - 1]);
        give_back(c, L);
        ownhooks_unwatch(L);
    }
    leave_state(c);
}

void calls_thread_gone(LmpProfile *p, const lua_State *L) {
    if (p->counts->hooks.n) ownhooks_drop(&p->counts->hooks, L);
    if (p->counts->resumed == L) p->counts->resumed = NULL;
}
