/* A damaged shared state, all the way to the screen: whatever bytes a dead or hostile writer left,
 * every panel draws, and no key makes it fall over. Run under the sanitizers this is a fuzz test.
 */
#include "app_play.h"
#include "fake_heap.h"
#include "fake_tables.h"
#include "suite.h"

RELEASE_AT(canvas_free)
RELEASE_AT(app_free)

#define SECOND 1000000000ull

static void scramble(void *bytes, size_t size, unsigned zeroes) {
    uint64_t *words = bytes;
    for (size_t i = 0; i < size / 8; i++) {
        words[i] = suite_below(8) < zeroes ? 0 : suite_random() >> suite_below(64);
    }
}

/* A state of some leaves, then random bytes over this and that. */
static FakeHeap *damaged_heap(void) {
    FakeHeap *f = fake_new(false);
    uint64_t base = suite_random() >> (LMP_LEAF_BITS + 16 + suite_below(20));
    for (unsigned i = 0; i < 300; i++) {
        uint64_t addr = ((base + i / 150) << LMP_LEAF_BITS) + suite_below(1u << 20) * 16;
        fake_place(f, addr, 1 + suite_below(300), 1 + (unsigned)suite_below(14), 1);
    }
    uint32_t leaves = f->view.leaves;
    scramble(&f->live, sizeof f->live, (unsigned)suite_below(8));
    f->live.leaves = leaves; /* else view_refresh would map the file that there is not */
    atomic_store(&f->live.history.seq, 2 * (uint32_t)suite_below(2));
    for (uint32_t i = 0; i < leaves; i++) {
        if (suite_below(2)) scramble(f->leaf[i]->touch, sizeof f->leaf[i]->touch, 4);
        uint32_t *entry = f->leaf[i]->entry;
        size_t at = suite_below(LMP_LEAF_ENTRIES - 70000) & ~(size_t)1;
        if (suite_below(2)) scramble(entry + at, suite_below(70000) * 4, (unsigned)suite_below(8));
    }
    if (suite_below(2)) scramble(f->overflow, 1 << 16, (unsigned)suite_below(8));
    for (size_t i = 0; i < sizeof f->header.program; i++) {
        f->header.program[i] = (char)suite_random();
    }
    f->header.start_clock = suite_random() >> suite_below(64);
    scramble(f->control.preview_addr, sizeof f->control.preview_addr, 2);
    return f;
}

/* The tables of a program, then random bytes over this and that. */
static FakeTables *damaged_tables(void) {
    FakeTables *f = fake_tables_new(NULL);
    fake_program(f, suite_below(4) != 0);
    LmpTablesUsed *used = &f->live->tables;
    const struct {
        void *rows;
        size_t size;
    } part[] = {
        {f->t.text, used->text},
        {f->t.function, used->functions * sizeof *f->t.function},
        {f->t.site, used->sites * sizeof *f->t.site},
        {f->t.record, used->records * sizeof *f->t.record},
        {f->t.node, used->nodes * sizeof *f->t.node},
        {f->t.path, 4096},
        {f->t.live_history, used->sites * sizeof *f->t.live_history},
        {f->t.live_history_blocks, used->sites * sizeof *f->t.live_history_blocks},
        {used->live_history_list, sizeof used->live_history_list},
    };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (suite_below(3)) continue;
        size_t from = suite_below(part[i].size) & ~(size_t)7, size = part[i].size - from;
        scramble((char *)part[i].rows + from, 1 + suite_below(size), (unsigned)suite_below(8));
    }
    if (suite_below(3) == 0) {
        uint32_t *counts[] = {&used->functions, &used->sites, &used->records,
                              &used->nodes,     &used->paths, &used->tags};
        *counts[suite_below(6)] = (uint32_t)(suite_random() >> suite_below(64));
    }
    if (suite_below(3) == 0) used->live_history = suite_random() >> suite_below(64);
    return f;
}

TEST(everything_draws) {
    static const char keys[] = "12345\r\r++++-- z?aacmn\t\x1b\x1b"
                               "67890666/<>reI*bd66\r\r\r";
    for (int round = 0; round < 25; round++) {
        OWN(fake_free_at) FakeHeap *f = damaged_heap();
        OWN(fake_tables_free_at) FakeTables *tables = damaged_tables();
        f->view.tables = tables->t;
        AppOptions options = {.utf8 = suite_below(4) != 0,
                              .colours = suite_below(4) ? 256 : 0,
                              .live = true,
                              .can_type = true,
                              .hold = true};
        OWN(app_free_at) App *app = app_new(&options);
        OWN(canvas_free_at) Canvas *canvas = canvas_new(120, 36, options.utf8);
        uint64_t now = SECOND;
        for (int frame = 0; frame < 40; frame++) {
            if (suite_below(5) == 0) {
                canvas_resize(canvas, 1 + (int)suite_below(200), 1 + (int)suite_below(60));
            }
            ModelInput input = {suite_random() >> suite_below(64),
                                suite_below(4) != 0,
                                suite_random(),
                                suite_random(),
                                NULL,
                                NULL};
            if (!app_ui(app)->frozen) {
                model_fill(app_model(app), &f->view, &input);
                model_fill_ledger(app_model(app), &f->view, app_parts(app));
                app_fresh(app, now);
            }
            view_next_frame(&f->view);
            app_draw(app, canvas, now += SECOND / 10);
            Key key = (Key)(unsigned char)keys[suite_below(sizeof keys - 1)];
            play_key(app, suite_below(3) ? key : K_UP + (Key)suite_below(8));
            play_mouse(app, (MouseWhat)suite_below(4), (int)suite_below(200), (int)suite_below(60));
            app_ui(app)->requests.waiting = 0;
            if (suite_below(3) == 0) scramble(&f->live.op, sizeof f->live.op, 4);
        }
        ledger_free(&app_model(app)->ledger);
    }
}
