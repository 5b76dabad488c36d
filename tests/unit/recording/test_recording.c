/* test_recording.c - what a recording says of every frame is what was there; whatever is done to
 * its bytes, nothing else is said. */
#include "record_fixture.h"
#include "recording/format/recscan.h"
#include "recording/format/tablechecks.h"
#include "recording/reader/recording_impl.h"

enum { FRAMES = 120, FEW_FRAMES = 20 };

/* A run of a state that changes at random; `expect` per frame (live and tables as they then were).
 */
static uint32_t record_run(int fd, RecMemory *expect, uint32_t frames, const char *again) {
    Recorded *s = recorded_new();
    LmpRecorder *r;
    LmpRecorderOptions o = {.fd = fd, .again = again};
    uint64_t next = 0;
    RecMemory tables = expected_new();
    ck_assert_int_eq(recorder_open(&r, &s->view, &o), LMP_OK);
    for (uint32_t i = 0; i < frames; i++) {
        for (uint64_t n = suite_below(5); n > 0; n--)
            recorded_change(s);
        bool whole = suite_below(4) == 0;
        if (whole)
            ck_assert_int_eq(recorder_frame(r, &s->view, record_clock), LMP_OK);
        else
            ck_assert_int_eq(recorder_tick(r, &s->view, record_clock, &next), LMP_OK);
        expect[i] = expected_new();
        expected_take(&expect[i], &s->view, false);
        expected_take(&expect[i], &s->view, true);
        record_clock += SECOND / 10 + suite_below(SECOND / 20);
    }
    ck_assert_int_eq(recorder_close(r, NULL, 1 + 256), LMP_OK);
    expected_free(&tables);
    recorded_free(s);
    return frames;
}

static void check_sought(LmpRecording *r, const RecMemory *expect, uint32_t i) {
    LmpFrameInfo info = recording_frame(r, i);
    ck_assert_uint_eq(recording_now(r), i);
    ck_assert_ptr_null(expected_differs(&expect[i], recording_view(r), false));
    while (!(info.flags & LMP_FRAME_TABLES)) {
        ck_assert_uint_gt(i, 0);
        info = recording_frame(r, --i);
    }
    ck_assert_ptr_null(expected_differs(&expect[i], recording_view(r), true));
}

static void check_frame(LmpRecording *r, const RecMemory *expect, uint32_t i) {
    ck_assert_int_eq(recording_seek(r, i), LMP_OK);
    check_sought(r, expect, i);
}

/* The same without call paths, whose figures any frame may have left. */
static void check_lines(LmpRecording *r, const RecMemory *expect, uint32_t i) {
    ck_assert_int_eq(recording_seek_lines(r, i), LMP_OK);
    expected_layers = 1u << REC_LINES;
    check_sought(r, expect, i);
    expected_layers = REC_ALL;
}

TEST(test_every_frame) {
    static RecMemory expect[FRAMES];
    OWN(close_at) int fd = record_memfd();
    LmpRecording *r;
    record_run(fd, expect, FRAMES, "lmp run x.lua");
    ck_assert_int_eq(recording_open_fd(&r, fd), LMP_OK);
    ck_assert_uint_eq(r->scan.lost, 0);
    ck_assert(recording_complete(r));
    ck_assert_uint_eq(recording_frames(r), FRAMES);
    ck_assert_uint_eq(recording_ended(r), 257);
    ck_assert_str_eq(recording_again(r), "lmp run x.lua");
    ck_assert_uint_eq(recording_view(r)->pid, 0);
    ck_assert_str_eq(recording_view(r)->header->program, "options.lua");
    for (uint32_t i = 0; i < FRAMES; i++)
        check_frame(r, expect, i);
    for (uint32_t i = 0; i < 300; i++)
        check_frame(r, expect, (uint32_t)suite_below(FRAMES));
    for (uint32_t i = 0; i < 600; i++)
        (suite_below(3) ? check_lines : check_frame)(r, expect, (uint32_t)suite_below(FRAMES));
    recording_close(r);
    for (uint32_t i = 0; i < FRAMES; i++)
        expected_free(&expect[i]);
}

/* For the last reader: the state stays, and no other can be had. What is given back of nodes is
 * nothing beside them. */
TEST(test_spent) {
    static RecMemory expect[FEW_FRAMES];
    OWN(close_at) int fd = record_memfd();
    LmpRecording *r;
    record_run(fd, expect, FEW_FRAMES, NULL);
    ck_assert_int_eq(recording_open_fd(&r, fd), LMP_OK);
    check_frame(r, expect, FEW_FRAMES - 1);
    LmpView *view = recording_spend(r);
    uint64_t live_bytes = view->live->counters.live_bytes;
    uint32_t record = view->tables.record[1].site;
    ck_assert_ptr_eq(view, recording_view(r));
    ck_assert_int_eq(recording_seek(r, 0), LMP_E_DAMAGED);
    ck_assert_int_eq(recording_refresh(r), LMP_E_DAMAGED);
    ck_assert_uint_eq(recording_now(r), FEW_FRAMES - 1);
    view->tables.spent(&view->tables.usage[0], &view->tables.usage[LMP_NODES_MAX]);
    ck_assert_uint_eq(view->tables.usage[1].allocs, 0);
    ck_assert_uint_eq(view->tables.record[1].site, record);
    view->tables.spent(&view->tables.usage[1], &view->tables.usage[2]); /* less than a page */
    ck_assert_uint_eq(view->live->counters.live_bytes, live_bytes);
    recording_close(r);
    for (uint32_t i = 0; i < FEW_FRAMES; i++)
        expected_free(&expect[i]);
}

/* The same without index, and while it grows. */
TEST(test_growing) {
    static RecMemory expect[FRAMES];
    int fd = record_memfd(), part = record_memfd();
    LmpRecording *r;
    record_run(fd, expect, FRAMES, NULL);
    off_t size = lseek(fd, 0, SEEK_END);
    uint8_t *bytes = malloc((size_t)size);
    ck_assert_int_eq(pread(fd, bytes, (size_t)size, 0), size);
    size_t n = 20000, seen = 0;
    ck_assert_int_eq(pwrite(part, bytes, n, 0), n);
    ck_assert_int_eq(recording_open_fd(&r, part), LMP_OK);
    ck_assert(!recording_complete(r));
    while (n < (size_t)size) {
        size_t more = 1 + suite_below(9000);
        if (more > (size_t)size - n) more = (size_t)size - n;
        ck_assert_int_eq(pwrite(part, bytes + n, more, (off_t)n), more);
        n += more;
        ck_assert_int_eq(recording_refresh(r), LMP_OK);
        ck_assert_uint_ge(recording_frames(r), seen);
        seen = recording_frames(r);
        if (seen) check_frame(r, expect, (uint32_t)suite_below(seen));
    }
    ck_assert_uint_eq(seen, FRAMES);
    ck_assert(recording_complete(r));
    ck_assert_uint_eq(r->scan.lost, 0);
    recording_close(r);
    for (uint32_t i = 0; i < FRAMES; i++)
        expected_free(&expect[i]);
    free(bytes);
    close(fd);
    close(part);
}

/* Frames that can be had say what was, whatever bytes were lost or changed. */
static void check_damaged(const uint8_t *bytes, size_t n, const RecMemory *expect,
                          const uint64_t *clock, uint32_t frames) {
    OWN(close_at) int fd = record_memfd();
    LmpRecording *r;
    ck_assert_int_eq(pwrite(fd, bytes, n, 0), n);
    LmpErr err = recording_open_fd(&r, fd);
    for (uint32_t i = 0; !err && i < recording_frames(r); i++) {
        uint32_t k = 0, unknown = 0;
        if (recording_seek(r, i) != LMP_OK) continue;
        while (k < frames && clock[k] != recording_frame(r, i).clock)
            k++;
        ck_assert_uint_lt(k, frames);
        ck_assert_ptr_null(expected_differs(&expect[k], recording_view(r), false));
        while (k > 0 && clock[k] > recording_tables_clock(r))
            k--;
        if (recording_tables_clock(r) == clock[k])
            ck_assert_ptr_null(expected_contradicts(&expect[k], recording_view(r), true, &unknown));
    }
    if (!err) recording_close(r);
}

/* A recording is replaced by one that was written beside it, as thinning does, even by one of the
 * same generation; and nobody writes to it when its writer is gone. */
TEST(test_followed) {
    char name[] = "/tmp/lmp-followed-XXXXXX", other[64];
    OWN(recorded_free_at) Recorded *s = recorded_new();
    int made = mkstemp(name), fd;
    close(made);
    snprintf(other, sizeof other, "%s.new", name);
    LmpRecorder *recorder[2];
    LmpRecorderOptions options = {.file = name};
    ck_assert_int_eq(recorder_open(&recorder[0], &s->view, &options), LMP_OK);
    options.file = other;
    ck_assert_int_eq(recorder_open(&recorder[1], &s->view, &options), LMP_OK);
    ck_assert_int_eq(recorder_frame(recorder[0], &s->view, record_time()), LMP_OK);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(recorder_frame(recorder[1], &s->view, record_time()), LMP_OK);
    fd = open(name, O_RDONLY | O_CLOEXEC);
    OWN(recording_close_at) LmpRecording *r = open_recording(fd);
    uint32_t frames = recording_frames(r), generation = recording_generation(r);
    ck_assert(recscan_has_writer(fd));
    ck_assert(!recscan_reopen(fd, name)); /* it is the one of that name */
    ck_assert_int_eq(recording_refresh(r), LMP_OK);
    ck_assert_uint_eq(recording_generation(r), generation);
    ck_assert(!recscan_reopen(fd, "/dev/null")); /* that is none */
    ck_assert(!recscan_reopen(fd, "/nowhere/at/all"));
    ck_assert_int_eq(rename(other, name), 0);
    ck_assert(recscan_reopen(fd, name));
    ck_assert_int_eq(recording_refresh(r), LMP_OK);
    ck_assert_uint_ne(recording_generation(r), generation);
    ck_assert_uint_gt(recording_frames(r), frames);
    frames = recording_frames(r);
    ck_assert_int_eq(recording_seek(r, frames - 1), LMP_OK);
    ck_assert_int_eq(recorder_frame(recorder[1], &s->view, record_time()), LMP_OK);
    ck_assert_int_eq(recording_refresh(r), LMP_OK); /* and goes on growing */
    ck_assert_uint_gt(recording_frames(r), frames);
    ck_assert(recscan_has_writer(fd) && !recording_complete(r));
    recorder_close(recorder[1], NULL, 0);
    recorder_close(recorder[0], NULL, 0);
    ck_assert_int_eq(recording_refresh(r), LMP_OK);
    ck_assert(!recscan_has_writer(fd) && recording_complete(r));
    close(fd);
    unlink(name);
}

TEST(test_damage) {
    enum { FEW = 30, ROUNDS = 300 };
    static RecMemory expect[FEW];
    uint64_t clock[FEW];
    OWN(close_at) int fd = record_memfd();
    LmpRecording *r;
    record_run(fd, expect, FEW, "again");
    size_t size = (size_t)lseek(fd, 0, SEEK_END);
    uint8_t *bytes = malloc(size), *damaged = malloc(size);
    ck_assert_int_eq(pread(fd, bytes, size, 0), size);
    ck_assert_int_eq(recording_open_fd(&r, fd), LMP_OK);
    for (uint32_t i = 0; i < FEW; i++)
        clock[i] = recording_frame(r, i).clock;
    recording_close(r);
    for (int round = 0; round < ROUNDS; round++)
        check_damaged(bytes, (size_t)suite_below(size), expect, clock, FEW);
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(damaged, bytes, size);
        for (uint64_t k = 1 + suite_below(4); k > 0; k--)
            damaged[suite_below(size)] = (uint8_t)suite_random();
        check_damaged(damaged, size, expect, clock, FEW);
    }
    for (uint32_t i = 0; i < FEW; i++)
        expected_free(&expect[i]);
    free(bytes);
    free(damaged);
}

TEST(test_output) {
    OWN(recorded_free_at) Recorded *s = recorded_new();
    OWN(close_at) int fd = record_memfd();
    LmpRecorder *r;
    OWN(recording_close_at) LmpRecording *read;
    uint64_t next;
    ck_assert_int_eq(recorder_open(&r, &s->view, &(LmpRecorderOptions){.fd = fd}), LMP_OK);
    ck_assert_int_eq(recorder_output(r, 5, "one\n", 4), LMP_OK);
    ck_assert_int_eq(recorder_output(r, 9, "two", 3), LMP_OK);
    ck_assert_int_eq(recorder_tick(r, &s->view, record_clock, &next), LMP_OK);
    OWN(free_at) char *large = calloc(1, 20 << 20);
    ck_assert_int_eq(recorder_output(r, 70, large, 20 << 20), LMP_OK);
    ck_assert_int_eq(recorder_close(r, &s->view, 0), LMP_OK);
    ck_assert_int_eq(recording_open_fd(&read, fd), LMP_OK);
    LmpRecordedOutput one = recording_output(read, 0), two = recording_output(read, 1);
    ck_assert(one.clock == 5 && one.n == 4 && memcmp(one.bytes, "one\n", 4) == 0);
    ck_assert(two.clock == 9 && two.n == 3 && memcmp(two.bytes, "two", 3) == 0);
    size_t all = 0;
    for (uint32_t i = 0; i < recording_outputs(read); i++)
        all += recording_output(read, i).n;
    ck_assert_uint_eq(all, LMP_REC_OUTPUT);
    ck_assert_uint_eq(recording_frame(read, recording_frames(read) - 1).flags & LMP_FRAME_END,
                      LMP_FRAME_END);
}

static void check_names(int fd, const Recorded *s) {
    OWN(recording_close_at) LmpRecording *r = open_recording(fd);
    ck_assert_int_eq(recording_seek(r, recording_frames(r) - 1), LMP_OK);
    const LmpTables *t = &recording_view(r)->tables, *now = &s->tables->t;
    ck_assert_uint_eq(tables_functions(t), tables_functions(now));
    for (uint32_t i = 0; i < tables_functions(now); i++)
        ck_assert_msg(t->function[i].name == now->function[i].name, "function %u is '%s', not '%s'",
                      i, t->text + t->function[i].name, now->text + now->function[i].name);
}

/* A function that is met again may get a name then; those beside it keep theirs. */
TEST(test_late_names) {
    OWN(close_at) int fd = record_memfd();
    OWN(recorded_free_at) Recorded *s = recorded_new();
    LmpRecorder *r;
    LmpRecorderOptions o = {.fd = fd};
    char name[40];
    ck_assert_int_eq(recorder_open(&r, &s->view, &o), LMP_OK);
    for (unsigned i = 0; i < 60; i++) {
        LmpFunction *function = s->tables->t.function;
        uint32_t n = s->tables->live->tables.functions;
        for (uint64_t late = suite_below(4); late > 0 && n > 2; late--) {
            snprintf(name, sizeof name, "method '%u %u'", i, (unsigned)late);
            uint32_t which = suite_below(2) ? n - 1 : 2 + (uint32_t)suite_below(n - 2);
            function[which].name = fake_text(s->tables, name);
            s->tables->live->tables.names++;
        }
        for (uint64_t more = suite_below(4); more > 0; more--) {
            snprintf(name, sizeof name, "function <%u:%u>", i, (unsigned)more);
            fake_function(s->tables, LMP_F_LUA, name, (int)more, name);
        }
        ck_assert_int_eq(recorder_frame(r, &s->view, record_clock), LMP_OK);
        record_clock += SECOND;
        if (i % 7 == 0) check_names(fd, s);
    }
    ck_assert_int_eq(recorder_close(r, NULL, 1), LMP_OK);
    check_names(fd, s);
}

/* Counters that stood still do not mean that no operation was half done. */
TEST(test_half_done) {
    OWN(recorded_free_at) Recorded *s = recorded_new();
    LmpCounters *c = &s->tables->live->counters, before;
    const LmpTables *t = &s->tables->t;
    for (int i = 0; i < 300; i++)
        recorded_change(s);
    ck_assert(tablechecks_consistent(c, c, t));
    before = *c;
    before.count[1].allocs--;
    ck_assert(!tablechecks_consistent(&before, c, t));
    c->live_bytes += 8; /* a block that is made: first here, */
    ck_assert(!tablechecks_consistent(c, c, t));
    LmpRecord *r = &t->record[1];
    r->use.allocs++; /* then in its record, */
    r->use.bytes += 8;
    ck_assert(!tablechecks_consistent(c, c, t));
    c->count[r->use.cls].allocs++; /* then here */
    c->count[r->use.cls].alloc_bytes += 8;
    ck_assert(tablechecks_consistent(c, c, t));
    c->count[r->use.cls].reallocs++; /* one that gets no larger */
    ck_assert(!tablechecks_consistent(c, c, t));
    r->use.reallocs++;
    ck_assert(tablechecks_consistent(c, c, t));
    c->live_bytes += 8; /* one that grows: its record comes last */
    c->count[r->use.cls].realloc_bytes += 8;
    ck_assert(!tablechecks_consistent(c, c, t));
    s->tables->live->tables.lines = LMP_LINES_OFF; /* no record says anything then */
    ck_assert(tablechecks_consistent(c, c, t));
}

/* Tables of a program that stands still are copied once. */
TEST(test_settled) {
    OWN(close_at) int fd = record_memfd();
    OWN(recorded_free_at) Recorded *s = recorded_new();
    LmpRecorder *r;
    for (int i = 0; i < 300; i++)
        recorded_change(s);
    ck_assert_int_eq(recorder_open(&r, &s->view, &(LmpRecorderOptions){.fd = fd}), LMP_OK);
    for (int i = 0; i < 3; i++) {
        uint64_t before = record_clock;
        ck_assert_int_eq(recorder_frame(r, &s->view, record_clock), LMP_OK);
        ck_assert_uint_le(record_clock - before, 10 * record_work); /* looks at the clock */
    }
    ck_assert_int_eq(recorder_close(r, NULL, 1), LMP_OK);
}

/* What is no recording at all. */
TEST(test_foreign) {
    LmpRecording *r;
    uint8_t bytes[5000];
    ck_assert_int_eq(recording_open(&r, "/no/such/file"), LMP_E_FILE);
    ck_assert_int_eq(recording_open(&r, "/"), LMP_E_FOREIGN);
    for (int round = 0; round < 200; round++) {
        OWN(close_at) int fd = record_memfd();
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)suite_random();
        if (round % 2) rec_put64(bytes, REC_MAGIC);
        if (round % 4 == 1) rec_put32(bytes + 8, REC_VERSION);
        ck_assert_int_eq(pwrite(fd, bytes, suite_below(sizeof bytes), 0) >= 0, 1);
        ck_assert_int_ne(recording_open_fd(&r, fd), LMP_OK);
    }
}
