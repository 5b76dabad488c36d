/* app_fixture.h - the display without a terminal, for suites that press keys and look at the
 * screen: an app with a canvas and the model of fixed.h; the program's lines are known, or not */
#ifndef LMP_APP_FIXTURE_H
#define LMP_APP_FIXTURE_H

#include "app_play.h"
#include "fake_tables.h"
#include "fixed.h"
#include "panel_golden.h"
#include "widget/source.h"

#define SECOND 1000000000ull

static App *app;
static Output *output;
static Canvas *canvas;
static FakeTables *tables; /* NULL: no lines are known */
static LmpView view;
static uint64_t now = SECOND;

static inline void draw(void) {
    app_draw(app, canvas, now);
}

/* What the viewer does with each frame's figures. */
static inline void refresh(void) {
    if (tables) {
        ck_assert(model_fill_ledger(app_model(app), &view, LEDGER_ALL));
        model_fill_verdicts(app_model(app), view.tables.text ? &view.tables : NULL);
    }
    app_fresh(app, now);
    draw();
}

static inline void tear_down(void) {
    ledger_free(&app_model(app)->ledger);
    app_free(app);
    canvas_free(canvas);
    output_free(output);
    if (tables) fake_tables_free(tables);
    output = NULL;
    tables = NULL;
}

/* A display of w x h cells; `options` but for those that are the same for all. */
static inline void open_display(int w, int h, AppOptions options) {
    suite_closes(tear_down);
    if (!output) output = output_new();
    options.utf8 = true;
    options.colours = 256;
    options.output = options.live ? output : NULL;
    app = app_new(&options);
    canvas = canvas_new(w, h, true);
    fixed_model(app_model(app));
}

/* The program's lines are known; refresh() shows them. */
static inline void know_lines(void) {
    tables = fake_tables_new(NULL);
    fake_program(tables, true);
    view.tables = tables->t;
}

/* Opens it for a program that runs and whose lines are known. */
static inline void open_program(int w, int h) {
    open_display(w, h, (AppOptions){.live = true, .can_type = true});
    know_lines();
}

static inline void start_program(int w, int h) {
    open_program(w, h);
    refresh();
}

/* Shows it, with its sources; or a program of which no lines are known. */
static inline void show_program(int w, int h, bool lines) {
    open_program(w, h);
    if (!lines) view.tables = (LmpTables){0};
    sources_directory(app_ui(app)->sources, TEST_SOURCES);
    refresh();
}

/* Shows a program of which types alone are known, with output. */
static inline void show_display(int w, int h, bool live) {
    suite_close();
    output = output_new();
    fixed_output(output);
    open_display(w, h, (AppOptions){.live = live, .can_type = live, .hold = true});
    refresh();
}

static inline void press(const char *keys) {
    for (; *keys; keys++) {
        play_key(app, *keys == '\n'     ? K_ENTER
                      : *keys == '\033' ? K_ESC
                                        : (Key)(unsigned char)*keys);
        draw();
    }
}

/* The program is seen to be something else: a model made anew. */
static inline void become(LmpSeen seen) {
    ledger_free(&app_model(app)->ledger);
    if (seen == LMP_SEEN_PAUSED) {
        fixed_pause(app_model(app));
    } else {
        fixed_model(app_model(app));
        app_model(app)->seen = seen;
    }
    refresh();
}

/* Is this text on the screen, on one line? */
static inline bool shows(const char *text) {
    OWN(free_at) char *dump = canvas_dump(canvas);
    return strstr(dump, text) != NULL;
}

/* What these keys lead to. */
#define ck_press(keys, words)                                                                      \
    do {                                                                                           \
        press(keys);                                                                               \
        ck_assert_msg(shows(words), "no \"%s\" after %s", words, keys);                            \
    } while (0)

static inline bool sees(const char *words) {
    draw();
    return shows(words);
}

static inline bool is_on(const Panel *panel) {
    return app_where(app, panel).w > 0;
}

#endif
