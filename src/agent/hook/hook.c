/* hook.c - one allocator request in, one out, and the account of it: totals. The hot path with
 * lines is hook_lines.c, with samples hook_sampled.c; what they share, hook_impl.h.
 *
 * Whatever is rare goes to cold functions: to odd.c for odd blocks, to trap.c when a viewer has a
 * request or the collector has moved on, to tick.c when that is due. */
#include "agent/hook/hook.h"

#include "agent/hook/hook_impl.h"
#include "agent/interp/entry.h"

#if LMP_HAS_ENTRY && defined __OPTIMIZE__
/* Entered by a jump from a function that was itself entered so: with the registers as our caller
 * left them. */
static void *slow_with_regs(void *ud, void *ptr, size_t osize, size_t nsize, LmpSavedRegs regs)
    __attribute__((used));
LMP_ENTRY_AFTER(hook_slow, slow_with_regs, "");

LMP_READS_REGS static void *slow_with_regs(void *ud, void *ptr, size_t osize, size_t nsize,
                                           LmpSavedRegs regs) {
    LmpCaller caller = {(const char *)(regs + LMP_REGS_RET + 1), regs[LMP_REGS_RET], regs};
    return trap_operation(ud, ptr, osize, nsize, caller);
}
#endif

/* A block without a type tag, from an unusual call site. */
WAY void *raw_request_searched(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    LmpCaller caller = OUR_CALLER;
    const LmpReturnAddr *asker;
    unsigned cls = return_addr_class(&p->owners->all, caller, &asker);
    void *r = p->pass.alloc(p->pass.ud, ptr, osize, nsize);
    return hook_made(p, r, nsize, 0, cls, false, false);
}

/* A block without a type tag. */
WAY void *raw_request(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    unsigned cls = callclass_usual(p->owners, OUR_CFA, OUR_RET);
    if (UNLIKELY(!cls)) return raw_request_searched(ud, ptr, osize, nsize);
    void *r = p->pass.alloc(p->pass.ud, ptr, osize, nsize);
    return hook_made(p, r, nsize, 0, cls, false, false);
}

/* A coroutine, or another state that is being made. */
WAY void *thread_request(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    if (foreign_is_birth(osize, nsize)) return foreign_birth(p, nsize);
    void *r = p->pass.alloc(p->pass.ud, ptr, osize, nsize);
    if (p->freed) return odd_made(p, r, nsize, ODD_CONTEXT(0, LMP_C_THREAD));
    return hook_made(p, r, nsize, 0, LMP_C_THREAD, false, false);
}

WAY void *object_request(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    unsigned cls = odd_class(osize);
    if (UNLIKELY(!cls)) return raw_request(ud, ptr, osize, nsize);
    if (UNLIKELY(cls == LMP_C_THREAD)) return thread_request(ud, ptr, osize, nsize);
    void *r = p->pass.alloc(p->pass.ud, ptr, osize, nsize);
    return hook_made(p, r, nsize, 0, cls, false, false);
}

WAY void *realloc_request(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    if (UNLIKELY(p->freed)) return odd_operate(p, ptr, osize, nsize, OUR_CALLER, false);
    void *r = p->pass.alloc(p->pass.ud, ptr, osize, nsize);
    return hook_resized(p, ptr, r, osize, nsize, false, 0);
}

HOOK_STOPPED(stopped, hook_alloc)

WAY void *release_request(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    if (!osize) /* Lua frees NULL now and then; others may not know a block's size */
        return ptr ? hook_slow_way(ud, ptr, osize, nsize) : hook_pass_free(p, ptr, osize);
    if (UNLIKELY(hook_must_stop(p))) return stopped(ud, ptr, osize, nsize);
    return hook_release(p, ptr, osize, LMP_FROM(NULL, 0), false, false);
}

void *hook_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    if (!nsize) return release_request(ud, ptr, osize, nsize);
    if (UNLIKELY(hook_must_stop(ud))) return stopped(ud, ptr, osize, nsize);
    if (ptr) return realloc_request(ud, ptr, osize, nsize);
    return osize ? object_request(ud, ptr, osize, nsize) : raw_request(ud, ptr, osize, nsize);
}

/* ---- which way ------------------------------------------------------------------------------- */

lua_Alloc hook_choose(const LmpProfile *p) {
    if (LMP_HAS_ENTRY && p->sampling) return hook_alloc_sampled;
    if (LMP_HAS_ENTRY && p->regs && p->lines) return p->tree ? hook_alloc_stacks : hook_alloc_lines;
    return hook_alloc;
}
