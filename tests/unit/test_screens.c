/* Whole screens against golden files: from a fixed model and clock, at several sizes and in each
 * colour mode. GENERATE=1 writes them anew; look at the difference before committing it. */
#include "app.h"
#include "fake_scene.h"
#include "fixed.h"
#include "suite.h"

#define SECOND 1000000000ull
#define DOWN "\x01" /* stands for the arrow */
#define ESC "\x1b"

/* What a screen shows, one row each; its golden file is screen-NAME.txt. */
typedef struct Screen {
    const char *name;
    int w, h, colours;
    bool utf8, live;
    LmpSeen seen;
    const char *keys;
} Screen;

static const Screen screens[] = {
    {"120x36", 120, 36, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"80x24", 80, 24, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"60x15", 60, 15, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"200x60", 200, 60, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"40x10", 40, 10, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"20x5", 20, 5, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"20x40", 20, 40, 256, true, true, LMP_SEEN_RUNNING, ""},
    {"80x24-ascii", 80, 24, 256, false, true, LMP_SEEN_RUNNING, ""},
    {"80x24-mono", 80, 24, 0, true, true, LMP_SEEN_RUNNING, ""},
    {"80x24-mono-ascii", 80, 24, 0, false, true, LMP_SEEN_RUNNING, ""},
    {"80x24-8", 80, 24, 8, true, true, LMP_SEEN_RUNNING, ""},
    {"120x36-paused", 120, 36, 256, true, true, LMP_SEEN_PAUSED, ""},
    {"120x36-blocks", 120, 36, 256, true, true, LMP_SEEN_RUNNING, DOWN DOWN "\r"},
    {"60x15-paused", 60, 15, 256, true, true, LMP_SEEN_PAUSED, ""},
    {"80x24-frozen", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "z"},
    {"80x24-finished", 80, 24, 256, true, true, LMP_SEEN_FINISHED, ""},
    {"80x24-killed", 80, 24, 256, true, false, LMP_SEEN_KILLED, ""},
    {"80x24-top", 80, 24, 256, true, false, LMP_SEEN_RUNNING, ""},
    {"80x24-filtered", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "su"},
    {"80x24-by-tag", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "v"},
    {"80x24-map", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "1"},
    {"80x24-timeline", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "3\r"},
    {"80x24-typing", 80, 24, 256, true, true, LMP_SEEN_RUNNING, "iyes, go on"},
    {"120x36-help", 120, 36, 256, true, true, LMP_SEEN_RUNNING, "?"},
    {"60x15-help", 60, 15, 256, true, true, LMP_SEEN_RUNNING, "?" DOWN DOWN},
};

static FakeHeap *heap;

static void compare(const Screen *screen) {
    Output *output = output_new();
    fixed_output(output);
    AppOptions options = {.utf8 = screen->utf8,
                          .colours = screen->colours,
                          .live = screen->live,
                          .can_type = screen->live,
                          .hold = true,
                          .output = screen->live ? output : NULL};
    App *app = app_new(&options);
    Canvas *canvas = canvas_new(screen->w, screen->h, screen->utf8);
    fixed_model(app_model(app));
    app_model(app)->view = &heap->view;
    app_draw(app, canvas, SECOND); /* now the panels know their places */
    app_fresh(app, SECOND);
    app_draw(app, canvas, SECOND);
    if (screen->seen == LMP_SEEN_PAUSED) fixed_pause(app_model(app));
    app_model(app)->view = &heap->view;
    app_model(app)->seen = screen->seen;
    app_fresh(app, 2 * SECOND);
    app_draw(app, canvas, 2 * SECOND);
    for (const char *key = screen->keys; *key; key++) {
        app_key(app, *key == DOWN[0] ? K_DOWN : (Key)(unsigned char)*key);
        app_draw(app, canvas, 2 * SECOND);
        if (!app_ui(app)->frozen) app_fresh(app, 2 * SECOND);
        app_draw(app, canvas, 2 * SECOND);
    }
    char name[64], *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    canvas_dump_golden(canvas, out);
    fclose(out);
    snprintf(name, sizeof name, "screen-%s.txt", screen->name);
    suite_golden(name, text);
    free(text);
    app_free(app);
    canvas_free(canvas);
    output_free(output);
}

START_TEST(screens_are_as_they_were) {
    heap = scene_heap(4 << 20);
    for (size_t i = 0; i < sizeof screens / sizeof *screens; i++)
        compare(&screens[i]);
    fake_free(heap);
}
END_TEST

SUITE("screens", screens_are_as_they_were)
