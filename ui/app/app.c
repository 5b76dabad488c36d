/* app.c - the state of the display: made, and brought up to date with each look at the program.
 * Panels: app_panels.c; drawing: app_draw.c; keys: app_keys.c; the mouse: app_mouse.c. */
#include "app/app.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/app_state.h"
#include "base/format.h"
#include "shared/breaks.h"
#include "widget/source.h"
#include "widget/tablepanel.h"

#define NOTICE_TIME 4000000000ull
#define CONFIG_TIME 30000000000ull /* of one about the config: nobody waits for that */

void app_configured(App *app, const char *name) {
    const char *value = config_get(app->ui.config, name);
    bool mouse = app->ui.mouse;
    if (!value) return;
    if (strcmp(name, "mouse") == 0) app->ui.mouse = strcmp(value, "on") == 0;
    if (strcmp(name, "types") == 0) app->ui.by_tag = strcmp(value, "tag") == 0;
    if (strcmp(name, "collect") == 0)
        app->collect = strcmp(value, "on") == 0 ? COLLECT_YES : COLLECT_NO;
    if (app->ui.mouse != mouse) request_put_kind(&app->ui.requests, REQUEST_MOUSE);
}

static void take_config(App *app, const Config *config) {
    const char *title = config_get(config, "panel");
    app->ui.config = config;
    for (const ConfigRow *row = config_rows; row->name; row++)
        app_configured(app, row->name);
    while (request_take(&app->ui.requests)) { /* the viewer begins with what the config says */
    }
    if (config->problem[0]) app_say(app, "%s", config->problem);
    for (int i = 0; title && i < APP_PANELS; i++) {
        if (!app_panels[i].home || strcasecmp(app_panels[i].panel->title, title) != 0) continue;
        app_show(app, app_panels[i].panel);
        title = NULL;
    }
    if (title) app_say(app, "config: there is no panel \"%.40s\"", title);
    if (app->notice_until)
        app->notice_until = UINT64_MAX; /* its time begins with the first figures */
}

App *app_new(const AppOptions *options) {
    App *app = calloc(1, sizeof *app);
    if (!app) return NULL;
    app->live = options->live;
    app->hold = options->hold;
    app->ui.utf8 = options->utf8;
    app->ui.colours = options->colours;
    app->ui.mouse = true;
    app->ui.kinds = (1u << LMP_KINDS) - 1;
    app->ui.site_page = &panel_site;
    app->ui.output = options->output;
    app->ui.can_type = options->can_type;
    app->ui.focus = &panel_heapmap;
    app->set = SET_LIVE;
    app->other_side.focus = &panel_held;
    app->offline = options->offline;
    if (app->offline) app_choose_set(app, SET_SNAPSHOT);
    app->ui.sources = sources_new();
    app->input = (LineEdit){.tabs = true, .prompt = "input", .help = "enter send  esc close"};
    time_new(app);
    app->bottom = options->output ? &panel_output : NULL;
    for (int i = 0; i < APP_PANELS; i++)
        app->state[i] = panel_create(app_panels[i].panel);
    if (options->config) take_config(app, options->config);
    return app;
}

void app_free(App *app) {
    if (!app) return;
    for (int i = 0; i < APP_PANELS; i++)
        panel_destroy(app_panels[i].panel, app->state[i]);
    sources_free(app->ui.sources);
    free(app);
}

Model *app_model(App *app) {
    return &app->model;
}

Ui *app_ui(App *app) {
    return &app->ui;
}

void app_say(App *app, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(app->notice, sizeof app->notice, format, args);
    va_end(args);
    app->notice_until = app->notice[0] ? app->ui.now + NOTICE_TIME : 0;
}

bool app_restless(const App *app) {
    return app->notice_until != 0 || app->ui.restless;
}

/* ---- the program's state --------------------------------------------------------------------- */

void app_seen(App *app, LmpSeen seen) {
    LmpSeen was = app->seen;
    if (seen == was) return;
    app->seen = seen;
    if (app->ui.time.replay) {
        /* a recording's pauses bring nothing up, and nobody ends them */
    } else if (seen == LMP_SEEN_PAUSED) {
        app->want_pause = true;
        app_paused(app);
    }
    if (was == LMP_SEEN_PAUSED && !app->ui.time.replay) {
        app->want_pause = false;
        app_resumed(app);
    }
    app->ended = seen == LMP_SEEN_FINISHED || seen == LMP_SEEN_KILLED;
    if (app->ended) {
        app->want_pause = false; /* a line being typed stays: its keys are not commands */
        app->ui.frozen = false;  /* the last figures are the ones to show */
    }
}

void app_fresh(App *app, uint64_t now) {
    app->ui.now = now;
    if (!app->begun && app->notice_until) app->notice_until = now + CONFIG_TIME;
    app_choose_bottom(app);
    const UiTime *time = &app->ui.time;
    if (!time->past || time->replay) app_seen(app, app->model.seen);
    if (app->model.marks_all > app->marks_seen && app->begun && !time->past) {
        bool since = app->model.since.on && app->model.marks_all == app->since_mark;
        app_say(app,
                since ? "Since mark %llu: do it, then y shows what was made and lives; esc: no more"
                      : "Mark %llu set: all tables count from here. x: no more, L: all marks",
                (unsigned long long)app->model.marks_all);
    }
    app->marks_seen = app->model.marks_all;
    time_fresh(app);
    const LmpOp *op = &app->model.op;
    if (app->seen == LMP_SEEN_PAUSED && !time->past && op->hit && op->number != app->hit_seen) {
        char words[BREAKS_WORDS];
        bool told = !app->ui.over && (!app->ui.enlarged || app->ui.focus == &panel_inspector);
        format_text(words, sizeof words, op->hit_words, !app->ui.utf8);
        if (!told) app_say(app, "Break %u: %s", op->hit, words); /* the inspector is hidden */
        app->hit_seen = op->number;
        app->want_pause =
            true; /* the program may have gone on and hit it again since the last look */
    }
    app->begun = true;
    /* a process of today may have the number of a recording's program */
    sources_program(app->ui.sources, time->replay ? 0 : app->model.pid, app->model.start_realtime);
    for (int i = 0; i < APP_PANELS; i++) {
        const Panel *panel = app_panels[i].panel;
        if (panel->update && !time_hides(app, panel))
            panel->update(app->state[i], &app->model, &app->ui, app->inner[i]);
    }
}
