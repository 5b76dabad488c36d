/* laps.c - buckets grow with their bytes, eight in each power of two, so that a percentile is off
 * by an eighth at most; the worst laps are kept in a few rows, of which the least is known. */
#include "shared/laps.h"

#include <string.h>

enum { PARTS_BITS = 3, PARTS = 1 << PARTS_BITS, TRIES = 100 };

/* ---- buckets --------------------------------------------------------------------------------- */

/* Below PARTS one bucket a number; from there on PARTS of equal width in every power of two. */
uint32_t laps_bucket(uint64_t bytes) {
    if (bytes < PARTS) return (uint32_t)bytes;
    uint32_t power = 63 - (uint32_t)__builtin_clzll(bytes), shift = power - PARTS_BITS;
    return (shift + 1) * PARTS + (uint32_t)(bytes >> shift & (PARTS - 1));
}

uint64_t laps_bucket_most(uint32_t bucket) {
    if (bucket < PARTS) return bucket;
    uint32_t shift = bucket / PARTS - 1;
    uint64_t first = (uint64_t)(PARTS + bucket % PARTS) << shift;
    return first + ((1ull << shift) - 1);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Finds the row to go next: the one that made least; of equals the latest. Empty rows have made
 * nothing. */
static uint32_t find_least(const LmpLaps *laps) {
    uint32_t least = 0;
    for (uint32_t i = 1; i < LMP_LAPS_WORST; i++) {
        const LmpLap *a = &laps->worst[i], *b = &laps->worst[least];
        if (a->bytes < b->bytes || (a->bytes == b->bytes && a->number > b->number)) least = i;
    }
    return least;
}

static void keep(LmpLaps *laps, const LmpLap *lap, const char *name) {
    LmpLap *row = &laps->worst[laps->least];
    *row = *lap;
    memset(row->name, 0, sizeof row->name);
    if (name) memcpy(row->name, name, strnlen(name, sizeof row->name - 1));
    laps->least = find_least(laps);
}

static LmpLap lap_between(const LmpLapMoment *began, const LmpLapMoment *now) {
    int64_t grown = (int64_t)((uint64_t)now->realloc_bytes - (uint64_t)began->realloc_bytes);
    return (LmpLap){.start = began->clock,
                    .end = now->clock,
                    .bytes =
                        now->alloc_bytes - began->alloc_bytes + (grown > 0 ? (uint64_t)grown : 0),
                    .allocs = now->allocs - began->allocs,
                    .cycles = now->cycles - began->cycles};
}

static void add(LmpLaps *laps, LmpLap *lap, const char *name) {
    lap->number = ++laps->laps;
    laps->bytes += lap->bytes;
    laps->allocs += lap->allocs;
    laps->duration += lap->end - lap->start;
    laps->last_bytes = lap->bytes;
    laps->bucket[laps_bucket(lap->bytes)]++;
    if (lap->bytes > laps->worst[laps->least].bytes) keep(laps, lap, name);
}

bool laps_end(LmpLaps *laps, const LmpLapMoment *now, const char *name, LmpLap *lap) {
    bool begun = laps->begun != 0;
    uint32_t seq = atomic_load_explicit(&laps->seq, memory_order_relaxed);
    atomic_store_explicit(&laps->seq, seq + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    if (begun) {
        *lap = lap_between(&laps->began, now);
        add(laps, lap, name);
    }
    laps->began = *now;
    laps->begun = 1;
    atomic_store_explicit(&laps->seq, seq + 2, memory_order_release);
    return begun;
}

/* ---- reading --------------------------------------------------------------------------------- */

bool laps_copy(const LmpLaps *laps, LmpLaps *out) {
    for (int tries = 0; tries < TRIES; tries++) {
        uint32_t before = atomic_load_explicit(&laps->seq, memory_order_acquire);
        memcpy(out, laps, sizeof *out);
        atomic_thread_fence(memory_order_acquire);
        uint32_t after = atomic_load_explicit(&laps->seq, memory_order_relaxed);
        if (before == after && !(before & 1)) return true;
    }
    return false;
}

static uint64_t most_of_all(const LmpLaps *copy) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < LMP_LAPS_WORST; i++)
        if (copy->worst[i].bytes > most) most = copy->worst[i].bytes;
    return most;
}

uint64_t laps_percentile(const LmpLaps *copy, unsigned percent) {
    uint64_t total = 0, below = 0, most = most_of_all(copy);
    uint32_t i = 0;
    for (uint32_t b = 0; b < LMP_LAP_BUCKETS; b++)
        total += copy->bucket[b];
    /* rounded up, in two parts so that nothing overflows */
    uint64_t wanted = total / 100 * percent + (total % 100 * percent + 99) / 100;
    for (; i < LMP_LAP_BUCKETS - 1; i++) { /* if not in one of these, then in the last */
        below += copy->bucket[i];
        if (below >= wanted) break;
    }
    uint64_t edge = laps_bucket_most(i);
    return edge < most ? edge : most;
}
