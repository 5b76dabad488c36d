/* trap.c - takes an operation through everything around it in turn: foreign callers, the
 * collector's state, requests, break conditions, a pause. Cold: it runs every few milliseconds, or
 * when a viewer has asked for something. */
#include "agent/hook/trap.h"

#include "agent/charge/callers.h"
#include "agent/charge/cycles.h"
#include "agent/charge/inspect.h"
#include "agent/charge/lines.h"
#include "agent/hook/break_check.h"
#include "agent/hook/foreign.h"
#include "agent/hook/light.h"
#include "agent/hook/limit.h"
#include "agent/hook/odd.h"
#include "agent/hook/pause.h"
#include "agent/hook/requests.h"
#include "agent/hook/slow_path.h"
#include "agent/hook/snapshot.h"
#include "agent/hook/tick.h"
#include "agent/interp/collector.h"
#include "agent/interp/safepoint.h"
#include "agent/map/shadow.h"
#include "base/os.h"

/* ---- own API calls --------------------------------------------------------------------------- */

LmpOwn trap_own_begin(LmpProfile *p, lua_State *L) {
    LmpOwn before = p->own;
    lua_Debug ar;
    if (!lua_getstack(L, 0, &ar)) return before;
    p->own = (LmpOwn){ar.i_ci, L};
    slow_path_always(p, true);
    return before;
}

void trap_own_end(LmpProfile *p, LmpOwn before) {
    p->own = before;
    slow_path_route(p);
}

/* Returns true if our own C function is the one that runs. A finalizer called by it is the
 * program's. */
static bool is_own(LmpProfile *p) {
    lua_Debug ar;
    for (int level = 0; lua_getstack(p->own.thread, level, &ar); level++)
        if ((const void *)ar.i_ci == p->own.frame) return level == 0;
    return false;
}

/* ---- the slow path --------------------------------------------------------------------------- */

/* The stack may be looked at unless this request moves or frees (part of) a thread's stack, or may
 * do so: a block from before start can be one. */
static bool stack_is_safe(const void *ptr, uint32_t entry) {
    if (!ptr) return true;
    unsigned cls = entry & 15;
    return cls != LMP_C_NONE && cls != LMP_C_THREAD_PART && cls != LMP_C_THREAD;
}

#define LATE_NS 4000000u /* since the last tick */

/* Does the operation, and the tick if one is due: where all requests take this path, ticks do too.
 * `called`: a viewer asked for something. */
static void *operate(LmpProfile *p, const LmpTrapped *q, bool called) {
    bool look = inspect_on(p);
    uint64_t begun = p->slow->snapshot || called ? lmp_os->clock() : 0;
    if (look) inspect_before(p);
    void *r = odd_operate(p, q->ptr, q->osize, q->nsize, q->caller, q->own);
    if (look && !inspect_after(p, q->ptr || q->own ? NULL : r, q->nsize)) slow_path_route(p);
    if (callers_on(p) && !callers_after(p, q->ptr || q->own ? NULL : r, q->nsize))
        slow_path_route(p);
    /* A program that asks for memory once in a while has few ticks: viewers want more of them, and
     * a snapshot is to be over soon. */
    bool late = begun && begun - p->start - p->ticked > LATE_NS;
    if (++p->slow->ops >= p->tick_ops || late) {
        p->slow->ops = 0;
        tick_now(p);
    }
    if (begun && p->slow->snapshot) snapshot_note(p, lmp_os->clock() - begun);
    return r;
}

/* Counts the first block of a state that is counted with ours; it was handed out one request
 * ago. */
static void count_mixed(LmpProfile *p, void *block) {
    odd_made_before(p, block, LUA_TTHREAD, collector_birth()->size);
}

COLD bool trap_only_collector(LmpProfile *p) {
    if (foreign_elsewhere(p) || atomic_load_explicit(p->trap, memory_order_relaxed)) return false;
    cycles_look(p);
    return collector_now(p) == p->gc_seen; /* not while the profile ends */
}

COLD void *trap_operation(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller) {
    void *mixed = NULL;
    if (foreign_elsewhere(p)) {
        void *passed;
        if (foreign_pass(p, &(LmpRequested){ptr, osize, nsize}, caller.cfa, caller.regs, &passed,
                         &mixed))
            return passed;
    }
    if (mixed) count_mixed(p, mixed);
    mixed = NULL;
    if (p->expecting && foreign_settle(p, &mixed))
        return p->pass.alloc(p->pass.ud, ptr, osize, nsize);
    if (mixed) count_mixed(p, mixed);
    if (!ptr && !nsize) return p->pass.alloc(p->pass.ud, ptr, osize, nsize);
    cycles_look(p);
    LmpTrapped q = {.ptr = ptr, .osize = osize, .nsize = nsize, .caller = caller};
    q.own = p->own.frame && !ptr && is_own(p);
    bool called = !q.own && atomic_exchange(&p->control->trap, 0);
    if (q.own || (!called && !p->breaks->on)) return operate(p, &q, called);
    if (called) light_whole(p, false);
    q.old_size = ptr ? osize : 0;
    q.entry = ptr ? shadow_lookup(p, (uintptr_t)ptr, &q.old_size) : 0;
    q.alloc_context = pause_context(p, ptr);
    q.stack_safe = stack_is_safe(ptr, q.entry) && !lines_is_stack(p, caller.regs, ptr);
    q.failed = p->counters->failed;
    if (called) {
        requests_serve(p, q.stack_safe, &(LmpObjectHand){0});
        snapshot_serve(p, q.stack_safe, false);
        safepoint_serve(p, &p->limit->errand, q.stack_safe);
        light_serve(p, ptr);
    }
    LmpCheckedOp watched = {ptr,          q.old_size, nsize, caller.regs, q.entry & 15,
                            q.stack_safe, 0,          0,     0,           0};
    if (p->breaks->on) break_check_before(p, &watched);
    bool pause = watched.met || (called && atomic_load(&p->control->pause));
    if (pause) pause_begin(p, &q);
    void *r = operate(p, &q, called);
    if (p->breaks->on) break_check_after(p, &watched, r);
    if (watched.met && !pause) pause_begin(p, &q); /* what is safe before it is safe after it */
    if (watched.taken) {
        if (break_check_snapshots(p, &watched)) slow_path_route(p);
        snapshot_request(p, &(LmpSnapshotWish){.file = NULL});
    }
    if (watched.met || pause) pause_end(p, &q, r, &watched);
    return r;
}
