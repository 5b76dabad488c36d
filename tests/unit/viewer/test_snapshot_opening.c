/* What stands in the line while a snapshot is read, what keys do meanwhile, and that the reader
 * itself says how far it is, and stops when it is told so. */
#include <unistd.h>

#include "graph_fixture.h"
#include "read/model/opened.h"
#include "screen/canvas.h"
#include "snapfile_fixture.h"
#include "suite.h"
#include "viewer/snapshot_opening.h"

TEST(as_wide_as_there_is_room) {
    static const char *const wide = "Reading lmp-4711-1.heap, 320.5 MiB  ━━━━━━━━━━────────── ";
    SnapshotOpening wait = {.what = "lmp-4711-1.heap, 320.5 MiB"};
    char line[SNAPSHOT_OPENING_LINE];
    snapshot_opening_words(&wait, "finding what is held", 0.5, true, 120, line);
    ck_assert_msg(strncmp(line, wide, strlen(wide)) == 0, "%s", line);
    ck_assert_ptr_nonnull(strstr(line, " 50 %  esc stops it  finding what is held"));
    for (int width = 20; width < 130; width++) {
        snapshot_opening_words(&wait, "finding what is held", 0.37, width % 2, width, line);
        ck_assert_int_le(canvas_width(line), width);
        ck_assert_ptr_nonnull(strstr(line, "37 %  esc stops it"));
    }
    double before = -1;
    for (int i = 0; i <= 10; i++) { /* the bar only grows */
        snapshot_opening_words(&wait, "x", i / 10.0, false, 120, line);
        double full = (double)(strrchr(line, '=') ? strrchr(line, '=') - line : 0);
        ck_assert(full >= before);
        before = full;
    }
    snapshot_opening_words(&wait, "x", 7, true, 120, line);
    ck_assert_ptr_nonnull(strstr(line, "100 %"));
}

TEST(keys_meanwhile) {
    static const Key stops[] = {K_ESC, 'q', 'Q', K_CTRL('C')};
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        SnapshotOpening wait = {.stopped = false};
        snapshot_opening_event(&wait, (Event){.key = K_RESIZE});
        snapshot_opening_event(&wait, (Event){.key = '2'});
        ck_assert(!wait.stopped);
        snapshot_opening_event(&wait, (Event){.key = stops[i]});
        ck_assert(wait.stopped);
        ck_assert_uint_eq(snapshot_opening_later(&wait).key, '2');
        ck_assert_uint_eq(snapshot_opening_later(&wait).key, stops[i] == 'Q' ? 'Q' : K_NONE);
    }
    SnapshotOpening wait = {.stopped = false};
    for (unsigned i = 0; i < SNAPSHOT_OPENING_KEYS + 5; i++)
        snapshot_opening_event(&wait, (Event){.key = 0x100 + i});
    for (unsigned i = 0; i < SNAPSHOT_OPENING_KEYS; i++)
        ck_assert_uint_eq(snapshot_opening_later(&wait).key, 0x100 + i);
    ck_assert_uint_eq(snapshot_opening_later(&wait).key, K_NONE);
}

/* ---- the reader ------------------------------------------------------------------------------ */

typedef struct Teller {
    LmpProgress progress;
    int told, most; /* how often; stops after so many */
    double last;
    bool back;          /* it has gone back */
    char steps[20][40]; /* in the order in which they came */
    int count;
} Teller;

static bool note(LmpProgress *progress, const char *step, double share) {
    Teller *t = (Teller *)progress;
    ck_assert(share >= 0 && share <= 1.0001);
    t->back = t->back || share < t->last;
    t->last = share;
    if (t->count == 0 || strcmp(t->steps[t->count - 1], step) != 0)
        if (t->count < 20) snprintf(t->steps[t->count++], sizeof t->steps[0], "%s", step);
    return ++t->told < t->most;
}

/* A list, and in the file so much text that it is read in several pieces. */
static int large_file(char *name, size_t size) {
    enum { LINKS = 300000, TEXTS = 40, TEXT = 100000 };
    Graph *graph = graph_new();
    uint32_t last = graph_table(graph, TEXTS, TEXTS, 1, 1);
    graph_edge(graph, 0, last, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    char *text = malloc(TEXT + 1);
    for (uint32_t i = 0; i < TEXTS; i++) {
        for (uint32_t k = 0; k < TEXT; k++)
            text[k] = (char)('!' + suite_below(90)); /* nothing to compress */
        text[TEXT] = 0;
        graph_index(graph, last, i + 1, graph_string(graph, text));
    }
    free(text);
    for (uint32_t i = 0; i < LINKS; i++) {
        uint32_t link = graph_object(graph, LMP_OBJECT_USERDATA, 40);
        graph_edge(graph, last, link, LMP_EDGE_USER_VALUE, 1);
        last = link;
    }
    const LmpObjectGraph *g = graph_done(graph);
    LmpObjectInfo info = {.pid = 1, .number = 1};
    FileBytes file = {0};
    ck_assert_int_eq(file_write(&file, &info, g, NULL), LMP_OK);
    int fd = file_fd(file.bytes, file.n);
    snprintf(name, size, "/proc/self/fd/%d", fd);
    free(file.bytes);
    graph_free(graph);
    return fd;
}

TEST(how_far_it_is) {
    static const char *const steps[] = {"reading the file",
                                        "sorting keys",
                                        "finding what is held",
                                        "turning references round",
                                        "finding who holds it alone",
                                        "naming places",
                                        "naming classes"};
    char name[64];
    OWN(close_at) int fd = large_file(name, sizeof name);
    Teller t = {.progress.tell = note, .most = 1 << 30};
    LmpSnapshot s;
    ck_assert_int_eq(snapshot_open_told(&s, name, &t.progress), LMP_OK);
    ck_assert(!t.back);
    ck_assert_int_ge(t.told, 12); /* within the steps, too */
    ck_assert_int_eq(t.count, (int)(sizeof steps / sizeof *steps));
    for (int i = 0; i < t.count; i++)
        ck_assert_str_eq(t.steps[i], steps[i]);
    snapshot_close(&s);
    for (int most = 1; most <= t.told; most++) { /* stopped anywhere, nothing remains of it */
        Teller stops = {.progress.tell = note, .most = most};
        ck_assert_int_eq(snapshot_open_told(&s, name, &stops.progress), LMP_E_STOPPED);
        ck_assert_int_eq(stops.told, most); /* and is not told again */
        ck_assert_ptr_null(s.own);
    }
}

TEST(several_files) {
    char name[64];
    const char *failed = NULL, *older[] = {name, name};
    OWN(close_at) int fd = large_file(name, sizeof name);
    Teller t = {.progress.tell = note, .most = 1 << 30};
    OpenedFiles files = {name, older, 2, &t.progress};
    OpenedSnapshot *heap = NULL;
    ck_assert_int_eq(opened_open(&heap, &files, &failed), LMP_OK);
    ck_assert(!t.back);
    ck_assert(t.last > 0.9);
    int all = t.told;
    opened_close(heap);
    for (int most = 1; most <= all; most += 7) {
        Teller stops = {.progress.tell = note, .most = most};
        files.progress = &stops.progress;
        ck_assert_int_eq(opened_open(&heap, &files, &failed), LMP_E_STOPPED);
        ck_assert_ptr_null(heap);
    }
    OpenedSnapshot *kept = NULL; /* stopped, the one that is open stays */
    ck_assert_int_eq(opened_next(&kept, name, NULL), LMP_OK);
    OpenedSnapshot *same = kept;
    Teller stops = {.progress.tell = note, .most = 4};
    ck_assert_int_eq(opened_next(&kept, name, &stops.progress), LMP_E_STOPPED);
    ck_assert_ptr_eq(kept, same);
    ck_assert(!kept->compared);
    opened_close(kept);
}
