/* app_keys.c - what each key changes in the display, and what it asks of the program. */
#include <string.h>

#include "app/app.h"
#include "app/app_state.h"
#include "widget/source.h"
#include "widget/tablepanel.h"

_Static_assert(EDIT_MAX < REQUEST_LINE, "a line and its newline");

/* ---- the program ----------------------------------------------------------------------------- */

static void ask(App *app, RequestKind kind) {
    request_put_kind(&app->ui.requests, kind);
}

const char *app_end_words(const App *app) {
    return app->seen == LMP_SEEN_KILLED ? "has been killed" : "has ended";
}

static bool can_ask(App *app) {
    if (app->ended) {
        app_say(app, "The program %s; these are its last figures", app_end_words(app));
    }
    return !app->ended;
}

static void toggle_pause(App *app) {
    if (can_ask(app)) {
        app->stepping = false;
        app->want_pause = !app->want_pause;
        app->asked = app->ui.now;
        request_put(&app->ui.requests, &(Request){.kind = REQUEST_PAUSE, .pause = app->want_pause});
    }
}

/* Steps, if the program is paused. While it runs, n does nothing, so that someone to whom n means
 * "next" does not stop it by accident. */
static void step(App *app) {
    if (!can_ask(app)) return;
    if (app->seen == LMP_SEEN_PAUSED) {
        request_put(&app->ui.requests, &(Request){.kind = REQUEST_STEP, .steps = 1});
        app->stepping = true;
    } else if (!app->want_pause &&
               !app->stepping) { /* else the program is on its way to the next operation */
        app_say(app, "The program runs: space pauses it, then n steps");
    }
}

static void begin_typing(App *app) {
    if (!can_ask(app)) return;
    if (!app->ui.can_type) {
        app_say(app, app->live ? "The program does not read from this terminal"
                               : "The program reads from its own terminal, not this one");
        return;
    }
    app->typing = true;
    edit_clear(&app->input);
    if (!app->ui.over && app->ui.output) app_show(app, &panel_output);
}

static void send_line(App *app, const char *line) {
    Request request = {.kind = REQUEST_SEND};
    snprintf(request.line, sizeof request.line, "%s", line);
    request_put(&app->ui.requests, &request);
}

/* Nobody reads the line any more: only the keys that end it do something. */
static void type_to_nobody(App *app, Key key) {
    edit_clear(&app->input);
    EditKey what = edit_key(&app->input, key);
    if (what == EDIT_ENTERED || what == EDIT_ESCAPED || key == K_CTRL('D')) app->typing = false;
}

static void type_key(App *app, Key key) {
    if (app->ended) {
        type_to_nobody(app, key);
        return;
    }
    if (key == K_CTRL('D')) {
        send_line(app, "\004");
        app->typing = false;
        return;
    }
    EditKey what = edit_key(&app->input, key);
    if (what == EDIT_ESCAPED) app->typing = false;
    if (what != EDIT_ENTERED) return;
    char line[REQUEST_LINE];
    snprintf(line, sizeof line, "%s\n", app->input.text);
    send_line(app, line);
    edit_clear(&app->input);
}

/* Handles a key while a panel's line is being typed. Returns false if the line does not use it. */
static bool edit_panel(App *app, Key key) {
    LineEdit *edit = app->ui.edit;
    if (key == K_CTRL('C') || key == K_CTRL('Z') || key == K_CTRL('L')) return false;
    EditKey what = edit_key(edit, key);
    if (what == EDIT_ENTERED || what == EDIT_ESCAPED) {
        app->ui.edit = NULL;
        if (edit->done) edit->done(edit, &app->ui, what == EDIT_ENTERED);
    }
    return what != EDIT_OTHER;
}

/* ---- actions --------------------------------------------------------------------------------- */

static bool act_kinds(App *app, Action action) {
    int kind = action_kind(action);
    if (kind >= 0) {
        app->ui.kinds ^= 1u << kind;
    } else if (action == ACT_ALL) {
        app->ui.kinds = (1u << LMP_KINDS) - 1;
    } else if (action == ACT_CLEAR) {
        app->ui.kinds = 0;
    } else {
        return false;
    }
    return true;
}

static bool act_focused(App *app, Action action) {
    int row = app_row(app->ui.focus);
    const Panel *panel = app->ui.focus;
    return row >= 0 && PANEL_CALL(panel, act) && !time_hides(app, panel) &&
           PANEL_CALL(panel, act)(app->state[row], &app->model, &app->ui, action, app->inner[row]);
}

static bool place_of(App *app, PanelPlace *place) {
    int row = app_row(app->ui.focus);
    const Panel *panel = app->ui.focus;
    return PANEL_CALL(panel, place) &&
           PANEL_CALL(panel, place)(app->state[row], &app->model, &app->ui, place);
}

/* Asks the newest snapshot who holds what is under the cursor, on panels that say so and on the
 * page of a line. Returns false elsewhere: w then is about the sentence under the header. */
static bool ask_why(App *app) {
    PanelPlace place;
    if (panel_offers(app->ui.focus, ACT_WHY)) return act_focused(app, ACT_WHY);
    if (app->ui.focus != &panel_site || !place_of(app, &place) || place.line < 1 || place.defined)
        return false;
    ui_ask_why_line(&app->ui, place.short_src, place.line);
    return true;
}

/* Opens that place in the person's editor. */
static void edit_place(App *app) {
    PanelPlace place;
    if (!place_of(app, &place)) {
        app_say(app, "There is no line of the program here to edit");
    } else if (place.line < 1) {
        app_say(app, "%s is no line of a file", place.short_src);
    } else {
        ui_open_source(&app->ui, place.source, place.line);
    }
}

/* Opens the break conditions; if the cursor is on a line of the program, offers that line as the
 * next condition, not yet entered. */
static void open_breaks(App *app) {
    const Panel *panel = app->ui.focus;
    int row = app_row(panel);
    PanelPlace place;
    if (!can_ask(app)) return;
    if (panel != &panel_breaks) {
        app->ui.break_text[0] = 0;
        bool asks =
            PANEL_CALL(panel, place) && panel != &panel_inspector; /* the list is wanted there */
        if (asks && PANEL_CALL(panel, place)(app->state[row], &app->model, &app->ui, &place) &&
            place.line > 0 && !place.defined)
            ui_break_at(&app->ui, place.short_src, place.line);
        ui_open(&app->ui, &panel_breaks);
        if (!app->ui.break_text[0] && app->ui.breaks.count > 0) return;
    }
    act_focused(app, ACT_BREAK);
}

static struct Table *focused_table(App *app) {
    const Panel *panel = app->ui.focus;
    int row = app_row(panel);
    return PANEL_CALL(panel, table) && row >= 0 ? PANEL_CALL(panel, table)(app->state[row]) : NULL;
}

static void open_columns(App *app) {
    struct Table *table = focused_table(app);
    if (app->ui.focus == &panel_columns) {
        ui_close(&app->ui);
    } else if (!table) {
        app_say(app, "There is no table here");
    } else {
        app->ui.columns_of = table;
        ui_open(&app->ui, &panel_columns);
    }
}

static void toggle_help(App *app) {
    if (app->ui.over == &panel_help) {
        ui_close(&app->ui);
    } else {
        app->ui.help_of = app->ui.focus;
        app->ui.help_table = focused_table(app);
        ui_open(&app->ui, &panel_help);
    }
}

/* Handles actions over a snapshot, which does not change: actions for the program have another
 * meaning or none. Returns true: handled. */
static bool act_open(App *app, Action action) {
    bool program = action_info[action].group == GROUP_PROGRAM;
    if (app->set != SET_SNAPSHOT) return false;
    if (action == ACT_INTERRUPT || action == ACT_SUSPEND) return false;
    if (action == ACT_WHY || action == ACT_OWNER || action == ACT_MAKES || program) {
        if (act_focused(app, action)) return true;
        if (!app->offline && (action == ACT_SNAPSHOT || action == ACT_SNAPSHOT_HOW)) return false;
        if (program && app->offline)
            app_say(app, "This is a snapshot: there is no program to ask");
        else if (program)
            app_say(app, "This is a snapshot: esc leads back to the program");
        return true;
    }
    if (action == ACT_NEXT_VERDICT || action == ACT_FREEZE) {
        app_show(app, &panel_held);
        return true;
    }
    return false;
}

static void show_said(App *app) {
    if (!app->ui.said[0]) return;
    app_say(app, "%s", app->ui.said);
    app->ui.said[0] = 0;
}

static void open_or_close(App *app, const Panel *page) {
    if (app->ui.over == page)
        ui_close(&app->ui);
    else
        ui_open(&app->ui, page);
}

/* Actions that open a page or close it, ask for something, or do what one function does. */
static const struct {
    Action action;
    const Panel *page;
    bool asks;
    RequestKind request;
    void (*act)(App *app);
} plain[] = {
    {ACT_MARKS, .page = &panel_marks},
    {ACT_PROGRAMS, .page = &panel_programs, .asks = true, .request = REQUEST_PROGRAMS},
    {ACT_SETTINGS, .page = &panel_settings},
    {ACT_SAVE, .asks = true, .request = REQUEST_SAVE},
    {ACT_REDRAW, .asks = true, .request = REQUEST_REDRAW},
    {ACT_SUSPEND, .asks = true, .request = REQUEST_SUSPEND},
    {ACT_INPUT, .act = begin_typing},
    {ACT_NEXT_VERDICT, .act = verdict_next},
    {ACT_BREAK, .act = open_breaks},
    {ACT_COLUMNS, .act = open_columns},
    {ACT_HELP, .act = toggle_help},
};

static bool act_plain(App *app, Action action) {
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (plain[i].action != action) continue;
        if (plain[i].page) open_or_close(app, plain[i].page);
        if (plain[i].asks) ask(app, plain[i].request);
        if (plain[i].act) plain[i].act(app);
        return true;
    }
    return false;
}

static void quit(App *app, Key key) {
    if (key == 'q' && (app->ui.over || (app->set == SET_SNAPSHOT && !app->offline))) {
        app_back(app);
        app->q_led_back = true;
    } else if (key == 'q' && app->q_led_back) { /* someone soon presses q once too often */
        app->q_led_back = false;
        app_say(app, "q once more to quit");
    } else {
        ask(app, REQUEST_QUIT);
    }
}

static void act(App *app, Action action, Key key) {
    if (action != ACT_QUIT) app->q_led_back = false;
    if (act_kinds(app, action)) return;
    if (act_open(app, action) || time_act(app, action) || act_plain(app, action)) {
        show_said(app);
        return;
    }
    switch (action) {
    case ACT_PAUSE:
        if (panel_offers(app->ui.focus, ACT_PAUSE) && act_focused(app, action)) break;
        toggle_pause(app);
        break;
    case ACT_STEP: /* n: the next match, if a search is active and there is nothing to step */
        if (!app_seeks(app) || (app->seen == LMP_SEEN_PAUSED && !app->ui.time.past))
            step(app);
        else
            act_focused(app, ACT_NEXT_MATCH);
        break;
    case ACT_FREEZE:
        app->ui.frozen = !app->ui.frozen && !app->ended;
        break;
    case ACT_NEXT_PANEL:
    case ACT_PREV_PANEL:
        app_show_next(app, action == ACT_NEXT_PANEL ? 1 : -1);
        break;
    case ACT_PANEL_NUMBER:
        app_show_number(app, key == '0' ? 10 : (int)key - '0');
        break;
    case ACT_MARK:
        if (!can_ask(app)) break;
        app->ui.marks.count_from = 0;
        ask(app, REQUEST_MARK);
        break;
    case ACT_UNMARK:
        app->ui.marks.count_from = app->ui.marks.count_from == MODEL_NO_MARK ? 0 : MODEL_NO_MARK;
        ask(app, REQUEST_REFRESH);
        break;
    case ACT_SINCE:
        if (app->model.since.on || can_ask(app)) time_since_next(app);
        break;
    case ACT_COLLECT:
        if (!can_ask(app)) break;
        ask(app, REQUEST_COLLECT);
        app_say(app, "A full collection runs at the program's next safe point");
        break;
    case ACT_SNAPSHOT:
    case ACT_SNAPSHOT_HOW:
        if (can_ask(app)) question_snapshot(app, action == ACT_SNAPSHOT_HOW);
        break;
    case ACT_RECORD:
        if (app->ui.recording.on || can_ask(app)) ask(app, REQUEST_RECORD);
        break;
    case ACT_OWNER:
        if (panel_offers(app->ui.focus, ACT_OWNER) && act_focused(app, action)) break;
        app->ui.by_tag = !app->ui.by_tag;
        break;
    case ACT_MAKES:
        app->ui.makes = !app->ui.makes;
        break;
    case ACT_MOUSE:
        app->ui.mouse = !app->ui.mouse;
        ask(app, REQUEST_MOUSE);
        break;
    case ACT_INTERRUPT:
        ask(app, app->live && !app->ended ? REQUEST_INTERRUPT : REQUEST_QUIT);
        break;
    case ACT_WHY: /* who holds what is under the cursor, else what the line above is about */
        if (!ask_why(app)) verdict_open(app);
        break;
    case ACT_EDIT:
        if (!panel_offers(app->ui.focus, ACT_EDIT) || !act_focused(app, action)) edit_place(app);
        break;
    case ACT_QUIT:
        quit(app, key);
        break;
    case ACT_ENTER:
        if (!act_focused(app, action) && app->set == SET_LIVE) app->ui.enlarged = !app->ui.enlarged;
        break;
    case ACT_BACK:
        if (!act_focused(app, action)) app_back(app);
        break;
    default:
        act_focused(app, action);
    }
    show_said(app);
}

void app_press(App *app, Key key) {
    if (app->typing && key != K_CTRL('C') && key != K_CTRL('Z') && key != K_CTRL('L')) {
        type_key(app, key);
        return;
    }
    if (question_key(app, key)) return;
    bool offered = app->offered && app->notice_until != 0;
    app->notice_until = 0; /* the notice has been read */
    app->offered = false;
    if (app->ui.edit && edit_panel(app, key)) return;
    Action action = action_of_key(key);
    if (offered && action == ACT_ENTER) {
        ask(app, REQUEST_OPEN_SNAPSHOT);
        return;
    }
    if (action != ACT_NONE) act(app, action, key);
}

void app_event(App *app, Event event) {
    if (app->model.heap) app->model.heap->stopped = false;
    if (event.key == K_MOUSE) {
        app_mouse(app, event.mouse);
    } else if (event.key != K_NONE && event.key != K_RESIZE) {
        app_press(app, event.key);
    }
}
