/* hook_lines.c - the hot path with lines and call paths: who makes the requested block.
 *
 * The entry point (entry.h) calls find() first, then the allocator underneath, then made(). Nothing
 * here allocates, locks, formats or calls the system. find() enters everything else by jumps, so
 * that the plain case saves no register: a tag, the thread from the caller's registers, its topmost
 * frame, a line in the cache. */
#include "agent/charge/invalidate.h"
#include "agent/charge/lines.h"
#include "agent/charge/tree.h"
#include "agent/hook/hook_impl.h"
#include "agent/hook/trap.h"
#include "agent/interp/entry.h"

/* Threads and the code of prototypes, once notified, are freed like all others. */
BY_JUMP void *hook_release_notified(LmpProfile *p, void *ptr, size_t osize, LmpFrom from) {
    uintptr_t a = (uintptr_t)ptr;
    uint32_t *entry = hook_entry(p->dir[a >> LMP_LEAF_BITS], a);
    uint32_t cls = hook_plain_class(hook_plain(entry, *entry & ~LMP_BLOCK_NOTIFY, a, osize));
    if (cls >= LMP_C_COUNTED || osize >= LMP_PACK_MAX) return odd_release(p, ptr, osize, from);
    *entry &= ~LMP_BLOCK_NOTIFY;
    invalidate_watched(p, a, osize, cls);
    return hook_release_plain(p, ptr, osize, from, entry, cls, true, p->tree != NULL);
}

void *hook_made_young(LmpProfile *p, void *r, size_t n) {
    uintptr_t a = (uintptr_t)r;
    const uint32_t *entry = hook_entry(p->dir[a >> LMP_LEAF_BITS], a);
    usage_made_young(p, entry[HOOK_ALLOC_CONTEXT_AT], a, n);
    if (UNLIKELY(counters_pack(&p->counters->alloc_now[*entry & 15], n)))
        return odd_made_and_tick(p, r);
    return r;
}

/* The alloc context is in the map still. */
void *hook_release_young(LmpProfile *p, void *ptr, size_t osize, uint32_t age, size_t cls) {
    uintptr_t a = (uintptr_t)ptr;
    const uint32_t *entry = hook_entry(p->dir[a >> LMP_LEAF_BITS], a);
    usage_freed_young(p, entry[HOOK_ALLOC_CONTEXT_AT], a, osize, age);
    if (UNLIKELY(counters_pack(&p->counters->free_now[cls], osize)))
        return odd_tick_and_release(p, ptr, osize);
    return hook_pass_free(p, ptr, osize);
}

/* A part that the program may have freed: a table that grows gives its old one back, which is
 * charged to the line that runs, too. Finding that line takes the fast path if the thread that ran
 * last has not resumed another one. */
BY_JUMP static void *release_own_part(LmpProfile *p, void *ptr, size_t osize, LmpFrom from,
                                      uint32_t *entry, size_t cls) {
    if (saved_regs_collects(p->regs, from))
        return hook_out(p, ptr, osize, from, entry, cls, true, p->tree != NULL);
    const lua_State *L = p->running;
    uint32_t row = 0;
    if (LIKELY(L && frames_caller(frames_top(L)))) {
        const LmpCallInfo *ci = frames_top(L);
        uintptr_t constructor;
        if (!(frames_status(ci) & LMP_CI_C)) {
            row = lines_record(p, L, ci, NULL, (unsigned)cls, &constructor);
        } else if (!frames_resumed(L)) {
            row = lines_record_c(p, L, ci, (unsigned)cls);
        }
    }
    if (UNLIKELY(!row || p->counters->live_bytes > p->counters->peak_bytes))
        return odd_release(p, ptr, osize, from);
    odd_freed_here(p, row, (unsigned)cls, osize); /* nothing else is odd about it */
    return hook_out(p, ptr, osize, from, entry, cls, true, p->tree != NULL);
}

BY_JUMP void *hook_release_part(LmpProfile *p, void *ptr, size_t osize, LmpFrom from,
                                uint32_t *entry, size_t cls) {
    if (UNLIKELY(!saved_regs_collects_usual(p->regs, from)))
        return release_own_part(p, ptr, osize, from, entry, cls);
    return hook_out(p, ptr, osize, from, entry, cls, true, false);
}

BY_JUMP void *hook_release_part_stacks(LmpProfile *p, void *ptr, size_t osize, LmpFrom from,
                                       uint32_t *entry, size_t cls) {
    if (UNLIKELY(!saved_regs_collects_usual(p->regs, from)))
        return release_own_part(p, ptr, osize, from, entry, cls);
    return hook_out(p, ptr, osize, from, entry, cls, true, true);
}

#if LMP_HAS_ENTRY

/* Who makes the block (ODD_CONTEXT); or, the operation being done already, its result and DONE. */
typedef uint64_t LmpCharged;
#define DONE (1ull << 63)

static LmpCharged lines_find(void *ud, void *ptr, size_t osize, size_t nsize, LmpSavedRegs regs)
    __attribute__((used));
static LmpCharged stacks_find(void *ud, void *ptr, size_t osize, size_t nsize, LmpSavedRegs regs)
    __attribute__((used));
static void *lines_made(void *ud, void *r, size_t n, uint64_t alloc_context) __attribute__((used));
static void *stacks_made(void *ud, void *r, size_t n, uint64_t alloc_context) __attribute__((used));
static void *lines_release(void *ud, void *ptr, size_t osize, size_t nsize) __attribute__((used));
static void *stacks_release(void *ud, void *ptr, size_t osize, size_t nsize) __attribute__((used));
LMP_ENTRY_LINES(hook_alloc_lines, lines_find, lines_made, lines_release);
LMP_ENTRY_LINES(hook_alloc_stacks, stacks_find, stacks_made, stacks_release);
_Static_assert(offsetof(LmpProfile, pass.alloc) == 8 && offsetof(LmpProfile, pass.ud) == 16,
               "entry.h calls it");

/* The caller as hook_alloc would have seen it. */
LMP_READS_REGS static inline LmpCaller caller_of(LmpSavedRegs regs) {
    return (LmpCaller){(const char *)(regs + LMP_REGS_RET + 1), regs[LMP_REGS_RET], regs};
}

/* ---- who makes it ---------------------------------------------------------------------------- */

BY_JUMP static LmpCharged path_found(LmpProfile *p, lua_State *L, uintptr_t constructor,
                                     uint64_t alloc_context) {
    uint32_t path = tree_path(p, L, constructor, (uint32_t)alloc_context);
    return ODD_CONTEXT(path, alloc_context >> 32);
}

static ALWAYS_INLINE LmpCharged found(LmpProfile *p, const lua_State *L, uintptr_t constructor,
                                      uint64_t alloc_context, bool stacks) {
    if (stacks) return path_found(p, (lua_State *)L, constructor, alloc_context); /* NOLINT */
    return alloc_context;
}

COLD static LmpCharged find_slowly(LmpProfile *p, LmpSavedRegs regs, unsigned cls) {
    LmpAsk ask;
    uint32_t record = lines_ask(p, regs, cls, &ask);
    return found(p, ask.L, ask.constructor, ODD_CONTEXT(record, cls), p->tree != NULL);
}

/* L is a thread without any function. */
BY_JUMP static LmpCharged find_outside(LmpProfile *p, LmpSavedRegs regs, unsigned cls,
                                       const lua_State *L) {
    uint32_t record = lines_ask_outside(p, L, cls);
    if (UNLIKELY(!record)) return find_slowly(p, regs, cls);
    return ODD_CONTEXT(p->tree ? tree_outside_path(p, record) : record, cls);
}

BY_JUMP static LmpCharged find_switched(LmpProfile *p, LmpSavedRegs regs, unsigned cls,
                                        const lua_State *L);

/* A Lua function of L, which ran last, is on top; the first cache does not know its line. */
COLD static LmpCharged find_again(LmpProfile *p, LmpSavedRegs regs, unsigned cls,
                                  const lua_State *L) {
    uintptr_t constructor = 0;
    uint32_t record = 0;
    if (lines_learn(p, (lua_State *)L, regs, cls)) /* NOLINT */
        record = lines_record(p, L, frames_top(L), regs, cls, &constructor);
    if (!record) return find_slowly(p, regs, cls);
    return found(p, L, constructor, ODD_CONTEXT(record, cls), p->tree != NULL);
}

/* For a C function on top of L, which ran last. */
BY_JUMP static LmpCharged find_in_c(LmpProfile *p, LmpSavedRegs regs, unsigned cls,
                                    const lua_State *L) {
    if (UNLIKELY(!frames_caller(frames_top(L)))) return find_outside(p, regs, cls, L);
    uint32_t record = lines_record_c(p, L, frames_top(L), cls);
    if (UNLIKELY(!record)) return find_slowly(p, regs, cls);
    return found(p, L, 0, ODD_CONTEXT(record, cls), p->tree != NULL);
}

/* For a table of a Lua function on top of L, which ran last. */
BY_JUMP static LmpCharged find_table(LmpProfile *p, LmpSavedRegs regs, const lua_State *L) {
    uintptr_t constructor = 0;
    uint32_t record =
        frames_is_idle(L) ? 0 : lines_record_table(p, frames_top(L), regs, &constructor);
    if (UNLIKELY(!record)) return find_again(p, regs, LMP_C_TABLE, L);
    return found(p, L, constructor, ODD_CONTEXT(record, LMP_C_TABLE), p->tree != NULL);
}

/* L is what the saved registers say: nothing is known of it yet, but if it ran last it is alive. */
static ALWAYS_INLINE LmpCharged find_in(LmpProfile *p, LmpSavedRegs regs, unsigned cls,
                                        const lua_State *L, bool stacks) {
    if (UNLIKELY(L != p->running || !L)) return find_switched(p, regs, cls, L);
    const LmpCallInfo *ci = frames_top(L);
    unsigned status = frames_status(ci);
    if (status & frames_bits.c_or_hooked) {
        if (UNLIKELY(!(status & LMP_CI_C))) return find_slowly(p, regs, cls);
        return find_in_c(p, regs, cls, L);
    }
    if (cls == LMP_C_TABLE) return find_table(p, regs, L);
    uintptr_t constructor = 0;
    uint32_t record = lines_record(p, L, ci, regs, cls, &constructor);
    if (UNLIKELY(!record)) return find_again(p, regs, cls, L);
    return found(p, L, constructor, ODD_CONTEXT(record, cls), stacks);
}

/* The same for a part: no table itself, so it needs no more registers than there are to spare. */
BY_JUMP static LmpCharged find_part(LmpProfile *p, LmpSavedRegs regs, unsigned cls,
                                    const lua_State *L) {
    if (UNLIKELY(cls == LMP_C_TABLE)) return find_slowly(p, regs, cls);
    return find_in(p, regs, cls, L, p->tree != NULL);
}

/* The same for one that did not run when memory was last asked for, if it is a thread. A Lua
 * function on top of a thread that is not idle is one that runs. */
BY_JUMP static LmpCharged find_switched(LmpProfile *p, LmpSavedRegs regs, unsigned cls,
                                        const lua_State *L) {
    if (!lines_is_thread(p, L)) return find_slowly(p, regs, cls);
    const LmpCallInfo *ci = frames_top(L);
    if (!ci || frames_is_idle(L)) return find_slowly(p, regs, cls);
    if (frames_status(ci) & LMP_CI_C) {
        if (!frames_caller(ci)) { /* it is about to run for the first time */
            uint32_t record = lines_record_new(p, L, cls);
            if (!record) return find_outside(p, regs, cls, L);
            return found(p, p->running, 0, ODD_CONTEXT(record, cls), p->tree != NULL);
        }
        if (cls == LMP_C_THREAD_PART || !lines_switch_c(p, L)) return find_slowly(p, regs, cls);
    } else {
        lines_switch(p, L);
    }
    return find_in(p, regs, cls, L, p->tree != NULL);
}

/* Another state is being made (foreign.h). */
COLD static LmpCharged do_birth(LmpProfile *p, size_t nsize) {
    return (uintptr_t)foreign_birth(p, nsize) | DONE;
}

/* An object, from an unusual call site. */
LMP_READS_REGS BY_JUMP static LmpCharged find_object(LmpProfile *p, size_t osize, size_t nsize,
                                                     LmpSavedRegs regs) {
    unsigned cls = odd_class(osize);
    if (UNLIKELY(foreign_is_birth(osize, nsize))) return do_birth(p, nsize);
    const LmpAsker *asker = saved_regs_asker(p->regs, regs[LMP_REGS_RET]);
    if (UNLIKELY(!asker || asker->again)) return find_slowly(p, regs, cls);
    const lua_State *L = (const lua_State *)regs[asker->at_thread]; /* NOLINT */
    return find_in(p, regs, cls, L, p->tree != NULL);
}

/* A block without a type tag, from an unusual call site. */
LMP_READS_REGS BY_JUMP static LmpCharged find_raw_searched(LmpProfile *p, LmpSavedRegs regs) {
    const LmpReturnAddr *asker;
    unsigned cls = return_addr_class(&p->owners->all, caller_of(regs), &asker);
    if (UNLIKELY(cls == LMP_C_OTHER)) p->live->owners_unproven++;
    if (UNLIKELY(!asker || asker->at_thread < 0 || cls == LMP_C_OTHER))
        return find_slowly(p, regs, cls);
    const lua_State *L = (const lua_State *)regs[asker->at_thread]; /* NOLINT */
    return find_part(p, regs, cls, L);
}

/* A block without a type tag. */
LMP_READS_REGS BY_JUMP static LmpCharged find_raw(LmpProfile *p, LmpSavedRegs regs) {
    LmpCaller caller = caller_of(regs);
    const LmpReturnAddr *asker = callclass_asker(p->owners, caller.ret);
    unsigned cls = asker ? callclass_usual(p->owners, caller.cfa, caller.ret) : LMP_C_NONE;
    if (UNLIKELY(!cls || asker->at_thread < 0)) return find_raw_searched(p, regs);
    const lua_State *L = (const lua_State *)regs[asker->at_thread]; /* NOLINT */
    return find_part(p, regs, cls, L);
}

/* Returns the record of who resizes a block. */
LMP_READS_REGS static ALWAYS_INLINE uint32_t find_resizer(LmpProfile *p, LmpSavedRegs regs,
                                                          const void *ptr, unsigned cls) {
    const LmpAsker *known = &p->regs->resizer;
    const lua_State *L = regs[LMP_REGS_RET] == known->ret
                             ? (const lua_State *)regs[known->at_thread] /* NOLINT */
                             : NULL;
    uint32_t record = 0;
    LmpAsk ask;
    if (LIKELY(L && L == p->running && frames_stack(L) != (uintptr_t)ptr)) {
        const LmpCallInfo *ci = frames_top(L);
        unsigned status = frames_status(ci);
        if (status & LMP_CI_C) {
            record = lines_record_c(p, L, ci, cls);
        } else if (!(status & frames_bits.hooked)) {
            record = lines_record(p, L, ci, regs, cls, &ask.constructor);
        }
    }
    if (LIKELY(record)) return record;
    if (L && L != p->running && lines_is_thread(p, L) && frames_stack(L) != (uintptr_t)ptr &&
        (record = lines_ask_outside(p, L, cls)))
        return record;
    if (lines_is_stack(p, regs, ptr)) return lines_stack_moves(p, regs);
    return lines_ask(p, regs, cls, &ask);
}

/* ---- other operations ------------------------------------------------------------------------ */

COLD static LmpCharged do_trapped(LmpProfile *p, void *ptr, size_t osize, size_t nsize,
                                  LmpSavedRegs regs) {
    if (trap_only_collector(p))
        return p->tree ? stacks_find(p, ptr, osize, nsize, regs)
                       : lines_find(p, ptr, osize, nsize, regs);
    return (uintptr_t)trap_operation(p, ptr, osize, nsize, caller_of(regs)) | DONE;
}

COLD static LmpCharged do_operate(LmpProfile *p, void *ptr, size_t osize, size_t nsize,
                                  LmpSavedRegs regs) {
    return (uintptr_t)odd_operate(p, ptr, osize, nsize, caller_of(regs), false) | DONE;
}

LMP_READS_REGS BY_JUMP static LmpCharged do_realloc(LmpProfile *p, void *ptr, size_t osize,
                                                    size_t nsize, LmpSavedRegs regs) {
    uintptr_t a = (uintptr_t)ptr;
    LmpLeaf *leaf = hook_off_grid(p, a) ? NULL : p->dir[a >> LMP_LEAF_BITS];
    uint32_t cls = leaf ? hook_entry_class(*hook_entry(leaf, a), a) : LMP_C_NONE;
    if (UNLIKELY(cls - 1 >= LMP_C_COUNTED - 1)) return do_operate(p, ptr, osize, nsize, regs);
    uint32_t here =
        cls == LMP_C_THREAD_PART ? lines_stack_moves(p, regs) : find_resizer(p, regs, ptr, cls);
    void *r = p->pass.alloc(p->pass.ud, ptr, osize, nsize);
    return (uintptr_t)hook_resized(p, ptr, r, osize, nsize, true, here) | DONE;
}

/* ---- entry points ---------------------------------------------------------------------------- */

LMP_READS_REGS static ALWAYS_INLINE LmpCharged find(LmpProfile *p, void *ptr, size_t osize,
                                                    size_t nsize, LmpSavedRegs regs, bool stacks) {
    if (UNLIKELY(hook_must_stop(p))) return do_trapped(p, ptr, osize, nsize, regs);
    if (ptr) return do_realloc(p, ptr, osize, nsize, regs);
    unsigned cls = odd_class(osize);
    if (!cls) return find_raw(p, regs);
    if (UNLIKELY(regs[LMP_REGS_RET] != p->object_ret)) return find_object(p, osize, nsize, regs);
    const lua_State *L = (const lua_State *)regs[p->object_thread]; /* NOLINT */
    return find_in(p, regs, cls, L, stacks);
}

LMP_READS_REGS static LmpCharged lines_find(void *ud, void *ptr, size_t osize, size_t nsize,
                                            LmpSavedRegs regs) {
    return find(ud, ptr, osize, nsize, regs, false);
}

LMP_READS_REGS static LmpCharged stacks_find(void *ud, void *ptr, size_t osize, size_t nsize,
                                             LmpSavedRegs regs) {
    return find(ud, ptr, osize, nsize, regs, true);
}

static void *lines_made(void *ud, void *r, size_t n, uint64_t alloc_context) {
    return hook_made(ud, r, n, (uint32_t)alloc_context, (uint32_t)(alloc_context >> 32), true,
                     false);
}

static void *stacks_made(void *ud, void *r, size_t n, uint64_t alloc_context) {
    return hook_made(ud, r, n, (uint32_t)alloc_context, (uint32_t)(alloc_context >> 32), true,
                     true);
}

HOOK_STOPPED(stopped_lines, lines_release)
HOOK_STOPPED(stopped_stacks, stacks_release)

static ALWAYS_INLINE void *release(LmpProfile *p, void *ptr, size_t osize, LmpFrom from,
                                   bool stacks) {
    if (!osize) /* Lua frees NULL now and then; others may not know a block's size */
        return ptr ? hook_slow_way(p, ptr, osize, 0) : hook_pass_free(p, ptr, osize);
    if (UNLIKELY(hook_must_stop(p)))
        return stacks ? stopped_stacks(p, ptr, osize, 0) : stopped_lines(p, ptr, osize, 0);
    return hook_release(p, ptr, osize, from, true, stacks);
}

static void *lines_release(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)nsize;
    return release(ud, ptr, osize, LMP_FROM_CALLER, false);
}

static void *stacks_release(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)nsize;
    return release(ud, ptr, osize, LMP_FROM_CALLER, true);
}

#endif
