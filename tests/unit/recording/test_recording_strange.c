/* test_recording_strange.c - a file that is somebody else's, a disk without room, and words that a
 * terminal would obey. */
#include <sys/stat.h>

#include "record_fixture.h"

#include "recording/format/recfile.h"
#include "recording/reader/recording.h"
#include "recording/writer/recording_cut.h"

/* Two that write to one file would leave one that nobody can read, and say that all is well. */
TEST(test_two_writers) {
    char file[] = "writers-XXXXXX", part[200];
    LmpRecorder *first, *second;
    OWN(recorded_free_at) Recorded *s = recorded_new();
    LmpRecorderOptions o = {.file = file};
    struct stat was, is;
    close(mkstemp(file));
    ck_assert_int_eq(recorder_open(&first, &s->view, &o), LMP_OK);
    ck_assert_int_eq(recorder_frame(first, &s->view, record_clock), LMP_OK);
    ck_assert_int_eq(stat(file, &was), 0);
    ck_assert_int_eq(recorder_open(&second, &s->view, &o), LMP_E_FILE);
    ck_assert_int_eq(errno, EBUSY);
    ck_assert_int_eq(stat(file, &is), 0);
    ck_assert_int_eq(is.st_size, was.st_size);
    ck_assert_int_eq(recorder_close(first, &s->view, 1), LMP_OK);
    ck_assert_int_eq(recorder_open(&second, &s->view, &o), LMP_OK);
    ck_assert_int_eq(recorder_close(second, &s->view, 1), LMP_OK);
    /* what a thinned file is written to is taken, too, before it has its name */
    int fd = recfile_beside(file, part, sizeof part), again = open(part, O_RDWR);
    ck_assert(fd >= 0 && again >= 0);
    ck_assert(!recfile_take(again));
    close(fd);
    ck_assert(recfile_take(again));
    close(again);
    unlink(part);
    unlink(file);
}

static bool no_room(int fd, uint64_t at, const void *from, size_t n) {
    (void)fd, (void)at, (void)from, (void)n;
    errno = ENOSPC;
    return false;
}

/* A device, a FIFO or a link that is replaced is gone, and with it what others use it for. */
TEST(test_no_plain_file) {
    char file[] = "plain-XXXXXX", other[60], link_to[60];
    struct stat st;
    LmpRecorder *w;
    LmpRecording *r;
    OWN(recorded_free_at) Recorded *s = recorded_new();
    close(mkstemp(file));
    ck_assert_int_eq(recorder_open(&w, &s->view, &(LmpRecorderOptions){.file = file}), LMP_OK);
    ck_assert_int_eq(recorder_frame(w, &s->view, record_clock), LMP_OK);
    ck_assert_int_eq(recording_open(&r, file), LMP_OK);
    const LmpCut cut = {.to = UINT64_MAX};
    ck_assert_int_eq(recording_cut(r, &cut, file, NULL), LMP_E_FILE); /* it is being written */
    ck_assert_int_eq(errno, EBUSY);
    snprintf(other, sizeof other, "%s.fifo", file);
    snprintf(link_to, sizeof link_to, "%s.link", file);
    ck_assert_int_eq(mkfifo(other, 0600), 0);
    ck_assert_int_eq(symlink("nowhere", link_to), 0);
    const char *const not [] = {other, link_to, "."};
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++) {
        LmpRecorder *second;
        LmpRecorderOptions o = {.file = not [i]};
        int why = i == 2 ? EISDIR : EEXIST;
        ck_assert_int_eq(recording_cut(r, &cut, not [i], NULL), LMP_E_FILE);
        ck_assert_int_eq(errno, why);
        ck_assert_int_eq(recorder_open(&second, &s->view, &o), LMP_E_FILE);
        ck_assert_int_eq(errno, why);
        ck_assert(lstat(not [i], &st) == 0 && !S_ISREG(st.st_mode));
    }
    ck_assert_int_ne(access("nowhere", F_OK), 0);
    recording_close(r);
    ck_assert_int_eq(recorder_close(w, &s->view, 1), LMP_OK);
    unlink(other);
    unlink(link_to);
    unlink(file);
}

/* A recording that could not even begin leaves no empty file that looks like one. */
TEST(test_no_room) {
    char file[] = "full-XXXXXX";
    LmpRecorder *r;
    OWN(recorded_free_at) Recorded *s = recorded_new();
    close(mkstemp(file));
    record_os.write_at = no_room;
    ck_assert_int_eq(recorder_open(&r, &s->view, &(LmpRecorderOptions){.file = file}), LMP_E_FILE);
    ck_assert_int_eq(errno, ENOSPC);
    ck_assert_int_ne(access(file, F_OK), 0);
}

static void check_harmless(int fd) {
    ck_assert_int_eq(recording_dump(fd, false, suite_write()), LMP_OK);
    OWN(free_at) char *text = suite_written();
    ck_assert_ptr_nonnull(strstr(text, "\\x9b31m"));
    for (size_t i = 0; i < suite_wrote; i++)
        ck_assert_msg(text[i] == '\n' || (text[i] >= 32 && text[i] < 127), "byte %d after %.60s",
                      text[i], text + (i > 50 ? i - 50 : 0));
    close(fd);
}

/* 0x9b is what ESC [ is to old terminals; the last but one turns the direction of writing. */
#define OBEYED                                                                                     \
    "\x1b]0;x\a\x9b"                                                                               \
    "31m\xe2\x80\xae\n"

TEST(test_dump_is_harmless) {
    int fd = record_memfd();
    LmpRecorder *r;
    Recorded *s = recorded_new();
    ck_assert_int_eq(
        recorder_open(&r, &s->view, &(LmpRecorderOptions){.fd = fd, .again = "lmp run " OBEYED}),
        LMP_OK);
    recorded_change(s);
    fake_function(s->tables, LMP_F_MAIN, OBEYED, 0, OBEYED);
    fake_mark(s->tables);
    strcpy(s->tables->live->mark[(s->tables->live->marks - 1) % LMP_MARKS].name, OBEYED);
    ck_assert_int_eq(recorder_output(r, 1, OBEYED, strlen(OBEYED)), LMP_OK);
    ck_assert_int_eq(recorder_frame(r, &s->view, record_clock), LMP_OK);
    ck_assert_int_eq(recorder_close(r, NULL, 1), LMP_OK);
    check_harmless(fd);
    recorded_free(s);

    /* names of fields and groups, in a file made for it */
    RecFile file;
    RecBytes schema = {0};
    fd = record_memfd();
    coding_put_schema(&schema);
    memcpy(memmem(schema.at, schema.n, "start_clock", 11),
           "\x1b]0;x\a\x9b"
           "31m",
           10);
    memcpy(memmem(schema.at, schema.n, "counters", 8),
           "\x1b[\x9b"
           "31m\a\x7f",
           8);
    RecPart part = {.kind = REC_SCHEMA, .stored = (uint32_t)schema.n, .plain = (uint32_t)schema.n};
    part.checksum = part_checksum(schema.at, schema.n);
    ck_assert_int_eq(recfile_begin(&file, fd, 0), LMP_OK);
    ck_assert_int_eq(recfile_put(&file, &part, schema.at), LMP_OK);
    ck_assert_int_eq(recfile_end(&file), LMP_OK);
    recfile_free(&file);
    bytes_free(&schema);
    check_harmless(fd);
}
