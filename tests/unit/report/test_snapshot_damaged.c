/* test_snapshot_damaged.c - reports of snapshot files that somebody has made up or damaged: what is
 * read at all is written in every format and compared, and no prefix of a file is read. */
#include <unistd.h>

#include "leaky_file.h"
#include "report/snapshot/snapshotreport.h"

static LmpErr open_bytes(LmpSnapshot *s, const FileBytes *file, size_t n) {
    char name[64];
    int fd = file_fd(file->bytes, n);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    LmpErr err = snapshot_open(s, name);
    close(fd);
    return err;
}

/* What lmp dump says of it, of so many objects; the caller frees *text. */
static LmpErr dump_some(const unsigned char *bytes, size_t n, uint32_t objects, char **text) {
    OWN(close_at) int fd = file_fd(bytes, n);
    LmpErr err = snapshotdump_write(&(SnapshotDump){.objects = objects}, fd, suite_write());
    *text = suite_written();
    ck_assert_uint_eq(strlen(*text), suite_wrote); /* no NULs of the file */
    return err;
}

static LmpErr dump_bytes(const unsigned char *bytes, size_t n, char **text) {
    return dump_some(bytes, n, UINT32_MAX, text);
}

/* ---- damage ---------------------------------------------------------------------------------- */

static LmpSnapRead sound; /* its parts are in memory that may be written, and are put back */
static LmpSnapshot before;

static uint64_t any(void) {
    static const uint64_t likely[] = {0, 1, 2, UINT32_MAX, UINT32_MAX - 1, INT32_MAX, UINT64_MAX};
    return suite_below(2) ? suite_random() >> suite_below(64)
                          : likely[suite_below(sizeof likely / sizeof *likely)];
}

/* Some of a word at one place. */
static void spoil(void *bytes, size_t n) {
    uint64_t word = any();
    size_t width = (size_t)1 << suite_below(4);
    if (n < width) return;
    memcpy((char *)bytes + suite_below(n / width) * width, &word, width);
}

static void spoil_columns(LmpObjectGraph *g) {
    for (uint64_t n = 1 + suite_below(4); n > 0; n--) {
        const LmpObjectColumn *column = &objectgraph_columns[suite_below(LMP_SNAP_COLUMNS)];
        spoil(*(void **)((char *)g + column->at),
              (size_t)objectgraph_rows(g, column) * column->width);
    }
}

/* One of the parts of the shared state; `was` is its bytes, to be put back. */
static const SnapfilePart *spoil_state(const LmpTables *tables, char **was) {
    const SnapfilePart *part = &snapfile_parts[suite_below(SNAPFILE_PARTS)];
    size_t n = (part->rows ? (size_t)part->rows(tables) : 1) * part->row;
    char *at = (char *)sound.whole + part->at;
    *was = malloc(n + 1);
    memcpy(*was, at, n);
    for (uint64_t k = 1 + suite_below(6); k > 0; k--)
        spoil(at, n);
    return part;
}

static void spoil_file(FileBytes *file) {
    for (uint64_t n = 1 + suite_below(4); n > 0; n--)
        file->bytes[suite_below(file->n)] = (unsigned char)suite_random();
    file_mend(file->bytes, file->n);
}

/* Writes a file with something wrong in it. */
static void write_damaged(FileBytes *file) {
    char *whole = sound.whole, *was = NULL;
    LmpLive *state_live = (LmpLive *)(whole + LMP_LIVE_AT);
    LmpTables tables = tables_at(whole + LMP_TABLES_AT, state_live);
    LmpSnapState state = {(LmpHeader *)whole, state_live, &tables};
    LmpObjectGraph g = file_apart(&sound.graph);
    uint64_t how = suite_below(3);
    size_t n = 0;
    const SnapfilePart *part = NULL;
    if (how == 0) spoil_columns(&g);
    if (how == 1) {
        part = spoil_state(&tables, &was);
        LmpTables asked = tables_at(whole + LMP_TABLES_AT, state_live);
        tables = asked;
    }
    LmpErr err = file_write(file, &sound.info, &g, &state);
    if (how == 2 && !err) spoil_file(file);
    if (part) {
        n = (part->rows ? (size_t)part->rows(&before.view->tables) : 1) * part->row;
        memcpy(whole + part->at, was, n);
        free(was);
    }
    file_apart_free(&g);
    if (err) file->n = 0;
}

/* ---- what is read is written ----------------------------------------------------------------- */

static void write_all(const LmpSnapshot *s) {
    FILE *out = suite_write();
    SnapshotReport report = {.s = s, .top = suite_below(3) ? 0 : 1 + (uint32_t)suite_below(50)};
    report.redact = suite_below(3) == 0;
    report.no_stacks = suite_below(3) == 0;
    if (suite_below(2)) report.old = &before;
    if (suite_below(2)) report.address = s->g.addr[suite_below(s->g.objects)];
    for (unsigned k = 0; k < SNAPSHOT_REPORT_KINDS; k++) {
        if (snapshotreport_lacks(&snapshotreport_kinds[k], &report)) continue;
        ck_assert_int_eq(snapshotreport_kinds[k].write(&report, out), LMP_OK);
    }
    for (int i = 0; i < 4; i++) {
        SnapshotDiff d = {.old = i < 2 ? s : &before, .newer = i < 2 ? &before : s, .json = i % 2};
        ck_assert_int_eq(snapshotdiff_write(&d, out), LMP_OK);
    }
    free(suite_written());
    ck_assert_uint_gt(suite_wrote, 1000);
}

static Leaky begin(FileBytes *file) {
    Leaky leaky = leaky_file(file);
    ck_assert_int_eq(file_read(&sound, file->bytes, file->n), LMP_OK);
    ck_assert_int_eq(open_bytes(&before, file, file->n), LMP_OK);
    return leaky;
}

static void end_of(Leaky leaky, FileBytes *file) {
    snapshot_close(&before);
    snapfile_free(&sound);
    graph_free(leaky.graph);
    free(file->bytes);
}

TEST(made_up) {
    enum { ROUNDS = 400 };
    static LmpSnapshot s;
    FileBytes file = {0}, bad = {0};
    int read = 0, refused = 0;
    Leaky leaky = begin(&file);
    write_all(&before);
    for (int round = 0; round < ROUNDS; round++) {
        write_damaged(&bad);
        LmpErr err = open_bytes(&s, &bad, bad.n);
        char *text;
        LmpErr dumped = dump_bytes(bad.bytes, bad.n, &text);
        ck_assert_msg((err == LMP_OK) == (dumped == LMP_OK), "%s, %s", err_name(err),
                      err_name(dumped));
        free(text);
        if (err) {
            ck_assert_int_ne(err, LMP_E_NOMEM);
            refused++;
            continue;
        }
        read++;
        write_all(&s);
        snapshot_close(&s);
    }
    ck_assert_int_gt(read, ROUNDS / 10);
    ck_assert_int_gt(refused, ROUNDS / 10);
    free(bad.bytes);
    end_of(leaky, &file);
}

TEST(every_prefix) {
    static LmpSnapshot s;
    FileBytes file = {0};
    Leaky leaky = begin(&file);
    for (size_t n = 0; n < file.n; n++) {
        LmpErr err = open_bytes(&s, &file, n);
        ck_assert_msg(err == (n < 8 ? LMP_E_FOREIGN : LMP_E_DAMAGED), "%zu bytes: %s", n,
                      err_name(err));
        if (n > 3000 && n % 17) continue; /* each has all those before it to say */
        OWN(free_at) char *text;
        ck_assert_int_eq(dump_bytes(file.bytes, n, &text), err);
        ck_assert_msg(n < 8 || strstr(text, "cut off"), "%zu bytes: %s", n, text);
    }
    end_of(leaky, &file);
}

/* A byte of a chunk: the parts before it and after it are told, and which one is wrong. */
TEST(dump_of_a_damaged_one) {
    FileBytes file = {0};
    char *text;
    Leaky leaky = begin(&file);
    ck_assert_int_eq(dump_bytes(file.bytes, file.n, &text), LMP_OK);
    ck_assert_ptr_null(strstr(text, "wrong"));
    free(text);
    file.bytes[sizeof(LmpSnapHead) + sizeof(LmpSnapChunk)] ^= 1;
    ck_assert_int_eq(dump_bytes(file.bytes, file.n, &text), LMP_E_DAMAGED);
    const char *wrong = strstr(text, ", wrong\n"), *end = strstr(text, " end: 0 of 0 bytes");
    ck_assert_ptr_nonnull(wrong);
    ck_assert_ptr_nonnull(end);
    ck_assert_ptr_null(strstr(wrong + 1, ", wrong\n"));
    ck_assert_ptr_null(strstr(text, "\nobjects\n"));
    free(text);
    end_of(leaky, &file);
}

/* All that it says, of a heap with something of each kind. */
TEST(dump_of_a_sound_one) {
    FileBytes file = {0};
    char *text, more[64];
    Leaky leaky = begin(&file);
    ck_assert_int_eq(dump_bytes(file.bytes, file.n, &text), LMP_OK);
    snprintf(more, sizeof more, "\n  %u ", sound.graph.objects - 1);
    ck_assert_ptr_nonnull(strstr(text, more));
    free(text);
    ck_assert_int_eq(dump_some(file.bytes, file.n, 60, &text), LMP_OK);
    const char *content = strstr(text, "\nfunctions\n"); /* lengths before it are LZ4's matter */
    ck_assert_ptr_nonnull(content);
    suite_golden("heap-dump.txt", content + 1);
    free(text);
    end_of(leaky, &file);
}
