/* counters.c - a packed word has a count above and bytes below; folding adds them to the full
 * counters and sets them to a bias, at whose end the sign bit shows that folding is due. Readers
 * add both, again if a fold came in between. */
#include "shared/counters.h"

static uint64_t packed_count(uint64_t word, uint32_t bias) {
    return (word >> LMP_PACK_SHIFT) - bias;
}

void counters_fold(LmpCounters *c, uint32_t ops) {
    atomic_fetch_add_explicit(&c->seq, 1, memory_order_acq_rel);
    uint32_t bias = LMP_PACK_SIGN - ops;
    bool fresh = c->bias == 0;
    for (int i = 0; i < LMP_CLASSES; i++) {
        if (!fresh) {
            c->count[i].allocs += packed_count(c->alloc_now[i], c->bias);
            c->count[i].alloc_bytes += counters_packed_bytes(c->alloc_now[i]);
            c->count[i].frees += packed_count(c->free_now[i], c->bias);
            c->count[i].free_bytes += counters_packed_bytes(c->free_now[i]);
        }
        c->alloc_now[i] = c->free_now[i] = (uint64_t)bias << LMP_PACK_SHIFT;
    }
    c->bias = bias;
    atomic_fetch_add_explicit(&c->seq, 1, memory_order_release);
}

static void read_once(const LmpCounters *c, LmpClassTotal total[LMP_CLASSES]) {
    uint32_t bias = c->bias;
    for (int i = 0; i < LMP_CLASSES; i++) {
        const LmpClassCount *full = &c->count[i];
        LmpClassTotal *t = &total[i];
        *t = (LmpClassTotal){full->allocs,   full->alloc_bytes,   full->frees, full->free_bytes,
                             full->reallocs, full->realloc_bytes, 0,           0};
        if (bias) { /* zero: a state whose packed words were never set up */
            /* Frees first: read beside a running program they are then the older figure, and
             * blocks do not seem to be fewer than none. */
            uint64_t frees = *(const volatile uint64_t *)&c->free_now[i];
            atomic_thread_fence(memory_order_acquire);
            uint64_t allocs = *(const volatile uint64_t *)&c->alloc_now[i];
            t->allocs += packed_count(allocs, bias);
            t->alloc_bytes += counters_packed_bytes(allocs);
            t->frees += packed_count(frees, bias);
            t->free_bytes += counters_packed_bytes(frees);
        }
        uint64_t bytes = t->alloc_bytes + (uint64_t)t->realloc_bytes;
        t->live_blocks = t->allocs > t->frees ? t->allocs - t->frees : 0;
        t->live_bytes = bytes > t->free_bytes ? bytes - t->free_bytes : 0;
    }
}

void counters_read(const LmpCounters *c, LmpClassTotal total[LMP_CLASSES]) {
    for (int tries = 0; tries < 100; tries++) {
        uint32_t before = atomic_load_explicit(&c->seq, memory_order_acquire);
        read_once(c, total);
        atomic_thread_fence(memory_order_acquire);
        if (!(before & 1) && atomic_load_explicit(&c->seq, memory_order_relaxed) == before) return;
    }
}

static uint64_t size_of(uint64_t change) {
    return (int64_t)change < 0 ? 0 - change : change;
}

uint64_t counters_moved(const LmpCounters *before, const LmpCounters *after) {
    LmpClassTotal was[LMP_CLASSES], is[LMP_CLASSES];
    uint64_t moved = 0, live = after->live_bytes;
    counters_read(before, was);
    counters_read(after, is);
    for (int i = 1; i < LMP_C_COUNTED; i++) {
        moved += is[i].alloc_bytes - was[i].alloc_bytes;
        moved += is[i].free_bytes - was[i].free_bytes;
        moved += size_of((uint64_t)is[i].realloc_bytes - (uint64_t)was[i].realloc_bytes);
        live -= is[i].live_bytes;
    }
    return moved > 0 ? moved : size_of(live);
}

void counters_frees(const LmpCounters *c, uint64_t *blocks, uint64_t *bytes) {
    uint64_t n = 0, size = 0; /* in every cycle of the collector: few instructions */
    for (int i = 1; i < LMP_C_COUNTED; i++) {
        n += c->count[i].frees + packed_count(c->free_now[i], 0);
        size += c->count[i].free_bytes + counters_packed_bytes(c->free_now[i]);
    }
    *blocks = n - (uint64_t)(LMP_C_COUNTED - 1) * c->bias;
    *bytes = size;
}

void counters_allocs(const LmpCounters *c, uint64_t *blocks, uint64_t *bytes, int64_t *resized) {
    uint64_t grown = 0;
    *blocks = *bytes = 0;
    for (int i = 1; i < LMP_C_COUNTED; i++) {
        *blocks += c->count[i].allocs + packed_count(c->alloc_now[i], c->bias);
        *bytes += c->count[i].alloc_bytes + counters_packed_bytes(c->alloc_now[i]);
        grown += (uint64_t)c->count[i].realloc_bytes;
    }
    *resized = (int64_t)grown;
}

void counters_note_peak(LmpCounters *c, uint64_t clock) {
    c->peak_bytes = c->live_bytes;
    if (c->live_bytes <= c->peak_kept)
        return; /* higher only since the last split, not of the
                 * run */
    if (c->peak_kept) c->peak_kept = c->live_bytes;
    c->peak_serial = (c->peak_serial + 1) % LMP_PEAK_SERIALS;
    c->peak_clock = clock;
    for (unsigned cls = 0; cls < LMP_C_COUNTED; cls++)
        c->class_peak[cls] = counters_class_bytes(c, cls);
}

uint64_t counters_split_peak(LmpCounters *c, uint64_t clock) {
    if (c->live_bytes > c->peak_bytes) counters_note_peak(c, clock);
    uint64_t most = c->peak_bytes;
    if (!c->peak_kept) c->peak_kept = most;
    atomic_thread_fence(memory_order_release); /* for readers: kept before it is lowered */
    c->peak_bytes = c->live_bytes;
    return most;
}

void counters_join_peak(LmpCounters *c, uint64_t clock) {
    if (c->live_bytes > c->peak_bytes) counters_note_peak(c, clock);
    if (!c->peak_kept) return;
    c->peak_bytes = c->peak_kept;
    atomic_thread_fence(memory_order_release);
    c->peak_kept = 0;
}
