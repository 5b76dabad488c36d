/* hook_impl.h - what the files of the hook share: a block entered, taken out and resized in the
 * plain case. odd.h has every other.
 *
 * The plain case is a block on the grid of a leaf that is there, smaller than LMP_PACK_MAX, and not
 * watched. Nothing here allocates, locks, formats or calls the system. In hook_made() and
 * hook_release() every call is a tail call, so that no register has to be saved for one. */
#ifndef LMP_HOOK_IMPL_H
#define LMP_HOOK_IMPL_H

#include <string.h>

#include "agent/hook/foreign.h"
#include "agent/hook/hook.h"
#include "agent/hook/odd.h"
#include "agent/hook/trap.h"
#include "agent/interp/collector.h"
#include "agent/interp/entry.h"
#include "agent/interp/owner.h"
#include "agent/interp/saved_regs_plan.h"
#include "agent/map/shadow.h"
#include "agent/map/usage.h"
#include "shared/counters.h"

/* ---- other ways ------------------------------------------------------------------------------ */

/* An allocator only dispatches; each path is a function of its own, entered by a jump, so that none
 * pays for the registers another one saves, and each sees the stack as the allocator found it: raw
 * requests and the slow path need to know who called. Without optimization there are no such jumps,
 * and all are part of the allocator. */
#ifdef __OPTIMIZE__
#define WAY BY_JUMP static
#else
#define WAY static ALWAYS_INLINE
#endif

/* Our caller, seen from a function that was entered as an allocator was, or is part of one. */
#define OUR_CFA ((const char *)__builtin_dwarf_cfa())
#define OUR_RET ((uintptr_t)__builtin_return_address(0))
#define OUR_CALLER                                                                                 \
    (LmpCaller) {                                                                                  \
        OUR_CFA, OUR_RET, NULL                                                                     \
    }

/* Releases a watched block, with lines: hook_lines.c. */
void *hook_release_notified(LmpProfile *p, void *ptr, size_t osize, LmpFrom from);
/* Go on where the node of a block has a young usage: one made, in the map already; one that was
 * taken out of it. hook_lines.c. */
void *hook_made_young(LmpProfile *p, void *r, size_t n);
void *hook_release_young(LmpProfile *p, void *ptr, size_t osize, uint32_t age, size_t cls);
/* Release a part, which the program may free itself, with lines; and with stacks: hook_lines.c. */
void *hook_release_part(LmpProfile *p, void *ptr, size_t osize, LmpFrom from, uint32_t *entry,
                        size_t cls);
void *hook_release_part_stacks(LmpProfile *p, void *ptr, size_t osize, LmpFrom from,
                               uint32_t *entry, size_t cls);
/* Takes the slow path through any operation, by a jump, before anything else was done. Only where
 * jumps are possible: LMP_HAS_ENTRY, and an optimized build. */
void *hook_slow(void *ud, void *ptr, size_t osize, size_t nsize);
/* Does the same from a way. HOOK_STOPPED defines a way that is taken where `again`, a way or an
 * allocator, had to stop: if the collector alone has moved on, which small heaps see every few
 * microseconds, that is looked at, and `again` begins anew. */
#if LMP_HAS_ENTRY && defined __OPTIMIZE__
#define hook_slow_way hook_slow
#define HOOK_STOPPED(name, again)                                                                  \
    WAY void *name(void *ud, void *ptr, size_t osize, size_t nsize) {                              \
        if (trap_only_collector(ud)) return again(ud, ptr, osize, nsize);                          \
        return hook_slow(ud, ptr, osize, nsize);                                                   \
    }
#else
#define HOOK_STOPPED(name, again)                                                                  \
    WAY void *name(void *ud, void *ptr, size_t osize, size_t nsize) {                              \
        return hook_slow_way(ud, ptr, osize, nsize);                                               \
    }
static ALWAYS_INLINE void *hook_slow_way(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpCaller caller = OUR_CALLER;
    return trap_operation(ud, ptr, osize, nsize, caller);
}
#endif

/* ---- the plain case -------------------------------------------------------------------------- */

/* Where an entry's alloc context is, relative to the entry (entries). */
#define HOOK_ALLOC_CONTEXT_AT                                                                      \
    ((offsetof(LmpLeaf, alloc_context) - offsetof(LmpLeaf, entry)) / sizeof(uint32_t))
#define HOOK_GRID (~0ull << LMP_ADDRESS_BITS | 15) /* address bits that are p->skew on the grid */

static ALWAYS_INLINE bool hook_off_grid(const LmpProfile *p, uintptr_t a) {
    return (a & HOOK_GRID) != p->skew;
}

/* Returns true if this is not our thread, a viewer has a request, or the collector has moved on.
 * Elsewhere nothing but the first can be looked at. */
static ALWAYS_INLINE bool hook_must_stop(const LmpProfile *p) {
    if (foreign_elsewhere(p)) return true;
    uint32_t moved = collector_now(p) ^ p->gc_seen;
#if defined __x86_64__ && defined __LP64__
    bool stop; /* atomic loads are instructions of their own to the compiler */
    __asm__("orl %2, %0" : "+r"(moved), "=@ccnz"(stop) : "m"(*p->trap));
    return stop;
#else
    return moved | atomic_load_explicit(p->trap, memory_order_relaxed);
#endif
}

/* Returns the entry for address a: bytes are counted, not entries, which saves the compiler the
 * sums. */
static ALWAYS_INLINE uint32_t *hook_entry(LmpLeaf *leaf, uintptr_t a) {
    size_t mask = (LMP_LEAF_ENTRIES - 1) * sizeof(uint32_t);
    return (uint32_t *)(void *)((char *)leaf->entry + (a >> (LMP_GRAIN_BITS - 2) & mask));
}

static ALWAYS_INLINE uint32_t hook_frame(const LmpProfile *p) {
    return atomic_load_explicit(&p->control->frame, memory_order_relaxed);
}

static ALWAYS_INLINE void hook_touch(LmpLeaf *leaf, uintptr_t a, uint32_t frame) {
    leaf->touch[(a >> LMP_TOUCH_BITS) & (LMP_TOUCHES - 1)] = frame;
}

/* Returns the class of an entry for a block that starts at a and is not watched; others are not
 * counted ones: LMP_C_NONE or from LMP_C_COUNTED on. */
static ALWAYS_INLINE uint32_t hook_entry_class(uint32_t entry, uintptr_t a) {
    return (entry ^ ((uint32_t)a & LMP_BLOCK_OFFSET)) & (LMP_BLOCK_NOTIFY | LMP_BLOCK_OFFSET | 15);
}

/* Frees a block without any account of it. */
static ALWAYS_INLINE void *hook_pass_free(LmpProfile *p, void *ptr, size_t osize) {
    lua_Alloc alloc = p->pass.alloc;
    /* This comes before p's register takes ud; and what is where it belongs stays there. */
    __asm__("" : "+r"(alloc), "+r"(ptr), "+r"(osize));
    return alloc(p->pass.ud, ptr, osize, 0);
}

/* Enters a block of n bytes, of class `cls`, that the allocator has made at r. `lines`: alloc
 * contexts are kept; `stacks`: they are paths. */
static ALWAYS_INLINE void *hook_made(LmpProfile *p, void *r, size_t n, uint32_t alloc_context,
                                     uint32_t cls, bool lines, bool stacks) {
    uintptr_t a = (uintptr_t)r;
    if (UNLIKELY(hook_off_grid(p, a))) return odd_made(p, r, n, ODD_CONTEXT(alloc_context, cls));
    LmpLeaf *leaf = p->dir[a >> LMP_LEAF_BITS];
    if (UNLIKELY(!leaf)) return odd_made(p, r, n, ODD_CONTEXT(alloc_context, cls));
    uint32_t *entry = hook_entry(leaf, a);
    if (UNLIKELY(*entry))
        return odd_made(p, r, n, ODD_CONTEXT(alloc_context, cls)); /* always so where r is NULL */
    uint32_t e = ((uint32_t)a & LMP_BLOCK_OFFSET) | cls | p->birth;
    if (cls == LMP_C_THREAD && p->exact) e |= LMP_BLOCK_NOTIFY;
    if (LIKELY(n < LMP_BLOCK_SMALL)) {
        e |= (uint32_t)n << LMP_BLOCK_SIZE_SHIFT;
    } else {
        if (UNLIKELY(n >= LMP_PACK_MAX)) return odd_made(p, r, n, ODD_CONTEXT(alloc_context, cls));
        entry[1] = (uint32_t)n << 4 | LMP_BLOCK_SIZE;
        atomic_thread_fence(memory_order_release); /* the size before the entry that points to it */
    }
    *entry = e;
    if (lines) entry[HOOK_ALLOC_CONTEXT_AT] = alloc_context;
    hook_touch(leaf, a, hook_frame(p));
    LmpCounters *c = p->counters;
    c->live_bytes += n;
    if (lines && UNLIKELY(!usage_made(p, alloc_context, a, n, stacks)))
        return hook_made_young(p, r, n);
    if (UNLIKELY(counters_pack(&c->alloc_now[cls], n))) return odd_made_and_tick(p, r);
    return r;
}

/* What is left of the entry of a plain block of n bytes (not 0) that starts at a without what these
 * two say: its class is hook_plain_class(). Where it is not plain, or of another size, that class
 * is not a counted one. */
static ALWAYS_INLINE uint32_t hook_plain(const uint32_t *entry, uint32_t e, uintptr_t a, size_t n) {
    uint32_t rest = e ^ ((uint32_t)a & LMP_BLOCK_OFFSET);
    if (LIKELY(n < LMP_BLOCK_SMALL)) return rest ^ (uint32_t)n << LMP_BLOCK_SIZE_SHIFT;
    return LIKELY(e && entry[1] >> 4 == n) ? rest : LMP_C_COUNTED;
}
static ALWAYS_INLINE uint32_t hook_plain_class(uint32_t rest) {
    return rest & (LMP_BLOCK_NOTIFY | LMP_BLOCK_SIZE_MASK | LMP_BLOCK_OFFSET | 15);
}

/* Takes a plain block, and of that size and class, out of the map and frees it. */
static ALWAYS_INLINE void *hook_out(LmpProfile *p, void *ptr, size_t osize, LmpFrom from,
                                    uint32_t *entry, size_t cls, bool lines, bool stacks) {
    LmpCounters *c = p->counters;
    if (UNLIKELY(c->live_bytes > c->peak_bytes))
        return odd_release(p, ptr, osize, lines ? from : LMP_FROM_CALLER);
    c->live_bytes -= osize;
    uint32_t e = *entry;
    if (UNLIKELY(osize >= LMP_BLOCK_SMALL)) entry[1] = 0;
    *entry = 0;
    uint32_t age = usage_age(p, e);
    if (lines &&
        UNLIKELY(!usage_freed(p, entry[HOOK_ALLOC_CONTEXT_AT], (uintptr_t)ptr, osize, age, stacks)))
        return hook_release_young(p, ptr, osize, age, cls);
    if (UNLIKELY(counters_pack(&c->free_now[cls], osize)))
        return odd_tick_and_release(p, ptr, osize);
    return hook_pass_free(p, ptr, osize);
}

/* Does the same; if it is a part, the program may have freed it itself. */
static ALWAYS_INLINE void *hook_release_plain(LmpProfile *p, void *ptr, size_t osize, LmpFrom from,
                                              uint32_t *entry, size_t cls, bool lines,
                                              bool stacks) {
    if (lines && cls >= LMP_C_STRING_PART)
        return stacks ? hook_release_part_stacks(p, ptr, osize, from, entry, cls)
                      : hook_release_part(p, ptr, osize, from, entry, cls);
    return hook_out(p, ptr, osize, from, entry, cls, lines, stacks);
}

/* Takes any block that has a size out of the map and frees it. `from`: the interpreter's function
 * that called us; only with lines. */
static ALWAYS_INLINE void *hook_release(LmpProfile *p, void *ptr, size_t osize, LmpFrom from,
                                        bool lines, bool stacks) {
    uintptr_t a = (uintptr_t)ptr;
    if (UNLIKELY(hook_off_grid(p, a)))
        return odd_release(p, ptr, osize, lines ? from : LMP_FROM_CALLER);
    LmpLeaf *leaf = p->dir[a >> LMP_LEAF_BITS];
    if (UNLIKELY(!leaf)) return odd_release(p, ptr, osize, lines ? from : LMP_FROM_CALLER);
    hook_touch(leaf, a, hook_frame(p));
    uint32_t *entry = hook_entry(leaf, a);
    uint32_t cls = hook_plain_class(hook_plain(entry, *entry, a, osize));
    if (UNLIKELY(cls >= LMP_C_COUNTED)) {
        if (lines && *entry & LMP_BLOCK_NOTIFY) return hook_release_notified(p, ptr, osize, from);
        return odd_release(p, ptr, osize, lines ? from : LMP_FROM_CALLER);
    }
    return hook_release_plain(p, ptr, osize, from, entry, cls, lines, stacks);
}

/* Enters `r`, which the allocator has made of ptr. `here`: the record of the site that runs. */
static ALWAYS_INLINE void *hook_resized(LmpProfile *p, void *ptr, void *r, size_t osize,
                                        size_t nsize, bool lines, uint32_t here) {
    uintptr_t from = (uintptr_t)ptr, to = (uintptr_t)r;
    if (UNLIKELY(hook_off_grid(p, from) || hook_off_grid(p, to) || nsize >= LMP_PACK_MAX || !osize))
        return odd_resized(p, ptr, r, osize, nsize, here);
    LmpCounters *c = p->counters;
    LmpLeaf *old = p->dir[from >> LMP_LEAF_BITS], *new = p->dir[to >> LMP_LEAF_BITS];
    if (UNLIKELY(!old || !new || c->live_bytes > c->peak_bytes))
        return odd_resized(p, ptr, r, osize, nsize, here); /* also when r is NULL */
    uint32_t *was = hook_entry(old, from), *is = hook_entry(new, to);
    uint32_t e = hook_plain(was, *was, from, osize), cls = hook_plain_class(e);
    if (UNLIKELY(cls >= LMP_C_COUNTED || (from != to && *is)))
        return odd_resized(p, ptr, r, osize, nsize, here);
    uint32_t frame = hook_frame(p);
    uint32_t alloc_context = lines ? was[HOOK_ALLOC_CONTEXT_AT] : 0;
    if (osize >= LMP_BLOCK_SMALL) was[1] = 0;
    if (from != to) {
        *was = 0;
        hook_touch(old, from, frame);
    }
    e |= (uint32_t)to & LMP_BLOCK_OFFSET;
    if (nsize < LMP_BLOCK_SMALL) {
        e |= (uint32_t)nsize << LMP_BLOCK_SIZE_SHIFT;
    } else {
        is[1] = (uint32_t)nsize << 4 | LMP_BLOCK_SIZE;
        atomic_thread_fence(memory_order_release);
    }
    *is = e;
    hook_touch(new, to, frame);
    c->live_bytes += nsize - osize;
    c->count[cls].reallocs++;
    c->count[cls].realloc_bytes += (int64_t)(nsize - osize);
    if (lines) {
        is[HOOK_ALLOC_CONTEXT_AT] = alloc_context;
        usage_resized(p, alloc_context, here, from, to, osize, nsize);
    }
    return r;
}

#endif
