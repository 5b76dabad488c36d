/* Tests of the texts of source files in recordings: what ran is kept, bounded, through thinning and
 * cuts; redacted it is gone; damage to one costs only that. */
#include <sys/stat.h>

#include "record_fixture.h"
#include "recording/format/linetext.h"
#include "recording/format/texts.h"
#include "recording/writer/recording_cut.h"

RELEASE_AT(kepttexts_free)

static char place[4096];

static void begin(void) {
    char name[] = "sources-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(name));
    ck_assert_int_eq(chdir(name), 0);
    ck_assert_ptr_nonnull(getcwd(place, sizeof place));
}

/* A file of n bytes, in lines, each of them different from file to file. */
static char *write_file(const char *name, size_t n) {
    char *text = malloc(n + 1);
    for (size_t i = 0; i < n; i++)
        text[i] =
            i % 40 == 39 ? '\n' : (char)('a' + (i * 7 + (unsigned char)name[0] + i / 40) % 26);
    text[n] = 0;
    FILE *f = fopen(name, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(text, 1, n, f), n);
    fclose(f);
    return text;
}

/* Something is made in line 2 of that source. */
static void make_in(Recorded *s, const char *source) {
    uint32_t function = fake_function(s->tables, LMP_F_MAIN, source, 0, "main chunk");
    fake_made(s->tables, (FakeSpot){fake_site(s->tables, function, 2, 0), 0, LMP_C_TABLE, 0}, 10,
              1000);
}

static LmpRecorder *record_into(Recorded *s, int fd, uint64_t limit) {
    LmpRecorder *r;
    LmpRecorderOptions o = {.fd = fd, .limit = limit, .again = "lmp run a.lua"};
    ck_assert_int_eq(recorder_open(&r, &s->view, &o), LMP_OK);
    record_clock += SECOND;
    ck_assert_int_eq(recorder_frame(r, &s->view, record_clock), LMP_OK);
    return r;
}

static void has_text(const LmpRecording *r, const char *source, const char *text) {
    size_t n;
    const char *kept = kepttexts_find(recording_sources(r), source, &n);
    if (!text) {
        ck_assert_ptr_null(kept);
        return;
    }
    ck_assert_ptr_nonnull(kept);
    ck_assert_uint_eq(n, strlen(text));
    ck_assert_str_eq(kept, text);
}

TEST(what_ran_is_kept) {
    LmpRecording *r;
    begin();
    char *a = write_file("a.lua", 1000), *b = write_file("b.lua", LINETEXT_KEPT);
    free(write_file("large.lua", LINETEXT_KEPT + 1));
    free(write_file("other.lua", 100)); /* no table names it */
    free(write_file("secret.key", 100));
    OWN(recorded_free_at) Recorded *s = recorded_new();
    make_in(s, "@a.lua");
    make_in(s, "@large.lua");
    make_in(s, "@nowhere.lua");
    make_in(s, "@secret.key"); /* a chunk may have any name */
    make_in(s, "return 1");
    OWN(close_at) int fd = record_memfd();
    LmpRecorder *recorder = record_into(s, fd, 0);
    make_in(s, "@b.lua"); /* loaded late */
    record_clock += SECOND;
    ck_assert_int_eq(recorder_frame(recorder, &s->view, record_clock), LMP_OK);
    ck_assert_int_eq(recorder_close(recorder, NULL, 1), LMP_OK);
    free(write_file("a.lua", 50)); /* what becomes of the files is nothing to it */
    ck_assert_int_eq(unlink("b.lua"), 0);
    ck_assert_int_eq(recording_open_fd(&r, fd), LMP_OK);
    ck_assert_str_eq(recording_directory(r), place);
    ck_assert_uint_eq(kepttexts_count(recording_sources(r)), 2);
    has_text(r, "@a.lua", a);
    has_text(r, "@b.lua", b);
    has_text(r, "@large.lua", NULL);
    KeptTexts *taken = recording_take_sources(r);
    ck_assert_ptr_null(recording_sources(r));
    recording_close(r);
    ck_assert_uint_eq(kepttexts_count(taken), 2);
    kepttexts_free(taken);
    free(a);
    free(b);
}

/* A file that is younger than the program is not what runs. */
TEST(what_was_edited_is_not) {
    begin();
    free(write_file("a.lua", 1000));
    OWN(recorded_free_at) Recorded *s = recorded_new();
    s->header.start_realtime = 1;
    make_in(s, "@a.lua");
    OWN(close_at) int fd = record_memfd();
    ck_assert_int_eq(recorder_close(record_into(s, fd, 0), NULL, 1), LMP_OK);
    OWN(recording_close_at) LmpRecording *r = open_recording(fd);
    ck_assert_uint_eq(kepttexts_count(recording_sources(r)), 0);
}

TEST(all_of_them_are_bounded) {
    enum { FILES = 12, EACH = 200 << 10, SMALL = 10 << 10 };
    static const struct {
        size_t each;
        uint64_t limit;
        uint32_t kept;
    } bound[] = {{EACH, 0, LINETEXT_KEPT_ALL / EACH}, {SMALL, LMP_REC_LIMIT_LEAST, 1}};
    for (size_t k = 0; k < sizeof bound / sizeof *bound; k++) {
        OWN(recording_close_at) LmpRecording *r;
        begin();
        OWN(recorded_free_at) Recorded *s = recorded_new();
        for (int i = 0; i < FILES; i++) {
            char name[32] = "@";
            snprintf(name + 1, sizeof name - 1, "%c.lua", 'a' + i);
            free(write_file(name + 1, bound[k].each));
            make_in(s, name);
        }
        OWN(close_at) int fd = record_memfd();
        ck_assert_int_eq(recorder_close(record_into(s, fd, bound[k].limit), NULL, 1), LMP_OK);
        ck_assert_int_eq(recording_open_fd(&r, fd), LMP_OK);
        ck_assert_uint_eq(kepttexts_count(recording_sources(r)), bound[k].kept);
    }
}

/* Written anew again and again: they go along, once each, and those that come later, too. */
TEST(thinning_keeps_them) {
    enum { LIMIT = 1 << 20 };
    LmpRecording *r;
    uint64_t next = 0;
    begin();
    char *a = write_file("a.lua", 1000), *b = write_file("b.lua", 2000);
    OWN(recorded_free_at) Recorded *s = recorded_new();
    make_in(s, "@a.lua");
    OWN(close_at) int fd = record_memfd();
    LmpRecorder *recorder = record_into(s, fd, LIMIT);
    ck_assert_int_eq(recording_open_fd(&r, fd), LMP_OK);
    uint32_t generation = recording_generation(r), thinned = 0;
    for (int i = 0; thinned < 4; i++) {
        ck_assert_int_lt(i, 100000);
        record_clock += SECOND / 10;
        for (int n = 0; n < 4; n++)
            recorded_change(s);
        ck_assert_int_eq(recorder_tick(recorder, &s->view, record_clock, &next), LMP_OK);
        ck_assert_int_eq(recording_refresh(r), LMP_OK);
        if (recording_generation(r) == generation) continue;
        generation = recording_generation(r);
        has_text(r, "@a.lua", a);
        if (++thinned == 2) make_in(s, "@b.lua");
        if (thinned == 2) free(write_file("a.lua", 70)); /* it is not read again */
    }
    ck_assert_int_eq(recorder_close(recorder, NULL, 1), LMP_OK);
    recording_close(r);
    ck_assert_int_eq(recording_open_fd(&r, fd), LMP_OK);
    ck_assert_uint_eq(kepttexts_count(recording_sources(r)), 2);
    ck_assert_str_eq(recording_directory(r), place);
    has_text(r, "@a.lua", a);
    has_text(r, "@b.lua", b);
    recording_close(r);
    RecScan scan;
    uint32_t parts = 0;
    ck_assert_int_eq(recscan_open(&scan, fd), LMP_OK);
    for (uint32_t i = 0; i < scan.parts; i++)
        parts += scan.part[i].kind == REC_SOURCE;
    ck_assert_uint_eq(parts, 2);
    recscan_free(&scan);
    free(a);
    free(b);
}

TEST(cuts_keep_them_unless_redacted) {
    static const LmpRedact how[] = {LMP_REDACT_NOTHING, LMP_REDACT_CONTENTS, LMP_REDACT_ALL};
    begin();
    OWN(free_at) char *a = write_file("a.lua", 1000);
    OWN(recorded_free_at) Recorded *s = recorded_new();
    make_in(s, "@a.lua");
    OWN(close_at) int fd = record_memfd();
    ck_assert_int_eq(recorder_close(record_into(s, fd, 0), NULL, 1), LMP_OK);
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        LmpRecording *r, *cut;
        bool kept = how[i] == LMP_REDACT_NOTHING;
        ck_assert_int_eq(recording_open_fd(&r, fd), LMP_OK);
        ck_assert_int_eq(
            recording_cut(r, &(LmpCut){.to = UINT64_MAX, .redact = how[i]}, "cut.lmprec", NULL),
            LMP_OK);
        recording_close(r);
        ck_assert_int_eq(recording_open(&cut, "cut.lmprec"), LMP_OK);
        has_text(cut, "@a.lua", kept ? a : NULL);
        ck_assert_uint_eq(kepttexts_count(recording_sources(cut)), kept);
        ck_assert(kept ? strcmp(recording_directory(cut), place) == 0 : !recording_directory(cut));
        recording_close(cut);
    }
}

/* A wrong byte in a text, or in the place, costs that alone, and is said. */
TEST(damage_costs_only_them) {
    static const struct {
        RecKind kind;
        const char *words;
    } of[] = {{REC_SOURCE, "it has lost the text of 1 source file"},
              {REC_DIRECTORY, "it has lost where it ran"}};
    begin();
    char *a = write_file("a.lua", 1000), *b = write_file("b.lua", 1000);
    OWN(recorded_free_at) Recorded *s = recorded_new();
    make_in(s, "@a.lua");
    make_in(s, "@b.lua");
    OWN(close_at) int fd = record_memfd();
    ck_assert_int_eq(recorder_close(record_into(s, fd, 0), NULL, 1), LMP_OK);
    RecScan scan;
    ck_assert_int_eq(recscan_open(&scan, fd), LMP_OK);
    for (int n = 0; n < 40; n++) {
        LmpRecording *r;
        uint32_t i = 0;
        while (scan.part[i].kind != of[n % 2].kind)
            i++;
        off_t at = (off_t)(scan.part[i].place + REC_PART + suite_below(scan.part[i].stored));
        uint8_t was, byte;
        ck_assert_int_eq(pread(fd, &was, 1, at), 1);
        byte = (uint8_t)(was ^ (1 + suite_below(255)));
        ck_assert_int_eq(pwrite(fd, &byte, 1, at), 1);
        ck_assert_int_eq(recording_open_fd(&r, fd), LMP_OK);
        ck_assert_str_eq(recording_damage(r), of[n % 2].words);
        has_text(r, "@a.lua", n % 2 ? a : NULL);
        has_text(r, "@b.lua", b);
        ck_assert((recording_directory(r) == NULL) == (n % 2 == 1));
        for (uint32_t k = 0; k < recording_frames(r); k++)
            ck_assert_int_eq(recording_seek(r, k), LMP_OK);
        ck_assert_uint_eq(recording_lost_rows(r), 0);
        recording_close(r);
        ck_assert_int_eq(pwrite(fd, &was, 1, at), 1);
    }
    recscan_free(&scan);
    free(a);
    free(b);
}

/* A part may have anything in it. */
TEST(rubbish_is_refused) {
    OWN(kepttexts_free_at) KeptTexts *texts = NULL;
    OWN(bytes_free) RecBytes plain = {0};
    size_t n;
    static const char *const bad[] = {
        "",           "\3@a",        "\1@rest",
        "\3abc text", "\3@\0b text", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1@a"};
    static const size_t size[] = {0, 3, 6, 9, 9, 12};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_int_eq(kepttexts_add(&texts, (const uint8_t *)bad[i], size[i]), LMP_E_DAMAGED);
    ck_assert_uint_eq(kepttexts_count(texts), 0);
    kepttexts_put(&plain, "@a.lua", "x\0y", 3);
    ck_assert_int_eq(kepttexts_add(&texts, plain.at, plain.n), LMP_OK);
    plain.at[plain.n - 1] = 'z';
    ck_assert_int_eq(kepttexts_add(&texts, plain.at, plain.n), LMP_OK); /* the first one stays */
    ck_assert_uint_eq(kepttexts_count(texts), 1);
    ck_assert_mem_eq(kepttexts_find(texts, "@a.lua", &n), "x\0y", 4);
    ck_assert_uint_eq(n, 3);
    for (int i = 0; i < 5000; i++) {
        char name[16];
        plain.n = 0;
        snprintf(name, sizeof name, "@%d", i);
        kepttexts_put(&plain, name, "", 0);
        LmpErr err = kepttexts_add(&texts, plain.at, plain.n);
        ck_assert(err == LMP_OK || (err == LMP_E_DAMAGED && i > 4000));
    }
    ck_assert_uint_eq(kepttexts_count(texts), 4096);
}
