/* Tests of history.c against a naive list of everything that was noted. */
#include "shared/history.h"

#include <stdbool.h>

#include "suite.h"

static LmpHistory history;

static LmpHistoryPoint level(uint64_t bytes, uint64_t max) {
    return (LmpHistoryPoint){.last_bytes = bytes,
                             .max_bytes = max,
                             .min_bytes = bytes,
                             .kind_bytes = {[LMP_TABLE] = bytes},
                             .held_bytes = {[LMP_STRING] = bytes / 2}};
}

TEST(holds_the_level_in_between) {
    history = (LmpHistory){.interval = 10};
    LmpHistoryPoint s = level(100, 300);
    history_add(&history, 5, &s);
    s = level(50, 60);
    history_add(&history, 47, &s);
    ck_assert_uint_eq(history.used, 5);
    ck_assert_uint_eq(history.samples[0].max_bytes, 300);
    ck_assert_uint_eq(history.samples[1].last_bytes, 100);
    ck_assert_uint_eq(history.samples[3].max_bytes, 100); /* the peak was before */
    ck_assert_uint_eq(history.samples[3].min_bytes, 100);
    ck_assert_uint_eq(history.samples[4].last_bytes, 50);
    ck_assert_uint_eq(history.samples[4].min_bytes, 50);
}

TEST(first_note_may_come_late) {
    history = (LmpHistory){.interval = 10};
    LmpHistoryPoint s = level(7, 7);
    history_add(&history, 10ull * LMP_HISTORY * 100, &s);
    ck_assert_uint_le(history.used, LMP_HISTORY);
    ck_assert_uint_eq(history.samples[history.used - 1].last_bytes, 7);
}

/* Every sample's maximum and minimum are those of the notes in its interval (or of the level held
 * before it), its types those of the largest, its last value the last note's, however often
 * intervals were merged. */
TEST(equals_the_notes) {
    enum { NOTES = 20000 };
    static uint64_t clock[NOTES], bytes[NOTES];
    history = (LmpHistory){.interval = 1000};
    uint64_t now = 0;
    for (int i = 0; i < NOTES; i++) {
        now += suite_below(i % 50 ? 700 : 20000);
        clock[i] = now;
        bytes[i] = suite_below(1000000);
        LmpHistoryPoint s = level(bytes[i], bytes[i]);
        history_add(&history, now, &s);
        ck_assert_msg(history.used >= 1 && history.used <= LMP_HISTORY, "note %d", i);
        ck_assert_msg((history.used - 1) == now / history.interval, "note %d", i);
        ck_assert_msg(!(history.seq & 1), "note %d", i);
    }
    ck_assert_uint_gt(history.interval, 1000);
    int note = 0;
    uint64_t held = bytes[0];
    for (uint32_t i = 0; i < history.used; i++) {
        uint64_t end = (i + 1) * history.interval, max = 0, min = UINT64_MAX, last_value = held;
        bool any = false;
        uint64_t covered = i * history.interval; /* notes so far reach to here */
        while (note < NOTES && clock[note] < end) {
            if (bytes[note] > max) max = bytes[note];
            if (bytes[note] < min) min = bytes[note];
            last_value = bytes[note];
            any = true;
            note++;
        }
        (void)covered;
        const LmpHistoryPoint *sample = &history.samples[i];
        ck_assert_msg(sample->last_bytes == last_value, "sample %u", i);
        ck_assert_msg(sample->held_bytes[LMP_STRING] == last_value / 2, "sample %u", i);
        ck_assert_msg(sample->kind_bytes[LMP_TABLE] == sample->max_bytes ||
                          sample->max_bytes == held,
                      "sample %u", i);
        ck_assert_msg(sample->min_bytes <= min, "sample %u", i);
        ck_assert_msg(sample->min_bytes >= (min < held ? min : held), "sample %u", i);
        if (any) {
            ck_assert_msg(history.samples[i].max_bytes >= max, "sample %u", i);
            ck_assert_msg(history.samples[i].max_bytes <= (max > held ? max : held), "sample %u",
                          i);
        } else {
            ck_assert_msg(history.samples[i].max_bytes == held, "sample %u", i);
        }
        held = last_value;
    }
}
