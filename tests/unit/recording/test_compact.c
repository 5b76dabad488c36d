/* test_compact.c - a recording of a day stays below its limit, and has what is to be kept. */
#include <sys/stat.h>

#include "record_fixture.h"
#include "recording/reader/recording_impl.h"
#include "recording/writer/compact.h"

/* What was there at each tick, by which any frame can be checked. */
typedef struct Tick {
    uint64_t clock, live_bytes, allocs;
    bool mark;
} Tick;

static uint64_t all_allocs(const LmpTables *t) {
    uint64_t n = 0;
    for (uint32_t i = 1; i < tables_records(t); i++)
        n += t->record[i].use.allocs;
    return n;
}

static const Tick *tick_at(const Tick *tick, uint32_t ticks, uint64_t clock) {
    uint32_t low = 0, high = ticks;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tick[middle].clock < clock)
            low = middle + 1;
        else
            high = middle;
    }
    ck_assert(low < ticks && tick[low].clock == clock);
    return &tick[low];
}

typedef struct Day {
    Tick *tick;
    uint32_t ticks;
    uint64_t most; /* bytes, the largest that the file ever was */
} Day;

/* A day of a program with 300 places, `step` ns from one tick to the next, ten ticks a second in
 * its last two minutes. */
static Day record_day(const LmpRecorderOptions *o, uint64_t length, uint64_t step) {
    Recorded *s = recorded_new();
    uint64_t begun = record_clock, next;
    uint32_t before = 0;
    Day day = {.tick = calloc(length / step + 3000, sizeof(Tick))};
    LmpRecorder *r;
    ck_assert_int_eq(recorder_open(&r, &s->view, o), LMP_OK);
    while (record_clock < begun + length) {
        uint64_t clock = record_clock - s->header.start_clock;
        bool end = record_clock + 120 * SECOND > begun + length;
        if (day.ticks % 4 == 0) recorded_change(s);
        uint32_t marks = s->tables->live->marks;
        if (marks && s->tables->live->marks > 300) s->tables->live->marks = marks = 300;
        Tick *t = &day.tick[day.ticks];
        *t = (Tick){clock, s->tables->live->counters.live_bytes, all_allocs(&s->tables->t),
                    day.ticks > 0 && marks > before};
        before = marks;
        ck_assert_int_eq(recorder_tick(r, &s->view, record_clock, &next), LMP_OK);
        if (recorder_size(r) > day.most) day.most = recorder_size(r);
        day.ticks++;
        record_clock = t->clock + s->header.start_clock + (end ? SECOND / 10 : step);
    }
    ck_assert_int_eq(recorder_close(r, NULL, 0), LMP_OK);
    recorded_free(s);
    return day;
}

static void check_day(const Day *day, LmpRecording *r, uint64_t limit) {
    uint64_t last = day->tick[day->ticks - 1].clock, peak = 0, before = 0;
    uint32_t fine = 0, marks = 0, wanted = 0, n = recording_frames(r), largest = 0;
    bool cycle = false; /* one before the largest is kept: what comes after may have none */
    ck_assert_uint_le(day->most, limit);
    ck_assert_uint_eq(r->scan.lost, 0);
    for (uint32_t i = 0; i < n; i++) {
        LmpFrameInfo info = recording_frame(r, i);
        const Tick *t = tick_at(day->tick, day->ticks, info.clock);
        ck_assert_int_eq(recording_seek(r, i), LMP_OK);
        const LmpView *view = recording_view(r);
        ck_assert_uint_eq(view->live->counters.live_bytes, t->live_bytes);
        ck_assert_uint_eq(info.live_bytes, t->live_bytes);
        marks += t->mark && info.flags & LMP_FRAME_MARK;
        t = tick_at(day->tick, day->ticks, recording_tables_clock(r));
        ck_assert_uint_eq(all_allocs(&view->tables), t->allocs);
        if (info.live_bytes > peak) {
            peak = info.live_bytes;
            largest = i;
        }
        fine += last - info.clock <= 60 * SECOND;
        /* as far apart as a fourth of their age, at most */
        ck_assert_uint_le(info.clock - before, (last - before) / 4 + 60 * SECOND);
        before = info.clock;
    }
    ck_assert_uint_ge(fine, 590);
    uint64_t most = 0;
    for (uint32_t i = 0; i < day->ticks; i++)
        if (day->tick[i].live_bytes > most) most = day->tick[i].live_bytes;
    ck_assert_uint_eq(peak, most);
    for (uint32_t i = 0; i < day->ticks; i++)
        wanted += day->tick[i].mark;
    ck_assert_uint_gt(wanted, 10);
    ck_assert_uint_eq(marks, wanted);
    for (uint32_t i = 0; i <= largest; i++)
        cycle = cycle || recording_frame(r, i).flags & LMP_FRAME_CYCLE;
    ck_assert(cycle);
}

TEST(test_day) {
    enum { LIMIT = 2 << 20 };
    OWN(close_at) int fd = record_memfd();
    LmpRecording *r;
    Day day =
        record_day(&(LmpRecorderOptions){.fd = fd, .limit = LIMIT}, 86400 * SECOND, 30 * SECOND);
    ck_assert_int_eq(recording_open_fd(&r, fd), LMP_OK);
    fprintf(stderr, "%u ticks, %u frames, most %llu bytes\n", day.ticks, recording_frames(r),
            (unsigned long long)day.most);
    check_day(&day, r, LIMIT);
    recording_close(r);
    free(day.tick);
}

/* In many small steps, while frames come: it catches up with them before there is little room. */
TEST(test_steps) {
    enum { LIMIT = 1 << 20 };
    OWN(close_at) int fd = record_memfd();
    LmpRecording *r;
    record_work = 50000;
    Day day =
        record_day(&(LmpRecorderOptions){.fd = fd, .limit = LIMIT}, 500 * SECOND, SECOND / 10);
    record_work = 1000;
    ck_assert_int_eq(recording_open_fd(&r, fd), LMP_OK);
    ck_assert_uint_ge(recording_generation(r), 2);
    fprintf(stderr, "written anew %u times, most %llu bytes\n", recording_generation(r),
            (unsigned long long)day.most);
    ck_assert_uint_le(day.most, LIMIT / 16 * 13 + 20000);
    recording_close(r);
    free(day.tick);
}

/* The largest frame has no tables of its own: those of the largest that has stay. */
TEST(test_tables_of_peak) {
    enum { FRAMES = 400 };
    OWN(close_at) int fd = record_memfd();
    uint64_t next, most = 0, most_tables = 0;
    uint32_t short_of, tables = 0;
    LmpRecorder *w;
    OWN(recorded_free_at) Recorded *s = recorded_new();
    ck_assert_int_eq(recorder_open(&w, &s->view, &(LmpRecorderOptions){.fd = fd}), LMP_OK);
    record_work = 4 * SECOND; /* so long that no tick may take tables */
    for (int i = 0; i < FRAMES; i++) {
        recorded_change(s);
        fake_made(s->tables, s->spot[0], 1, i < FRAMES / 2 ? 500000 : 0);
        if (i >= FRAMES / 2) fake_freed(s->tables, s->spot[0], s->spot[0], 1, 400000, 0);
        LmpErr err = i % 9 == 0 && i != FRAMES / 2
                         ? recorder_frame(w, &s->view, record_clock)
                         : recorder_tick(w, &s->view, record_clock, &next);
        ck_assert_int_eq(err, LMP_OK);
    }
    record_work = 1000;
    ck_assert_int_eq(recorder_close(w, &s->view, 1), LMP_OK);
    OWN(recording_close_at) LmpRecording *r = open_recording(fd);
    for (uint32_t i = 0; i < recording_frames(r); i++) {
        LmpFrameInfo f = recording_frame(r, i);
        if (f.live_bytes > most) most = f.live_bytes;
        if (!(f.flags & LMP_FRAME_TABLES) || f.live_bytes <= most_tables) continue;
        most_tables = f.live_bytes;
        tables = i;
    }
    ck_assert_uint_lt(most_tables, most);
    struct stat st;
    RecScan scan;
    ck_assert_int_eq(fstat(fd, &st), 0);
    ck_assert_int_eq(recscan_open(&scan, fd), LMP_OK);
    for (uint64_t part = 4; part < 40; part += 4) {
        uint32_t frames;
        OWN(free_at)
        uint8_t *keep = compact_choose(&scan, (uint64_t)st.st_size / part, &frames, &short_of);
        ck_assert_ptr_nonnull(keep);
        ck_assert_uint_eq(frames, recording_frames(r));
        ck_assert_msg(keep[tables] == REC_KEEP_ALL || short_of > 0, "1/%d", (int)part);
    }
    recscan_free(&scan);
}

/* By its name: written beside, and renamed. */
TEST(test_file) {
    enum { LIMIT = 2 << 20 };
    char name[] = "/tmp/thin-XXXXXX", part[40];
    struct stat st;
    LmpRecording *r;
    int fd = mkstemp(name);
    close(fd);
    Day day =
        record_day(&(LmpRecorderOptions){.file = name, .limit = LIMIT}, 3600 * SECOND, 2 * SECOND);
    ck_assert_int_eq(stat(name, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0600);
    ck_assert_int_eq(recording_open(&r, name), LMP_OK);
    ck_assert_uint_gt(recording_generation(r), 0);
    check_day(&day, r, LIMIT);
    recording_close(r);
    snprintf(part, sizeof part, "%s.part", name);
    ck_assert_int_ne(stat(part, &st), 0);
    unlink(name);
    free(day.tick);
}

/* A disk that is full after so many bytes. */
static uint64_t room;

static bool write_until_full(int fd, uint64_t at, const void *from, size_t n) {
    if (n > room) {
        bool half = os_real.write_at(fd, at, from, (size_t)room);
        room = 0;
        errno = half ? ENOSPC : EIO;
        return false;
    }
    room -= n;
    return os_real.write_at(fd, at, from, n);
}

TEST(test_full_disk) {
    for (int round = 0; round < 60; round++) {
        OWN(recorded_free_at) Recorded *s = recorded_new();
        LmpRecorder *r;
        LmpRecording *read;
        uint64_t next, live_bytes[200];
        uint32_t frames = 0;
        OWN(close_at) int fd = record_memfd();
        room = suite_below(round % 2 ? 60000 : 200000);
        record_os.write_at = write_until_full;
        LmpErr err = recorder_open(&r, &s->view, &(LmpRecorderOptions){.fd = fd});
        if (err) {
            ck_assert_int_eq(err, LMP_E_FILE);
            ck_assert_int_eq(errno, ENOSPC);
        }
        while (!err && frames < 200) {
            recorded_change(s);
            live_bytes[frames] = s->tables->live->counters.live_bytes;
            err = recorder_tick(r, &s->view, record_clock, &next);
            if (!err) frames++;
            record_clock += SECOND / 10;
        }
        if (frames && frames < 200) {
            ck_assert_int_eq(err, LMP_E_FILE);
            ck_assert_int_eq(recorder_errno(r), ENOSPC);
            room = 1 << 30; /* it stays ended */
            ck_assert_int_eq(recorder_tick(r, &s->view, record_clock, &next), LMP_E_STOPPED);
            ck_assert_int_eq(recorder_close(r, &s->view, 0), LMP_E_STOPPED);
        } else if (r) {
            room = suite_below(5000);
            recorder_close(r, NULL, 0);
        }
        if (frames) {
            ck_assert_int_eq(recording_open_fd(&read, fd), LMP_OK);
            ck_assert_uint_eq(read->scan.lost, 0); /* it was cut off */
            ck_assert_uint_eq(recording_frames(read), frames);
            for (uint32_t i = 0; i < frames; i++) {
                ck_assert_int_eq(recording_seek(read, i), LMP_OK);
                ck_assert_uint_eq(recording_view(read)->live->counters.live_bytes, live_bytes[i]);
            }
            recording_close(read);
        }
    }
}

/* A minute of a program whose tables are large beside the limit. Returns how many frames say that
 * their tables found no room. */
static uint64_t record_large(uint64_t limit, LmpRecShort *shortage) {
    enum { SITES = 12000 };
    static FakeSpot spot[SITES];
    int fd = record_memfd();
    uint64_t next;
    LmpRecorder *r;
    LmpRecording *read;
    Recorded *s = recorded_new();
    LmpRecorderOptions o = {.fd = fd, .limit = limit, .shortage = shortage};
    uint32_t function = fake_function(s->tables, LMP_F_LUA, "@large.lua", 1, "large");
    for (uint32_t i = 0; i < SITES; i++)
        spot[i] = (FakeSpot){.site = fake_site(s->tables, function, (int)i + 1, 0), .cls = 1};
    ck_assert_int_eq(recorder_open(&r, &s->view, &o), LMP_OK);
    for (int i = 0; i < 60; i++) {
        for (uint32_t k = 0; k < SITES; k++)
            fake_made(s->tables, spot[k], 1 + suite_below(1 << 30), suite_random() >> 20);
        ck_assert_int_eq(recorder_tick(r, &s->view, record_clock, &next), LMP_OK);
        ck_assert_uint_le(recorder_size(r), limit);
        record_clock += SECOND;
    }
    ck_assert_int_eq(recorder_close(r, &s->view, 1), LMP_OK);
    ck_assert_int_eq(recording_open_fd(&read, fd), LMP_OK);
    ck_assert_uint_ge(recording_frames(read), 60);
    uint64_t left_out = recording_left_out(read);
    recording_close(read);
    recorded_free(s);
    close(fd);
    return left_out;
}

/* A limit that has no room for tables is told, and so is one that is enough. */
TEST(test_short) {
    LmpRecShort shortage = {0}, enough = {0};
    uint64_t left_out = record_large(LMP_REC_LIMIT_LEAST, &shortage);
    fprintf(stderr, "%llu moments without tables, %llu s apart, %llu bytes would do\n",
            (unsigned long long)left_out, (unsigned long long)(shortage.apart / SECOND),
            (unsigned long long)shortage.enough);
    ck_assert_uint_gt(left_out, 0);
    ck_assert_uint_eq(left_out, shortage.tables);
    ck_assert_uint_ge(shortage.enough, 2 * LMP_REC_LIMIT_LEAST);
    ck_assert_uint_eq(record_large(shortage.enough, &enough), 0);
    ck_assert_uint_eq(enough.tables, 0);
    ck_assert_uint_eq(enough.enough, 0);
}
