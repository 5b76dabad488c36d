/* test_recording_parts.c - each part of a recording is damaged in turn: a frame's costs that frame,
 * and what the file says only once is there again, or shown as unknown. */
#include "record_fixture.h"

#include "recording/format/recscan.h"
#include "recording/format/redundancy.h"
#include "recording/reader/recording.h"

enum { MOST_FRAMES = 100 };

typedef struct Whole {
    uint8_t *bytes;
    size_t size;
    RecScan scan; /* of the undamaged one */
    uint32_t frames;
    uint64_t clock[MOST_FRAMES];
    RecMemory state[MOST_FRAMES];
} Whole;

/* What the undamaged recording says of each frame. */
static Whole *whole_of(int fd) {
    Whole *w = calloc(1, sizeof *w);
    LmpRecording *r;
    w->size = (size_t)lseek(fd, 0, SEEK_END);
    w->bytes = malloc(w->size);
    ck_assert_int_eq(pread(fd, w->bytes, w->size, 0), w->size);
    ck_assert_int_eq(recscan_open(&w->scan, fd), LMP_OK);
    ck_assert_int_eq(recording_open_fd(&r, fd), LMP_OK);
    w->frames = recording_frames(r);
    ck_assert_uint_le(w->frames, MOST_FRAMES);
    for (uint32_t i = 0; i < w->frames; i++) {
        ck_assert_int_eq(recording_seek(r, i), LMP_OK);
        ck_assert_uint_eq(recording_lost_rows(r), 0);
        w->clock[i] = recording_frame(r, i).clock;
        w->state[i] = expected_new();
        expected_take(&w->state[i], recording_view(r), false);
        expected_take(&w->state[i], recording_view(r), true);
    }
    recording_close(r);
    return w;
}

static void whole_free(Whole *w) {
    for (uint32_t i = 0; i < w->frames; i++)
        expected_free(&w->state[i]);
    recscan_free(&w->scan);
    free(w->bytes);
    free(w);
}

/* The first `busy` changes bring new rows, a function that gets its name late among them; now and
 * then so many bytes are printed. */
static Whole *record_whole(uint32_t busy, uint32_t frames, size_t printed) {
    Recorded *s = recorded_new();
    LmpRecorder *r;
    int fd = record_memfd();
    LmpRecorderOptions o = {.fd = fd, .again = "lmp run x.lua"};
    uint64_t next;
    char out[20000]; /* which cannot be packed; copies are a part of a large file */
    ck_assert_int_eq(recorder_open(&r, &s->view, &o), LMP_OK);
    for (uint32_t i = 0; i < frames; i++) {
        if (i < busy) recorded_change(s);
        uint32_t late = 2 + (uint32_t)suite_below(s->tables->live->tables.functions);
        if (i < busy && i % 4 == 3 && late < s->tables->live->tables.functions) {
            char name[40];
            snprintf(name, sizeof name, "method 'late%u'", i);
            s->tables->t.function[late].name = fake_text(s->tables, name);
            s->tables->live->tables.names++;
        }
        for (uint32_t k = 0; k < s->spots; k++)
            fake_made(s->tables, s->spot[k], 1 + suite_below(1 << 20), 40 + suite_random() % 99999);
        if (i % 3)
            ck_assert_int_eq(recorder_tick(r, &s->view, record_clock, &next), LMP_OK);
        else
            ck_assert_int_eq(recorder_frame(r, &s->view, record_clock), LMP_OK);
        for (size_t k = 0; k < printed; k++)
            out[k] = (char)suite_random();
        if (i % 8 == 0) recorder_output(r, record_clock - s->header.start_clock, out, printed);
        record_clock += SECOND / 10;
    }
    ck_assert_int_eq(recorder_close(r, NULL, 1), LMP_OK);
    recorded_free(s);
    Whole *w = whole_of(fd);
    w->scan.fd = fd;
    return w;
}

static uint32_t copies_of(const Whole *w, RecKind kind) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->scan.parts; i++)
        n += w->scan.part[i].kind == kind && w->scan.part[i].flags & REC_COPY;
    return n;
}

/* Is it, or is the first of its chunk, the one that is damaged? */
static bool needs(const RecPart *part, const RecPart *damaged) {
    return part->place == damaged->place || part->base == damaged->place;
}

/* May frame i not be had? Its figures are lost, or the tables that it has of its own. */
static bool may_fail(const Whole *w, const RecPart *frame, const RecPart *damaged) {
    uint32_t t = recscan_find(&w->scan, frame->tables);
    return needs(frame, damaged) || (frame->flags & LMP_FRAME_TABLES && t < w->scan.parts &&
                                     needs(&w->scan.part[t], damaged));
}

static const RecPart *frame_part(const Whole *w, uint64_t clock) {
    for (uint32_t i = 0; i < w->scan.parts; i++)
        if (w->scan.part[i].kind == REC_LIVE_PART && w->scan.part[i].clock == clock)
            return &w->scan.part[i];
    return NULL;
}

static uint32_t number_at(const Whole *w, uint64_t clock) {
    uint32_t k = 0;
    while (k < w->frames && w->clock[k] != clock)
        k++;
    ck_assert_uint_lt(k, w->frames);
    return k;
}

/* What is read with that part damaged. Returns how many fields of rows are unknown. */
static uint32_t check_part(const Whole *w, int fd, const RecPart *damaged, bool head, bool copies) {
    LmpRecording *r;
    uint32_t unknown = 0, read = 0, wanted = 0;
    LmpErr err = recording_open_fd(&r, fd);
    if (damaged->kind == REC_SCHEMA && !copies) {
        ck_assert_int_eq(err, LMP_E_DAMAGED);
        return 0;
    }
    ck_assert_int_eq(err, LMP_OK);
    if (damaged->kind != REC_HEADER || copies)
        ck_assert_str_eq(recording_view(r)->header->program, "options.lua");
    if (damaged->kind != REC_AGAIN || copies) ck_assert_str_eq(recording_again(r), "lmp run x.lua");
    bool copied = damaged->kind == REC_SCHEMA || damaged->kind == REC_HEADER ||
                  damaged->kind == REC_AGAIN || damaged->kind == REC_ROWS_PART;
    bool free =
        !head && (damaged->kind == REC_ENDED || damaged->kind == REC_PARITY || (copied && copies));
    bool mended = !head && !copied && !damaged->base && !free && damaged->kind != REC_OUTPUT;
    const char *words = recording_damage(r);
    if (!mended) ck_assert_msg((words == NULL) == free, "%s", words ? words : "nothing is said");
    for (uint32_t i = 0; i < recording_frames(r); i++) {
        uint32_t k = number_at(w, recording_frame(r, i).clock), before = unknown;
        const RecPart *part = frame_part(w, w->clock[k]);
        err = recording_seek(r, i);
        if (err) ck_assert(may_fail(w, part, damaged));
        if (err) continue;
        read++;
        ck_assert_ptr_null(expected_differs(&w->state[k], recording_view(r), false));
        uint64_t tables = recording_tables_clock(r);
        uint32_t t = recscan_find(&w->scan, part->tables);
        if (t < w->scan.parts && !needs(&w->scan.part[t], damaged))
            ck_assert_uint_eq(tables, w->scan.part[t].clock); /* its own, not those before */
        if (tables == 0) continue;
        k = number_at(w, tables);
        ck_assert_ptr_null(
            expected_contradicts(&w->state[k], recording_view(r), true, copies ? NULL : &unknown));
        if (damaged->kind != REC_ROWS_PART) ck_assert_uint_eq(unknown, 0);
        if (unknown == before) ck_assert_uint_eq(recording_lost_rows(r), 0);
    }
    for (uint32_t i = 0; i < w->frames; i++)
        wanted += !may_fail(w, frame_part(w, w->clock[i]), damaged);
    ck_assert_uint_ge(read, wanted);
    if (!words) ck_assert_uint_eq(read, w->frames);
    recording_close(r);
    return unknown;
}

/* `head`: the part's own head, and the file has no index by which it could be had. */
static uint32_t damage_part(const Whole *w, uint32_t i, bool head, bool copies) {
    const RecPart *part = &w->scan.part[i];
    int fd = record_memfd();
    size_t size = head ? w->size - 1 : w->size, at = (size_t)part->place;
    uint8_t byte = 0;
    at += head ? suite_below(REC_PART) : REC_PART + suite_below(part->stored);
    byte = (uint8_t)(w->bytes[at] ^ (1 + suite_below(255)));
    ck_assert_int_eq(pwrite(fd, w->bytes, size, 0), size);
    ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)at), 1);
    uint32_t unknown = check_part(w, fd, part, head, copies);
    ck_assert_int_eq(recording_dump(fd, false, suite_write()), LMP_OK);
    OWN(free_at) char *text = suite_written();
    ck_assert(strstr(text, head ? "bytes in no whole part" : "  damaged") != NULL);
    close(fd);
    return unknown;
}

static void damage_each(uint32_t busy, uint32_t frames, bool copies) {
    Whole *w = record_whole(busy, frames, copies ? 20000 : 10);
    uint32_t rows = 0, unknown = 0;
    ck_assert_uint_eq(copies_of(w, REC_SCHEMA), copies);
    ck_assert_uint_eq(copies_of(w, REC_ROWS_PART), copies);
    uint64_t copied = 0;
    for (uint32_t i = 0; i < w->scan.parts; i++) {
        const RecPart *part = &w->scan.part[i];
        if (part->kind != REC_LIVE_PART && part->flags & REC_COPY)
            copied += part->stored + REC_PART;
    }
    ck_assert_uint_le(copied, w->size / COPIES_SHARE);
    for (uint32_t i = 0; i < w->scan.parts; i++)
        for (int head = 0; head < 2; head++) {
            if (!head && w->scan.part[i].stored == 0) continue;
            uint32_t n = damage_part(w, i, head, copies);
            rows += w->scan.part[i].kind == REC_ROWS_PART;
            unknown += n > 0;
        }
    fprintf(stderr, "%zu bytes, %u parts, %u times rows damaged, %u times unknown\n", w->size,
            w->scan.parts, rows, unknown);
    ck_assert_uint_gt(rows, 2);
    if (!copies) ck_assert_uint_gt(unknown, rows / 2);
    close(w->scan.fd);
    whole_free(w);
}

TEST(test_rows_once) {
    damage_each(30, 30, false);
}

TEST(test_rows_copied) {
    damage_each(12, 54, true);
}

/* Damage to the first part of a chunk, on which all others of it depend, costs nothing. */
TEST(test_first_mended) {
    Whole *w = record_whole(20, 100, 10);
    uint64_t size = 0, took = 0, firsts = 0;
    for (uint32_t i = 0; i < w->scan.parts; i++)
        if (w->scan.part[i].kind == REC_PARITY) {
            size = w->scan.part[i].stored;
            took += size + REC_PART;
        }
    ck_assert_uint_gt(size, 0);
    ck_assert_uint_le(took, w->size / PARITY_SHARE);
    int fd = record_memfd();
    ck_assert_int_eq(pwrite(fd, w->bytes, w->size, 0), w->size);
    for (uint32_t i = 0; i < w->scan.parts; i++) {
        const RecPart *part = &w->scan.part[i];
        LmpRecording *r;
        if (part->base || (part->kind != REC_LIVE_PART && part->kind != REC_TABLES_PART)) continue;
        firsts++;
        uint64_t length = 1 + suite_below((size + 1) / 2);
        if (length > part->stored) length = part->stored;
        size_t at = (size_t)(part->place + REC_PART + suite_below(part->stored - length + 1));
        for (size_t k = at; k < at + length; k++)
            ck_assert_int_eq(pwrite(fd, &(uint8_t){(uint8_t)~w->bytes[k]}, 1, (off_t)k), 1);
        ck_assert_int_eq(recording_open_fd(&r, fd), LMP_OK);
        ck_assert_uint_eq(recording_frames(r), w->frames);
        for (uint32_t k = 0; k < w->frames; k++) {
            ck_assert_int_eq(recording_seek(r, k), LMP_OK);
            ck_assert_ptr_null(expected_differs(&w->state[k], recording_view(r), false));
            ck_assert_uint_eq(
                recording_tables_clock(r),
                w->scan.part[recscan_find(&w->scan, frame_part(w, w->clock[k])->tables)].clock);
        }
        recording_close(r);
        ck_assert_int_eq(pwrite(fd, w->bytes + at, length, (off_t)at), length);
    }
    fprintf(stderr, "%zu bytes, sums of %llu, %llu first parts\n", w->size,
            (unsigned long long)took, (unsigned long long)firsts);
    ck_assert_uint_gt(firsts, 1);
    close(fd);
    close(w->scan.fd);
    whole_free(w);
}
