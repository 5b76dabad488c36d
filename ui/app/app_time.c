/* app_time.c - the keys that choose which moment is shown, in a replay and in a running program's
 * past; what keys for the program mean there; and "since I did this": one key marks a moment, shows
 * what was made since and lives, and ends that (the viewer's part: viewer_program.c). */
#include "app/app_state.h"
#include "widget/flow.h"

static void ask(App *app, TimeWhat what, int steps) {
    request_time(&app->ui.requests, what, 0, steps);
}

/* ---- the line after ":" ---------------------------------------------------------------------- */

static void typed(LineEdit *edit, Ui *ui, bool entered) {
    Request request = {.kind = REQUEST_TIME, .time = {.what = TIME_FIND}};
    if (!entered || !edit->text[0]) return;
    snprintf(request.time.text, sizeof request.time.text, "%s", edit->text);
    request_put(&ui->requests, &request);
}

void time_new(App *app) {
    app->go_to = (LineEdit){.prompt = "go to",
                            .help = "12:30  -5m  50%  peak  a mark  words of the output",
                            .done = typed};
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void say_why_not(App *app) {
    if (app->ui.time.replay)
        app_say(app, "This is a recording: there is no program to ask");
    else
        app_say(app, "This is the past: End in the timeline, or :now, leads back to the present");
}

/* Chooses a moment. Returns false if the action is of another kind. */
static bool choose(App *app, Action action) {
    switch (action) {
    case ACT_FRAME_BACK:
    case ACT_FRAME_ON:
        ask(app, TIME_STEP, action == ACT_FRAME_BACK ? -1 : 1);
        return true;
    case ACT_MARK_BEFORE:
    case ACT_MARK_AFTER:
        ask(app, TIME_MARK, action == ACT_MARK_BEFORE ? -1 : 1);
        return true;
    case ACT_CYCLE_BEFORE:
    case ACT_CYCLE_AFTER:
        ask(app, TIME_CYCLE, action == ACT_CYCLE_BEFORE ? -1 : 1);
        return true;
    case ACT_GO_TO:
        edit_clear(&app->go_to);
        ui_edit(&app->ui, &app->go_to);
        return true;
    case ACT_RANGE:
        ask(app, TIME_RANGE, 0);
        return true;
    case ACT_SPEED:
        ask(app, TIME_FASTER, 0);
        return true;
    case ACT_FAR_BACK:
    case ACT_FAR_ON: /* in the timeline only, as the arrows without shift */
        app_show(app, &panel_timeline);
        return false;
    default:
        return false;
    }
}

bool time_act(App *app, Action action) {
    const UiTime *time = &app->ui.time;
    bool of_time = action_info[action].group == GROUP_TIME;
    if (of_time && !time->can) {
        app_say(app, "No past is kept here to go back to");
        return true;
    }
    if (choose(app, action)) return true;
    if (action == ACT_UNMARK && time->range) {
        ask(app, TIME_NO_RANGE, 0);
        return true;
    }
    if (!time->past) return false;
    if (action == ACT_SINCE && time->range && !time->replay) {
        ui_show_piece(&app->ui, time->from, time->to);
        return true;
    }
    if (action == ACT_PAUSE) {
        ask(app, TIME_PLAY, 0);
        return true;
    }
    if (action == ACT_STEP && app_seeks(app)) return false; /* n means the next match */
    if (action == ACT_RECORD && !time->replay) return false;
    /* of the present: so is a recording, for the run goes on, whatever moment is shown */
    static const Action of_present[] = {ACT_STEP,  ACT_RECORD,  ACT_FREEZE,   ACT_MARK,
                                        ACT_SINCE, ACT_COLLECT, ACT_SNAPSHOT, ACT_SNAPSHOT_HOW,
                                        ACT_BREAK, ACT_INPUT,   ACT_NONE};
    if (!footer_is_one_of(action, of_present)) return false;
    say_why_not(app);
    return true;
}

#define FOLLOWS 3000000000ull /* nanoseconds: frames further apart are a jump, not a film */

void time_fresh(App *app) {
    uint64_t was = app->moment, is = app->model.clock;
    app->moment = is;
    bool follows = is >= was && is - was <= FOLLOWS;
    if (app->ui.time.past && !follows && !app->verdict.chosen) app->verdict.rule = NULL;
}

bool time_offers(const App *app, Action action) {
    const UiTime *time = &app->ui.time;
    if (action == ACT_RANGE && app->model.against.name) return false;
    if (action_info[action].group == GROUP_TIME)
        return time->can && (time->past || (app->ui.focus == &panel_timeline &&
                                            (action == ACT_GO_TO || action == ACT_MARK_BEFORE)));
    if (!time->past) return true;
    if (action == ACT_SINCE) return time->range && !time->replay;
    return action != ACT_STEP && action != ACT_FREEZE && action != ACT_MARK &&
           action != ACT_COLLECT && action != ACT_BREAK && action != ACT_INPUT &&
           action != ACT_SNAPSHOT && action != ACT_SNAPSHOT_HOW &&
           !(action == ACT_RECORD && time->replay);
}

const char *time_label(const App *app, const ActionInfo *info) {
    const UiTime *time = &app->ui.time;
    static char speed[16];
    if (info->action == ACT_PAUSE && time->past) return time->playing ? "stop" : "play";
    if (info->action == ACT_SINCE && time->past) return "survivors";
    if (info->action == ACT_RANGE) return time->open ? info->label_on : info->label;
    if (info->action != ACT_SPEED) return NULL;
    snprintf(speed, sizeof speed, "%u%s", time->speed, app->ui.utf8 ? "×" : "x");
    return speed;
}

/* ---- panels that have no past ---------------------------------------------------------------- */

bool time_hides(const App *app, const Panel *panel) {
    return app->ui.time.past && panel->not_past;
}

void time_draw_hidden(const Panel *panel, Canvas *canvas, Rect rect) {
    Flow flow = {.canvas = canvas, .rect = rect, .utf8 = canvas->utf8};
    flow_wrapped(&flow, rect.w > 30 ? 2 : 0, STYLE(TONE_MUTED), panel->not_past);
}

/* ---- since a moment -------------------------------------------------------------------------- */

static void ask_since(App *app, unsigned what) {
    request_put(&app->ui.requests, &(Request){.kind = REQUEST_SINCE, .since = {.what = what}});
}

void time_since_end(App *app) {
    if (app->model.since.now) app->ui.marks.count_from = app->since_before;
    ask_since(app, SINCE_END);
    request_put_kind(&app->ui.requests, REQUEST_REFRESH);
}

/* Goes on: from now on; what has come since; all again. The mark is the program's, like any
 * other. */
void time_since_next(App *app) {
    const Model *model = &app->model;
    if (model->since.shown || (model->since.on && !model->since.now)) {
        time_since_end(app);
    } else if (model->since.on) {
        if (model->marks_all >= app->since_mark) app->ui.marks.count_from = app->since_mark;
        ask_since(app, SINCE_SHOW);
        request_put_kind(&app->ui.requests, REQUEST_REFRESH);
    } else {
        app->since_before = model->marked ? model->mark[model->base].number : MODEL_NO_MARK;
        app->since_mark = model->marks_all + 1;
        app->ui.marks.count_from = 0;
        ask_since(app, SINCE_BEGIN);
        request_put_kind(&app->ui.requests, REQUEST_MARK);
    }
}
