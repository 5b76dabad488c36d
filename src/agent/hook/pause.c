/* pause.c - fills in the operation before and after it is done, then sleeps on the viewer's futex
 * and answers its requests: locals, insides of values, steps, snapshots. */
#include "agent/hook/pause.h"

#include <stdio.h>
#include <string.h>

#include "agent/charge/lines.h"
#include "agent/hook/odd.h"
#include "agent/hook/requests.h"
#include "agent/hook/slow_path.h"
#include "agent/hook/snapshot.h"
#include "agent/hook/tick.h"
#include "agent/interp/locals.h"
#include "agent/interp/stack.h"
#include "agent/map/shadow.h"
#include "agent/objects/inside.h"
#include "agent/objects/offsets.h"
#include "agent/state/state.h"
#include "base/os.h"
#include "shared/counters.h"

#define PAUSE_LOOK_NS 1000000000u /* how often a paused program checks that its viewer is alive */
#define PAUSE_CHILD_NS 10000000u  /* and looks after a child that writes a snapshot */

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

/* Values are read as they are after the operation. */
static LmpInsideSource inside_source(LmpProfile *p) {
    const LmpOp *op = &p->live->op;
    return (LmpInsideSource){p, {op->old_addr, op->new_addr, op->old_size, op->new_size}};
}

/* Writes a few words on the contents of each variable. */
static void preview_locals(LmpProfile *p) {
    LmpOp *op = &p->live->op;
    if (op->locals + op->upvalues == 0 || offsets_known() != LMP_OK) return;
    LmpInsideSource source = inside_source(p);
    for (uint32_t i = 0; i < op->locals; i++)
        inside_preview(&source, &op->local[i]);
    for (uint32_t i = 0; i < op->upvalues; i++)
        inside_preview(&source, &op->upvalue[i]);
}

/* Reads the locals of the frame that a viewer has chosen, on the paused operation's own stack. */
static void answer_locals(LmpProfile *p) {
    LmpOp *op = &p->live->op;
    uint32_t wanted = atomic_load(&p->control->locals), frame = p->control->locals_frame;
    if (atomic_load(&p->live->locals_done) == wanted) return;
    atomic_fetch_add(&op->seq, 1);
    locals_read(p->main, op, frame, p->slow->paused_safe);
    preview_locals(p);
    atomic_fetch_add(&op->seq, 1);
    atomic_store(&p->live->locals_done, wanted);
}

/* Returns the variable that a wish begins at; NULL: there is none, or the wish is about another
 * operation. */
static const LmpLocal *variable_of(const LmpOp *op, const LmpInsideWish *wish) {
    if (wish->number != op->number || wish->frame != op->locals_frame) return NULL;
    if (wish->variable < op->locals) return &op->local[wish->variable];
    uint32_t upvalue = wish->variable - LMP_LOCALS; /* below: a number that no upvalue has */
    return upvalue < op->upvalues ? &op->upvalue[upvalue] : NULL;
}

/* Reads the contents of a value that a viewer has unfolded. */
static void answer_inside(LmpProfile *p) {
    LmpInside *out = &p->live->inside;
    uint32_t wanted = atomic_load(&p->control->inside);
    if (atomic_load(&p->live->inside_done) == wanted) return;
    atomic_fetch_add(&out->seq, 1);
    out->wish = p->control->inside_wish; /* a viewer may write the next one: this copy counts */
    out->rows = 0;
    out->why[0] = 0;
    const LmpLocal *variable = variable_of(&p->live->op, &out->wish);
    if (offsets_known() != LMP_OK) {
        out->state = LMP_INSIDE_UNKNOWN;
        snprintf(out->why, sizeof out->why, "%s", offsets_why());
    } else if (!variable || !p->slow->paused_safe) {
        out->state = variable ? LMP_INSIDE_NOT_NOW : LMP_INSIDE_NONE;
    } else {
        LmpInsideSource source = inside_source(p);
        inside_read(&source, variable, &out->wish, out);
    }
    atomic_fetch_add(&out->seq, 1);
    atomic_store(&p->live->inside_done, wanted);
}

static void sleep_paused(LmpProfile *p) {
    LmpControl *control = p->control;
    LmpLive *live = p->live;
    LmpInsideSource source = inside_source(p);
    atomic_store(&live->step_done, p->slow->step_target);
    atomic_store(&live->locals_done, atomic_load(&control->locals)); /* another operation's */
    atomic_store(&live->inside_done, atomic_load(&control->inside));
    set_state(p, LMP_PAUSED);
    for (;;) {
        uint32_t wake = atomic_load(&control->wake);
        atomic_store(&control->trap, 0);
        requests_serve(p, false, &source.hand);
        snapshot_serve(p, false, true);
        snapshot_tick(p);
        answer_locals(p);
        answer_inside(p);
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
        lmp_os->futex_wait(&control->wake, wake,
                           p->slow->snapshot ? PAUSE_CHILD_NS : PAUSE_LOOK_NS);
    }
    p->slow->step_target = atomic_load(&control->step);
    atomic_store(&live->step_done, p->slow->step_target);
    atomic_store(&control->trap, 1); /* a request that could not be granted in here */
    set_state(p, LMP_RUNNING);
}

uint32_t pause_context(LmpProfile *p, const void *block) {
    const uint32_t *alloc_context = p->lines && block ? shadow_context(p, (uintptr_t)block) : NULL;
    return alloc_context ? *alloc_context : 0;
}

static void set_pc(LmpCallInfo *ci, uintptr_t pc) {
    memcpy((char *)ci + LMP_AT_CI_SAVEDPC, &pc, sizeof pc);
}

/* A table constructor does not save its pc: we set it for the length of a pause, so that line and
 * locals are the current ones. */
static void save_constructor(LmpProfile *p, LmpTrapped *q) {
    if (!p->regs || !q->caller.regs || !q->stack_safe || !q->nsize) return;
    const LmpReturnAddr *asker;
    unsigned cls = q->ptr      ? q->entry & 15
                   : !q->osize ? return_addr_class(&p->owners->all, q->caller, &asker)
                               : odd_tag_class[q->osize & 15];
    LmpCallInfo *ci;
    uintptr_t pc = lines_constructor(p, q->caller.regs, cls, &ci);
    if (!pc) return;
    q->constructs = ci;
    q->saved = frames_pc(ci);
    set_pc(ci, pc);
}

void pause_begin(LmpProfile *p, LmpTrapped *q) {
    LmpOp *op = &p->live->op;
    atomic_fetch_add(&op->seq, 1);
    op->op = !q->ptr ? LMP_OP_ALLOC : q->nsize ? LMP_OP_REALLOC : LMP_OP_FREE;
    op->old_addr = (uintptr_t)q->ptr;
    op->old_size = q->old_size;
    op->new_size = q->nsize;
    op->depth = op->frames = op->cut_at = op->coroutines = 0;
    op->hit = op->hits = 0;
    op->hit_words[0] = 0;
    p->slow->paused_safe = q->stack_safe && !p->closing;
    save_constructor(p, q);
    if (q->stack_safe) stack_inspect(p->main, op);
    locals_read(p->main, op, locals_first(op), p->slow->paused_safe);
}

/* Requests a pause for a condition that was met, on behalf of the viewer that wrote it, if there is
 * none yet. */
static void request_pause(LmpProfile *p) {
    if (atomic_load(&p->control->pause)) return;
    atomic_store(&p->control->viewer, atomic_load(&p->control->breaks_viewer));
    p->slow->step_target = atomic_load(&p->control->step);
    atomic_store(&p->control->pause, 1);
}

void pause_end(LmpProfile *p, const LmpTrapped *q, void *r, const LmpCheckedOp *watched) {
    LmpOp *op = &p->live->op;
    uint64_t size;
    uint32_t entry = r ? shadow_lookup(p, (uintptr_t)r, &size) : q->entry;
    op->cls = entry & 15;
    op->alloc_context = q->ptr ? q->alloc_context : pause_context(p, r);
    op->new_addr = (uintptr_t)r;
    op->failed = p->counters->failed != q->failed;
    op->number = operations(p->live);
    preview_locals(p);
    if (watched->met) {
        if (break_check_pause(p, watched, op)) slow_path_route(p);
        request_pause(p);
    }
    atomic_fetch_add(&op->seq, 1);
    tick_now(p);
    sleep_paused(p);
    if (q->constructs) set_pc(q->constructs, q->saved);
}
