/* trap.c - see trap.h. Everything here is cold: it runs every few milliseconds, or when a viewer
 * has asked for something. */
#include "agent/hook/trap.h"

#include <stdio.h>
#include <string.h>

#include "agent/charge/cycles.h"
#include "agent/charge/lines.h"
#include "agent/charge/names.h"
#include "agent/hook/break_check.h"
#include "agent/hook/foreign.h"
#include "agent/hook/hook_impl.h"
#include "agent/interp/locals.h"
#include "agent/interp/safepoint.h"
#include "agent/interp/stack.h"
#include "agent/map/shadow.h"
#include "agent/state/state.h"
#include "base/os.h"
#include "shared/counters.h"
#include "shared/history.h"

enum {
    TICK_OPS_MIN = 16,
    TICK_OPS_MAX = LMP_PACK_OPS_MAX,
    EPOCHS = 255,
    STRING_HEADER = 24 /* bytes before the contents of a string block, Lua 5.4 */
};
#define TICK_NS 2000000u          /* wished time between ticks */
#define LOOK_NS 250000000u        /* time between looks at what is outside: display, viewers */
#define ASK_AGAIN_NS 50000000u    /* time between two tries to have a wished collection run */
#define PAUSE_LOOK_NS 1000000000u /* a paused program looks this often whether its viewer lives */

/* ---- tick ------------------------------------------------------------------------------------ */

static void next_epoch(LmpProfile *p, uint64_t clock) {
    LmpLive *live = p->live;
    while (clock / live->epoch_length + 1 > EPOCHS) {
        live->epoch_length *= 2;
        shadow_halve_births(p);
    }
    live->epoch = (uint32_t)(clock / live->epoch_length + 1);
    p->birth = (p->birth & LMP_BLOCK_CYCLE_MASK) | live->epoch << LMP_BLOCK_BIRTH_SHIFT;
}

static void note_history(LmpProfile *p, uint64_t clock) {
    const LmpCounters *c = &p->live->counters;
    LmpHistoryPoint now = {.max_bytes = c->live_bytes, .last_bytes = c->live_bytes};
    if (c->peak_bytes >
        p->slow->tick_peak) { /* a new peak since the last tick that is already left */
        p->slow->tick_peak = c->peak_bytes;
        if (c->peak_bytes > now.max_bytes) now.max_bytes = c->peak_bytes;
    }
    for (unsigned cls = 1; cls < LMP_C_COUNTED;
         cls++) { /* just folded: the full counters say all */
        now.allocs += c->count[cls].allocs;
        now.frees += c->count[cls].frees;
        now.alloc_bytes += c->count[cls].alloc_bytes + (uint64_t)c->count[cls].realloc_bytes;
        now.free_bytes += c->count[cls].free_bytes;
    }
    now.gc_cycles = (uint32_t)p->live->gc.cycles;
    history_add(&p->live->history, clock, &now);
}

/* Do all operations have to come the slow path? */
void trap_route(LmpProfile *p) {
    bool by_api = p->exact && !p->words;
    trap_always(p, p->own.frame || p->detached || p->expecting || !p->return_addrs || by_api);
}

/* A collection that was wished has not come yet: another thread than those that were asked may be
 * the next to run. */
static void ask_again(LmpProfile *p) {
    if (!p->collecting || p->live->clock - p->slow->collect_asked < ASK_AGAIN_NS) return;
    p->collecting = false;
    atomic_store(&p->control->trap, 1);
}

COLD void trap_tick(LmpProfile *p) {
    cycles_look(p);
    uint64_t clock = lmp_os->clock() - p->start, passed = clock - p->ticked;
    if (passed < TICK_NS / 2 && p->tick_ops < TICK_OPS_MAX) p->tick_ops *= 2;
    if (passed > TICK_NS * 2 && p->tick_ops > TICK_OPS_MIN) p->tick_ops /= 2;
    if (clock / LOOK_NS != p->ticked / LOOK_NS) {
        if (p->at_look) p->at_look(p);
        if (break_check_lapse(p)) trap_route(p);
        if (!p->live->gc.sweeping) cycles_mode(p);
    }
    p->ticked = clock;
    counters_fold(&p->live->counters, (uint32_t)p->tick_ops);
    p->leaves.refused = false;
    p->live->clock = clock;
    next_epoch(p, clock);
    note_history(p, clock);
    names_tick(p);
    foreign_tell(p);
    ask_again(p);
}

void trap_always(LmpProfile *p, bool always) {
    atomic_store(&p->slow->always, 1);
    p->trap = always || p->breaks->on ? &p->slow->always : &p->control->trap;
}

/* ---- requests -------------------------------------------------------------------------------- */

void trap_mark(LmpProfile *p, const char *name) {
    LmpLive *live = p->live;
    LmpMark *mark = &live->mark[live->marks % LMP_MARKS];
    mark->clock = lmp_os->clock() - p->start;
    if (name) {
        snprintf(mark->name, sizeof mark->name, "%s", name);
    } else {
        snprintf(mark->name, sizeof mark->name, "mark %u", live->marks + 1);
    }
    LmpClassTotal total[LMP_CLASSES];
    counters_read(&live->counters, total);
    for (unsigned c = 0; c < LMP_CLASSES; c++) {
        mark->class_live[c] = total[c].live_bytes;
        mark->class_blocks[c] = total[c].live_blocks;
        mark->class_allocs[c] = total[c].allocs;
    }
    atomic_thread_fence(memory_order_release);
    live->marks++;
}

static void answer_previews(LmpProfile *p, uint32_t request) {
    uint32_t n = p->control->preview_count;
    if (n > LMP_PREVIEWS) n = LMP_PREVIEWS;
    for (uint32_t i = 0; i < n; i++) {
        LmpPreview *out = &p->live->preview[i];
        uint64_t size = 0;
        memset(out, 0, sizeof *out);
        out->addr = p->control->preview_addr[i];
        uint32_t e = shadow_lookup(p, (uintptr_t)out->addr, &size);
        if ((e & 15) != LMP_C_STRING || size <= STRING_HEADER) continue;
        out->valid = 1;
        out->size = size - STRING_HEADER - 1;
        out->shown = (uint32_t)(out->size < LMP_PREVIEW_BYTES ? out->size : LMP_PREVIEW_BYTES);
        memcpy(out->bytes, (const char *)(uintptr_t)out->addr + STRING_HEADER, out->shown);
    }
    p->live->preview_count = n;
    atomic_store(&p->live->preview_done, request);
}

/* Fulfils what can be fulfilled at once. `stack_safe`: the stack may be looked at now. */
static void serve_requests(LmpProfile *p, bool stack_safe) {
    LmpControl *control = p->control;
    LmpLive *live = p->live;
    uint32_t preview = atomic_load(&control->preview), mark = atomic_load(&control->mark);
    if (break_check_take(p)) trap_route(p);
    if (atomic_load(&live->preview_done) != preview) answer_previews(p, preview);
    if (atomic_load(&live->mark_done) != mark) {
        trap_mark(p, NULL);
        atomic_store(&live->mark_done, mark);
    }
    if (atomic_load(&live->collect_done) != atomic_load(&control->collect) && !p->collecting) {
        if (stack_safe) {
            p->collecting = safepoint_request_all(p);
            p->slow->collect_asked = p->live->clock;
        } else {
            atomic_store(&control->trap, 1); /* look again in the next operation */
        }
    }
}

/* ---- pause ----------------------------------------------------------------------------------- */

static uint64_t operations(const LmpLive *live) {
    uint64_t n = live->counters.before_frees + live->counters.before_reallocs +
                 live->counters.failed + live->counters.dropped;
    LmpClassTotal total[LMP_CLASSES];
    counters_read(&live->counters, total);
    for (unsigned c = 1; c < LMP_C_COUNTED; c++)
        n += total[c].allocs + total[c].frees + total[c].reallocs;
    return n;
}

static void set_state(LmpProfile *p, LmpRunState state) {
    atomic_store(&p->live->state, state);
    atomic_fetch_add(&p->live->changed, 1);
    lmp_os->futex_wake(&p->live->changed);
}

/* The locals of the frame that a viewer has chosen; of the paused operation's own stack. */
static void answer_locals(LmpProfile *p) {
    LmpOp *op = &p->live->op;
    uint32_t wanted = atomic_load(&p->control->locals), frame = p->control->locals_frame;
    if (atomic_load(&p->live->locals_done) == wanted) return;
    atomic_fetch_add(&op->seq, 1);
    locals_read(p->main, op, frame, p->slow->paused_safe);
    atomic_fetch_add(&op->seq, 1);
    atomic_store(&p->live->locals_done, wanted);
}

static void sleep_paused(LmpProfile *p) {
    LmpControl *control = p->control;
    LmpLive *live = p->live;
    atomic_store(&live->step_done, p->slow->step_target);
    atomic_store(&live->locals_done, atomic_load(&control->locals)); /* another operation's */
    set_state(p, LMP_PAUSED);
    for (;;) {
        uint32_t wake = atomic_load(&control->wake);
        atomic_store(&control->trap, 0);
        serve_requests(p, false);
        answer_locals(p);
        if (!atomic_load(&control->pause)) break;
        if (atomic_load(&control->step) != p->slow->step_target) {
            p->slow->step_target++;
            atomic_store(&control->trap, 1);
            return; /* still counts as paused: the next operation pauses again */
        }
        uint32_t viewer = atomic_load(&control->viewer);
        if (viewer && !state_viewer_lives(p, viewer)) {
            atomic_store(&control->pause, 0);
            break;
        }
        lmp_os->futex_wait(&control->wake, wake, PAUSE_LOOK_NS);
    }
    p->slow->step_target = atomic_load(&control->step);
    atomic_store(&live->step_done, p->slow->step_target);
    atomic_store(&control->trap, 1); /* a request that could not be granted in here */
    set_state(p, LMP_RUNNING);
}

/* What a request is, what it comes to, and what was done about it so far. */
typedef struct Request {
    void *ptr;
    size_t osize, nsize;
    LmpCaller caller;
    bool own;                /* by our own API call */
    bool stack_safe;         /* the stack may be looked at */
    uint32_t entry;          /* of the block that was there */
    uint32_t alloc_context;  /* its */
    uint64_t failed;         /* requests refused before it */
    LmpCallInfo *constructs; /* frame whose saved pc is set to the table constructor that runs */
    uintptr_t saved;         /* what it was */
} Request;

static uint32_t context_of(LmpProfile *p, const void *block) {
    const uint32_t *alloc_context = p->lines && block ? shadow_context(p, (uintptr_t)block) : NULL;
    return alloc_context ? *alloc_context : 0;
}

static void set_pc(LmpCallInfo *ci, uintptr_t pc) {
    memcpy((char *)ci + LMP_AT_CI_SAVEDPC, &pc, sizeof pc);
}

/* A table constructor does not save where it is: for the length of a pause it is made to have, so
 * that line and locals are those of now. */
static void save_constructor(LmpProfile *p, Request *q) {
    if (!p->words || !q->caller.words || !q->stack_safe || !q->nsize) return;
    const LmpReturnAddr *asker;
    unsigned cls = q->ptr      ? q->entry & 15
                   : !q->osize ? return_addr_class(p->return_addrs, q->caller, &asker)
                               : hook_tag_class[q->osize & 15];
    LmpCallInfo *ci;
    uintptr_t pc = lines_constructor(p, q->caller.words, cls, &ci);
    if (!pc) return;
    q->constructs = ci;
    q->saved = frames_pc(ci);
    set_pc(ci, pc);
}

/* Before the operation or after it, if the stack is safe; op->seq is odd from then on. */
static void op_begin(LmpProfile *p, Request *q) {
    LmpOp *op = &p->live->op;
    atomic_fetch_add(&op->seq, 1);
    op->op = !q->ptr ? LMP_OP_ALLOC : q->nsize ? LMP_OP_REALLOC : LMP_OP_FREE;
    op->old_addr = (uintptr_t)q->ptr;
    op->old_size = q->ptr ? q->osize : 0;
    op->new_size = q->nsize;
    op->depth = op->frames = op->cut_at = op->coroutines = 0;
    op->hit = op->hits = 0;
    op->hit_words[0] = 0;
    p->slow->paused_safe = q->stack_safe && !p->closing;
    save_constructor(p, q);
    if (q->stack_safe) stack_inspect(p->main, op);
    locals_read(p->main, op, locals_first(op), p->slow->paused_safe);
}

/* A condition was met: a pause in the name of the viewer that wrote it, if there is none yet. */
static void request_pause(LmpProfile *p) {
    if (atomic_load(&p->control->pause)) return;
    atomic_store(&p->control->viewer, atomic_load(&p->control->breaks_viewer));
    p->slow->step_target = atomic_load(&p->control->step);
    atomic_store(&p->control->pause, 1);
}

/* After the operation: `r` is what it gave. Pauses. */
static void op_end(LmpProfile *p, const Request *q, void *r, const LmpCheckedOp *watched) {
    LmpOp *op = &p->live->op;
    uint64_t size;
    uint32_t entry = r ? shadow_lookup(p, (uintptr_t)r, &size) : q->entry;
    op->cls = entry & 15;
    op->alloc_context = q->ptr ? q->alloc_context : context_of(p, r);
    op->new_addr = (uintptr_t)r;
    op->failed = p->counters->failed != q->failed;
    op->number = operations(p->live);
    if (watched->met) {
        if (break_check_pause(p, watched, op)) trap_route(p);
        request_pause(p);
    }
    atomic_fetch_add(&op->seq, 1);
    trap_tick(p);
    sleep_paused(p);
    if (q->constructs) set_pc(q->constructs, q->saved);
}

/* ---- own API calls --------------------------------------------------------------------------- */

LmpOwn trap_own_begin(LmpProfile *p, lua_State *L) {
    LmpOwn before = p->own;
    lua_Debug ar;
    if (!lua_getstack(L, 0, &ar)) return before;
    p->own = (LmpOwn){ar.i_ci, L};
    trap_always(p, true);
    return before;
}

void trap_own_end(LmpProfile *p, LmpOwn before) {
    p->own = before;
    trap_route(p);
}

/* Is our own C function the one that runs? A finalizer called by it is the program's. */
static bool is_own(LmpProfile *p) {
    lua_Debug ar;
    for (int level = 0; lua_getstack(p->own.thread, level, &ar); level++)
        if ((const void *)ar.i_ci == p->own.frame) return level == 0;
    return false;
}

/* ---- the slow path ----------------------------------------------------------------------------
 */

/* The stack may be looked at unless this request moves or frees (part of) a thread's stack, or may
 * do so: a block from before start can be one. */
static bool stack_is_safe(const void *ptr, uint32_t entry) {
    if (!ptr) return true;
    unsigned cls = entry & 15;
    return cls != LMP_C_NONE && cls != LMP_C_THREAD_PART && cls != LMP_C_THREAD;
}

/* Does the operation; where all requests come this way, ticks must too. */
static void *operate(LmpProfile *p, const Request *q) {
    void *r = hook_operate(p, q->ptr, q->osize, q->nsize, q->caller, q->own);
    if (++p->slow->ops >= p->tick_ops) {
        p->slow->ops = 0;
        trap_tick(p);
    }
    return r;
}

COLD void *trap_operation(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller) {
    if (foreign_elsewhere(p)) {
        void *passed;
        if (foreign_pass(p, &(LmpRequested){ptr, osize, nsize}, caller.cfa, caller.words, &passed))
            return passed;
    }
    if (p->expecting && foreign_settle(p)) return p->pass.alloc(p->pass.ud, ptr, osize, nsize);
    if (p->detached || (!ptr && !nsize)) return p->pass.alloc(p->pass.ud, ptr, osize, nsize);
    cycles_look(p);
    Request q = {.ptr = ptr, .osize = osize, .nsize = nsize, .caller = caller};
    q.own = p->own.frame && !ptr && is_own(p);
    bool called = !q.own && atomic_exchange(&p->control->trap, 0);
    if (q.own || (!called && !p->breaks->on)) return operate(p, &q);
    uint64_t size;
    q.entry = ptr ? shadow_lookup(p, (uintptr_t)ptr, &size) : 0;
    q.alloc_context = context_of(p, ptr);
    q.stack_safe = stack_is_safe(ptr, q.entry) && !lines_is_stack(p, caller.words, ptr);
    q.failed = p->counters->failed;
    if (called) serve_requests(p, q.stack_safe);
    LmpCheckedOp watched = {ptr, osize, nsize, caller.words, q.entry & 15, q.stack_safe, 0, 0, 0};
    if (p->breaks->on) break_check_before(p, &watched);
    bool pause = watched.met || (called && atomic_load(&p->control->pause));
    if (pause) op_begin(p, &q);
    void *r = operate(p, &q);
    if (p->breaks->on) break_check_after(p, &watched, r);
    if (watched.met && !pause) op_begin(p, &q); /* what is safe before it is safe after it */
    if (watched.met || pause) op_end(p, &q, r, &watched);
    return r;
}
