/* hook.c - the hot path: one allocator request in, one out, and the account of it.
 *
 * Nothing here allocates, locks, formats or calls the system; whatever is rare goes to cold
 * functions: here for odd blocks, in shadow.c for a new leaf, in trap.c when a viewer wants
 * something, a tick is due or the collector has moved on. The account is made after the allocator
 * underneath has said yes. Invariants: those of counters.h; and the shadow map holds exactly the
 * blocks that are counted as live, and the profiler's own. */
#include "hook.h"

#include <string.h>

#include "callsite.h"
#include "counters.h"
#include "owner.h"
#include "shadow.h"
#include "trap.h"

/* Classes by the tag of a request: 4 .. 8 the Lua types, 9 upvalues, 10 prototypes (lobject.h). */
static const uint8_t tag_class[16] = {
    [LUA_TSTRING] = LMP_C_STRING,
    [LUA_TTABLE] = LMP_C_TABLE,
    [LUA_TFUNCTION] = LMP_C_FUNCTION,
    [LUA_TUSERDATA] = LMP_C_USERDATA,
    [LUA_TTHREAD] = LMP_C_THREAD,
    [LUA_NUMTYPES] = LMP_C_FUNCTION_PART,
    [LUA_NUMTYPES + 1] = LMP_C_FUNCTION_PART,
};
_Static_assert(LUA_TSTRING == 4 && LUA_TTHREAD == 8 && LUA_NUMTYPES == 9, "tags of Lua 5.4");

static inline unsigned class_by_tag(size_t tag) {
    return LIKELY(tag < sizeof tag_class) ? tag_class[tag] : 0;
}

/* ---- the cold ways
 * -------------------------------------------------------------------------------- */

static COLD void count_dropped(LmpProfile *p, size_t n) {
    p->counters->dropped++;
    p->counters->dropped_bytes += n;
}

static COLD void *count_failed(LmpProfile *p, size_t n) {
    p->counters->failed++;
    p->counters->failed_bytes += n;
    return NULL;
}

/* The same as the packed words, straight into the full counters: for blocks too large for those,
 * and for the profiler's own, which are in no total. */
static COLD void count_alloc(LmpProfile *p, unsigned cls, size_t n) {
    LmpCounters *c = p->counters;
    c->count[cls].allocs++;
    c->count[cls].alloc_bytes += n;
    if (cls < LMP_C_COUNTED) c->live_bytes += n;
}

static COLD void count_free(LmpProfile *p, unsigned cls, size_t n) {
    LmpCounters *c = p->counters;
    c->count[cls].frees++;
    c->count[cls].free_bytes += n;
    if (cls >= LMP_C_COUNTED) return;
    if (c->live_bytes > c->peak_bytes) counters_note_peak(c, p->ticked);
    c->live_bytes -= n;
}

/* Whatever comes of a request: refused, on a new leaf, off the grid, very large. */
static COLD void *alloc_odd(LmpProfile *p, void *r, size_t n, unsigned cls) {
    if (!r) return count_failed(p, n);
    if (shadow_place(p, (uintptr_t)r, n, cls | p->birth)) {
        count_alloc(p, cls, n);
    } else {
        count_dropped(p, n);
    }
    return r;
}

/* Any block: off the grid, from before start, the profiler's own, very large, or the first to be
 * freed after a new peak. */
static COLD void *free_odd(LmpProfile *p, void *ptr, size_t osize) {
    uint32_t entry = shadow_take(p, (uintptr_t)ptr);
    if (entry) {
        count_free(p, entry & 15, osize);
    } else {
        p->counters->before_frees++;
        p->counters->before_free_bytes += osize;
    }
    return p->alloc(p->ud, ptr, osize, 0);
}

static COLD void *alloc_and_tick(LmpProfile *p, void *r) {
    trap_tick(p);
    return r;
}

static COLD void *free_and_tick(LmpProfile *p, void *ptr, size_t osize) {
    trap_tick(p);
    return p->alloc(p->ud, ptr, osize, 0);
}

/* ---- the three operations
 * ------------------------------------------------------------------------------ */

#define OFF_GRID 0xffff80000000000full /* address bits that no block on the grid has */

/* The entry for address a: bytes are counted, not entries, which saves the compiler the sums. */
static ALWAYS_INLINE uint32_t *entry_of(LmpLeaf *leaf, uintptr_t a) {
    size_t mask = (LMP_LEAF_ENTRIES - 1) * sizeof(uint32_t);
    return (uint32_t *)(void *)((char *)leaf->entry + (a >> (LMP_GRAIN_BITS - 2) & mask));
}

static ALWAYS_INLINE void touch(const LmpProfile *p, LmpLeaf *leaf, uintptr_t a) {
    leaf->touch[(a >> LMP_TOUCH_BITS) & (LMP_TOUCHES - 1)] =
        atomic_load_explicit(&p->control->frame, memory_order_relaxed);
}

/* In these, every call but the one to the allocator stands last, so that hardly a register has to
 * be saved. `n` is 1 to LMP_PACK_MAX - 1, `cls` a counted class. */
static ALWAYS_INLINE void *do_alloc(LmpProfile *p, size_t tag, size_t n, unsigned cls) {
    void *r = p->alloc(p->ud, NULL, tag, n);
    uintptr_t a = (uintptr_t)r;
    if (UNLIKELY(a & OFF_GRID)) return alloc_odd(p, r, n, cls);
    LmpLeaf *leaf = p->dir[a >> LMP_LEAF_BITS];
    if (UNLIKELY(!leaf)) return alloc_odd(p, r, n, cls);
    uint32_t *entry = entry_of(leaf, a);
    if (UNLIKELY(*entry)) return alloc_odd(p, r, n, cls); /* always so where r is NULL */
    uint32_t e = ((uint32_t)a & LMP_E_OFFSET) | cls | p->birth;
    if (n < LMP_E_SMALL) {
        *entry = e | (uint32_t)n << LMP_E_SIZE_SHIFT;
    } else {
        entry[1] = (uint32_t)n << 4 | LMP_E_SIZE;
        atomic_signal_fence(memory_order_release); /* the size before the entry that points to it */
        *entry = e;
    }
    touch(p, leaf, a);
    LmpCounters *c = p->counters;
    c->live_bytes += n;
    if (UNLIKELY(counters_pack(&c->alloc_now[cls], n))) return alloc_and_tick(p, r);
    return r;
}

static ALWAYS_INLINE void *do_free(LmpProfile *p, void *ptr, size_t osize) {
    uintptr_t a = (uintptr_t)ptr;
    if (UNLIKELY(a & OFF_GRID || osize >= LMP_PACK_MAX)) return free_odd(p, ptr, osize);
    LmpLeaf *leaf = p->dir[a >> LMP_LEAF_BITS];
    if (UNLIKELY(!leaf)) return free_odd(p, ptr, osize);
    uint32_t *entry = entry_of(leaf, a);
    uint32_t e = *entry;
    uint32_t cls = (e ^ (uint32_t)a) & (LMP_E_OFFSET | 15); /* a class if the offset agrees */
    if (UNLIKELY(cls - 1 >= LMP_C_COUNTED - 1)) return free_odd(p, ptr, osize);
    LmpCounters *c = p->counters;
    uint64_t live = c->live_bytes;
    if (UNLIKELY(live > c->peak_bytes)) return free_odd(p, ptr, osize);
    c->live_bytes = live - osize;
    if (!(e & LMP_E_SIZE_MASK)) entry[1] = 0;
    *entry = 0;
    touch(p, leaf, a);
    if (UNLIKELY(counters_pack(&c->free_now[cls], osize))) return free_and_tick(p, ptr, osize);
    return p->alloc(p->ud, ptr, osize, 0);
}

/* Any reallocation that has succeeded. */
static COLD void *realloc_odd(LmpProfile *p, void *ptr, void *r, size_t osize, size_t nsize) {
    if (!r) return count_failed(p, nsize);
    LmpCounters *c = p->counters;
    uint32_t entry = shadow_take(p, (uintptr_t)ptr);
    unsigned cls = entry & 15;
    if (!entry) {
        c->before_reallocs++;
        c->before_realloc_bytes += (int64_t)(nsize - osize);
        return r;
    }
    if (cls < LMP_C_COUNTED) {
        if (nsize < osize && c->live_bytes > c->peak_bytes) counters_note_peak(c, p->ticked);
        c->live_bytes += nsize - osize;
    }
    c->count[cls].reallocs++;
    c->count[cls].realloc_bytes += (int64_t)(nsize - osize);
    if (!shadow_place(p, (uintptr_t)r, nsize, entry)) {
        count_free(p, cls, nsize);
        count_dropped(p, nsize);
    }
    return r;
}

static ALWAYS_INLINE void *do_realloc(LmpProfile *p, void *ptr, size_t osize, size_t nsize) {
    void *r = p->alloc(p->ud, ptr, osize, nsize);
    uintptr_t from = (uintptr_t)ptr, to = (uintptr_t)r;
    if (UNLIKELY((from | to) & OFF_GRID || (osize | nsize) >= LMP_PACK_MAX))
        return realloc_odd(p, ptr, r, osize, nsize);
    LmpCounters *c = p->counters;
    LmpLeaf *old = p->dir[from >> LMP_LEAF_BITS], *new = p->dir[to >> LMP_LEAF_BITS];
    if (UNLIKELY(!old || !new || c->live_bytes > c->peak_bytes))
        return realloc_odd(p, ptr, r, osize, nsize); /* also when r is NULL */
    uint32_t i = (uint32_t)(from >> LMP_GRAIN_BITS) & (LMP_LEAF_ENTRIES - 1);
    uint32_t k = (uint32_t)(to >> LMP_GRAIN_BITS) & (LMP_LEAF_ENTRIES - 1);
    uint32_t e = old->entry[i];
    uint32_t cls = (e ^ (uint32_t)from) & (LMP_E_OFFSET | 15);
    if (UNLIKELY(cls - 1 >= LMP_C_COUNTED - 1 || (from != to && new->entry[k])))
        return realloc_odd(p, ptr, r, osize, nsize);
    if (!(e & LMP_E_SIZE_MASK)) old->entry[i + 1] = 0;
    if (from != to) old->entry[i] = 0;
    e = (e & ~(LMP_E_SIZE_MASK | LMP_E_OFFSET)) | ((uint32_t)to & LMP_E_OFFSET);
    if (nsize < LMP_E_SMALL) {
        e |= (uint32_t)nsize << LMP_E_SIZE_SHIFT;
    } else {
        new->entry[k + 1] = (uint32_t)nsize << 4 | LMP_E_SIZE;
        atomic_signal_fence(memory_order_release);
    }
    new->entry[k] = e;
    touch(p, old, from);
    touch(p, new, to);
    c->live_bytes += nsize - osize;
    c->count[cls].reallocs++;
    c->count[cls].realloc_bytes += (int64_t)(nsize - osize);
    return r;
}

COLD void *hook_operate(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller,
                        bool own) {
    if (ptr && !nsize) return free_odd(p, ptr, osize);
    if (ptr) return realloc_odd(p, ptr, p->alloc(p->ud, ptr, osize, nsize), osize, nsize);
    unsigned cls = class_by_tag(osize);
    if (!p->callsites) {
        cls = owner_by_rules(p, cls, nsize);
    } else if (!cls) {
        cls = callsite_class(p->callsites, caller);
    }
    if (own && cls != LMP_C_THREAD_PART) cls = LMP_C_OWN; /* the stack stays the program's */
    return alloc_odd(p, p->alloc(p->ud, NULL, osize, nsize), nsize, cls);
}

/* ---- the way in
 * -------------------------------------------------------------------------------------------- */

/* hook_alloc only tells the ways apart; each is a function of its own, entered by a jump (the same
 * arguments and result: a sibling call), so that none pays for the registers another one saves, and
 * each sees the stack as hook_alloc found it: raw requests and the slow way want to know who
 * called. Without optimization there are no such jumps, and all are part of hook_alloc. */
#ifdef __OPTIMIZE__
#define ENTERED_BY_JUMP __attribute__((noinline))
#else
#define ENTERED_BY_JUMP ALWAYS_INLINE
#endif
#define OUR_CALLER                                                                                 \
    (LmpCaller) {                                                                                  \
        __builtin_dwarf_cfa(), (uintptr_t)__builtin_return_address(0)                              \
    }

static ENTERED_BY_JUMP void *slow_request(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpCaller caller = OUR_CALLER;
    return trap_operation(ud, ptr, osize, nsize, caller);
}

/* A block without a tag. */
static ENTERED_BY_JUMP void *raw_request(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    LmpCaller caller = OUR_CALLER;
    unsigned cls = callsite_class(p->callsites, caller);
    if (UNLIKELY(nsize >= LMP_PACK_MAX))
        return alloc_odd(p, p->alloc(p->ud, ptr, osize, nsize), nsize, cls);
    return do_alloc(p, osize, nsize, cls);
}

static ENTERED_BY_JUMP void *object_request(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    unsigned cls = class_by_tag(osize);
    if (UNLIKELY(!cls || nsize >= LMP_PACK_MAX)) {
        if (!cls) return raw_request(ud, ptr, osize, nsize);
        return alloc_odd(p, p->alloc(p->ud, ptr, osize, nsize), nsize, cls);
    }
    return do_alloc(p, osize, nsize, cls);
}

static ENTERED_BY_JUMP void *realloc_request(void *ud, void *ptr, size_t osize, size_t nsize) {
    return do_realloc(ud, ptr, osize, nsize);
}

void *hook_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    uint16_t gc;
    memcpy(&gc, p->gc_word, sizeof gc);
    if (UNLIKELY(gc != p->gc_seen || atomic_load_explicit(p->trap, memory_order_relaxed)))
        return slow_request(ud, ptr, osize, nsize);
    if (!ptr) {
        if (!nsize) return p->alloc(p->ud, ptr, osize, 0); /* Lua frees NULL now and then */
        if (osize) return object_request(ud, ptr, osize, nsize);
        return raw_request(ud, ptr, osize, nsize);
    }
    if (nsize) return realloc_request(ud, ptr, osize, nsize);
    return do_free(p, ptr, osize);
}
