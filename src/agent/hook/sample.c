/* sample.c - draws the bytes up to the next sample from an exponential distribution, and weighs
 * each sample by its chance when it comes and when it goes. */
#include "agent/hook/sample.h"

#include <math.h>
#include <stdlib.h>

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

/* Returns bytes up to the next sample: exponentially distributed. */
static int64_t next_gap(LmpSampling *s) {
    double gap = -log(draw(s)) * s->interval;
    return gap < 9e15 ? (int64_t)gap : (int64_t)9e15;
}

void sample_next(LmpProfile *p) {
    p->sample_left = next_gap(p->sampling);
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
    sample_next(p);
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

/* Rounds 2.3 blocks to 2 or 3, three times in ten to 3: by address and size, so that the result is
 * the same when the block is freed. */
static Weight weigh(const LmpSampling *s, uintptr_t addr, uint64_t size) {
    double chance = -expm1(-(double)size / s->interval);
    uint64_t h = (addr ^ size << 48 ^ s->salt) * 0x9e3779b97f4a7c15ull;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9ull;
    double up = (double)((h ^ h >> 32) >> 11) * 0x1p-53;
    return (Weight){(uint64_t)(1 / chance + up), (uint64_t)((double)size / chance + 0.5)};
}

static void add(LmpUsage *u, Weight w, bool resized) {
    u->allocs += w.blocks;
    u->bytes += w.bytes;
    if (resized) u->realloc_bytes += (int64_t)w.bytes;
}

/* ---- samples come and go --------------------------------------------------------------------- */

static void leave(LmpUsage *u, Weight w, bool freed, bool short_lived) {
    if (freed) {
        u->frees += w.blocks;
        u->free_bytes += w.bytes;
        if (short_lived) u->short_lived += w.blocks;
    } else {
        u->allocs -= w.blocks;
        u->bytes -= w.bytes;
        u->realloc_bytes -= (int64_t)w.bytes;
    }
}

void sample_leaves(LmpProfile *p, uint32_t alloc_context, uintptr_t addr, uint64_t size,
                   uint32_t entry, bool freed) {
    if (!alloc_context) return;
    Weight w = weigh(p->sampling, addr, size);
    bool short_lived = usage_age(p, entry) < LMP_SHORT_LIVED;
    if (p->tree) {
        LmpUsage room, *u = usage_open(p, alloc_context, &room);
        leave(u, w, freed, short_lived);
        usage_close(p, alloc_context, u);
        alloc_context = p->tables.path[alloc_context].record;
    }
    usage_stamp(p->counters, &p->record[alloc_context].use, false);
    leave(&p->record[alloc_context].use, w, freed, short_lived);
}

void sample_enters(LmpProfile *p, uint32_t alloc_context, uintptr_t addr, uint64_t size,
                   bool resized) {
    Weight w = weigh(p->sampling, addr, size);
    if (p->tree) {
        LmpUsage room, *u = usage_open(p, alloc_context, &room);
        add(u, w, resized);
        usage_close(p, alloc_context, u);
        alloc_context = p->tables.path[alloc_context].record;
    }
    usage_stamp(p->counters, &p->record[alloc_context].use, false);
    add(&p->record[alloc_context].use, w, resized);
}
