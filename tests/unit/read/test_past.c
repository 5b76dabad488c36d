/* What was in a piece of the past, against a look at every sample. */
#include "read/model/model.h"

#include "suite.h"

static Model *random_model(void) {
    Model *m = calloc(1, sizeof *m);
    LmpHistory *h = &m->history;
    h->interval = 1 + suite_below(1000);
    h->used = 1 + (uint32_t)suite_below(60);
    LmpHistoryPoint s = {0};
    for (uint32_t i = 0; i < h->used; i++) {
        s.max_bytes = 1000 + suite_below(1000);
        s.min_bytes = s.max_bytes - suite_below(900);
        s.kind_bytes[LMP_TABLE] = s.max_bytes;
        s.kind_bytes[LMP_STRING] = i;
        s.allocs += suite_below(50);
        s.alloc_bytes += suite_below(5000);
        s.frees += suite_below(50);
        s.free_bytes += suite_below(5000);
        s.gc_cycles += (uint32_t)suite_below(3);
        if (s.gc_cycles > 0) s.held_bytes[LMP_TABLE] = s.min_bytes;
        h->samples[i] = s;
    }
    m->clock = (h->used - 1) * h->interval + suite_below(h->interval) + suite_below(2) * 5000;
    m->stats.live_bytes = m->stats.kind[LMP_TABLE].live_bytes = suite_below(3000);
    return m;
}

TEST(test_naive) {
    for (int round = 0; round < 20000; round++) {
        OWN(free_at) Model *m = random_model();
        const LmpHistory *h = &m->history;
        uint64_t from = suite_below(m->clock + 1), to = from + 1 + suite_below(m->clock + 1);
        ModelPast past = model_past(m, from, to);
        uint64_t max = 0, min = UINT64_MAX, string = 0, before = 0, cycles_before = 0, bytes = 0;
        uint64_t cycles = 0, held = 0;
        bool any = false;
        for (uint32_t i = 0; i < h->used; i++) {
            const LmpHistoryPoint *s = &h->samples[i];
            uint64_t begin = i * h->interval, end = begin + h->interval;
            if (end <= from) {
                before = s->alloc_bytes;
                cycles_before = s->gc_cycles;
            }
            if (begin < to) {
                bytes = s->alloc_bytes;
                cycles = s->gc_cycles;
                held = s->held_bytes[LMP_TABLE];
            }
            if (end <= from || begin >= to) continue;
            any = true;
            if (s->max_bytes >= max) string = s->kind_bytes[LMP_STRING];
            if (s->max_bytes > max) max = s->max_bytes;
            if (s->min_bytes < min) min = s->min_bytes;
        }
        bool now = !any || (to > (h->used - 1) * h->interval && to >= m->clock);
        if (now && m->stats.live_bytes >= max) {
            max = m->stats.live_bytes;
            string = 0;
        }
        if (now && m->stats.live_bytes < min) min = m->stats.live_bytes;
        ck_assert_msg(past.max_bytes == max && past.min_bytes == min, "round %d: %llu %llu", round,
                      (unsigned long long)past.max_bytes, (unsigned long long)max);
        ck_assert_uint_eq(past.kind_bytes[LMP_STRING], string);
        ck_assert_uint_eq(past.alloc_bytes, bytes - before);
        ck_assert_uint_eq(past.cycles, cycles - cycles_before);
        ck_assert_uint_eq(past.held_bytes, held);
    }
}

/* The pieces of a run come to the whole of it, however it is cut. */
TEST(test_sum) {
    for (int round = 0; round < 2000; round++) {
        OWN(free_at) Model *m = random_model();
        const LmpHistory *h = &m->history;
        uint64_t bytes = 0, cycles = 0, length = 0;
        uint32_t at = 0;
        while (at < h->used) {
            uint32_t next = at + 1 + (uint32_t)suite_below(5);
            ModelPast past = model_past(m, at * h->interval, next * h->interval);
            bytes += past.alloc_bytes;
            cycles += past.cycles;
            length += past.length;
            at = next;
        }
        const LmpHistoryPoint *last = &h->samples[h->used - 1];
        ck_assert_uint_eq(bytes, last->alloc_bytes);
        ck_assert_uint_eq(cycles, last->gc_cycles);
        uint64_t all = at * h->interval < m->clock ? at * h->interval : m->clock;
        ck_assert_uint_eq(length, all);
    }
}

TEST(test_damage) {
    for (int round = 0; round < 5000; round++) {
        OWN(free_at) Model *m = calloc(1, sizeof *m);
        m->history.interval = 1 + (suite_random() >> suite_below(64)) / 2;
        m->history.used = (uint32_t)suite_below(LMP_HISTORY + 1);
        uint64_t *word = (uint64_t *)m->history.samples;
        for (size_t i = 0; i < sizeof m->history.samples / 8; i += 1 + suite_below(9))
            word[i] = suite_random();
        m->clock = suite_random() >> suite_below(64);
        uint64_t from = suite_random() >> suite_below(64);
        ModelPast past = model_past(m, from, from + suite_below(from + 1));
        ck_assert_uint_le(past.length, m->clock);
    }
}
