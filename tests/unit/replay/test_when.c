/* Tests of moments as a person types them. */
#include "replay/when.h"

#include "suite.h"

#define S 1000000000ull

static const struct {
    const char *name;
    uint64_t clock;
} marks[] = {{"loaded", 40 * S},     {"request", 100 * S},
             {"request", 200 * S},   {"120 s done", 300 * S},
             {"Peak load", 400 * S}, {"requests end", 500 * S},
             {"", 510 * S}};

enum { BEFORE = 60 }; /* marks that are not in the list */

static WhenMark mark_of(void *context, uint32_t i) {
    (void)context;
    return (WhenMark){marks[i].name, marks[i].clock, BEFORE + i + 1};
}

static const WhenScene scene = {.now = 150 * S,
                                .end = 5000 * S,
                                .peak = 777 * S,
                                .marks = sizeof marks / sizeof *marks,
                                .mark = mark_of};

static const struct {
    const char *text;
    uint64_t clock;
} good[] = {
    {"12:30", 750 * S},
    {" 12:30 ", 750 * S},
    {"1:02:03", 3723 * S},
    {"90", 90 * S},
    {"0", 0},
    {"1.5", 3 * S / 2},
    {"0:00.250", S / 4},
    {"90s", 90 * S},
    {"5m", 300 * S},
    {"5 min", 300 * S},
    {"1h", 3600 * S},
    {"1h2m3s", 3723 * S},
    {"250ms", S / 4},
    {"-1m", 90 * S},
    {"-30", 120 * S},
    {"- 30", 120 * S},
    {"+30s", 180 * S},
    {"+1:00", 210 * S},
    {"-5m", 0}, /* before the start */
    {"+5h", 5000 * S},
    {"99:00:00", 5000 * S},
    {"50%", 2500 * S},
    {"100%", 5000 * S},
    {"0%", 0},
    {"peak", 777 * S},
    {"PEAK", 777 * S},
    {"peak l", 400 * S}, /* the beginning of a mark's name */
    {"start", 0},
    {"end", 5000 * S},
    {"now", 5000 * S},
    {"loaded", 40 * S},
    {"LOADED", 40 * S},
    {"lo", 40 * S},
    {"request", 200 * S}, /* of those of one name the next one */
    {"requests", 500 * S},
    {"120 s done", 300 * S},
    {"120", 120 * S}, /* a time before the beginning of a name */
    {"mark 61", 40 * S},
    {"mark 67", 510 * S},
    {"mark", 510 * S},
};

TEST(moments_are_understood) {
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t clock = 1;
        ck_assert_msg(when_parse(good[i].text, &scene, &clock), "%s", good[i].text);
        int64_t off = (int64_t)(clock - good[i].clock);
        ck_assert_msg(off > -1000 && off < 1000, "%s: %llu", good[i].text,
                      (unsigned long long)clock);
    }
}

TEST(other_words_are_none) {
    static const char *const bad[] = {
        "",   " ",      ":",       "12:",    ":30",     "12:75", "1:2:3:4", "12:30x",
        "5x", "-",      "+",       "%",      "101%",    "-5%",   "1e9",     "loaded twice",
        "re", "mark 1", "mark 68", "mark x", "nothing", ".",     "5 m x",   "1..2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t clock = 4711;
        ck_assert_msg(!when_parse(bad[i], &scene, &clock), "%s", bad[i]);
    }
}

/* Whatever is typed, a moment is within the run. */
TEST(rubbish_stays_within_the_run) {
    static const char bytes[] = "0123456789:.+-%hms peaklodrqust";
    for (int i = 0; i < 200000; i++) {
        char text[24];
        size_t n = suite_below(sizeof text);
        for (size_t k = 0; k < n; k++)
            text[k] = suite_below(50) ? bytes[suite_below(sizeof bytes - 1)] : (char)suite_random();
        text[n < sizeof text ? n : sizeof text - 1] = 0;
        uint64_t clock = 0;
        if (when_parse(text, &scene, &clock)) ck_assert_uint_le(clock, scene.end);
    }
}

/* Every moment that is written as a clock is found again. */
TEST(clocks_come_back) {
    for (int i = 0; i < 20000; i++) {
        uint64_t s = suite_below(5000), clock;
        char text[32];
        snprintf(text, sizeof text, "%u:%02u:%02u", (unsigned)(s / 3600), (unsigned)(s / 60 % 60),
                 (unsigned)(s % 60));
        ck_assert(when_parse(text, &scene, &clock));
        ck_assert_uint_eq((clock + S / 2) / S, s);
        snprintf(text, sizeof text, "%u:%02u", (unsigned)(s / 60), (unsigned)(s % 60));
        ck_assert(when_parse(text, &scene, &clock));
        ck_assert_uint_eq((clock + S / 2) / S, s);
    }
}
