/* odd.c - takes blocks out of the shadow map and places them there one by one, with all that
 * follows for counters, lines, samples and notices of death. Accounts are updated after the
 * allocator underneath has succeeded. Invariants: those of counters.h; and the shadow map holds
 * exactly the blocks that are counted as live, and the profiler's own. With samples it may hold
 * fewer (light.h): what it lacks has a class by who frees it. */
#include "agent/hook/odd.h"

#include "agent/charge/counts.h"
#include "agent/charge/invalidate.h"
#include "agent/charge/lines.h"
#include "agent/charge/tree.h"
#include "agent/hook/foreign.h"
#include "agent/hook/sample.h"
#include "agent/hook/tick.h"
#include "agent/interp/freed_class.h"
#include "agent/interp/newtable.h"
#include "agent/interp/owner.h"
#include "agent/map/shadow.h"
#include "agent/map/usage.h"
#include "agent/map/watched.h"
#include "shared/counters.h"

#include <string.h>

const uint32_t odd_tag_class[16] = {
    [LUA_TSTRING] = LMP_C_STRING,
    [LUA_TTABLE] = LMP_C_TABLE,
    [LUA_TFUNCTION] = LMP_C_FUNCTION,
    [LUA_TUSERDATA] = LMP_C_USERDATA,
    [LUA_TTHREAD] = LMP_C_THREAD,
    [LUA_NUMTYPES] = LMP_C_FUNCTION_PART,
    [LUA_NUMTYPES + 1] = LMP_C_FUNCTION_PART,
};
_Static_assert(LUA_TSTRING == 4 && LUA_TTHREAD == 8 && LUA_NUMTYPES == 9, "tags of Lua 5.4");

/* ---- counting -------------------------------------------------------------------------------- */

static COLD void count_dropped(LmpProfile *p, size_t n) {
    p->counters->dropped++;
    p->counters->dropped_bytes += n;
}

static COLD void *count_failed(LmpProfile *p, size_t n) {
    p->counters->failed++;
    p->counters->failed_bytes += n;
    newtable_refused(p);
    return NULL;
}

/* The same as in the packed words, straight into the full counters: for blocks too large for those,
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

/* Takes a block, already taken out of the map, out of all figures. */
static COLD void gone(LmpProfile *p, uintptr_t addr, const LmpTaken *b) {
    unsigned cls = b->entry & 15;
    uint32_t entry = b->entry & ~LMP_BLOCK_NOTIFY;
    count_free(p, cls, b->size);
    uint32_t age = usage_age(p, entry);
    if (p->exact && !usage_freed(p, b->alloc_context, addr, b->size, age, p->tree != NULL))
        usage_freed_young(p, b->alloc_context, addr, b->size, age);
    if (p->sampling) sample_leaves(p, b->alloc_context, addr, b->size, entry, true);
    if (entry != b->entry && p->lines) invalidate_watched(p, addr, b->size, cls);
}

/* Enters a block in the map. A block that is already there was never freed through us, and leaves
 * the figures. */
static COLD bool place(LmpProfile *p, uintptr_t addr, uint64_t size, uint32_t entry,
                       uint32_t alloc_context) {
    LmpTaken stale;
    bool placed = shadow_place(p, addr, size, entry, alloc_context, &stale);
    if (stale.entry) gone(p, addr, &stale);
    return placed;
}

COLD void *odd_made(LmpProfile *p, void *r, size_t n, uint64_t alloc_context) {
    unsigned who = (unsigned)(alloc_context >> 32), cls = who & 15;
    if (!r) return count_failed(p, n);
    bool must = cls == LMP_C_THREAD || cls == LMP_C_OWN || who & ODD_HOST || n >= LMP_PACK_MAX;
    bool light = p->freed && !p->whole;
    if (light && (!must || (who == LMP_C_THREAD && watched_set(p, (uintptr_t)r, true)))) {
        count_alloc(p, cls, n);
        return r;
    }
    uint32_t watched =
        (p->freed && must) || (p->exact && cls == LMP_C_THREAD) ? LMP_BLOCK_NOTIFY : 0;
    if (place(p, (uintptr_t)r, n, cls | p->birth | watched, (uint32_t)alloc_context)) {
        count_alloc(p, cls, n);
        uint32_t path = (uint32_t)alloc_context;
        if (p->exact && !usage_made(p, path, (uintptr_t)r, n, p->tree != NULL))
            usage_made_young(p, path, (uintptr_t)r, n);
    } else if (p->freed && cls != LMP_C_OWN) {
        count_alloc(p, cls, n); /* who frees it tells */
    } else {
        if (p->watched) watched_set(p, (uintptr_t)r, false); /* as from before start */
        count_dropped(p, n);
    }
    return r;
}

/* A free is charged to the line that runs, if that line caused it: a table that grows gives its old
 * part back. All others are the collector's, which is what a reader adds up (ledger.h): objects are
 * never freed otherwise. */
static COLD void charge_free(LmpProfile *p, unsigned cls, size_t n, LmpFrom from,
                             uint32_t alloc_context) {
    if (cls < LMP_C_STRING_PART || saved_regs_collects(p->regs, from)) return;
    LmpAsk ask;
    uint32_t row = lines_ask(p, NULL, cls, &ask);
    odd_freed_here(p, row, cls, n);
    counts_freed(p, alloc_context, row, n);
}

/* Takes a freed block out of the map. `said`: its size as the caller says. */
static COLD LmpTaken take(LmpProfile *p, uintptr_t addr, size_t said) {
    LmpTaken b = shadow_take(p, addr);
    if (b.entry && b.size != said) p->live->strange.other_sizes++;
    return b;
}

/* Returns the class of a block that the map does not have; LMP_C_NONE: it is from before start.
 * `from`: who frees or resizes it. */
static unsigned lost_class(LmpProfile *p, const void *ptr, size_t size, LmpFrom from) {
    if (p->watched && watched_has(p, (uintptr_t)ptr)) return LMP_C_NONE;
    return freed_class(p->freed, ptr, size, (LmpCaller){from.cfa, cpu_ret(from), NULL});
}

COLD void *odd_release(LmpProfile *p, void *ptr, size_t osize, LmpFrom from) {
    uintptr_t addr = (uintptr_t)ptr;
    if (!ptr) return p->pass.alloc(p->pass.ud, ptr, osize, 0);
    if (p->watched && watched_is_thread(p, addr)) {
        watched_clear(p, addr);
        count_free(p, LMP_C_THREAD, osize);
        invalidate_watched(p, addr, osize, LMP_C_THREAD);
        return p->pass.alloc(p->pass.ud, ptr, osize, 0);
    }
    LmpTaken b = take(p, addr, osize);
    unsigned lost = b.entry || !p->freed ? LMP_C_NONE : lost_class(p, ptr, osize, from);
    if (osize > p->counters->live_bytes) lost = LMP_C_NONE; /* from before, and in no list then */
    if (lost) {
        count_free(p, lost, osize);
    } else if (b.entry) {
        if (p->exact && p->regs && (b.entry & 15) < LMP_C_COUNTED)
            charge_free(p, b.entry & 15, b.size, from, b.alloc_context);
        gone(p, addr, &b);
    } else {
        if (p->watched) watched_clear(p, addr);
        p->counters->before_frees++;
        p->counters->before_free_bytes += osize;
        if (p->lines) invalidate_unknown(p, addr, osize);
    }
    return p->pass.alloc(p->pass.ud, ptr, osize, 0);
}

COLD void *odd_made_and_tick(LmpProfile *p, void *r) {
    tick_now(p);
    return r;
}

COLD void *odd_tick_and_release(LmpProfile *p, void *ptr, size_t osize) {
    tick_now(p);
    return p->pass.alloc(p->pass.ud, ptr, osize, 0);
}

COLD void *odd_resized(LmpProfile *p, void *ptr, void *r, size_t osize, size_t nsize,
                       uint64_t lost_and_here) {
    if (!r) return count_failed(p, nsize);
    LmpCounters *c = p->counters;
    LmpTaken b = take(p, (uintptr_t)ptr, osize);
    uint32_t alloc_context = b.alloc_context, here = (uint32_t)lost_and_here;
    uint32_t entry = b.entry ? b.entry : (uint32_t)(lost_and_here >> 32);
    unsigned cls = entry & 15;
    if (!b.entry) b.size = osize;
    if (!entry) {
        if (p->watched && watched_clear(p, (uintptr_t)ptr) && !watched_set(p, (uintptr_t)r, false))
            p->whole = p->stays_whole = true; /* it will seem to be ours */
        c->before_reallocs++;
        c->before_realloc_bytes += (int64_t)(nsize - osize);
        if (p->lines) invalidate_unknown(p, (uintptr_t)ptr, osize);
        return r;
    }
    osize = b.size;
    if (cls < LMP_C_COUNTED) {
        if (nsize < osize && c->live_bytes > c->peak_bytes) counters_note_peak(c, p->ticked);
        c->live_bytes += nsize - osize;
    }
    c->count[cls].reallocs++;
    c->count[cls].realloc_bytes += (int64_t)(nsize - osize);
    if (p->exact) {
        usage_resized(p, alloc_context, here, (uintptr_t)ptr, (uintptr_t)r, osize, nsize);
        counts_resized(p, alloc_context, here, osize, nsize);
    }
    if (p->lines && entry & LMP_BLOCK_NOTIFY) invalidate_watched(p, (uintptr_t)ptr, osize, cls);
    if (p->sampling) {
        sample_leaves(p, alloc_context, (uintptr_t)ptr, osize, entry, false);
        alloc_context = 0;
    }
    if (!p->freed) entry &= ~LMP_BLOCK_NOTIFY;
    if (!b.entry && !p->whole && nsize < LMP_PACK_MAX) return r;
    if (!place(p, (uintptr_t)r, nsize, entry, alloc_context) && !p->freed) {
        gone(p, (uintptr_t)r, &(LmpTaken){nsize, entry, alloc_context});
        count_dropped(p, nsize);
    }
    return r;
}

/* Returns the alloc context of a block on the slow path, where the saved registers may be missing.
 * `stacks`: a path, if paths are kept, else a record. */
static COLD uint32_t context_slow(LmpProfile *p, LmpSavedRegs regs, unsigned cls, bool stacks) {
    LmpAsk ask;
    uint32_t record = lines_ask(p, regs, cls, &ask);
    return stacks && p->tree ? tree_path(p, ask.L, ask.constructor, record) : record;
}

COLD void odd_made_before(LmpProfile *p, void *block, size_t type_tag, size_t n) {
    unsigned cls = odd_class(type_tag);
    uint32_t alloc_context = p->exact ? context_slow(p, NULL, cls, true) : 0;
    odd_made(p, block, n, ODD_CONTEXT(alloc_context, cls));
}

unsigned odd_request_class(LmpProfile *p, size_t type_tag, size_t nsize, LmpCaller caller) {
    unsigned cls = odd_class(type_tag);
    if (!p->owners) return owner_by_rules(p, cls, nsize);
    const LmpReturnAddr *asker;
    return cls ? cls : return_addr_class(&p->owners->all, caller, &asker);
}

unsigned odd_block_class(LmpProfile *p, const void *ptr, size_t size, LmpCaller caller) {
    uint64_t known;
    unsigned cls = shadow_lookup(p, (uintptr_t)ptr, &known) & 15;
    return cls || !p->freed ? cls : lost_class(p, ptr, size, LMP_FROM(caller.cfa, caller.ret));
}

COLD void *odd_operate(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller,
                       bool own) {
    if (ptr && !nsize) return odd_release(p, ptr, osize, LMP_FROM(caller.cfa, caller.ret));
    if (ptr) {
        unsigned cls = odd_block_class(p, ptr, osize, caller);
        bool counts = p->exact && cls > LMP_C_NONE && cls < LMP_C_COUNTED;
        bool moves = cls == LMP_C_THREAD_PART || lines_is_stack(p, caller.regs, ptr);
        counts = counts && p->owners; /* else it may be a stack: not to be looked at */
        uint32_t here = !counts ? 0
                        : moves ? lines_stack_moves(p, caller.regs)
                                : context_slow(p, caller.regs, cls, false);
        void *r = p->pass.alloc(p->pass.ud, ptr, osize, nsize);
        return odd_resized(p, ptr, r, osize, nsize, ODD_CONTEXT(here, p->freed ? cls : 0));
    }
    if (foreign_is_birth(osize, nsize)) return foreign_birth(p, nsize);
    unsigned cls = odd_request_class(p, osize, nsize, caller), host = 0;
    if (p->freed && (cls == LMP_C_OTHER || (osize && caller.ret != p->object_ret))) host = ODD_HOST;
    if (own && cls != LMP_C_THREAD_PART) cls = LMP_C_OWN; /* the stack stays the program's */
    bool counts = p->exact && cls != LMP_C_OWN;
    uint32_t alloc_context = counts ? context_slow(p, caller.regs, cls, true) : 0;
    void *r = p->pass.alloc(p->pass.ud, NULL, osize, nsize);
    return odd_made(p, r, nsize, ODD_CONTEXT(alloc_context, cls | host));
}
