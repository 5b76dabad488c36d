/* hook_sampled.c - the hot path with samples: the entry point (entry.h) counts bytes down, and only
 * the operation that uses them up is looked at. All others are counted: the map need not know of
 * their blocks, since a request says what it makes, and who frees a block says what it was; but it
 * has those that others than the interpreter ask for. While it has every block (light.h), all are
 * hook.c's. */
#include "agent/charge/lines.h"
#include "agent/charge/tree.h"
#include "agent/hook/hook_impl.h"
#include "agent/hook/sample.h"
#include "agent/hook/trap.h"
#include "agent/interp/entry.h"
#include "agent/interp/freed_class.h"
#include "agent/map/shadow.h"
#include "agent/map/watched.h"

#if LMP_HAS_ENTRY

static void *sampled_request(void *ud, void *ptr, size_t osize, size_t nsize, LmpSavedRegs regs)
    __attribute__((used));
static void *sampled_plain(void *ud, void *ptr, size_t osize, size_t nsize) __attribute__((used));
static void *sampled_release(void *ud, void *ptr, size_t osize, size_t nsize) __attribute__((used));
LMP_ENTRY_SAMPLED(hook_alloc_sampled, sampled_request, sampled_plain, sampled_release, hook_alloc);
_Static_assert(offsetof(LmpProfile, sample_left) == LMP_AT_SAMPLE_LEFT &&
                   offsetof(LmpProfile, whole) == LMP_AT_WHOLE,
               "entry.h reads them");

HOOK_STOPPED(stopped_plain, sampled_plain)
HOOK_STOPPED(stopped_release, sampled_release)

/* ---- what is only counted -------------------------------------------------------------------- */

/* The allocator has made a block of n bytes, of class `cls`, at r. */
static ALWAYS_INLINE void *count_made(LmpProfile *p, void *r, size_t n, unsigned cls) {
    if (UNLIKELY(!r || n >= LMP_PACK_MAX)) return odd_made(p, r, n, ODD_CONTEXT(0, cls));
    LmpCounters *c = p->counters;
    c->live_bytes += n;
    if (UNLIKELY(counters_pack(&c->alloc_now[cls], n))) return odd_made_and_tick(p, r);
    return r;
}

/* Anything, for who is not among the usual callers, or whose block has to be known to the map. */
WAY void *do_any(void *ud, void *ptr, size_t osize, size_t nsize) {
    return odd_operate(ud, ptr, osize, nsize, OUR_CALLER, false);
}

/* A block without a type tag. */
WAY void *make_part(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    unsigned cls = callclass_usual(p->owners, OUR_CFA, OUR_RET);
    if (UNLIKELY(!cls)) return do_any(ud, ptr, osize, nsize);
    return count_made(p, p->pass.alloc(p->pass.ud, ptr, osize, nsize), nsize, cls);
}

/* A coroutine. */
WAY void *make_thread(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    if (OUR_RET != p->object_ret || foreign_is_birth(osize, nsize))
        return do_any(ud, ptr, osize, nsize);
    void *r = p->pass.alloc(p->pass.ud, ptr, osize, nsize);
    if (UNLIKELY(!r || !p->threads_plain || !watched_note_thread(p, (uintptr_t)r, true)))
        return odd_made(p, r, nsize, ODD_CONTEXT(0, LMP_C_THREAD));
    return count_made(p, r, nsize, LMP_C_THREAD);
}

WAY void *make_object(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    unsigned cls = odd_class(osize);
    if (UNLIKELY(cls == LMP_C_THREAD)) return make_thread(ud, ptr, osize, nsize);
    if (UNLIKELY(!cls || OUR_RET != p->object_ret)) return do_any(ud, ptr, osize, nsize);
    return count_made(p, p->pass.alloc(p->pass.ud, ptr, osize, nsize), nsize, cls);
}

WAY void *resize(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    LmpCounters *c = p->counters;
    unsigned cls = freed_class_usual(p->freed, ptr, OUR_CFA, OUR_RET);
    if (UNLIKELY(!cls || nsize >= LMP_PACK_MAX || watched_has(p, (uintptr_t)ptr)))
        return do_any(ud, ptr, osize, nsize);
    void *r = p->pass.alloc(p->pass.ud, ptr, osize, nsize);
    if (UNLIKELY(!r || c->live_bytes > c->peak_bytes))
        return odd_resized(p, ptr, r, osize, nsize, ODD_CONTEXT(0, cls));
    c->live_bytes += nsize - osize;
    c->count[cls].reallocs++;
    c->count[cls].realloc_bytes += (int64_t)(nsize - osize);
    return r;
}

/* A thread that nobody remembers; or whatever others free. */
WAY void *release_other(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    LmpCounters *c = p->counters;
    (void)nsize;
    if (!watched_is_thread(p, (uintptr_t)ptr) || osize > c->live_bytes)
        return odd_release(p, ptr, osize, LMP_FROM_CALLER);
    watched_note_thread(p, (uintptr_t)ptr, false);
    c->live_bytes -= osize;
    if (UNLIKELY(counters_pack(&c->free_now[LMP_C_THREAD], osize)))
        return odd_tick_and_release(p, ptr, osize);
    return hook_pass_free(p, ptr, osize);
}

static void *sampled_release(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    LmpCounters *c = p->counters;
    (void)nsize; /* 0 */
    if (UNLIKELY(hook_must_stop(p))) return stopped_release(ud, ptr, osize, 0);
    if (UNLIKELY(watched_has(p, (uintptr_t)ptr) || c->live_bytes > c->peak_bytes))
        return odd_release(p, ptr, osize, LMP_FROM_CALLER);
    unsigned cls = freed_class_usual(p->freed, ptr, OUR_CFA, OUR_RET);
    if (UNLIKELY(!cls)) return release_other(ud, ptr, osize, 0);
    if (UNLIKELY(__builtin_sub_overflow(c->live_bytes, osize, &c->live_bytes))) {
        c->live_bytes += osize;
        return odd_release(p, ptr, osize, LMP_FROM_CALLER);
    }
    if (UNLIKELY(counters_pack(&c->free_now[cls], osize)))
        return odd_tick_and_release(p, ptr, osize);
    return hook_pass_free(p, ptr, osize);
}

static void *sampled_plain(void *ud, void *ptr, size_t osize, size_t nsize) {
    if (UNLIKELY(hook_must_stop(ud))) return stopped_plain(ud, ptr, osize, nsize);
    if (ptr) return resize(ud, ptr, osize, nsize);
    return osize ? make_object(ud, ptr, osize, nsize) : make_part(ud, ptr, osize, nsize);
}

/* ---- samples --------------------------------------------------------------------------------- */

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
    LmpAsk ask;
    uint32_t alloc_context = 0;
    uint64_t live = p->counters->live_bytes;
    unsigned cls = ptr        ? odd_block_class(p, ptr, osize, caller)
                   : p->freed ? odd_request_class(p, osize, nsize, caller)
                              : LMP_C_NONE;
    if (ptr) { /* who asks has to be known before a stack moves */
        const uint32_t *before = shadow_context(p, (uintptr_t)ptr);
        if (cls == LMP_C_NONE || cls >= LMP_C_COUNTED) return operate(p, ptr, osize, nsize, caller);
        /* its alloc context keeps it */
        alloc_context = before && *before ? *before : context_now(p, regs, cls, &ask, ptr);
    }
    void *r = operate(p, ptr, osize, nsize, caller);
    if (!r) return r;
    uint64_t size;
    unsigned known = shadow_lookup(p, (uintptr_t)r, &size) & 15;
    bool counted = p->counters->live_bytes - live == nsize - (ptr ? osize : 0);
    if (known || !p->freed || !counted) cls = known; /* not counted: it is another state's */
    if (cls == LMP_C_NONE || cls >= LMP_C_COUNTED) return r;
    if (!ptr) alloc_context = context_now(p, regs, cls, &ask, NULL);
    shadow_watch(p, (uintptr_t)r, nsize, cls | p->birth);
    uint32_t *now = shadow_context(p, (uintptr_t)r);
    if (!now) return r;
    *now = alloc_context;
    sample_enters(p, alloc_context, (uintptr_t)r, nsize, ptr != NULL);
    return r;
}

#endif
