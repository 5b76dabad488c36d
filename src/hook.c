/* hook.c - the hot path: one allocator request in, one out, and the account of it.
 *
 * Nothing here allocates, locks, formats or calls the system; whatever is rare goes to the cold
 * functions of trap.c (the viewer wants something, a tick is due, the collector has moved on) and
 * shadow.c (a new leaf, a block off the grid). The account is made after the allocator underneath
 * has said yes. Invariants, per operation: class_live[c] = alloc_bytes + realloc_bytes - free_bytes
 * of class c; live_bytes = their sum over the counted classes; the shadow map holds exactly the
 * blocks that are counted as live (and the profiler's own). */
#include "hook.h"

#include <string.h>

#include "callsite.h"
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

static inline unsigned class_of(LmpProfile *p, size_t tag, size_t size, LmpCaller caller) {
    unsigned cls = tag < sizeof tag_class ? tag_class[tag] : 0;
    if (LIKELY(p->callsites)) return cls ? cls : callsite_class(p->callsites, caller);
    return owner_by_rules(p, cls, size);
}

/* The high-water mark is noted before it is left, not at every step up. */
static inline void before_fall(LmpCounters *c, LmpProfile *p) {
    if (UNLIKELY(c->live_bytes > c->peak_bytes)) {
        c->peak_bytes = c->live_bytes;
        c->peak_clock = p->ticked;
        for (int i = 0; i < LMP_CLASSES; i++)
            c->class_peak[i] = c->class_live[i];
    }
}

static inline uint32_t grain(uintptr_t a) {
    return (uint32_t)(a >> LMP_GRAIN_BITS) & (LMP_LEAF_ENTRIES - 1);
}

static inline void touch(LmpProfile *p, LmpLeaf *leaf, uintptr_t a) {
    leaf->touch[(a >> LMP_TOUCH_BITS) & (LMP_TOUCHES - 1)] =
        atomic_load_explicit(&p->control->frame, memory_order_relaxed) + 1;
}

/* Enters a block in the map. False: there was no memory for it. */
static inline bool place(LmpProfile *p, uintptr_t a, size_t n, uint32_t entry, uint8_t birth) {
    if (UNLIKELY(a & 15 || a >> 47)) return shadow_place_odd(p, a, n, entry, birth);
    LmpLeaf *leaf = p->dir[a >> LMP_LEAF_BITS];
    if (UNLIKELY(!leaf)) {
        leaf = shadow_leaf(p, a);
        if (!leaf) return false;
    }
    uint32_t i = grain(a);
    touch(p, leaf, a);
    if (UNLIKELY(leaf->entry[i])) return shadow_place_odd(p, a, n, entry, birth);
    leaf->birth[i] = birth;
    entry |= (uint32_t)a & LMP_E_OFFSET;
    if (n < LMP_E_SMALL) {
        leaf->entry[i] = entry | (uint32_t)n << LMP_E_SIZE_SHIFT;
        return true;
    }
    if (UNLIKELY(n >= LMP_E_BIG || i + 1 == LMP_LEAF_ENTRIES))
        return shadow_place_odd(p, a, n, entry & ~LMP_E_OFFSET, birth);
    leaf->entry[i + 1] = (uint32_t)n << 4 | LMP_E_SIZE;
    atomic_signal_fence(memory_order_release); /* size word before the entry that points to it */
    leaf->entry[i] = entry;
    return true;
}

/* The leaf that holds the entry of the block at a, NULL if it is not on the grid. */
static inline LmpLeaf *find(LmpProfile *p, uintptr_t a) {
    if (UNLIKELY(a & 15 || a >> 47)) return NULL;
    LmpLeaf *leaf = p->dir[a >> LMP_LEAF_BITS];
    if (UNLIKELY(!leaf)) return NULL;
    uint32_t e = leaf->entry[grain(a)];
    if (UNLIKELY(!(e & 15) || (e ^ a) & LMP_E_OFFSET || (e & 15) >= LMP_E_SIZE_HIGH)) return NULL;
    return leaf;
}

static inline void clear(LmpProfile *p, LmpLeaf *leaf, uintptr_t a, size_t n) {
    uint32_t i = grain(a);
    uint32_t e = leaf->entry[i];
    leaf->entry[i] = 0;
    if (!(e & LMP_E_SIZE_MASK)) {
        leaf->entry[i + 1] = 0;
        if (UNLIKELY(n >= LMP_E_BIG)) leaf->entry[i + 2] = 0;
    }
    touch(p, leaf, a);
}

static inline void count_alloc(LmpProfile *p, unsigned cls, size_t n) {
    LmpCounters *c = &p->live->counters;
    c->count[cls].allocs++;
    c->count[cls].alloc_bytes += n;
    c->class_live[cls] += n;
    if (LIKELY(cls < LMP_C_COUNTED)) c->live_bytes += n;
}

static inline void count_free(LmpProfile *p, unsigned cls, size_t n) {
    LmpCounters *c = &p->live->counters;
    before_fall(c, p);
    c->count[cls].frees++;
    c->count[cls].free_bytes += n;
    c->class_live[cls] -= n;
    if (LIKELY(cls < LMP_C_COUNTED)) c->live_bytes -= n;
}

static inline void count_realloc(LmpProfile *p, unsigned cls, size_t osize, size_t nsize) {
    LmpCounters *c = &p->live->counters;
    if (nsize < osize) before_fall(c, p);
    c->count[cls].reallocs++;
    c->count[cls].realloc_bytes += (int64_t)(nsize - osize);
    c->class_live[cls] += nsize - osize;
    if (LIKELY(cls < LMP_C_COUNTED)) c->live_bytes += nsize - osize;
}

static COLD void count_failed(LmpProfile *p, size_t n) {
    p->live->counters.failed++;
    p->live->counters.failed_bytes += n;
}

static COLD void count_dropped(LmpProfile *p, size_t n) {
    p->live->counters.dropped++;
    p->live->counters.dropped_bytes += n;
}

/* A free of a block off the grid or from before start. */
static COLD void *free_odd(LmpProfile *p, void *ptr, size_t osize) {
    uint32_t e = shadow_odd(p, (uintptr_t)ptr, true, NULL);
    if (e & 15) {
        count_free(p, e & 15, osize);
    } else {
        p->live->counters.before_frees++;
        p->live->counters.before_free_bytes += osize;
    }
    return p->alloc(p->ud, ptr, osize, 0);
}

static COLD void *realloc_odd(LmpProfile *p, void *ptr, size_t osize, size_t nsize) {
    uint8_t birth = 0;
    uint32_t e = shadow_odd(p, (uintptr_t)ptr, false, &birth);
    void *r = p->alloc(p->ud, ptr, osize, nsize);
    if (!r) {
        count_failed(p, nsize);
    } else if (!(e & 15)) {
        p->live->counters.before_reallocs++;
        p->live->counters.before_realloc_bytes += (int64_t)(nsize - osize);
    } else {
        shadow_odd(p, (uintptr_t)ptr, true, NULL);
        count_realloc(p, e & 15, osize, nsize);
        if (!place(p, (uintptr_t)r, nsize, e & ~(LMP_E_SIZE_MASK | LMP_E_OFFSET), birth)) {
            count_free(p, e & 15, nsize);
            count_dropped(p, nsize);
        }
    }
    return r;
}

static inline void *operate(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller,
                            bool own) {
    if (!ptr) {
        void *r = p->alloc(p->ud, NULL, osize, nsize);
        if (UNLIKELY(!nsize)) return r; /* Lua frees NULL now and then */
        if (UNLIKELY(!r)) {
            count_failed(p, nsize);
            return NULL;
        }
        unsigned cls = own ? LMP_C_OWN : class_of(p, osize, nsize, caller);
        if (LIKELY(place(p, (uintptr_t)r, nsize, cls, p->epoch))) {
            count_alloc(p, cls, nsize);
        } else {
            count_dropped(p, nsize);
        }
        return r;
    }
    uintptr_t a = (uintptr_t)ptr;
    LmpLeaf *leaf = find(p, a);
    if (!nsize) {
        if (UNLIKELY(!leaf)) return free_odd(p, ptr, osize);
        count_free(p, leaf->entry[grain(a)] & 15, osize);
        clear(p, leaf, a, osize);
        return p->alloc(p->ud, ptr, osize, 0);
    }
    if (UNLIKELY(!leaf)) return realloc_odd(p, ptr, osize, nsize);
    void *r = p->alloc(p->ud, ptr, osize, nsize);
    if (UNLIKELY(!r)) {
        count_failed(p, nsize);
        return NULL;
    }
    uint32_t e = leaf->entry[grain(a)];
    uint8_t birth = leaf->birth[grain(a)];
    clear(p, leaf, a, osize);
    count_realloc(p, e & 15, osize, nsize);
    if (UNLIKELY(!place(p, (uintptr_t)r, nsize, e & ~(LMP_E_SIZE_MASK | LMP_E_OFFSET), birth))) {
        count_free(p, e & 15, nsize);
        count_dropped(p, nsize);
    }
    return r;
}

COLD void *hook_operate(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller,
                        bool own) {
    return operate(p, ptr, osize, nsize, caller, own);
}

void *hook_alloc(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    LmpCaller caller = {__builtin_dwarf_cfa(), (uintptr_t)__builtin_return_address(0)};
    uint16_t gc;
    memcpy(&gc, p->gc_word, sizeof gc);
    if (UNLIKELY(--p->countdown < 0 || gc != p->gc_seen ||
                 atomic_load_explicit(&p->control->trap, memory_order_relaxed)))
        return trap_operation(p, ptr, osize, nsize, caller);
    return operate(p, ptr, osize, nsize, caller, false);
}
