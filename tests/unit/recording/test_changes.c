/* test_changes.c - a frame that is known by its pieces alone, against another chunk's key: byte for
 * byte what is made of its memory. */
#include "record_fixture.h"
#include "recording/writer/changes.h"

enum { ROUNDS = 30, CHANGES = 60 };

typedef struct Stage {
    Recorded *s;
    Changes *changes;
} Stage;

/* `of` NULL: of the state's memory. */
static RecBytes piece_of(const Stage *t, RecSection section, ChangesOf of) {
    RecBytes out = {0};
    char *copy;
    RecMemory now = view_memory_of(&t->s->view, &copy);
    changes_begin(t->changes, &of);
    for (uint32_t g = 0; g < REC_GROUPS; g++)
        if (rec_groups[g].section == section)
            changes_put(t->changes, &out, g, of.first ? NULL : &now, false);
    free(copy);
    ck_assert(!out.failed);
    return out;
}

static void change(const Stage *t) {
    for (uint64_t n = suite_below(CHANGES); n > 0; n--)
        recorded_change(t->s);
}

static void check_same(const RecBytes *got, const RecBytes *wanted) {
    ck_assert_uint_eq(got->n, wanted->n);
    ck_assert_int_eq(memcmp(got->at, wanted->at, wanted->n), 0);
}

static void check_section(const Stage *t, RecSection section) {
    RecBytes first = piece_of(t, section, (ChangesOf){0});
    change(t);
    RecBytes key = piece_of(t, section, (ChangesOf){0});
    change(t);
    RecBytes more = piece_of(t, section, (ChangesOf){.key = &first});
    RecBytes wanted = piece_of(t, section, (ChangesOf){.key = &key});
    RecBytes got = piece_of(t, section, (ChangesOf){&key, &first, &more});
    check_same(&got, &wanted);
    bytes_free(&got);
    bytes_free(&wanted);
    wanted = piece_of(t, section, (ChangesOf){0}); /* the first one of its chunk */
    got = piece_of(t, section, (ChangesOf){.first = &first, .more = &more});
    check_same(&got, &wanted);
    RecBytes *const all[] = {&first, &key, &more, &wanted, &got};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_free(all[i]);
}

TEST(pieces) {
    Stage t = {recorded_new(), changes_new()};
    for (int i = 0; i < 300; i++)
        recorded_spot(t.s);
    for (int round = 0; round < ROUNDS; round++) {
        check_section(&t, REC_LIVE);
        check_section(&t, REC_TABLES);
    }
    changes_free(t.changes);
    recorded_free(t.s);
}

/* Returns the piece of the one group whose rows lie in memory otherwise than in a recording. */
static RecBytes node_figures(const Stage *t) {
    RecBytes out = {0};
    char *copy;
    RecMemory now = view_memory_of(&t->s->view, &copy);
    uint32_t g = 0;
    while (strcmp(rec_groups[g].name, "node figures") != 0)
        g++;
    changes_begin(t->changes, &(ChangesOf){0});
    changes_put(t->changes, &out, g, &now, false);
    free(copy);
    return out;
}

TEST(own_usages) {
    Stage t = {recorded_new(), changes_new()};
    for (int i = 0; i < 300; i++)
        recorded_change(t.s);
    RecBytes wanted = node_figures(&t);
    fake_own_usages(t.s->tables);
    RecBytes got = node_figures(&t);
    ck_assert_uint_gt(t.s->tables->live->tables.usages, 20 * sizeof(LmpUsage) / 8);
    check_same(&got, &wanted);
    bytes_free(&wanted);
    bytes_free(&got);
    changes_free(t.changes);
    recorded_free(t.s);
}

/* A piece that is cut off anywhere is refused, or says what it says. */
TEST(cut_off) {
    Stage t = {recorded_new(), changes_new()};
    for (int i = 0; i < 20; i++)
        recorded_change(t.s);
    RecBytes first = piece_of(&t, REC_TABLES, (ChangesOf){0});
    for (size_t n = 1; n < first.n; n += 1 + suite_below(20)) {
        uint8_t *copy = malloc(n); /* so that a byte behind it is noticed */
        RecBytes out = {0}, cut = {.at = memcpy(copy, first.at, n), .n = n, .room = n};
        changes_begin(t.changes, &(ChangesOf){.first = &cut});
        for (uint32_t g = 0; g < REC_GROUPS; g++)
            if (rec_groups[g].section == REC_TABLES) changes_put(t.changes, &out, g, NULL, false);
        ck_assert(out.failed);
        bytes_free(&out);
        free(copy);
    }
    bytes_free(&first);
    changes_free(t.changes);
    recorded_free(t.s);
}
