/* hook_sampled.c - the hot path with samples: the entry point (entry.h) counts bytes down, and only
 * the operation that uses them up comes here; all others are hook.c's. */
#include "agent/charge/lines.h"
#include "agent/charge/tree.h"
#include "agent/hook/hook_impl.h"
#include "agent/hook/sample.h"
#include "agent/hook/trap.h"
#include "agent/interp/entry.h"
#include "agent/map/shadow.h"

#if LMP_HAS_ENTRY

static void *sampled_request(void *ud, void *ptr, size_t osize, size_t nsize, LmpSavedRegs regs)
    __attribute__((used));
LMP_ENTRY_SAMPLED(hook_alloc_sampled, sampled_request, hook_alloc);
_Static_assert(offsetof(LmpProfile, sample_left) == LMP_AT_SAMPLE_LEFT, "entry.h counts it down");

static COLD void *operate(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller) {
    if (hook_must_stop(p)) return trap_operation(p, ptr, osize, nsize, caller);
    return odd_operate(p, ptr, osize, nsize, caller, false);
}

/* `ptr`: the block that is about to be resized, NULL: none. */
static uint32_t context_now(LmpProfile *p, LmpSavedRegs regs, unsigned cls, LmpAsk *ask,
                            const void *ptr) {
    *ask = (LmpAsk){NULL, 0};
    bool stack = ptr && (cls == LMP_C_THREAD_PART || lines_is_stack(p, regs, ptr));
    uint32_t record = stack ? lines_stack_moves(p, regs) : lines_ask(p, regs, cls, ask);
    return p->tree ? tree_path(p, ask->L, ask->constructor, record) : record;
}

/* The operation that used up p->sample_left: does it, and makes its block a sample. */
LMP_READS_REGS static COLD void *sampled_request(void *ud, void *ptr, size_t osize, size_t nsize,
                                                 LmpSavedRegs regs) {
    LmpProfile *p = ud;
    LmpCaller caller = {(const char *)(regs + LMP_REGS_RET + 1), regs[LMP_REGS_RET], regs};
    /* the entry point counts down in any thread; nothing more is touched */
    if (foreign_elsewhere(p)) return trap_operation(p, ptr, osize, nsize, caller);
    sample_next(p);
    if (p->own.frame) return operate(p, ptr, osize, nsize, caller);
    uint64_t size;
    LmpAsk ask;
    uint32_t alloc_context = 0;
    if (ptr) { /* who asks has to be known before a stack moves */
        uint32_t *before = shadow_context(p, (uintptr_t)ptr);
        unsigned cls = shadow_lookup(p, (uintptr_t)ptr, &size) & 15;
        if (!before || cls >= LMP_C_COUNTED) return operate(p, ptr, osize, nsize, caller);
        /* its alloc context keeps it */
        alloc_context = *before ? *before : context_now(p, regs, cls, &ask, ptr);
    }
    void *r = operate(p, ptr, osize, nsize, caller);
    uint32_t *now = r ? shadow_context(p, (uintptr_t)r) : NULL;
    unsigned cls = now ? shadow_lookup(p, (uintptr_t)r, &size) & 15 : LMP_C_NONE;
    if (cls == LMP_C_NONE || cls >= LMP_C_COUNTED) return r;
    if (!ptr) alloc_context = context_now(p, regs, cls, &ask, NULL);
    *now = alloc_context;
    shadow_notify(p, (uintptr_t)r);
    sample_enters(p, alloc_context, (uintptr_t)r, nsize, ptr != NULL);
    return r;
}

#endif
