/* Tests of growth over a series of snapshots: against a model that knows each object of a run, by
 * what the verdict makes of it, and through the files that a display opens one after another. */
#include <unistd.h>

#include "graph_fixture.h"
#include "read/model/opened.h"
#include "snapfile_fixture.h"
#include "suite.h"

enum { CLASSES = 5, OBJECTS = 60, SHOTS = 5, FULL = 8 };

static LmpObjectInfo info_of(uint32_t number) {
    LmpObjectInfo info = {.pid = 1, .number = number, .clock = number * 40000000000ull};
    info.realtime = 1790000000000000000ull + info.clock;
    strcpy(info.program, "series.lua");
    return info;
}

/* ---- a run, object by object ----------------------------------------------------------------- */

/* What becomes of an object in one snapshot. */
typedef struct Moment {
    bool there, garbage;
    uint32_t class, size;
} Moment;

typedef struct One {
    uint32_t addr, birth; /* an address may be another object's later */
    Moment at[FULL];
} One;

typedef struct Run {
    One one[OBJECTS];
    uint32_t shots;
    Graph *graph[FULL];
    LmpSnapshot s[FULL];
} Run;

static void class_name(uint32_t class, char *out, size_t size) {
    snprintf(out, size, "{k%u}", class);
}

/* A table of that class: its only key says which. */
static void add(Graph *graph, uint32_t list, const One *one, const Moment *m, uint32_t n) {
    char key[8];
    uint32_t table = graph_table(graph, 0, 0, 1, 1);
    graph->object[table].size = m->size;
    graph->object[table].addr = 0x1000000 + 64 * (int64_t)one->addr;
    graph->object[table].birth = one->birth << LMP_BLOCK_BIRTH_SHIFT;
    snprintf(key, sizeof key, "k%u", m->class);
    graph_field(graph, table, key, table);
    if (!m->garbage) graph_index(graph, list, n, table);
}

/* Snapshot k of it. Everything but its objects is the same in all. */
static void take(Run *run, uint32_t k) {
    Graph *graph = run->graph[k] = graph_new();
    uint32_t list = graph_table(graph, 100, 100, 0, 0);
    graph_edge(graph, 0, list, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    graph->object[list].addr = 64;
    for (uint32_t c = 0; c < CLASSES; c++) {
        char key[8];
        snprintf(key, sizeof key, "k%u", c);
        uint32_t name = graph_string(graph, key);
        graph->object[name].addr = 128 + 64 * c;
        graph_index(graph, list, 1000 + c, name);
    }
    for (uint32_t i = 0; i < OBJECTS; i++)
        if (run->one[i].at[k].there) add(graph, list, &run->one[i], &run->one[i].at[k], i + 1);
    LmpObjectInfo info = info_of(k + 1);
    ck_assert_int_eq(snapshot_of_graph(&run->s[k], &info, graph_done(graph)), LMP_OK);
}

static void forget(Run *run) {
    for (uint32_t k = 0; k < run->shots; k++) {
        snapshot_close(&run->s[k]);
        graph_free(run->graph[k]);
    }
}

/* Objects come, grow, change their class, become garbage, and go, for good. */
static void live(Run *run, uint32_t shots) {
    memset(run, 0, sizeof *run);
    run->shots = shots;
    for (uint32_t i = 0; i < OBJECTS; i++) {
        One *one = &run->one[i];
        uint32_t from = (uint32_t)suite_below(shots), to = from + (uint32_t)suite_below(shots);
        uint32_t class = (uint32_t)suite_below(CLASSES), size = 1 + (uint32_t)suite_below(300);
        one->addr = i / 2; /* of two, who may both be there: then they lie apart */
        one->birth = 1 + i;
        for (uint32_t k = from; k < shots && k <= to; k++) {
            if (suite_below(4) == 0) size += (uint32_t)suite_below(200);
            if (suite_below(12) == 0) class = (uint32_t)suite_below(CLASSES);
            one->at[k] = (Moment){true, k == to && suite_below(2), class, size};
        }
    }
    for (uint32_t i = 1; i < OBJECTS; i += 2)
        for (uint32_t k = 0; k < shots; k++)
            if (run->one[i].at[k].there && run->one[i - 1].at[k].there) run->one[i].addr = 1000 + i;
    for (uint32_t k = 0; k < shots; k++)
        take(run, k);
}

static bool held(const Moment *m) {
    return m->there && !m->garbage;
}

/* What a class has more in snapshot k + 1, object by object: a new one counts whole, where it is;
 * one that is gone, where it was; one in both with what it has grown, where it is now. */
static int64_t naive(const Run *run, uint32_t k, uint32_t class) {
    int64_t all = 0;
    for (uint32_t i = 0; i < OBJECTS; i++) {
        const Moment *was = &run->one[i].at[k], *is = &run->one[i].at[k + 1];
        if (held(is) && is->class == class) all += is->size;
        if (held(is) && was->there && is->class == class) all -= was->size;
        if (held(was) && !held(is) && was->class == class) all -= was->size;
    }
    return all;
}

static LmpSnapshotChange change_of(uint32_t class) {
    LmpSnapshotChange change = {.kind = LMP_OBJECT_TABLE};
    class_name(class, change.name, sizeof change.name);
    return change;
}

static LmpSnapshotSteps growth_to(const Run *run, uint32_t shots) {
    LmpSnapshotSteps growth = {.by = LMP_BY_CLASS};
    for (uint32_t k = 0; k + 1 < shots; k++)
        ck_assert_int_eq(compare_add_step(&growth, &run->s[k], &run->s[k + 1]), LMP_OK);
    return growth;
}

/* By class: bytes in all steps, if it grew in each of them and by enough; else 0. */
static uint64_t named(const Run *run, uint32_t class) {
    const LmpSnapshot *first = &run->s[0];
    int64_t all = 0;
    for (uint32_t k = 0; k + 1 < run->shots; k++) {
        int64_t bytes = naive(run, k, class);
        if (bytes <= 0) return 0;
        all += bytes;
    }
    return (uint64_t)all * 50 >= first->reachable_bytes + first->garbage_bytes ? (uint64_t)all : 0;
}

static bool says(const LmpSuspects *suspects, uint32_t class) {
    char name[16], words[40];
    class_name(class, name, sizeof name);
    snprintf(words, sizeof words, "%s grew by ", name);
    for (uint32_t i = 0; i < suspects->fired; i++)
        if (strstr(suspects->row[i].words, words)) return true;
    return false;
}

TEST(against_a_model) {
    static Run run;
    static LmpSuspects suspects;
    uint32_t fired = 0, fell = 0;
    for (int round = 0; round < 400; round++) {
        live(&run, 2 + (uint32_t)suite_below(SHOTS - 1));
        LmpSnapshotSteps growth = growth_to(&run, run.shots);
        ck_assert_uint_eq(growth.steps, run.shots - 1);
        uint64_t most = 0;
        uint32_t first = 0;
        for (uint32_t c = 0; c < CLASSES; c++) {
            LmpSnapshotChange change = change_of(c);
            bool each = true, grew = true;
            int64_t sum = 0;
            for (uint32_t k = 0; k + 1 < run.shots; k++) {
                int64_t bytes = naive(&run, k, c);
                ck_assert_msg(compare_grown_by(&growth, &change, k) == bytes,
                              "round %d, class %u, step %u: %lld, not %lld", round, c, k,
                              (long long)compare_grown_by(&growth, &change, k), (long long)bytes);
                sum += bytes;
                grew = grew && bytes > 0;
            }
            ck_assert_int_eq(compare_grown_in_all(&growth, &change, &each), sum);
            ck_assert_int_eq(each, grew);
            fell += !grew && sum > 0;
            if (named(&run, c) > most) most = named(&run, c), first = c;
        }
        for (uint32_t k = 0; k + 1 < run.shots; k++) { /* what the whole heap has more */
            int64_t all = 0;
            for (uint32_t c = 0; c < CLASSES; c++)
                all += naive(&run, k, c);
            ck_assert_int_eq((int64_t)(run.s[k + 1].reachable_bytes - run.s[k].reachable_bytes),
                             all);
        }
        compare_free_steps(&growth);
        growth = growth_to(&run, run.shots - 1);
        ck_assert_int_eq(
            suspects_make(&suspects, &run.s[run.shots - 1], &run.s[run.shots - 2], &growth),
            LMP_OK);
        for (uint32_t c = 0; c < CLASSES; c++)
            if (says(&suspects, c)) ck_assert_msg(named(&run, c) > 0, "round %d, %u", round, c);
        if (most > 0) ck_assert_msg(says(&suspects, first), "round %d: not %u", round, first);
        fired += most > 0;
        compare_free_steps(&growth);
        forget(&run);
    }
    ck_assert_uint_gt(fired, 50); /* both have been there */
    ck_assert_uint_gt(fell, 50);
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* Of class 0 there are more each time; of 1 there was a burst; of 2 there are more only now. */
static void burst(Run *run, uint32_t shots) {
    static const uint32_t many[3][4] = {{2, 6, 10, 14}, {1, 30, 20, 19}, {3, 3, 12, 12}};
    memset(run, 0, sizeof *run);
    run->shots = shots;
    for (uint32_t i = 0, class = 0; class < 3; class ++)
        for (uint32_t n = 0; n < 30 && i < OBJECTS; n++) {
            One *one = &run->one[i];
            one->addr = one->birth = 1 + i;
            bool ever = false;
            for (uint32_t k = 0; k < shots; k++) {
                one->at[k] = (Moment){n < many[class][k], false, class, 512};
                ever = ever || one->at[k].there;
            }
            i += ever;
        }
    for (uint32_t k = 0; k < shots; k++)
        take(run, k);
}

static const char *words_of(const LmpSuspects *suspects, LmpSuspectRule rule) {
    for (uint32_t i = 0; i < suspects->rows; i++)
        if (suspects->row[i].rule == rule) return suspects->row[i].words;
    return "";
}

TEST(only_what_grew_each_time) {
    static Run run;
    static LmpSuspects suspects;
    burst(&run, 3);
    ck_assert_int_eq(suspects_make(&suspects, &run.s[2], &run.s[1], NULL), LMP_OK);
    ck_assert(says(&suspects, 0) && !says(&suspects, 1) && says(&suspects, 2));
    ck_assert_int_eq(suspects_make(&suspects, &run.s[2], &run.s[0], NULL), LMP_OK);
    ck_assert(says(&suspects, 0) && says(&suspects, 1) && says(&suspects, 2));
    LmpSnapshotSteps growth = growth_to(&run, 2);
    ck_assert_int_eq(suspects_make(&suspects, &run.s[2], &run.s[1], &growth), LMP_OK);
    ck_assert(says(&suspects, 0) && !says(&suspects, 1) && !says(&suspects, 2));
    bool told = false;
    for (uint32_t i = 0; i < suspects.fired; i++)
        told = told || strstr(suspects.row[i].words,
                              "{k0} grew by 4.0 KiB since snapshot 1, each time: 2.0 KiB, then "
                              "2.0 KiB (at last 4 objects new, 0 gone).");
    ck_assert(told);
    compare_free_steps(&growth);
    forget(&run);
}

TEST(why_there_is_no_telling) {
    static Run run;
    static LmpSuspects suspects;
    burst(&run, 4);
    LmpSnapshotSteps growth = growth_to(&run, 3);
    run.s[1].info.pid = 2; /* the two between are of another run */
    run.s[2].info.pid = 2;
    LmpSnapshotSteps foreign = growth_to(&run, 3);
    run.s[1].info.pid = run.s[2].info.pid = 1;
    ck_assert(foreign.foreign && !growth.foreign);
    ck_assert_int_eq(suspects_make(&suspects, &run.s[3], &run.s[2], &foreign), LMP_OK);
    ck_assert_str_eq(words_of(&suspects, LMP_SUSPECT_GROWN),
                     "Growth: the earlier snapshots are of several runs.");
    /* the same heap once more: nothing grew in the last step */
    ck_assert_int_eq(suspects_make(&suspects, &run.s[2], &run.s[2], &growth), LMP_OK);
    ck_assert_str_eq(words_of(&suspects, LMP_SUSPECT_GROWN),
                     "Nothing grew each time since snapshot 1 and by 2 % of its heap in all.");
    compare_free_steps(&growth);
    compare_free_steps(&foreign);
    forget(&run);
}

TEST(no_more_than_there_is_room) {
    static Run run;
    burst(&run, 2);
    LmpSnapshotSteps growth = {.by = LMP_BY_CLASS};
    for (uint32_t i = 0; i < LMP_STEPS_MOST; i++)
        ck_assert_int_eq(compare_add_step(&growth, &run.s[i % 2], &run.s[(i + 1) % 2]), LMP_OK);
    ck_assert_int_eq(compare_add_step(&growth, &run.s[0], &run.s[1]), LMP_E_BUSY);
    ck_assert_uint_eq(growth.steps, LMP_STEPS_MOST);
    compare_free_steps(&growth);
    forget(&run);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A name of snapshot k as a file; the descriptor is to be closed. */
static int file_of(const Run *run, uint32_t k, char *name, size_t size) {
    FileBytes file = {0};
    ck_assert_int_eq(file_write(&file, &run->s[k].info, &run->s[k].g, NULL), LMP_OK);
    int fd = file_fd(file.bytes, file.n);
    snprintf(name, size, "/proc/self/fd/%d", fd);
    free(file.bytes);
    return fd;
}

/* A display takes one after the other: from the third on, what grew in the last two steps. */
TEST(one_after_the_other) {
    static Run run;
    OpenedSnapshot *heap = NULL;
    char name[64];
    burst(&run, 4);
    for (uint32_t k = 0; k < 4; k++) {
        int fd = file_of(&run, k, name, sizeof name);
        ck_assert_int_eq(opened_next(&heap, name, NULL), LMP_OK);
        close(fd);
        ck_assert_uint_eq(heap->compared, k > 0);
        ck_assert_uint_eq(heap->before.steps, k > 1);
        if (k > 1) ck_assert_uint_eq(heap->before.number, k - 1);
        const LmpSuspects *suspects = opened_suspects(heap);
        if (k < 2) continue;
        ck_assert(says(suspects, 0) && !says(suspects, 1) && !says(suspects, 2));
    }
    ck_assert_int_ne(opened_next(&heap, "/dev/null", NULL), LMP_OK); /* stays as it is */
    ck_assert_uint_eq(heap->before.number, 2);
    opened_close(heap);
    forget(&run);
}

TEST(all_at_once) {
    static Run run;
    OpenedSnapshot *heap = NULL;
    char name[3][64];
    const char *failed = NULL, *older[] = {name[0], name[1], "/dev/null"};
    int fd[3];
    burst(&run, 3);
    for (uint32_t k = 0; k < 3; k++)
        fd[k] = file_of(&run, k, name[k], sizeof name[k]);
    OpenedFiles files = {.file = name[2], .older = older, .olders = 2};
    ck_assert_int_eq(opened_open(&heap, &files, &failed), LMP_OK);
    ck_assert_uint_eq(heap->older.info.number, 2);
    ck_assert_uint_eq(heap->before.steps, 1);
    const LmpSuspects *suspects = opened_suspects(heap);
    ck_assert(says(suspects, 0) && !says(suspects, 1) && !says(suspects, 2));
    opened_close(heap);
    files.olders = 3;
    ck_assert_int_eq(opened_open(&heap, &files, &failed), LMP_E_FOREIGN);
    ck_assert_str_eq(failed, "/dev/null");
    ck_assert_ptr_null(heap);
    older[0] = "/dev/null";
    ck_assert_int_eq(opened_open(&heap, &files, &failed), LMP_E_FOREIGN);
    files.file = "/tmp/there-is-no/such.heap";
    ck_assert_int_eq(opened_open(&heap, &files, &failed), LMP_E_FILE);
    ck_assert_str_eq(failed, files.file);
    LmpObjectInfo info;
    ck_assert_int_eq(snapshot_info(&info, name[1]), LMP_OK);
    ck_assert_uint_eq(info.number, 2);
    ck_assert_int_eq(snapshot_info(&info, "/dev/null"), LMP_E_FOREIGN);
    for (uint32_t k = 0; k < 3; k++)
        close(fd[k]);
    forget(&run);
}

/* ---- coroutines ------------------------------------------------------------------------------ */

/* What may be different when a coroutine is met again. */
typedef enum Fate {
    STAYED,
    OTHER_LINE,
    OTHER_VALUE,
    FEWER_FRAMES,
    FEWER_VALUES,
    OTHER_FUNCTION,
    ANOTHER,
    RAN,
    FATES
} Fate;

static Graph *with_coroutine(Fate fate, bool then) {
    Graph *graph = graph_new();
    bool differs = !then;
    uint32_t globals = graph_table(graph, 0, 0, 8, 1), body[2];
    graph_edge(graph, 0, globals, LMP_EDGE_ROOT, LMP_ROOT_MAIN);
    for (int i = 0; i < 2; i++) {
        body[i] =
            graph_function(graph, graph_proto(graph, "@worker.lua", 7 + 40 * (uint32_t)i, 30));
        graph_index(graph, globals, 10 + (uint32_t)i, body[i]);
    }
    uint32_t value[2];
    for (int i = 0; i < 2; i++) {
        value[i] = graph_object(graph, LMP_OBJECT_USERDATA, 1000);
        graph_index(graph, globals, 20 + (uint32_t)i, value[i]);
    }
    uint32_t thread = graph_thread(graph, fate == RAN && then ? 0 : 1);
    graph_index(graph, globals, 1, thread);
    graph->object[thread].birth = (fate == ANOTHER && differs ? 9u : 8u) << LMP_BLOCK_BIRTH_SHIFT;
    graph->object[thread].size = 20000;
    if (fate != FEWER_FRAMES || then) graph_frame(graph, 0, -1);
    uint32_t frame = graph_frame(graph, body[fate == OTHER_FUNCTION && differs],
                                 fate == OTHER_LINE && differs ? 19 : 18);
    graph_local(graph, frame, "buffer", 1, value[fate == OTHER_VALUE && differs]);
    if (fate == FEWER_VALUES && then) graph_local(graph, frame, "more", 2, value[1]);
    return graph;
}

TEST(coroutines_that_stay) {
    static LmpSuspects suspects;
    for (Fate fate = STAYED; fate < FATES; fate++) {
        Graph *graph[2] = {with_coroutine(fate, true), with_coroutine(fate, false)};
        LmpSnapshot s[2];
        for (uint32_t k = 0; k < 2; k++) {
            LmpObjectInfo info = info_of(k + 1);
            ck_assert_int_eq(snapshot_of_graph(&s[k], &info, graph_done(graph[k])), LMP_OK);
        }
        ck_assert_int_eq(suspects_make(&suspects, &s[1], NULL, NULL), LMP_OK);
        ck_assert_ptr_nonnull(strstr(words_of(&suspects, LMP_SUSPECT_COROUTINES),
                                     "if nobody resumes it, that stays"));
        ck_assert_int_eq(suspects_make(&suspects, &s[1], &s[0], NULL), LMP_OK);
        const char *words = words_of(&suspects, LMP_SUSPECT_COROUTINES);
        bool said = strstr(words, "It stood there 40 s before with the same variables: as it seems "
                                  "nobody resumes it.") != NULL;
        ck_assert_msg(said == (fate == STAYED), "%d: %s", (int)fate, words);
        s[0].info.pid = 7; /* of another run: nothing is the same */
        ck_assert_int_eq(suspects_make(&suspects, &s[1], &s[0], NULL), LMP_OK);
        ck_assert_ptr_null(strstr(words_of(&suspects, LMP_SUSPECT_COROUTINES), "stood there"));
        for (uint32_t k = 0; k < 2; k++) {
            snapshot_close(&s[k]);
            graph_free(graph[k]);
        }
    }
}
