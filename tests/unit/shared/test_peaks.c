/* The high-water mark while parts of a run are measured: each part's own and the run's, against a
 * plain model that looks at every operation. */
#include "shared/counters.h"
#include "suite.h"

static LmpCounters c;
static uint64_t serials; /* notes of the run's own mark that a plain run would have made */

static void grow(uint64_t bytes) { /* as hook_made */
    c.live_bytes += bytes;
    counters_pack(&c.alloc_now[LMP_C_TABLE], bytes);
}

static void shrink(uint64_t bytes) { /* as hook_release: the mark is noted before */
    if (c.live_bytes > c.peak_bytes) counters_note_peak(&c, 0);
    c.live_bytes -= bytes;
    counters_pack(&c.free_now[LMP_C_TABLE], bytes);
}

static uint64_t noted(void) {
    uint64_t peak = counters_noted_peak(&c);
    return c.live_bytes > peak ? c.live_bytes : peak;
}

TEST(parts) {
    memset(&c, 0, sizeof c);
    counters_fold(&c, LMP_PACK_OPS_MAX);
    grow(1000);
    shrink(400);
    ck_assert_uint_eq(counters_split_peak(&c, 1), 1000);
    grow(100);
    shrink(200);
    ck_assert_uint_eq(c.peak_bytes, 700);
    ck_assert_uint_eq(noted(), 1000); /* a reader sees no dip */
    ck_assert_uint_eq(c.class_peak[LMP_C_TABLE], 1000);
    uint32_t serial = c.peak_serial;
    grow(50);
    ck_assert_uint_eq(counters_split_peak(&c, 1), 700);
    ck_assert_uint_eq(counters_split_peak(&c, 1), 550);
    ck_assert_uint_eq(c.peak_serial, serial); /* sites keep what they had at the run's peak */
    grow(1000);
    ck_assert_uint_eq(noted(), 1550);
    shrink(1500);
    ck_assert_uint_eq(c.peak_serial, serial + 1);
    ck_assert_uint_eq(c.class_peak[LMP_C_TABLE], 1550);
    counters_join_peak(&c, 1);
    ck_assert_uint_eq(c.peak_bytes, 1550);
    ck_assert_uint_eq(c.peak_kept, 0);
    counters_join_peak(&c, 1); /* nothing is measured */
    ck_assert_uint_eq(noted(), 1550);
}

/* Splits and joins at any moment; a second set of counters that knows nothing of them notes the
 * same. */
TEST(random_runs) {
    for (int round = 0; round < 300; round++) {
        uint64_t most = 0, part = 0, plain_peak = 0, plain_class = 0;
        bool open = false;
        memset(&c, 0, sizeof c);
        counters_fold(&c, LMP_PACK_OPS_MAX);
        serials = 0;
        for (int i = 0; i < 400; i++) {
            uint64_t what = suite_below(20);
            if (what < 10) {
                grow(1 + suite_below(500));
            } else if (what < 17 && c.live_bytes > 0) {
                if (c.live_bytes > plain_peak) {
                    plain_peak = plain_class = c.live_bytes;
                    serials++;
                }
                shrink(1 + suite_below(c.live_bytes));
            } else if (what < 19) {
                uint64_t got = counters_split_peak(&c, 0);
                if (open) ck_assert_uint_eq(got, part);
                open = true;
                part = c.live_bytes;
            } else {
                counters_join_peak(&c, 0);
                open = false;
                ck_assert_uint_eq(c.peak_kept, 0);
            }
            if (c.live_bytes > most) most = c.live_bytes;
            if (c.live_bytes > part) part = c.live_bytes;
            ck_assert_uint_eq(noted(), most);
        }
        counters_join_peak(&c, 0);
        ck_assert_uint_ge(c.peak_bytes, plain_peak);
        if (c.live_bytes <= plain_peak) ck_assert_uint_eq(c.class_peak[LMP_C_TABLE], plain_class);
        ck_assert_uint_ge(c.peak_serial, serials);
    }
}

/* What came or went while a reader looked, or stood half done all the while. */
TEST(moved) {
    memset(&c, 0, sizeof c);
    counters_fold(&c, LMP_PACK_OPS_MAX);
    grow(1000);
    LmpCounters begun = c;
    ck_assert_uint_eq(counters_moved(&begun, &c), 0);
    c.live_bytes += 56; /* hook_made, before its last step */
    LmpCounters half = c;
    ck_assert_uint_eq(counters_moved(&half, &c), 56);
    c.live_bytes -= 56;
    grow(300);
    shrink(300);
    ck_assert_uint_eq(counters_moved(&begun, &c), 600);
    begun = c;
    c.live_bytes -= 80; /* hook_out */
    half = c;
    ck_assert_uint_eq(counters_moved(&half, &c), 80);
    ck_assert_uint_eq(counters_moved(&begun, &c), 80);
}
