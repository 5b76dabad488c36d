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
#include "entry.h"
#include "lines.h"
#include "owner.h"
#include "sample.h"
#include "shadow.h"
#include "trap.h"
#include "tree.h"
#include "usage.h"

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
    if (cls < LMP_C_COUNTED) {
        if (c->live_bytes > c->peak_bytes) counters_note_peak(c, p->ticked); /* with the block */
        c->live_bytes -= n;
    }
    c->count[cls].frees++;
    c->count[cls].free_bytes += n;
}

/* Whatever comes of a request: refused, on a new leaf, off the grid, very large. */
static COLD void *alloc_odd(LmpProfile *p, void *r, size_t n, unsigned cls, uint32_t maker) {
    if (!r) return count_failed(p, n);
    uint32_t watched = p->lines && cls == LMP_C_THREAD ? LMP_E_WATCHED : 0;
    if (shadow_place(p, (uintptr_t)r, n, cls | p->birth | watched, maker)) {
        count_alloc(p, cls, n);
        if (p->every) usage_made(p, maker, (uintptr_t)r, n, p->tree != NULL);
    } else {
        count_dropped(p, n);
    }
    return r;
}

/* A free is charged to the line that runs, if it is that line's doing: a table that grows gives its
 * old part back. All others are the collector's, which is what a reader adds up (ledger.h): objects
 * are never freed by anybody else. */
static COLD void charge_free(LmpProfile *p, unsigned cls, size_t n, const char *cfa,
                             uintptr_t ret) {
    if (cls < LMP_C_STRING_PART || words_collects(p->words, cfa, ret)) return;
    LmpAsk ask;
    LmpRecord *here = &p->record[lines_ask(p, NULL, cls, &ask)];
    here->here_frees++;
    here->here_free_bytes += n;
}

/* Any block: off the grid, from before start, the profiler's own, very large, or the first to be
 * freed after a new peak. */
static COLD void *free_odd(LmpProfile *p, void *ptr, size_t osize, const char *cfa, uintptr_t ret) {
    uintptr_t addr = (uintptr_t)ptr;
    uint32_t maker, entry = shadow_take(p, addr, &maker);
    if (entry) {
        if (p->every && p->words && (entry & 15) < LMP_C_COUNTED)
            charge_free(p, entry & 15, osize, cfa, ret);
        count_free(p, entry & 15, osize);
        if (p->every) usage_freed(p, maker, addr, osize, entry, p->tree != NULL);
        if (p->sampling) sample_leaves(p, maker, addr, osize, entry, true);
        if (entry & LMP_E_WATCHED && p->lines) lines_watched_gone(p, addr, osize, entry & 15);
    } else {
        p->counters->before_frees++;
        p->counters->before_free_bytes += osize;
        if (p->lines) lines_unknown_gone(p, addr, osize);
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

/* Our caller, seen from a function that was entered as hook_alloc was, or is part of one. */
#define OUR_CFA __builtin_dwarf_cfa()
#define OUR_RET (uintptr_t) __builtin_return_address(0)
#define OUR_CALLER                                                                                 \
    (LmpCaller) {                                                                                  \
        OUR_CFA, OUR_RET, NULL                                                                     \
    }

/* ---- the three operations
 * ------------------------------------------------------------------------------ */

/* Where an entry's maker stands, from the entry (entries). */
#define MAKER ((offsetof(LmpLeaf, maker) - offsetof(LmpLeaf, entry)) / sizeof(uint32_t))
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
static ALWAYS_INLINE void *do_alloc(LmpProfile *p, size_t tag, size_t n, unsigned cls, bool lines,
                                    bool stacks, uint32_t maker) {
    void *r = p->alloc(p->ud, NULL, tag, n);
    uintptr_t a = (uintptr_t)r;
    if (UNLIKELY(a & OFF_GRID)) return alloc_odd(p, r, n, cls, maker);
    LmpLeaf *leaf = p->dir[a >> LMP_LEAF_BITS];
    if (UNLIKELY(!leaf)) return alloc_odd(p, r, n, cls, maker);
    uint32_t *entry = entry_of(leaf, a);
    if (UNLIKELY(*entry)) return alloc_odd(p, r, n, cls, maker); /* always so where r is NULL */
    uint32_t e = ((uint32_t)a & LMP_E_OFFSET) | cls | p->birth;
    if (UNLIKELY(cls == LMP_C_THREAD) && p->lines) e |= LMP_E_WATCHED;
    if (n < LMP_E_SMALL) {
        *entry = e | (uint32_t)n << LMP_E_SIZE_SHIFT;
    } else {
        entry[1] = (uint32_t)n << 4 | LMP_E_SIZE;
        atomic_signal_fence(memory_order_release); /* the size before the entry that points to it */
        *entry = e;
    }
    if (lines) entry[MAKER] = maker;
    touch(p, leaf, a);
    LmpCounters *c = p->counters;
    c->live_bytes += n;
    if (lines) usage_made(p, maker, a, n, stacks);
    if (UNLIKELY(counters_pack(&c->alloc_now[cls], n))) return alloc_and_tick(p, r);
    return r;
}

static ALWAYS_INLINE void *do_free(LmpProfile *p, void *ptr, size_t osize, bool lines,
                                   bool stacks) {
    uintptr_t a = (uintptr_t)ptr;
    if (UNLIKELY(a & OFF_GRID || osize >= LMP_PACK_MAX))
        return free_odd(p, ptr, osize, OUR_CFA, OUR_RET);
    LmpLeaf *leaf = p->dir[a >> LMP_LEAF_BITS];
    if (UNLIKELY(!leaf)) return free_odd(p, ptr, osize, OUR_CFA, OUR_RET);
    uint32_t *entry = entry_of(leaf, a);
    uint32_t e = *entry, maker = lines ? entry[MAKER] : 0;
    /* a class if the offset agrees, and nobody watches it */
    uint32_t cls = (e ^ ((uint32_t)a & LMP_E_OFFSET)) & (LMP_E_WATCHED | LMP_E_OFFSET | 15);
    if (UNLIKELY(cls - 1 >= LMP_C_COUNTED - 1)) return free_odd(p, ptr, osize, OUR_CFA, OUR_RET);
    LmpCounters *c = p->counters;
    uint64_t live = c->live_bytes;
    if (UNLIKELY(live > c->peak_bytes)) return free_odd(p, ptr, osize, OUR_CFA, OUR_RET);
    if (lines && cls >= LMP_C_STRING_PART && !words_collects(p->words, OUR_CFA, OUR_RET))
        return free_odd(p, ptr, osize, OUR_CFA, OUR_RET);
    c->live_bytes = live - osize;
    if (!(e & LMP_E_SIZE_MASK)) entry[1] = 0;
    *entry = 0;
    touch(p, leaf, a);
    if (lines) usage_freed(p, maker, a, osize, e, stacks);
    if (UNLIKELY(counters_pack(&c->free_now[cls], osize))) return free_and_tick(p, ptr, osize);
    return p->alloc(p->ud, ptr, osize, 0);
}

/* Any reallocation that has been tried. `here`: the record of the site that runs. */
static COLD void *realloc_odd(LmpProfile *p, void *ptr, void *r, size_t osize, size_t nsize,
                              uint32_t here) {
    if (!r) return count_failed(p, nsize);
    LmpCounters *c = p->counters;
    uint32_t maker, entry = shadow_take(p, (uintptr_t)ptr, &maker);
    unsigned cls = entry & 15;
    if (!entry) {
        c->before_reallocs++;
        c->before_realloc_bytes += (int64_t)(nsize - osize);
        if (p->lines) lines_unknown_gone(p, (uintptr_t)ptr, osize);
        return r;
    }
    if (cls < LMP_C_COUNTED) {
        if (nsize < osize && c->live_bytes > c->peak_bytes) counters_note_peak(c, p->ticked);
        c->live_bytes += nsize - osize;
    }
    c->count[cls].reallocs++;
    c->count[cls].realloc_bytes += (int64_t)(nsize - osize);
    if (p->every) usage_resized(p, maker, here, (uintptr_t)ptr, (uintptr_t)r, osize, nsize);
    if (p->lines && entry & LMP_E_WATCHED) lines_watched_gone(p, (uintptr_t)ptr, osize, cls);
    if (p->sampling) {
        sample_leaves(p, maker, (uintptr_t)ptr, osize, entry, false);
        maker = 0;
    }
    if (!shadow_place(p, (uintptr_t)r, nsize, entry & ~LMP_E_WATCHED, maker)) {
        count_free(p, cls, nsize);
        count_dropped(p, nsize);
        if (p->every) usage_freed(p, maker, (uintptr_t)r, nsize, entry, p->tree != NULL);
    }
    return r;
}

static ALWAYS_INLINE void *do_realloc(LmpProfile *p, void *ptr, size_t osize, size_t nsize,
                                      bool lines, uint32_t here) {
    void *r = p->alloc(p->ud, ptr, osize, nsize);
    uintptr_t from = (uintptr_t)ptr, to = (uintptr_t)r;
    if (UNLIKELY((from | to) & OFF_GRID || (osize | nsize) >= LMP_PACK_MAX))
        return realloc_odd(p, ptr, r, osize, nsize, here);
    LmpCounters *c = p->counters;
    LmpLeaf *old = p->dir[from >> LMP_LEAF_BITS], *new = p->dir[to >> LMP_LEAF_BITS];
    if (UNLIKELY(!old || !new || c->live_bytes > c->peak_bytes))
        return realloc_odd(p, ptr, r, osize, nsize, here); /* also when r is NULL */
    uint32_t *was = entry_of(old, from), *is = entry_of(new, to);
    uint32_t e = *was;
    uint32_t cls = (e ^ ((uint32_t)from & LMP_E_OFFSET)) & (LMP_E_WATCHED | LMP_E_OFFSET | 15);
    if (UNLIKELY(cls - 1 >= LMP_C_COUNTED - 1 || (from != to && *is)))
        return realloc_odd(p, ptr, r, osize, nsize, here);
    uint32_t maker = lines ? was[MAKER] : 0;
    if (!(e & LMP_E_SIZE_MASK)) was[1] = 0;
    if (from != to) *was = 0;
    e = (e & ~(LMP_E_SIZE_MASK | LMP_E_OFFSET)) | ((uint32_t)to & LMP_E_OFFSET);
    if (nsize < LMP_E_SMALL) {
        e |= (uint32_t)nsize << LMP_E_SIZE_SHIFT;
    } else {
        is[1] = (uint32_t)nsize << 4 | LMP_E_SIZE;
        atomic_signal_fence(memory_order_release);
    }
    *is = e;
    touch(p, old, from);
    touch(p, new, to);
    c->live_bytes += nsize - osize;
    c->count[cls].reallocs++;
    c->count[cls].realloc_bytes += (int64_t)(nsize - osize);
    if (lines) {
        is[MAKER] = maker;
        usage_resized(p, maker, here, from, to, osize, nsize);
    }
    return r;
}

/* Who makes a block, the slow way, where words may be missing. `stacks`: a path, if they are kept,
 * else a record. */
static COLD uint32_t maker_slow(LmpProfile *p, LmpWords words, unsigned cls, bool stacks) {
    LmpAsk ask;
    uint32_t record = lines_ask(p, words, cls, &ask);
    return stacks && p->tree ? tree_path(p, ask.L, ask.constructor, record) : record;
}

COLD void *hook_operate(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller,
                        bool own) {
    if (ptr && !nsize) return free_odd(p, ptr, osize, caller.cfa, caller.ret);
    if (ptr) {
        uint64_t size;
        unsigned cls = shadow_lookup(p, (uintptr_t)ptr, &size) & 15;
        bool counts = p->every && cls > LMP_C_NONE && cls < LMP_C_COUNTED;
        uint32_t here = !counts                    ? 0
                        : cls == LMP_C_THREAD_PART ? lines_stack_moves(p, caller.words)
                                                   : maker_slow(p, caller.words, cls, false);
        return realloc_odd(p, ptr, p->alloc(p->ud, ptr, osize, nsize), osize, nsize, here);
    }
    unsigned cls = class_by_tag(osize);
    if (!p->callsites) {
        cls = owner_by_rules(p, cls, nsize);
    } else if (!cls) {
        const LmpCallsite *asker;
        cls = callsite_class(p->callsites, caller, &asker);
    }
    if (own && cls != LMP_C_THREAD_PART) cls = LMP_C_OWN; /* the stack stays the program's */
    bool counts = p->every && cls != LMP_C_OWN;
    uint32_t maker = counts ? maker_slow(p, caller.words, cls, true) : 0;
    return alloc_odd(p, p->alloc(p->ud, NULL, osize, nsize), nsize, cls, maker);
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

static ENTERED_BY_JUMP void *slow_request(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpCaller caller = OUR_CALLER;
    return trap_operation(ud, ptr, osize, nsize, caller);
}

/* A block without a tag. */
static ENTERED_BY_JUMP void *raw_request(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    LmpCaller caller = OUR_CALLER;
    const LmpCallsite *asker;
    unsigned cls = callsite_class(p->callsites, caller, &asker);
    if (UNLIKELY(nsize >= LMP_PACK_MAX))
        return alloc_odd(p, p->alloc(p->ud, ptr, osize, nsize), nsize, cls, 0);
    return do_alloc(p, osize, nsize, cls, false, false, 0);
}

static ENTERED_BY_JUMP void *object_request(void *ud, void *ptr, size_t osize, size_t nsize) {
    LmpProfile *p = ud;
    unsigned cls = class_by_tag(osize);
    if (UNLIKELY(!cls || nsize >= LMP_PACK_MAX)) {
        if (!cls) return raw_request(ud, ptr, osize, nsize);
        return alloc_odd(p, p->alloc(p->ud, ptr, osize, nsize), nsize, cls, 0);
    }
    return do_alloc(p, osize, nsize, cls, false, false, 0);
}

static ENTERED_BY_JUMP void *realloc_request(void *ud, void *ptr, size_t osize, size_t nsize) {
    return do_realloc(ud, ptr, osize, nsize, false, 0);
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
    return do_free(p, ptr, osize, false, false);
}

/* ---- with lines
 * --------------------------------------------------------------------------------------- */

#if LMP_HAS_ENTRY

static void *lines_request(void *ud, void *ptr, size_t osize, size_t nsize, LmpWords words)
    __attribute__((used));
static void *stacks_request(void *ud, void *ptr, size_t osize, size_t nsize, LmpWords words)
    __attribute__((used));
static void *lines_release(void *ud, void *ptr, size_t osize, size_t nsize) __attribute__((used));
static void *stacks_release(void *ud, void *ptr, size_t osize, size_t nsize) __attribute__((used));
LMP_ENTRY(hook_alloc_lines, lines_request, lines_release);
LMP_ENTRY(hook_alloc_stacks, stacks_request, stacks_release);
_Static_assert(offsetof(LmpProfile, sample_left) == LMP_AT_SAMPLE_LEFT, "entry.h counts it down");
LMP_ENTRY_SAMPLED(hook_alloc_sampled, sample_operation, hook_alloc);

/* The hook's own stack, but the interpreter's above it: the caller as it saw it. */
LMP_READS_WORDS static inline LmpCaller caller_of(LmpWords words) {
    return (LmpCaller){(const char *)(words + LMP_WORDS_RET + 1), words[LMP_WORDS_RET], words};
}

static ALWAYS_INLINE bool must_stop(const LmpProfile *p) {
    uint16_t gc;
    memcpy(&gc, p->gc_word, sizeof gc);
    return gc != p->gc_seen || atomic_load_explicit(p->trap, memory_order_relaxed);
}

static COLD void *slow_release(LmpProfile *p, void *ptr, size_t osize, const char *cfa,
                               uintptr_t ret) {
    LmpCaller caller = {cfa, ret, NULL};
    return trap_operation(p, ptr, osize, 0, caller);
}

static COLD void *lines_trapped(LmpProfile *p, void *ptr, size_t osize, size_t nsize,
                                LmpWords words) {
    return trap_operation(p, ptr, osize, nsize, caller_of(words));
}

/* The class of a block in the plain case, else LMP_C_NONE. */
static ALWAYS_INLINE unsigned class_at(const LmpProfile *p, uintptr_t a) {
    LmpLeaf *leaf = a & OFF_GRID ? NULL : p->dir[a >> LMP_LEAF_BITS];
    if (!leaf) return LMP_C_NONE;
    uint32_t e = *entry_of(leaf, a);
    uint32_t cls = (e ^ ((uint32_t)a & LMP_E_OFFSET)) & (LMP_E_WATCHED | LMP_E_OFFSET | 15);
    return cls < LMP_C_COUNTED ? cls : LMP_C_NONE;
}

LMP_READS_WORDS static __attribute__((noinline)) void *
lines_realloc(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpWords words) {
    unsigned cls = class_at(p, (uintptr_t)ptr);
    if (UNLIKELY(!cls)) return hook_operate(p, ptr, osize, nsize, caller_of(words), false);
    if (cls == LMP_C_THREAD_PART)
        return do_realloc(p, ptr, osize, nsize, true, lines_stack_moves(p, words));
    LmpAsk ask = {(lua_State *)words_thread(p->words, words), 0}; /* NOLINT */
    return do_realloc(p, ptr, osize, nsize, true, lines_record(p, words, cls, &ask));
}

LMP_READS_WORDS static ALWAYS_INLINE void *request(LmpProfile *p, void *ptr, size_t osize,
                                                   size_t nsize, LmpWords words, bool stacks) {
    if (UNLIKELY(must_stop(p))) return lines_trapped(p, ptr, osize, nsize, words);
    if (ptr) return lines_realloc(p, ptr, osize, nsize, words);
    unsigned cls = class_by_tag(osize);
    LmpAsk ask = {NULL, 0};
    if (cls) {
        if (LIKELY(words[LMP_WORDS_RET] == p->object_ret))
            ask.L = (lua_State *)words[p->object_thread]; /* NOLINT */
    } else {
        const LmpCallsite *asker;
        cls = callsite_class(p->callsites, caller_of(words), &asker);
        if (asker && asker->at_thread >= 0)
            ask.L = (lua_State *)words[asker->at_thread]; /* NOLINT */
    }
    uint32_t maker = lines_record(p, words, cls, &ask);
    if (stacks) maker = tree_path(p, ask.L, ask.constructor, maker);
    if (UNLIKELY(nsize >= LMP_PACK_MAX))
        return alloc_odd(p, p->alloc(p->ud, NULL, osize, nsize), nsize, cls, maker);
    return do_alloc(p, osize, nsize, cls, true, stacks, maker);
}

static void *lines_request(void *ud, void *ptr, size_t osize, size_t nsize, LmpWords words) {
    return request(ud, ptr, osize, nsize, words, false);
}

static void *stacks_request(void *ud, void *ptr, size_t osize, size_t nsize, LmpWords words) {
    return request(ud, ptr, osize, nsize, words, true);
}

static ALWAYS_INLINE void *release(LmpProfile *p, void *ptr, size_t osize, bool stacks) {
    if (!ptr) return p->alloc(p->ud, ptr, osize, 0);
    if (UNLIKELY(must_stop(p))) return slow_release(p, ptr, osize, OUR_CFA, OUR_RET);
    return do_free(p, ptr, osize, true, stacks);
}

static void *lines_release(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)nsize;
    return release(ud, ptr, osize, false);
}

static void *stacks_release(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)nsize;
    return release(ud, ptr, osize, true);
}

#endif

lua_Alloc hook_choose(const LmpProfile *p) {
#if LMP_HAS_ENTRY
    if (p->sampling) return hook_alloc_sampled;
    if (p->words && p->lines) return p->tree ? hook_alloc_stacks : hook_alloc_lines;
#endif
    (void)p;
    return hook_alloc;
}

bool hook_is(lua_Alloc alloc) {
#if LMP_HAS_ENTRY
    if (alloc == hook_alloc_lines || alloc == hook_alloc_stacks || alloc == hook_alloc_sampled)
        return true;
#endif
    return alloc == hook_alloc;
}
