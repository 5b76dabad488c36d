/* The settings: their rows, and what choosing another value asks for. */
#include "panel_draw.h"
#include "screen/config.h"

static Model *model;
static Stage *stage;
static Config config;

static void close_stage(void) {
    stage_free(stage);
    free(model);
}

static void open_stage(int w, int h) {
    suite_closes(close_stage);
    model = calloc(1, sizeof *model);
    stage = stage_new(&panel_settings, model, w, h, true, 256);
    config = (Config){0};
    config_put(&config, "theme", "light");
    config_put(&config, "fps", "7.5");
    stage->ui.config = &config;
    stage_draw(stage);
}

static void asks(const char *name, const char *value) {
    const Request *request = request_take(&stage->ui.requests);
    ck_assert_ptr_nonnull(request);
    ck_assert_int_eq(request->kind, REQUEST_REMEMBER);
    ck_assert_str_eq(request->remember.name, name);
    ck_assert_str_eq(request->remember.value, value);
    config_put(&config, name, value);
}

TEST(list) {
    open_stage(100, 10);
    stage_golden(stage, "settings-100x10.txt");
    open_stage(20, 3);
    for (int k = 0; k < 10; k++)
        stage_act(stage, ACT_DOWN);
    stage_draw(stage);
}

TEST(keys) {
    open_stage(100, 10);
    stage_act(stage, ACT_ENTER);
    asks("theme", "mono");
    stage_act(stage, ACT_LEFT);
    asks("theme", "light");
    stage_act(stage, ACT_LEFT);
    asks("theme", "dark");
    stage_act(stage, ACT_LEFT); /* round the end */
    asks("theme", "okabe-ito-light");
    stage_act(stage, ACT_RIGHT);
    asks("theme", "dark");
    stage_act(stage, ACT_DOWN);
    stage_act(stage, ACT_PAUSE); /* one that is in the file, and not offered */
    asks("fps", "1");
    stage_act(stage, ACT_DOWN);
    stage_act(stage, ACT_ENTER); /* one that is not set */
    asks("mouse", "on");
    MouseEvent click = {.what = MOUSE_CLICK, .x = 5, .y = 1};
    ck_assert(panel_settings.mouse(stage->state, model, &stage->ui, click, stage->rect));
    asks("fps", "5");
}

/* What is offered can be read back. */
TEST(choices_are_good) {
    for (const ConfigRow *row = config_rows; row->name; row++) {
        char words[160], *rest = words;
        snprintf(words, sizeof words, "%s", row->choices ? row->choices : "");
        for (char *word; *words && (word = strsep(&rest, ","));)
            ck_assert_msg(row->good(word), "%s = %s", row->name, word);
    }
}
