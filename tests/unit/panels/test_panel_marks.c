/* The list of marks, and what its keys want of the model. */
#include "panel_draw.h"

#define SECOND 1000000000ull
#define MIB (1ull << 20)

static LmpLive live;
static Model *model;
static Stage *stage;

static void set_mark(const char *name, uint64_t clock, uint64_t heap, bool rows) {
    LmpMark *mark = &live.mark[live.marks % LMP_MARKS];
    *mark = (LmpMark){.clock = clock, .number = ++live.marks};
    snprintf(mark->name, sizeof mark->name, "%s", name);
    mark->class_live[LMP_C_TABLE] = heap;
    if (rows) mark->rows = ++live.marked;
}

/* A frame as the viewer makes it. */
static void fill(void) {
    model->wanted = stage->ui.marks;
    model_fill_live(model, &live, 100 * SECOND);
}

static void close_stage(void) {
    stage_free(stage);
    free(model);
}

static void open_stage(int w, int h, bool utf8) {
    suite_closes(close_stage);
    memset(&live, 0, sizeof live);
    model = calloc(1, sizeof *model);
    model->ledger.lines = LMP_LINES_EXACT;
    live.counters.live_bytes = 40 * MIB;
    live.counters.count[LMP_C_TABLE].alloc_bytes = 40 * MIB;
    stage = stage_new(&panel_marks, model, w, h, utf8, 256);
}

/* In place of what stands in the line. */
static void type(const char *text, Key last) {
    ck_assert_ptr_nonnull(stage->ui.edit);
    edit_key(stage->ui.edit, K_CTRL('U'));
    stage_type(stage, text, last);
}

static void key(Action action) {
    stage_draw(stage);
    ck_assert(stage_act(stage, action));
    fill();
}

static const char *base(void) {
    return model->marked ? model->mark[model->base].name : "none";
}

TEST(list) {
    open_stage(100, 10, true);
    fill();
    stage_golden(stage, "marks-none-100x10.txt");
    set_mark("loaded", 3 * SECOND, 10 * MIB, true);
    set_mark("a name that is longer than others\033[31m", 20 * SECOND, 50 * MIB, true);
    set_mark("mark 3", 60 * SECOND, 40 * MIB, false);
    fill();
    stage_golden(stage, "marks-100x10.txt");
    suite_close();
    static const int sizes[][2] = {{78, 5}, {40, 6}, {20, 3}, {14, 2}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        open_stage(sizes[i][0], sizes[i][1], i % 2);
        for (int m = 0; m < 70; m++)
            set_mark("m", (uint64_t)m * SECOND, (uint64_t)m * MIB, true);
        fill();
        for (int k = 0; k < 100; k++)
            stage_act(stage, ACT_DOWN);
        stage_draw(stage);
    }
}

/* The newest mark counts, another one when it is chosen, none when it is chosen again. One taken
 * away is in no list and nothing counts from it; a name is seen wherever marks are. */
TEST(keys) {
    open_stage(100, 10, true);
    set_mark("one", 3 * SECOND, 10 * MIB, true);
    set_mark("two", 20 * SECOND, 50 * MIB, true);
    fill();
    ck_assert_str_eq(base(), "two");
    ck_assert_int_eq(model->since_mark.total_bytes, -(int64_t)(10 * MIB));
    key(ACT_DOWN);
    key(ACT_ENTER);
    ck_assert_str_eq(base(), "one");
    ck_assert_int_eq(model->since_mark.total_bytes, (int64_t)(30 * MIB));
    ck_assert(request_waits(&stage->ui.requests, REQUEST_REFRESH));
    set_mark("three", 30 * SECOND, 20 * MIB, true); /* somebody else's: the choice stays */
    fill();
    ck_assert_str_eq(base(), "one");
    key(ACT_END);
    key(ACT_ENTER);
    ck_assert_str_eq(base(), "none");
    key(ACT_HOME);
    key(ACT_ENTER);
    ck_assert_str_eq(base(), "three");
    key(ACT_DELETE);
    ck_assert_str_eq(base(), "none");
    ck_assert_uint_eq(model->marks, 2);
    ck_assert_str_eq(model->mark[1].name, "two");
    key(ACT_EDIT);
    type("before the loop", K_ENTER);
    fill();
    ck_assert_str_eq(model->mark[1].name, "before the loop");
    key(ACT_EDIT);
    type("something else", K_ESC);
    fill();
    ck_assert_str_eq(model->mark[1].name, "before the loop");
    stage->ui.marks.count_from = 0; /* as m does */
    fill();
    ck_assert_str_eq(base(), "before the loop");
}

/* Marks that came too fast have no rows: the last one that has them counts, if there is any. */
TEST(marks_without_rows) {
    open_stage(100, 10, true);
    set_mark("one", 1, 0, false);
    fill();
    ck_assert_str_eq(base(), "one");
    set_mark("two", 2, 0, true);
    set_mark("three", 3, 0, false);
    fill();
    ck_assert_str_eq(base(), "two");
    for (uint32_t i = 0; i < LMP_MARKED; i++)
        set_mark("more", 4 + i, 0, true);
    fill();
    ck_assert(!model_mark_kept(model, 1) && model_mark_kept(model, 3));
    stage->ui.marks.count_from = 2;
    fill();
    ck_assert_str_eq(base(), "two"); /* of types it still tells */
}
