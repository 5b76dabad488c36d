/* Tests of moments as people write them. (Frames and marks: of a recording made here.) */
#include <inttypes.h>
#include <unistd.h>

#include "record_fixture.h"
#include "recording/reader/moment.h"

#define S SECOND

TEST(times) {
    static const struct {
        const char *text;
        uint64_t clock;
    } good[] = {
        {"0", 0},           {"90", 90 * S},      {"12:30", 750 * S},   {"1:02:03", 3723 * S},
        {"90s", 90 * S},    {"5m", 300 * S},     {"5min", 300 * S},    {"2h", 7200 * S},
        {"1d", 86400 * S},  {"500ms", S / 2},    {"1.5", 3 * S / 2},   {"1.5h", 5400 * S},
        {"-5m", 3300 * S},  {"-1:00", 3540 * S}, {"-1h", 0},           {"-2h", UINT64_MAX},
        {"0:00.25", S / 4}, {"1h30m", 5400 * S}, {"-1m30s", 3510 * S}, {"50%", 1800 * S},
        {"100%", 3600 * S},
    };
    static const char *const bad[] = {"",      "x",    "12:",    ":30",   "1:60", "1:2:3:4", "5x",
                                      "5m 3s", "--5m", "1..5",   "12:3x", "-",    "peak",    "+5",
                                      "1h30",  "m",    "1h 30m", "101%",  "%",    "5%%",     "1e9"};
    uint64_t clock;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_msg(moment_clock(good[i].text, 3600 * S, &clock), "%s", good[i].text);
        ck_assert_msg(clock == good[i].clock, "%s: %llu", good[i].text, (unsigned long long)clock);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!moment_clock(bad[i], 3600 * S, &clock), "%s", bad[i]);
    ck_assert(moment_clock("99999999999999999999", 0, &clock) == false || clock > 0);
}

TEST(apart) {
    char file[64];
    ck_assert_str_eq(moment_split(file, sizeof file, "a.lmprec@12:30"), "12:30");
    ck_assert_str_eq(file, "a.lmprec");
    ck_assert_str_eq(moment_split(file, sizeof file, "a@b.lmprec@mark 3"), "mark 3");
    ck_assert_str_eq(file, "a@b.lmprec");
    ck_assert_ptr_null(moment_split(file, sizeof file, "a.lmprec"));
    ck_assert_ptr_null(moment_split(file, sizeof file, "a.lmprec@"));
    ck_assert_ptr_null(moment_split(file, sizeof file, "@peak"));
    char there[] = "/tmp/moment@XXXXXX";
    int fd = mkstemp(there);
    ck_assert_ptr_null(moment_split(file, sizeof file, there));
    ck_assert_str_eq(file, there);
    close(fd);
    unlink(there);
}

/* Of a recording of half a minute: the frames that words and times stand for. */
TEST(frames) {
    OWN(close_at) int fd = record_memfd();
    OWN(recorded_free_at) Recorded *s = recorded_new();
    LmpRecorder *w;
    LmpRecorderOptions o = {.fd = fd};
    char problem[MOMENT_PROBLEM];
    uint64_t next = 0;
    ck_assert_int_eq(recorder_open(&w, &s->view, &o), LMP_OK);
    for (int i = 0; i < 150; i++) {
        recorded_change(s);
        if (i == 70) fake_mark(s->tables);
        if (i % 7 == 0)
            ck_assert_int_eq(recorder_frame(w, &s->view, record_clock), LMP_OK);
        else
            ck_assert_int_eq(recorder_tick(w, &s->view, record_clock, &next), LMP_OK);
        record_clock += S / 5;
    }
    ck_assert_int_eq(recorder_close(w, &s->view, 1), LMP_OK);
    OWN(recording_close_at) LmpRecording *r = open_recording(fd);
    uint32_t n = recording_frames(r);
    LmpMoment m;
    ck_assert_uint_gt(n, 100);
    ck_assert(moment_find(r, "start", &m, problem) && m.frame == 0 && m.late == 0);
    ck_assert(moment_find(r, "end", &m, problem) && m.frame == n - 1 && m.late == 0 && !m.far);
    uint64_t last = recording_frame(r, n - 1).clock;
    for (uint64_t second = 0; second < 40; second++) {
        char text[32];
        snprintf(text, sizeof text, "0:%02llu", (unsigned long long)second);
        bool within = second * S <= last;
        ck_assert(moment_find(r, text, &m, problem) == within);
        if (!within) ck_assert_ptr_nonnull(strstr(problem, "what was recorded goes from"));
        if (!within) continue;
        ck_assert_uint_eq(m.clock, second * S);
        ck_assert_uint_eq(m.frame, recording_at(r, m.clock));
        LmpFrameInfo f = recording_frame(r, m.tables);
        ck_assert(f.flags & LMP_FRAME_TABLES);
        ck_assert_int_eq(m.late, (int64_t)(f.clock - m.clock));
        uint64_t more = f.live_bytes > m.bytes ? f.live_bytes - m.bytes : m.bytes - f.live_bytes;
        ck_assert_int_eq(m.far, imaxabs(m.late) > (intmax_t)(S / 10) || more > m.bytes / 100);
        for (uint32_t i = 0; i < n; i++)
            if (recording_frame(r, i).flags & LMP_FRAME_TABLES)
                ck_assert_int_ge(imaxabs((intmax_t)(recording_frame(r, i).clock - m.clock)),
                                 imaxabs(m.late));
    }
    ck_assert(!moment_find(r, "-40s", &m, problem));
    ck_assert(moment_find(r, "peak", &m, problem));
    ck_assert(recording_frame(r, m.tables).flags & LMP_FRAME_TABLES);
    uint64_t most = s->tables->live->counters.peak_bytes;
    ck_assert_uint_ge(m.bytes, most);
    ck_assert_int_eq(m.more, (int64_t)(recording_frame(r, m.tables).live_bytes - m.bytes));
    for (uint32_t i = 0; i < n; i++)
        if (recording_frame(r, i).flags & LMP_FRAME_TABLES)
            ck_assert_uint_le(recording_frame(r, i).live_bytes,
                              recording_frame(r, m.tables).live_bytes);
    ck_assert(moment_find(r, "mark 1", &m, problem));
    ck_assert(moment_find(r, "mark:1", &m, problem));
    ck_assert_uint_ge(recording_frame(r, m.frame).clock, m.clock);
    ck_assert_int_le(imaxabs(m.late), S / 5);
    ck_assert_uint_gt(m.bytes, 0); /* the nearest frame's: this mark has none of its own */
    static const char *const none[] = {"1:2:3:4", "1e9", "1,5", "1x", "mark 1x", "mark 0"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ck_assert_msg(!moment_find(r, none[i], &m, problem), "%s", none[i]);
    ck_assert(!moment_find(r, "mark 999", &m, problem));
    ck_assert_ptr_nonnull(strstr(problem, "mark"));
    ck_assert(!moment_find(r, "noon", &m, problem));
    ck_assert_ptr_nonnull(strstr(problem, "neither a time"));
}

/* Tables cost so much that they come every ten seconds; marks and peaks have theirs all the same,
 * between the ticks. */
TEST(remarkable) {
    OWN(close_at) int fd = record_memfd();
    OWN(recorded_free_at) Recorded *s = recorded_new();
    LmpRecorder *w;
    uint64_t next = 0, begun = record_clock, most = 0;
    LmpMoment m;
    char problem[MOMENT_PROBLEM];
    record_work = 8000000;
    recorded_change(s);
    ck_assert_int_eq(recorder_open(&w, &s->view, &(LmpRecorderOptions){.fd = fd}), LMP_OK);
    for (int i = 0; i < 2000; i++) {
        uint64_t step = begun + (uint64_t)i * S / 100;
        if (record_clock < step) record_clock = step;
        s->tables->live->clock = record_clock - begun;
        uint64_t bytes = i < 700 ? 20000 : 0;
        if (bytes) fake_made(s->tables, s->spot[0], 1, bytes);
        if (i >= 700 && i < 750) fake_freed(s->tables, s->spot[0], s->spot[0], 1, 200000, 1);
        if (i == 1203 || i == 1223) fake_mark(s->tables);
        LmpMark *mark = &s->tables->live->mark[i == 1223];
        if (i == 1203 || i == 1223) {
            mark->clock = record_clock - begun;
            mark->class_live[1] = s->tables->live->counters.live_bytes;
        }
        if (s->tables->live->counters.live_bytes > most)
            most = s->tables->live->counters.live_bytes;
        ck_assert_int_eq(recorder_tick(w, &s->view, record_clock, &next), LMP_OK);
    }
    record_work = 1000;
    ck_assert_int_eq(recorder_close(w, &s->view, 1), LMP_OK);
    OWN(recording_close_at) LmpRecording *r = open_recording(fd);
    ck_assert(moment_find(r, "peak", &m, problem));
    ck_assert_uint_ge(m.bytes, most);
    ck_assert_uint_ge(recording_frame(r, m.tables).live_bytes, most - most / 20 - 65536);
    LmpMoment second;
    ck_assert(moment_find(r, "mark 1", &m, problem) && !m.far);
    ck_assert(moment_find(r, "mark 2", &second, problem) && !second.far);
    ck_assert_uint_lt(m.tables, second.tables);
}

/* A mark set after the recorder looked at the clock, but before it took the figures: the frame that
 * knows it is not of before it. */
TEST(meanwhile) {
    OWN(close_at) int fd = record_memfd();
    OWN(recorded_free_at) Recorded *s = recorded_new();
    LmpRecorder *w;
    uint64_t next = 0, begun = record_clock;
    ck_assert_int_eq(recorder_open(&w, &s->view, &(LmpRecorderOptions){.fd = fd}), LMP_OK);
    recorded_change(s);
    fake_mark(s->tables);
    s->tables->live->mark[0].clock = record_clock - begun + S / 1000;
    ck_assert_int_eq(recorder_tick(w, &s->view, record_clock, &next), LMP_OK);
    record_clock += S / 20; /* no further tables are due */
    recorded_change(s);
    ck_assert_int_eq(recorder_close(w, &s->view, 1), LMP_OK);
    OWN(recording_close_at) LmpRecording *r = open_recording(fd);
    LmpMoment m;
    char problem[MOMENT_PROBLEM];
    ck_assert(moment_find(r, "mark 1", &m, problem));
    ck_assert_uint_eq(m.tables, 0);
    ck_assert_int_eq(m.late, 0);
}
