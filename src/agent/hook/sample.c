/* sample.c - see sample.h. */
#include "agent/hook/sample.h"

#include <math.h>
#include <stdlib.h>

#include "agent/charge/lines.h"
#include "agent/charge/tree.h"
#include "agent/hook/hook_impl.h"
#include "agent/hook/trap.h"
#include "agent/map/shadow.h"
#include "agent/map/usage.h"
#include "base/os.h"

/* ---- the draw -------------------------------------------------------------------------------- */

/* xorshift64*: (0, 1] */
static double draw(LmpSampling *s) {
    s->random ^= s->random >> 12;
    s->random ^= s->random << 25;
    s->random ^= s->random >> 27;
    return (double)((s->random * 0x2545f4914f6cdd1dull >> 11) + 1) * 0x1p-53;
}

/* Bytes up to the next sample: exponentially distributed. */
static int64_t next_gap(LmpSampling *s) {
    double gap = -log(draw(s)) * s->interval;
    return gap < 9e15 ? (int64_t)gap : (int64_t)9e15;
}

LmpErr sample_open(LmpProfile *p, uint64_t interval) {
    LmpSampling *s = lmp_os->map(sizeof *s, -1, 0, true);
    if (!s) return LMP_E_NOMEM;
    const char *seed = getenv(LMP_SAMPLE_SEED);
    uint64_t from = seed ? strtoull(seed, NULL, 10) : lmp_os->clock() ^ (uintptr_t)p;
    s->interval = (double)interval;
    s->random = (from + 1) * 0x9e3779b97f4a7c15ull | 1;
    for (int i = 0; i < 20; i++) /* seeds that are near each other drift apart */
        draw(s);
    s->salt = s->random;
    p->sampling = s;
    p->sample_left = next_gap(s);
    p->live->tables.sample = interval;
    return LMP_OK;
}

void sample_close(LmpProfile *p) {
    if (p->sampling) lmp_os->unmap(p->sampling, sizeof *p->sampling);
    p->sampling = NULL;
}

/* ---- what a sample stands for ---------------------------------------------------------------- */

typedef struct Weight {
    uint64_t blocks, bytes;
} Weight;

/* Of 2.3 blocks it is 2 or 3, three times in ten 3; by address and size, so that it is the same
 * when the block goes. */
static Weight weigh(const LmpSampling *s, uintptr_t addr, uint64_t size) {
    double chance = -expm1(-(double)size / s->interval);
    uint64_t h = (addr ^ size << 48 ^ s->salt) * 0x9e3779b97f4a7c15ull;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9ull;
    double up = (double)((h ^ h >> 32) >> 11) * 0x1p-53;
    return (Weight){(uint64_t)(1 / chance + up), (uint64_t)((double)size / chance + 0.5)};
}

static void add(LmpProfile *p, LmpUsage *u, Weight w) {
    usage_stamp(p->counters, u);
    u->allocs += w.blocks;
    u->bytes += w.bytes;
}

static void add_to_context(LmpProfile *p, uint32_t alloc_context, Weight w, int64_t realloc_bytes) {
    if (p->tree) {
        LmpPath path = p->tables.path[alloc_context];
        LmpNode *node = &p->tables.node[path.node];
        add(p, &node->use, w);
        node->realloc_bytes += realloc_bytes;
        alloc_context = path.record;
    }
    add(p, &p->record[alloc_context].use, w);
    p->record[alloc_context].realloc_bytes += realloc_bytes;
}

/* ---- samples come and go --------------------------------------------------------------------- */

static void leave(LmpProfile *p, LmpUsage *u, Weight w, bool freed, bool short_lived) {
    usage_stamp(p->counters, u);
    if (freed) {
        u->frees += w.blocks;
        u->free_bytes += w.bytes;
        if (short_lived) u->short_lived += w.blocks;
    } else {
        u->allocs -= w.blocks;
        u->bytes -= w.bytes;
    }
}

void sample_leaves(LmpProfile *p, uint32_t alloc_context, uintptr_t addr, uint64_t size,
                   uint32_t entry, bool freed) {
    if (!alloc_context) return;
    Weight w = weigh(p->sampling, addr, size);
    bool short_lived = usage_short_lived(p, entry);
    if (p->tree) {
        LmpPath path = p->tables.path[alloc_context];
        leave(p, &p->tables.node[path.node].use, w, freed, short_lived);
        if (!freed) p->tables.node[path.node].realloc_bytes -= (int64_t)w.bytes;
        alloc_context = path.record;
    }
    leave(p, &p->record[alloc_context].use, w, freed, short_lived);
    if (!freed) p->record[alloc_context].realloc_bytes -= (int64_t)w.bytes;
}

static COLD void *operate(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller) {
    if (hook_must_stop(p)) return trap_operation(p, ptr, osize, nsize, caller);
    return hook_operate(p, ptr, osize, nsize, caller, false);
}

/* `ptr`: the block that is about to be resized, NULL: none. */
static uint32_t context_now(LmpProfile *p, LmpSavedRegs words, unsigned cls, LmpAsk *ask,
                            const void *ptr) {
    *ask = (LmpAsk){NULL, 0};
    bool stack = ptr && (cls == LMP_C_THREAD_PART || lines_is_stack(p, words, ptr));
    uint32_t record = stack ? lines_stack_moves(p, words) : lines_ask(p, words, cls, ask);
    return p->tree ? tree_path(p, ask->L, ask->constructor, record) : record;
}

LMP_READS_REGS COLD void *sample_operation(LmpProfile *p, void *ptr, size_t osize, size_t nsize,
                                           LmpSavedRegs words) {
    LmpCaller caller = {(const char *)(words + LMP_REGS_RET + 1), words[LMP_REGS_RET], words};
    /* the way in counts down in any thread; nothing more is touched */
    if (foreign_elsewhere(p)) return trap_operation(p, ptr, osize, nsize, caller);
    p->sample_left = next_gap(p->sampling);
    if (p->detached || p->own.frame) return operate(p, ptr, osize, nsize, caller);
    uint64_t size;
    LmpAsk ask;
    uint32_t alloc_context = 0;
    if (ptr) { /* who asks has to be known before a stack moves */
        uint32_t *before = shadow_context(p, (uintptr_t)ptr);
        unsigned cls = shadow_lookup(p, (uintptr_t)ptr, &size) & 15;
        if (!before || cls >= LMP_C_COUNTED) return operate(p, ptr, osize, nsize, caller);
        /* its alloc context keeps it */
        alloc_context = *before ? *before : context_now(p, words, cls, &ask, ptr);
    }
    void *r = operate(p, ptr, osize, nsize, caller);
    uint32_t *now = r ? shadow_context(p, (uintptr_t)r) : NULL;
    unsigned cls = now ? shadow_lookup(p, (uintptr_t)r, &size) & 15 : LMP_C_NONE;
    if (cls == LMP_C_NONE || cls >= LMP_C_COUNTED) return r;
    if (!ptr) alloc_context = context_now(p, words, cls, &ask, NULL);
    *now = alloc_context;
    shadow_notify(p, (uintptr_t)r);
    Weight w = weigh(p->sampling, (uintptr_t)r, nsize);
    add_to_context(p, alloc_context, w, ptr ? (int64_t)w.bytes : 0);
    return r;
}
