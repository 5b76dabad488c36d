/* The list of programs, and what its keys ask for. */
#include "panel_draw.h"

#define SECOND 1000000000ull
#define MIB (1ull << 20)

static const UiProgram programs[] = {
    {4711, 1, 0, 0, true, 40 * MIB, 75 * SECOND, "server.lua"},
    {4712, 1, 4711, 0, false, 3 * MIB, 70 * SECOND, "server.lua"},
    {4713, 2, 4711, 3, false, 5 * MIB, 4 * SECOND, "server.lua"},
    {99999, 1, 0, 1, false, 700, 1 * SECOND, "another with a name that is long.lua"},
    {100000, 1, 0, 2, false, 0, 1 * SECOND, "ended.lua"},
};

static Model *model;
static Stage *stage;

static void close_stage(void) {
    stage_free(stage);
    free(model);
}

static void open_stage(int w, int h, bool utf8, uint32_t count) {
    suite_closes(close_stage);
    model = calloc(1, sizeof *model);
    stage = stage_new(&panel_programs, model, w, h, utf8, 256);
    stage->ui.programs.row = programs;
    stage->ui.programs.count = count;
}

TEST(list) {
    open_stage(100, 10, true, 0);
    stage_golden(stage, "programs-none-100x10.txt");
    open_stage(100, 10, true, 5);
    stage_golden(stage, "programs-100x10.txt");
    suite_close();
    static const int sizes[][2] = {{58, 5}, {40, 6}, {20, 3}, {14, 2}, {14, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        open_stage(sizes[i][0], sizes[i][1], i % 2, 5);
        for (int k = 0; k < 10; k++)
            stage_act(stage, ACT_DOWN);
        stage_draw(stage);
    }
}

TEST(keys) {
    open_stage(100, 10, true, 5);
    stage_draw(stage);
    stage_act(stage, ACT_ENTER); /* it is shown already */
    ck_assert(!request_waits(&stage->ui.requests, REQUEST_OTHER));
    stage_act(stage, ACT_DOWN);
    stage_act(stage, ACT_DOWN);
    stage_act(stage, ACT_ENTER);
    const Request *request = request_take(&stage->ui.requests);
    ck_assert_ptr_nonnull(request);
    ck_assert_int_eq(request->kind, REQUEST_OTHER);
    ck_assert_uint_eq(request->other.pid, 4713);
    ck_assert_uint_eq(request->other.serial, 2);
}

static uint32_t chosen(void) {
    stage_act(stage, ACT_ENTER);
    const Request *request = request_take(&stage->ui.requests);
    return request ? request->other.pid : 0;
}

TEST(cursor_stays_on_its_program) { /* while others come and go */
    open_stage(100, 10, true, 5);
    stage_draw(stage);
    stage_act(stage, ACT_DOWN);
    stage_act(stage, ACT_DOWN);
    for (int drawn = 0; drawn < 2; drawn++) {
        for (uint32_t gone = 0; gone < 3; gone++) {
            stage->ui.programs.row = programs + gone;
            stage->ui.programs.count = 5 - gone;
            if (drawn) stage_draw(stage);
            ck_assert_uint_eq(chosen(), 4713);
        }
    }
    stage->ui.programs.row = programs + 3; /* it is gone itself */
    stage->ui.programs.count = 2;
    stage_draw(stage);
    ck_assert_uint_eq(chosen(), 99999);
    stage->ui.programs.row = programs;
    stage->ui.programs.count = 5;
    ck_assert_uint_eq(chosen(), 99999);
}
