/* app_since.c - "since I did this": one key marks a moment, shows what was made since and lives,
 * and ends that. The viewer's part: viewer_since.c. */
#include "app/app_state.h"

static void ask(App *app, unsigned what) {
    request_put(&app->ui.requests, &(Request){.kind = REQUEST_SINCE, .since = {.what = what}});
}

void since_end(App *app) {
    if (app->model.since.now) app->ui.marks.count_from = app->since_before;
    ask(app, SINCE_END);
    request_put_kind(&app->ui.requests, REQUEST_REFRESH);
}

/* Goes on: from now on; what has come since; all again. The mark is the program's, like any
 * other. */
void since_next(App *app) {
    const Model *model = &app->model;
    if (model->since.shown || (model->since.on && !model->since.now)) {
        since_end(app);
    } else if (model->since.on) {
        if (model->marks_all >= app->since_mark) app->ui.marks.count_from = app->since_mark;
        ask(app, SINCE_SHOW);
        request_put_kind(&app->ui.requests, REQUEST_REFRESH);
    } else {
        app->since_before = model->marked ? model->mark[model->base].number : MODEL_NO_MARK;
        app->since_mark = model->marks_all + 1;
        app->ui.marks.count_from = 0;
        ask(app, SINCE_BEGIN);
        request_put_kind(&app->ui.requests, REQUEST_MARK);
    }
}
