/* Tests of stats.c: the figures equal those of a naive model that keeps every block; whatever the
 * counters hold, nothing bad happens. */
#include "stats.h"
#include "suite.h"

/* The model: blocks in an array, figures by going through all of them. */
typedef struct Block {
    unsigned cls; /* 0: free */
    uint64_t size;
} Block;

#define BLOCKS 300

static LmpLive live;
static Block block[BLOCKS];

/* What the hook does to the counters, in its simplest form. */
static void grow(unsigned cls, uint64_t size) {
    live.counters.live_bytes += size;
    live.counters.class_live[cls] += size;
}

static void shrink(unsigned cls, uint64_t size) {
    LmpCounters *c = &live.counters;
    if (c->live_bytes > c->peak_bytes) {
        c->peak_bytes = c->live_bytes;
        memcpy(c->class_peak, c->class_live, sizeof c->class_peak);
    }
    c->live_bytes -= size;
    c->class_live[cls] -= size;
}

START_TEST(equals_the_model) {
    suite_seed();
    uint64_t peak = 0, peak_kind[LMP_KINDS] = {0}, mallocs = 0, frees = 0, reallocs = 0;
    int64_t resized = 0;
    uint64_t allocs_tag[LMP_KINDS] = {0}, allocs_owner[LMP_KINDS] = {0};
    for (int round = 0; round < 20000; round++) {
        Block *b = &block[suite_below(BLOCKS)];
        uint64_t size = 1 + suite_below(round % 7 ? 100 : 100000);
        if (b->cls == 0) {
            b->cls = 1 + (unsigned)suite_below(LMP_C_COUNTED - 1);
            b->size = size;
            live.counters.count[b->cls].allocs++;
            live.counters.count[b->cls].alloc_bytes += size;
            grow(b->cls, size);
            mallocs++;
            allocs_tag[class_tag(b->cls)]++;
            allocs_owner[class_owner(b->cls)]++;
        } else if (suite_below(3) == 0) {
            live.counters.count[b->cls].reallocs++;
            live.counters.count[b->cls].realloc_bytes += (int64_t)(size - b->size);
            if (size > b->size)
                grow(b->cls, size - b->size);
            else
                shrink(b->cls, b->size - size);
            reallocs++;
            resized += (int64_t)(size - b->size);
            b->size = size;
        } else {
            live.counters.count[b->cls].frees++;
            live.counters.count[b->cls].free_bytes += b->size;
            shrink(b->cls, b->size);
            frees++;
            b->cls = 0;
        }
        /* blocks of the profiler's own are in no figure */
        live.counters.count[LMP_C_OWN].allocs++;
        live.counters.class_live[LMP_C_OWN] += size;

        uint64_t bytes = 0, blocks = 0;
        uint64_t owner[LMP_KINDS] = {0}, tag[LMP_KINDS] = {0}, owners[LMP_KINDS] = {0};
        for (int i = 0; i < BLOCKS; i++) {
            if (block[i].cls == 0) continue;
            bytes += block[i].size;
            blocks++;
            owner[class_owner(block[i].cls)] += block[i].size;
            owners[class_owner(block[i].cls)]++;
            tag[class_tag(block[i].cls)] += block[i].size;
        }
        if (bytes > peak) {
            peak = bytes;
            memcpy(peak_kind, owner, sizeof owner);
        }
        LmpStats s;
        stats_derive(&live, 1500000000, &s);
        ck_assert_uint_eq(s.mallocs, mallocs);
        ck_assert_uint_eq(s.frees, frees);
        ck_assert_uint_eq(s.reallocs, reallocs);
        ck_assert_int_eq(s.realloc_bytes, resized);
        ck_assert_uint_eq(s.live_blocks, blocks);
        ck_assert_uint_eq(s.live_bytes, bytes);
        ck_assert_uint_eq(s.malloc_bytes + (uint64_t)s.realloc_bytes - s.free_bytes, bytes);
        ck_assert_uint_eq(s.peak_bytes, peak);
        uint64_t tags = 0, peaks = 0;
        for (unsigned k = 0; k < LMP_KINDS; k++) {
            ck_assert_uint_eq(s.kind[k].allocs, allocs_owner[k]);
            ck_assert_uint_eq(s.kind[k].tag_allocs, allocs_tag[k]);
            ck_assert_uint_eq(s.kind[k].live_blocks, owners[k]);
            ck_assert_uint_eq(s.kind[k].live_bytes, owner[k]);
            ck_assert_uint_eq(s.kind[k].tag_live_bytes, tag[k]);
            if (bytes != peak) ck_assert_uint_eq(s.kind[k].peak_bytes, peak_kind[k]);
            tags += s.kind[k].tag_live_bytes;
            peaks += s.kind[k].peak_bytes;
        }
        ck_assert_uint_eq(tags, s.live_bytes);
        ck_assert_uint_eq(peaks, s.peak_bytes);
        ck_assert(s.seconds == 1.5);
    }
}
END_TEST

START_TEST(copies_the_rest) {
    live.counters.failed = 3;
    live.counters.before_frees = 4;
    live.counters.before_free_bytes = 5;
    live.counters.before_reallocs = 6;
    live.counters.before_realloc_bytes = -7;
    live.counters.dropped = 8;
    live.counters.dropped_bytes = 9;
    live.gc.cycles = 10;
    live.gc.freed_bytes = 11;
    live.gc.mode = LMP_GC_GENERATIONAL;
    LmpStats s;
    stats_derive(&live, 0, &s);
    ck_assert_uint_eq(s.failed, 3);
    ck_assert_uint_eq(s.before_frees, 4);
    ck_assert_uint_eq(s.before_free_bytes, 5);
    ck_assert_uint_eq(s.before_reallocs, 6);
    ck_assert_int_eq(s.before_realloc_bytes, -7);
    ck_assert_uint_eq(s.dropped, 8);
    ck_assert_uint_eq(s.dropped_bytes, 9);
    ck_assert_uint_eq(s.gc_cycles, 10);
    ck_assert_uint_eq(s.gc_freed_bytes, 11);
    ck_assert_uint_eq(s.gc_mode, LMP_GC_GENERATIONAL);
}
END_TEST

START_TEST(any_bytes) {
    suite_seed();
    for (int round = 0; round < 2000; round++) {
        unsigned char *p = (unsigned char *)&live;
        for (size_t i = 0; i + 8 <= offsetof(LmpLive, mark); i += 8) {
            uint64_t word = suite_random();
            memcpy(p + i, &word, sizeof word);
        }
        LmpStats s;
        stats_derive(&live, suite_random(), &s);
    }
}
END_TEST

START_TEST(frees_seen_before_their_mallocs) {
    live.counters.count[LMP_C_STRING].frees = 2;
    live.counters.count[LMP_C_STRING].allocs = 1;
    LmpStats s;
    stats_derive(&live, 0, &s);
    ck_assert_uint_eq(s.live_blocks, 0); /* not 2^64 - 1 */
}
END_TEST

SUITE("stats", equals_the_model, copies_the_rest, any_bytes, frees_seen_before_their_mallocs)
