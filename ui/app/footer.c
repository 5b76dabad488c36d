/* footer.c - draws the bottom line: the keys that do something now, from the table of actions; or a
 * notice; or the line being typed to the program. */
#include <string.h>

#include "app/app_state.h"
#include "screen/line.h"

bool footer_is_one_of(Action action, const Action *list) {
    while (*list != ACT_NONE && *list != action)
        list++;
    return *list != ACT_NONE;
}

/* Leaves out actions for the program, which a snapshot does not have. */
static bool offers_over_snapshot(const App *app, Action action) {
    static const Action none[] = {ACT_PAUSE,   ACT_STEP,     ACT_FREEZE, ACT_MARK,  ACT_SINCE,
                                  ACT_COLLECT, ACT_SNAPSHOT, ACT_RECORD, ACT_BREAK, ACT_INPUT,
                                  ACT_OWNER,   ACT_MAKES,    ACT_BACK,   ACT_NONE};
    static const Action some[] = {ACT_ENTER, ACT_ZOOM_IN, ACT_WHY, ACT_UNMARK, ACT_NONE};
    if (footer_is_one_of(action, none)) return false;
    return !footer_is_one_of(action, some) || panel_offers(app->ui.focus, action);
}

/* Returns false if this action would do nothing now: the footer leaves it out. */
static bool footer_offers(const App *app, Action action) {
    static const Action of_program[] = {ACT_FREEZE,   ACT_MARK,   ACT_SINCE, ACT_COLLECT,
                                        ACT_SNAPSHOT, ACT_RECORD, ACT_BREAK, ACT_NONE};
    static const Action of_panel[] = {
        ACT_MAKES, ACT_FILTER, ACT_SORT_LEFT, ACT_REVERSE, ACT_EDIT,   ACT_INVERT, ACT_HOTTEST,
        ACT_FLAME, ACT_WIDTH,  ACT_COLOUR,    ACT_SAME,    ACT_DELETE, ACT_NONE};
    bool map = app->ui.focus == &panel_heapmap, timeline = app->ui.focus == &panel_timeline;
    if (app->set == SET_SNAPSHOT && !offers_over_snapshot(app, action)) return false;
    if (!time_offers(app, action)) return false;
    if (footer_is_one_of(action, of_program)) return !app->ended;
    if (footer_is_one_of(action, of_panel)) return panel_offers(app->ui.focus, action);
    switch (action) {
    case ACT_STEP:
        return !app->ended && (!app_seeks(app) || app->seen == LMP_SEEN_PAUSED);
    case ACT_NEXT_MATCH:
        return app_seeks(app) && (app->seen != LMP_SEEN_PAUSED || app->ui.time.past);
    case ACT_PAUSE:
        return !app->ended || app->ui.time.past;
    case ACT_INPUT:
        return !app->ended && app->ui.can_type;
    case ACT_WHY: /* the line under the header says so */
    case ACT_UNMARK:
        return app->set == SET_SNAPSHOT;
    case ACT_ZOOM_IN:
        return map || timeline || app->set == SET_SNAPSHOT;
    case ACT_OWNER: /* there it chooses what the rows are */
        return !panel_offers(app->ui.focus, action);
    case ACT_STRING:
        return !app->ui.focus->all_types;
    case ACT_COLUMNS:
        return app->ui.focus->table != NULL;
    case ACT_BACK:
        return app->ui.enlarged && !app->ui.over; /* q, too, leaves a page */
    case ACT_ENTER:
        if (app->set == SET_SNAPSHOT || app->ui.focus == &panel_flame) return true;
        return app->ui.focus != &panel_breaks &&
               !(app->ui.over && app_panels[app_row(app->ui.over)].slot == SLOTS);
    default:
        return true;
    }
}

/* Returns true if what the action switches is on: the footer then says what the key would do
 * next. */
static bool is_on(const App *app, Action action) {
    switch (action) {
    case ACT_PAUSE:
        return app->want_pause;
    case ACT_FREEZE:
        return app->ui.frozen;
    case ACT_OWNER:
        return app->ui.by_tag;
    case ACT_RECORD:
        return app->ui.recording.on;
    case ACT_SINCE:
        return app->model.since.on && !app->model.since.shown;
    case ACT_MOUSE:
        return !app->ui.mouse;
    case ACT_BREAK:
        return app->ui.over == &panel_breaks;
    case ACT_HELP:
        return app->ui.over == &panel_help;
    case ACT_FLAME:
        return app->ui.over == &panel_flame;
    default:
        return false;
    }
}

static bool has_inside(const App *app) {
    const Panel *panel = app->ui.focus;
    if (panel == &panel_inspector && app->model.seen != LMP_SEEN_PAUSED) return false;
    return panel == &panel_heapmap || panel_offers(panel, ACT_ENTER);
}

static const char *label_of(const App *app, const ActionInfo *info) {
    const char *of_time = time_label(app, info);
    if (of_time) return of_time;
    if (app->ui.focus == &panel_breaks && info->action == ACT_PAUSE) return "on/off";
    if (info->action == ACT_ENTER && app->ui.focus == &panel_flame) return "zoom";
    if (info->action == ACT_ENTER && !has_inside(app)) {
        return app->ui.enlarged ? "shrink" : "enlarge";
    }
    if (info->action == ACT_UNMARK && app->set == SET_SNAPSHOT) return "ignore holder";
    if (info->action == ACT_HOTTEST && app->set == SET_SNAPSHOT) return "follow biggest";
    if (info->action == ACT_FILTER && panel_offers(app->ui.focus, ACT_NEXT_MATCH)) return "find";
    bool back = app->ui.over || (app->set == SET_SNAPSHOT && !app->offline);
    if (info->action == ACT_QUIT && back) return "back";
    if (info->action == ACT_QUIT && app->ended && !app->ui.time.replay) return "leave";
    return is_on(app, info->action) && info->label_on ? info->label_on : info->label;
}

/* Adds two states that a key switches between, the current one lit: "G holds/makes". */
static void add_choice(Line *line, int priority, const ActionInfo *info, bool on) {
    Style was = STYLE(on ? TONE_MUTED : TONE_STRONG), is = STYLE(on ? TONE_STRONG : TONE_MUTED);
    line_add(line, priority, STYLE(TONE_ACCENT), " %s ", info->shown);
    line_key(line, info->key[0]);
    line_add(line, priority, was, "%s", info->label);
    line_key(line, info->key[0]);
    line_add(line, priority, STYLE(TONE_MUTED), "/");
    line_key(line, info->key[0]);
    line_add(line, priority, is, "%s ", info->label_on);
    line_key(line, info->key[0]);
}

/* Adds a key and what it does; both respond to a click; several keys respond separately: "+ -
 * zoom". */
static void add_key(Line *line, int priority, const ActionInfo *info, const char *label) {
    const char *shown = info->shown;
    bool several = shown[1] == ' ';
    while (several && *shown) {
        line_add(line, priority, STYLE(TONE_ACCENT), " %c", *shown);
        line_key(line, (Key)(unsigned char)*shown);
        shown += 1 + (shown[1] == ' ');
    }
    if (!several) {
        line_add(line, priority, STYLE(TONE_ACCENT), " %s", shown);
        line_key(line, info->key[0]);
    }
    line_add(line, priority, STYLE(TONE_TEXT), " %s ", label);
    if (!several) line_key(line, info->key[0]);
}

/* Raises the keys of a flame graph: over one they matter more than elsewhere. */
static int over_flame(Action action, int priority) {
    switch (action) {
    case ACT_FLAME:
        return 7;
    case ACT_WIDTH:
        return 9;
    case ACT_INVERT:
    case ACT_COLOUR:
        return 11;
    case ACT_SAME:
        return 12;
    default:
        return priority;
    }
}

static void draw_keys(App *app, Canvas *canvas, Rect rect) {
    Line line = {0};
    for (int i = ACT_NONE + 1; i < ACTIONS; i++) {
        const ActionInfo *info = &action_info[i];
        bool asks =
            info->action == ACT_INPUT && app->ui.wait.ours; /* the program waits for input */
        int priority = info->action == ACT_BACK ? 5 : asks ? 3 : info->priority;
        if (info->action == ACT_WHY) priority = 2; /* over a snapshot, where nothing is paused */
        if (info->action == ACT_UNMARK) priority = 3;
        if (app->ui.focus == &panel_flame) priority = over_flame(info->action, priority);
        if (info->group == GROUP_TIME && app->ui.time.past && priority > 37) priority -= 37;
        if (priority == 0 || !info->label || !footer_offers(app, info->action)) continue;
        if (info->action == ACT_MAKES) {
            add_choice(&line, priority, info, app->ui.makes);
        } else {
            add_key(&line, priority, info, label_of(app, info));
        }
    }
    line_draw(&line, canvas, rect.x, rect.y, rect.w);
    app_spot_line(app, &line, rect.x, rect.y, rect.w);
}

static int cursor_column(const LineEdit *edit) {
    char before[EDIT_MAX];
    memcpy(before, edit->text, edit->at);
    before[edit->at] = 0;
    return canvas_width(before);
}

static void draw_typing(Canvas *canvas, Rect rect, const LineEdit *edit) {
    const char *text = edit->text, *help = edit->help ? edit->help : "";
    int x = rect.x, right = rect.x + rect.w, cursor = cursor_column(edit);
    x += canvas_printf(canvas, x, rect.y, right - x, STYLE(TONE_ACCENT), " %s> ",
                       edit->prompt ? edit->prompt : "");
    int room = right - x - 1, tail = canvas_width(help) + 2;
    if (room > 30 + tail) {
        canvas_text_right(canvas, right - 1, rect.y, tail, STYLE(TONE_MUTED), help);
        room -= tail;
    }
    while (cursor > room && *text) /* the text just before the cursor matters most */
        cursor -= canvas_glyph_width(canvas_decode(&text));
    int used = canvas_text(canvas, x, rect.y, room, STYLE(TONE_STRONG), text);
    if (cursor >= used) {
        canvas_put(canvas, x + used, rect.y, ' ', STYLE_WITH(STYLE(TONE_TEXT), ATTR_REVERSE));
    } else {
        canvas_attr(canvas, (Rect){x + cursor, rect.y, 1, 1}, ATTR_REVERSE);
    }
}

void footer_draw(App *app, Canvas *canvas, Rect rect) {
    if (rect.h < 1) return;
    if (app->typing && app->ended) {
        canvas_printf(canvas, rect.x + 1, rect.y, rect.w - 1, STYLE(TONE_STRONG),
                      "The program %s and reads no more; enter or esc: back to the keys",
                      app_end_words(app));
    } else if (app->typing) {
        draw_typing(canvas, rect, &app->input);
    } else if (app->ui.edit) {
        draw_typing(canvas, rect, app->ui.edit);
    } else if (app->question != ASK_NOTHING) {
        question_draw(app, canvas, rect);
    } else if (app->notice_until) {
        canvas_text(canvas, rect.x + 1, rect.y, rect.w - 1, STYLE(TONE_STRONG), app->notice);
    } else {
        draw_keys(app, canvas, rect);
    }
}
