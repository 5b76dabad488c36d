/* test_recording_files.c - files stay readable: of another layout, and of released versions; what
 * is cut out of one, and what of it is hidden. */
#include <sys/stat.h>

#include "record_fixture.h"
#include "recording/reader/apply.h"

#include "recording/reader/recording.h"
#include "recording/writer/changes.h"
#include "recording/writer/recording_cut.h"

/* ---- other layouts --------------------------------------------------------------------------- */

static char *found(RecBytes *bytes, const char *what) {
    char *at = memmem(bytes->at, bytes->n, what, strlen(what));
    ck_assert_ptr_nonnull(at);
    return at;
}

static uint32_t group_named(const char *name) {
    uint32_t g = 0;
    while (strcmp(rec_groups[g].name, name) != 0)
        g++;
    return g;
}

/* A file that has a field which is not known here, and lacks one that is; and a whole group. */
TEST(test_other_fields) {
    RecBytes schema = {0}, piece = {0};
    RecSchema read;
    RecMemory from = expected_new(), to = expected_new();
    uint32_t counters = group_named("counters"), gc = group_named("gc");
    Changes *changes = changes_new();
    LmpLive *live = (void *)(from.fixed + LMP_LIVE_AT);
    const LmpLive *got = (const void *)(to.fixed + LMP_LIVE_AT);
    live->counters.live_bytes = 1;
    live->counters.peak_bytes = 2;
    live->counters.failed = 3;
    live->gc.cycles = 4;
    coding_put_schema(&schema);
    memcpy(found(&schema, "peak_bytes"), "peek", 4);
    memcpy(found(&schema, "\2gc") + 1, "gg", 2);
    ck_assert_int_eq(coding_read_schema(&read, schema.at, schema.n), LMP_OK);
    changes_begin(changes, &(ChangesOf){0});
    changes_put(changes, &piece, gc, &from, false);
    changes_put(changes, &piece, counters, &from, false);
    changes_free(changes);
    const RecPiece of = {REC_LIVE, REC_ALL, piece.at, piece.n};
    ck_assert_int_eq(apply_changes(&read, &of, &to, NULL, NULL), LMP_OK);
    ck_assert_uint_eq(got->counters.live_bytes, 1);
    ck_assert_uint_eq(got->counters.peak_bytes, 0);
    ck_assert_uint_eq(got->counters.failed, 3);
    ck_assert_uint_eq(got->gc.cycles, 0);
    coding_free_schema(&read);
    bytes_free(&schema);
    bytes_free(&piece);
    expected_free(&from);
    expected_free(&to);
}

/* ---- released versions ----------------------------------------------------------------------- */

/* What a recording says of each frame, in words. */
static char *told(const char *file) {
    LmpRecording *r;
    char name[200];
    FILE *out = suite_write();
    ck_assert_int_eq(recording_open(&r, file), LMP_OK);
    fprintf(out, "%s, again %s, ended %u\n", recording_view(r)->header->program, recording_again(r),
            recording_ended(r));
    for (uint32_t i = 0; i < recording_frames(r); i++) {
        LmpFrameInfo info = recording_frame(r, i);
        const LmpView *view = recording_view(r);
        const LmpTables *t = &view->tables;
        LmpClassTotal total[LMP_CLASSES];
        ck_assert_int_eq(recording_seek(r, i), LMP_OK);
        counters_read(&view->live->counters, total);
        fprintf(out, "%llu flags %u live %llu marks %u cycles %llu history %u\n",
                (unsigned long long)info.clock, info.flags, (unsigned long long)info.live_bytes,
                view->live->marks, (unsigned long long)view->live->gc.cycles,
                view->live->history.used);
        for (unsigned c = 1; c < LMP_C_COUNTED; c++)
            fprintf(out, " %llu/%llu", (unsigned long long)total[c].allocs,
                    (unsigned long long)total[c].live_bytes);
        fputc('\n', out);
        for (uint32_t k = 1; k < tables_records(t); k++) {
            const LmpSite *site = &t->site[t->record[k].site];
            tables_text(t, t->function[site->function].name, name, sizeof name);
            fprintf(out, "  %s:%d %llu %llu\n", name, site->line,
                    (unsigned long long)t->record[k].use.allocs,
                    (unsigned long long)t->record[k].use.bytes);
        }
        fprintf(out, "  %u functions, %u nodes, %u tags\n", tables_functions(t), tables_nodes(t),
                tables_tags(t));
    }
    for (uint32_t i = 0; i < recording_outputs(r); i++)
        fprintf(out, "output %.*s\n", (int)recording_output(r, i).n, recording_output(r, i).bytes);
    recording_close(r);
    return suite_written();
}

/* Twelve frames, the same in each run of one build. */
static void record_few(const char *file) {
    OWN(recorded_free_at) Recorded *s = recorded_new();
    LmpRecorder *r;
    uint64_t next;
    ck_assert_int_eq(
        recorder_open(&r, &s->view, &(LmpRecorderOptions){.file = file, .again = "lmp run x"}),
        LMP_OK);
    for (int i = 0; i < 12; i++) {
        recorded_change(s);
        if (i == 5) fake_mark(s->tables);
        ck_assert_int_eq(recorder_output(r, record_clock - s->header.start_clock, "secret out", 10),
                         LMP_OK);
        if (i % 3)
            ck_assert_int_eq(recorder_tick(r, &s->view, record_clock, &next), LMP_OK);
        else
            ck_assert_int_eq(recorder_frame(r, &s->view, record_clock), LMP_OK);
        record_clock += SECOND / 5;
    }
    ck_assert_int_eq(recorder_close(r, NULL, 1), LMP_OK);
}

/* One file of each released version. A new version gets a file of its own; these are never made
 * anew: MAKE=recording-2.lmprec in the environment makes one. */
TEST(test_versions) {
    static const char *const version[] = {"recording-1", "recording-2"};
    char file[1024], golden[64];
    if (getenv("MAKE")) {
        snprintf(file, sizeof file, "%s/%s", TEST_GOLDEN, getenv("MAKE"));
        record_few(file);
    }
    for (size_t i = 0; i < sizeof version / sizeof *version; i++) {
        snprintf(file, sizeof file, "%s/%s.lmprec", TEST_GOLDEN, version[i]);
        snprintf(golden, sizeof golden, "%s.txt", version[i]);
        OWN(free_at) char *text = told(file);
        suite_golden(golden, text);
    }
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static char *dumped(const char *file) {
    OWN(close_at) int fd = open(file, O_RDONLY);
    ck_assert_int_eq(recording_dump(fd, false, suite_write()), LMP_OK);
    return suite_written();
}

TEST(test_cut) {
    char whole[] = "cut-XXXXXX", piece[40];
    LmpRecording *r, *cut;
    uint32_t frames;
    struct stat st;
    close(mkstemp(whole));
    snprintf(piece, sizeof piece, "%s.piece", whole);
    record_few(whole);
    ck_assert_int_eq(recording_open(&r, whole), LMP_OK);
    uint32_t n = recording_frames(r);
    for (uint32_t a = 0; a < n; a++) {
        uint32_t b = a + (uint32_t)suite_below(n - a);
        LmpCut want = {.from = recording_frame(r, a).clock, .to = recording_frame(r, b).clock};
        ck_assert_int_eq(recording_cut(r, &want, piece, &frames), LMP_OK);
        ck_assert(stat(piece, &st) == 0 && (st.st_mode & 0777) == 0600);
        ck_assert_int_eq(recording_open(&cut, piece), LMP_OK);
        ck_assert_uint_eq(recording_frames(cut), frames);
        ck_assert_uint_ge(frames, b - a + 1);
        for (uint32_t i = 0; i < frames; i++) {
            uint32_t k = b + 1 - frames + i;
            ck_assert_uint_eq(recording_frame(cut, i).clock, recording_frame(r, k).clock);
            ck_assert_int_eq(recording_seek(cut, i), LMP_OK);
            ck_assert_int_eq(recording_seek(r, k), LMP_OK);
            OWN(expected_free) RecMemory expect = expected_new();
            expected_take(&expect, recording_view(r), false);
            expected_take(&expect, recording_view(r), true);
            ck_assert_ptr_null(expected_differs(&expect, recording_view(cut), false));
            ck_assert_ptr_null(expected_differs(&expect, recording_view(cut), true));
        }
        recording_close(cut);
    }
    recording_close(r);
    unlink(whole);
    unlink(piece);
}

/* What the program made up is in the whole, and in nothing that is shown to others. */
TEST(test_redact) {
    static const char *const secret[] = {"hidden()", "private tag",      "secret out", "lmp run x",
                                         "my mark",  "name found early", "local q"};
    static const char *const name[] = {"@dir/app.lua", "dir/app.lua", "'parse'", "a.parse",
                                       "options.lua",  "'close'",     "a.find"};
    char whole[] = "redact-XXXXXX", shown[40];
    LmpRecording *r;
    OWN(recorded_free_at) Recorded *s = recorded_new();
    LmpRecorder *recorder;
    uint32_t function = 0;
    close(mkstemp(whole));
    snprintf(shown, sizeof shown, "%s.shown", whole);
    LmpRecorderOptions o = {.file = whole, .again = "lmp run x"};
    ck_assert_int_eq(recorder_open(&recorder, &s->view, &o), LMP_OK);
    for (int i = 0; i < 6; i++) {
        recorded_change(s);
        if (i == 1) fake_function(s->tables, LMP_F_MAIN, "return hidden()", 0, "main chunk");
        if (i == 2) fake_text(s->tables, "private tag"); /* before it is a tag */
        if (i == 4) fake_tag(s->tables, "private tag");
        if (i == 1)
            function = fake_function(s->tables, LMP_F_LUA, "@dir/app.lua", 7, "local 'parse'");
        if (i == 1)
            fake_function(s->tables, LMP_F_LUA, "local q", 1, "function <[string \"local q\"]:1>");
        if (i == 1) { /* names that Lua's libraries have, too, of functions that are not theirs */
            uint32_t own = fake_function(s->tables, LMP_F_LUA, "@dir/app.lua", 9, "local 'close'");
            fake_path(s->tables, own, "a.find");
        }
        if (i == 2) fake_path(s->tables, function, "name found early");
        if (i == 4) fake_path(s->tables, function, "a.parse");
        if (i == 3) fake_mark(s->tables);
        if (i == 3)
            strcpy(s->tables->live->mark[(s->tables->live->marks - 1) % LMP_MARKS].name, "my mark");
        ck_assert_int_eq(recorder_output(recorder, 1, "secret out", 10), LMP_OK);
        ck_assert_int_eq(recorder_frame(recorder, &s->view, record_clock), LMP_OK);
        record_clock += SECOND;
    }
    ck_assert_int_eq(recorder_close(recorder, NULL, 1), LMP_OK);
    ck_assert_int_eq(recording_open(&r, whole), LMP_OK);
    recording_close(r);
    char *before = dumped(whole);
    for (LmpRedact how = LMP_REDACT_CONTENTS; how <= LMP_REDACT_ALL; how++) {
        LmpCut cut = {.to = UINT64_MAX, .redact = how};
        ck_assert_int_eq(recording_open(&r, whole), LMP_OK);
        ck_assert_int_eq(recording_cut(r, &cut, shown, NULL), LMP_OK);
        recording_close(r);
        OWN(free_at) char *after = dumped(shown);
        for (size_t i = 0; i < sizeof secret / sizeof *secret; i++) {
            ck_assert_msg(strstr(before, secret[i]) != NULL, "%s", secret[i]);
            ck_assert_msg(strstr(after, secret[i]) == NULL, "%s", secret[i]);
        }
        ck_assert_ptr_nonnull(strstr(after, "main chunk"));
        for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
            ck_assert_msg(strstr(before, name[i]) != NULL, "%s", name[i]);
            ck_assert_msg(!strstr(after, name[i]) == (how == LMP_REDACT_ALL), "%s", name[i]);
        }
    }
    free(before);
    unlink(whole);
    unlink(shown);
}

/* Rows of a file that somebody made up name any texts, overlapping ones as well. */
TEST(test_redact_anything) {
    for (int round = 0; round < 40; round++) {
        OWN(recorded_free_at) Recorded *s = recorded_new();
        for (int i = 0; i < 10; i++)
            recorded_change(s);
        const LmpTablesUsed *used = &s->tables->live->tables;
        char *text = s->tables->t.text;
        LmpFunction *f = s->tables->t.function;
        static const char byte[] = "'<>@=[ \0\"]f";
        for (int i = 0; i < 20; i++)
            text[1 + suite_below(used->text)] = byte[suite_below(sizeof byte - 1)];
        memset(text + LMP_TEXT_MAX - 9, '<', 9); /* one without an end */
        for (uint32_t i = 1; i < used->functions; i++) {
            uint32_t *at[] = {&f[i].source, &f[i].short_src, &f[i].name, &f[i].qualified};
            uint32_t *one = at[suite_below(4)];
            *one = (uint32_t)(suite_below(4) ? suite_below(used->text) : suite_random());
            if (suite_below(8) == 0) *one = LMP_TEXT_MAX - (uint32_t)suite_below(9);
            if (suite_below(8) == 0) f[i].kind = (uint32_t)suite_below(6);
        }
        ck_assert_int_eq(redact_names(&s->view, 1 + (LmpRedact)suite_below(2)), LMP_OK);
        redact_figures(&s->view);
    }
}
