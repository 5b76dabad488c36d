/* test_recording_forged.c - a recording whose checksums are right and whose parts say what cannot
 * be: what is wrong is lost, and nothing else; and parts that an index or lost bytes would hide. */
#include "record_fixture.h"

#include "recording/reader/apply.h"

enum { FRAMES = 12 };

/* Every third frame has tables. */
static int record_few(void) {
    Recorded *s = recorded_new();
    LmpRecorder *r;
    int fd = record_memfd();
    uint64_t next;
    ck_assert_int_eq(
        recorder_open(&r, &s->view, &(LmpRecorderOptions){.fd = fd, .again = "lmp run x.lua"}),
        LMP_OK);
    for (int i = 0; i < 40; i++)
        recorded_change(s);
    for (int i = 0; i < FRAMES; i++) {
        for (int k = 0; k < 3; k++)
            recorded_change(s);
        if (i % 3)
            ck_assert_int_eq(recorder_tick(r, &s->view, record_clock, &next), LMP_OK);
        else
            ck_assert_int_eq(recorder_frame(r, &s->view, record_clock), LMP_OK);
        record_clock += SECOND / 10;
    }
    ck_assert_int_eq(recorder_close(r, NULL, 1), LMP_OK);
    recorded_free(s);
    return fd;
}

/* Which part is to be forged, and how: so many parts of that kind come before it. */
typedef struct Forge {
    RecKind kind;
    unsigned number;
    int times;
    size_t cut;       /* so many 64ths of its bytes stay; 0: all */
    uint64_t clock;   /* added */
    uint64_t live;    /* added */
    uint32_t claimed; /* its head says so many bytes; 0: as many as there are */
    unsigned seen;
} Forge;

static int forge(RecPart *part, RecBytes *plain, void *of) {
    Forge *f = of;
    if (part->kind != f->kind || f->seen++ != f->number) return 1;
    if (f->cut) plain->n = plain->n * f->cut / 64;
    part->clock += f->clock;
    part->live_bytes += f->live;
    return f->times;
}

static int forged(int fd, Forge f) {
    RecFile file = record_unpacked(fd, forge, &f);
    int made = file.fd;
    f.seen = 0;
    for (uint32_t i = 0; f.claimed && i < file.parts; i++) {
        uint8_t head[REC_PART];
        RecPart part = file.part[i];
        if (part.kind != f.kind || f.seen++ != f.number) continue;
        part.stored = f.claimed;
        part_put(head, &part);
        ck_assert_int_eq(pwrite(made, head, sizeof head, (off_t)part.place), sizeof head);
    }
    recfile_free(&file);
    return made;
}

/* Is what frame i of one says that of frame k of the other? Rows may be unknown. */
static void check_same(LmpRecording *is, uint32_t i, LmpRecording *was, uint32_t k) {
    OWN(expected_free) RecMemory expect = expected_new();
    uint32_t unknown = 0;
    ck_assert_int_eq(recording_seek(is, i), LMP_OK);
    ck_assert_int_eq(recording_seek(was, k), LMP_OK);
    expected_take(&expect, recording_view(was), false);
    expected_take(&expect, recording_view(was), true);
    ck_assert_ptr_null(expected_differs(&expect, recording_view(is), false));
    ck_assert_ptr_null(expected_contradicts(&expect, recording_view(is), true, &unknown));
}

static LmpRecording *opened(int fd) {
    LmpRecording *r;
    ck_assert_int_eq(recording_open_fd(&r, fd), LMP_OK);
    return r;
}

/* The words of all damage; "": none. */
static const char *said(LmpRecording *r) {
    const char *words = recording_damage(r);
    return words ? words : "";
}

TEST(test_header) {
    OWN(close_at) int fd = record_few();
    for (int times = 1; times < 3; times++)
        for (size_t cut = 1; cut < 64; cut += 9) {
            OWN(close_at)
            int made = forged(fd, (Forge){.kind = REC_HEADER, .times = times, .cut = cut});
            OWN(recording_close_at) LmpRecording *r = opened(made);
            const LmpHeader *h = recording_view(r)->header;
            if (times == 2) {
                ck_assert_str_eq(h->program, "options.lua");
                ck_assert_uint_eq(h->serial, 1);
            }
            ck_assert((strstr(said(r), "which program") == NULL) == (times == 2));
        }
}

/* Rows of a piece of which some cannot be read are all unknown, none is half there. */
TEST(test_rows) {
    OWN(close_at) int fd = record_few();
    OWN(recording_close_at) LmpRecording *was = opened(fd);
    for (size_t cut = 1; cut < 64; cut++) {
        OWN(close_at)
        int made = forged(fd, (Forge){.kind = REC_ROWS_PART, .number = 1, .times = 1, .cut = cut});
        OWN(recording_close_at) LmpRecording *r = opened(made);
        check_same(r, FRAMES - 1, was, FRAMES - 1);
        ck_assert_uint_gt(recording_lost_rows(r), 0);
        ck_assert_ptr_nonnull(strstr(said(r), "rows of its tables"));
    }
}

/* A moment that cannot be read leaves nothing behind: all figures are 0 before the first seek that
 * succeeds. */
TEST(test_first_seek) {
    OWN(close_at) int fd = record_few();
    for (size_t cut = 1; cut < 64; cut += 3) {
        OWN(close_at)
        int made = forged(
            fd, (Forge){.kind = REC_LIVE_PART, .number = FRAMES - 1, .times = 1, .cut = cut});
        LmpRecording *r = opened(made), *was = opened(fd);
        RecMemory none = expected_new();
        if (recording_seek(r, FRAMES - 1) == LMP_E_DAMAGED) {
            ck_assert_uint_eq(recording_now(r), UINT32_MAX);
            ck_assert_ptr_null(expected_differs(&none, recording_view(r), false));
            ck_assert_ptr_null(expected_differs(&none, recording_view(r), true));
        }
        check_same(r, 1, was, 1);
        expected_free(&none);
        recording_close(r);
        recording_close(was);
    }
}

/* Moments rise, and what a frame's head says of it is right. */
TEST(test_heads) {
    OWN(close_at) int fd = record_few();
    OWN(recording_close_at) LmpRecording *was = opened(fd);
    Forge back = {.kind = REC_LIVE_PART, .number = 5, .times = 1, .clock = 0 - SECOND / 4};
    OWN(close_at) int made = forged(fd, back);
    OWN(recording_close_at) LmpRecording *r = opened(made);
    ck_assert_uint_eq(recording_frames(r), FRAMES - 1);
    for (uint32_t i = 0; i < FRAMES; i++) {
        uint32_t at = recording_at(r, recording_frame(was, i).clock);
        if (i != 5) ck_assert_uint_eq(recording_frame(r, at).clock, recording_frame(was, i).clock);
        if (i != 5) check_same(r, at, was, i);
    }
    ck_assert_ptr_nonnull(strstr(said(r), "1 of 12 moments"));
    recording_close(r);
    close(made);
    made = forged(fd, (Forge){.kind = REC_LIVE_PART, .number = 5, .times = 1, .live = 1 << 20});
    r = opened(made);
    ck_assert_int_eq(recording_seek(r, 5), LMP_E_DAMAGED);
    check_same(r, 6, was, 6);
}

/* Rows that this version has no place for are not passed over. */
TEST(test_too_many_rows) {
    RecBytes schema = {0}, piece = {0};
    RecSchema read;
    OWN(expected_free) RecMemory to = expected_new();
    uint32_t g = 0;
    while (strcmp(rec_groups[g].name, "mark") != 0)
        g++;
    coding_put_schema(&schema);
    ck_assert_int_eq(coding_read_schema(&read, schema.at, schema.n), LMP_OK);
    uint32_t most = rec_groups[g].most;
    for (uint32_t over = 0; over < 2; over++) {
        read.group[g].most = most + 1000;
        piece.n = 0;
        bytes_varint(&piece, g);
        bytes_varint(&piece, most + over);
        bytes_varint(&piece, 1);
        bytes_varint(&piece, most + over); /* the last one */
        for (uint32_t f = 0; f < rec_groups[g].fields; f++)
            for (uint32_t w = 0; w < rec_groups[g].field[f].count; w++) {
                bytes_varint(&piece, 1);
                bytes_varint(&piece, rec_zigzag(7));
            }
        const RecPiece of = {REC_LIVE, REC_ALL, piece.at, piece.n};
        ck_assert_int_eq(apply_changes(&read, &of, &to, NULL, NULL), over ? LMP_E_DAMAGED : LMP_OK);
    }
    coding_free_schema(&read);
    bytes_free(&schema);
    bytes_free(&piece);
}

/* An index that leaves out a part is none. */
TEST(test_index) {
    OWN(close_at) int fd = record_few();
    OWN(recfile_free) RecFile file = record_unpacked(fd, NULL, NULL);
    uint64_t size = file.size;
    uint32_t parts = file.parts;
    for (uint32_t out = 0; out < parts; out++) {
        RecPart part = file.part[out];
        memmove(file.part + out, file.part + out + 1, (parts - out - 1) * sizeof part);
        file.parts--;
        ck_assert_int_eq(recfile_end(&file), LMP_OK);
        LmpRecording *r = opened(file.fd);
        ck_assert_uint_eq(recording_frames(r), FRAMES);
        ck_assert_ptr_nonnull(strstr(said(r), "index is missing or wrong"));
        recording_close(r);
        memmove(file.part + out + 1, file.part + out, (parts - out - 1) * sizeof part);
        file.part[out] = part;
        file.parts = parts;
        file.size = size;
    }
    close(file.fd);
}

/* A part that claims more than there is, or of which bytes are gone, hides none of those after it.
 */
TEST(test_hidden) {
    OWN(close_at) int fd = record_few();
    OWN(recfile_free) RecFile file = record_unpacked(fd, NULL, NULL);
    LmpRecording *was = opened(fd);
    uint8_t *bytes = malloc(file.size);
    ck_assert_int_eq(pread(file.fd, bytes, file.size, 0), file.size);
    unsigned alone = 0;
    for (unsigned n = 2; n < FRAMES - 1; n++) {
        OWN(close_at)
        int made = forged(
            fd, (Forge){.kind = REC_LIVE_PART, .number = n, .times = 1, .claimed = 1u << 30});
        OWN(recording_close_at) LmpRecording *r = opened(made);
        ck_assert_uint_eq(recording_frames(r), FRAMES);
        ck_assert_ptr_nonnull(strstr(said(r), " of 12 moments"));
        ck_assert_int_eq(recording_seek(r, n), LMP_E_DAMAGED);
        alone += strstr(said(r), "lost 1 of") != NULL; /* it is not the first of its chunk */
        if (strstr(said(r), "lost 1 of")) check_same(r, FRAMES - 1, was, FRAMES - 1);
    }
    ck_assert_uint_ge(alone, FRAMES / 2);
    for (uint32_t i = 1; i < file.parts; i++) { /* others are not where they were, but all there */
        RecScan scan;
        const RecPart *part = &file.part[i];
        if (part->stored < 8) continue;
        uint64_t at = part->place + REC_PART + part->stored / 2, gone = part->stored / 2;
        OWN(close_at) int made = record_memfd();
        ck_assert_int_eq(pwrite(made, bytes, at, 0), at);
        ck_assert_int_eq(pwrite(made, bytes + at + gone, file.size - at - gone, (off_t)at),
                         file.size - at - gone);
        ck_assert_int_eq(recscan_open(&scan, made), LMP_OK);
        ck_assert_uint_eq(scan.parts, file.parts);
        recscan_free(&scan);
    }
    free(bytes);
    recording_close(was);
    close(file.fd);
}

/* Heads that each claim all the rest, one after another: the work is bounded. */
TEST(test_many_heads) {
    enum { HEADS = 1 << 18 };
    OWN(close_at) int fd = record_memfd();
    OWN(recfile_free) RecFile file;
    OWN(recscan_free) RecScan scan;
    OWN(free_at) uint8_t *bytes = calloc(HEADS, REC_PART);
    ck_assert_int_eq(recfile_begin(&file, fd, 0), LMP_OK);
    for (uint32_t i = 0; i < HEADS; i++) {
        RecPart part = {.kind = REC_OUTPUT, .stored = (HEADS - i - 1) * REC_PART - (i % 2) * 70};
        part_put(bytes + i * REC_PART, &part);
    }
    ck_assert(os_real.write_at(fd, file.size, bytes, (size_t)HEADS * REC_PART));
    clock_t before = clock();
    ck_assert_int_eq(recscan_open(&scan, fd), LMP_OK);
    ck_assert_int_lt(clock() - before, 4 * CLOCKS_PER_SEC);
}
