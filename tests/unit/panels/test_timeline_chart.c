/* The timeline's scale: round, said as it is, and with room for all that is shown. */
#include "panels/timeline/timeline_chart.h"

#include "base/format.h"
#include "suite.h"

RELEASE_AT(canvas_free)

static double said(const char *label) {
    uint64_t bytes = 0;
    if (strcmp(label, "0") == 0) return 0;
    ck_assert_msg(format_parse_size(label + (label[0] == '+'), &bytes), "'%s' is no size", label);
    return (double)bytes;
}

TEST(test_any_range) {
    for (int round = 0; round < 200000; round++) {
        uint64_t most = suite_random() >> (2 + suite_below(62)), least = most;
        least -= suite_below(2) ? suite_below(most + 1) : suite_below(most / 100 + 1);
        ChartScale s = chart_scale(least, most);
        ck_assert_msg(s.low <= least && s.top > 0 && most - s.low <= s.top, "%llu %llu",
                      (unsigned long long)least, (unsigned long long)most);
        /* a ground that is not 0 only where the changes are small; no more empty than it must be */
        if (s.low > 0) ck_assert_uint_le(most - least, most / 4);
        if (s.low == 0 && most > 1024) ck_assert_uint_le(s.top / 2, most);
        if (s.low > 0 && most - least > most / 100) ck_assert_uint_le(s.top / 3, most - least);

        char label[3][LMP_NUM];
        for (int line = 0; line < 3; line++)
            ck_assert_uint_le(strlen(chart_label(label[line], s, line)), 12);
        ck_assert_int_eq(label[0][0] == '0' && !label[0][1], s.low == 0);
        ck_assert_int_eq(label[1][0] == '+', s.low > 0);
        double off = (double)s.top / 100 + 2; /* what three places cannot say */
        double low = said(label[0]) - (double)s.low, top = said(label[2]) - (double)s.top;
        double half = said(label[1]) - (double)s.top / 2;
        ck_assert_msg(low < off && low > -off && top < off && top > -off, "%s %s for %llu %llu",
                      label[0], label[2], (unsigned long long)s.low, (unsigned long long)s.top);
        ck_assert_msg(half < off && half > -off, "%s for half of %s", label[1], label[2]);
    }
}

TEST(test_words) {
    static const struct {
        uint64_t least, most;
        const char *label[3];
    } is[] = {
        {0, 0, {"0", "0.5 B", "1 B"}},
        {10 << 20, 153 << 20, {"0", "80 MiB", "160 MiB"}},
        {100 << 20, 101 << 20, {"100 MiB", "+0.6 MiB", "+1.2 MiB"}},
        {100 << 20, 100 << 20, {"99.6 MiB", "+500 KiB", "+1000 KiB"}},
    };
    for (size_t i = 0; i < sizeof is / sizeof *is; i++)
        for (int line = 0; line < 3; line++) {
            char label[LMP_NUM];
            chart_label(label, chart_scale(is[i].least, is[i].most), line);
            ck_assert_str_eq(label, is[i].label[line]);
        }
}

/* A cycle a column or less is a tick where it was; more are a density, and nothing is left out. */
TEST(test_cycles) {
    for (int round = 0; round < 2000; round++) {
        int w = 1 + (int)suite_below(80);
        uint64_t cycles[80], most = 0;
        uint64_t rare = 1 + suite_below(8), many = 1 + suite_below(2000);
        for (int x = 0; x < w; x++) {
            cycles[x] = suite_below(rare) ? 0 : suite_below(many + 1);
            if (cycles[x] > most) most = cycles[x];
        }
        OWN(canvas_free_at) Canvas *canvas = canvas_new(w, 1, suite_below(2));
        uint64_t density = chart_cycles(canvas, 0, 0, w, cycles);
        ck_assert(density == 0 || density == most);
        for (int x = 0; x < w; x++)
            ck_assert_int_eq(canvas_at(canvas, x, 0)->glyph != ' ', cycles[x] > 0);
    }
}
