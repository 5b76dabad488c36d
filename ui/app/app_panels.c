/* app_panels.c - which panels are on the screen and which has the keys: chosen by a person, opened
 * over others, or brought up by a pause. app_draw.c gives them their places. */
#include "app/app_state.h"

#define OFFER_TIME 20000000000ull /* nanoseconds */

const PanelRow app_panels[APP_PANELS] = {
#define PANEL_ROW(panel, set, slot, home) {&(panel), set, slot, home},
    PANEL_TABLE(PANEL_ROW)
#undef PANEL_ROW
};

int app_row(const Panel *panel) {
    for (int i = 0; i < APP_PANELS; i++) {
        if (app_panels[i].panel == panel) return i;
    }
    return -1;
}

unsigned app_parts(const App *app) {
    unsigned parts = 0;
    for (int i = 0; i < APP_PANELS; i++) {
        if (app->outer[i].w > 0) parts |= app_panels[i].panel->ledger;
    }
    return parts;
}

bool app_has_parts(const App *app) {
    unsigned parts = app_parts(app);
    const Ledger *ledger = &app->model.ledger;
    bool other_tag = ledger->tagged && ledger->tagged_of != app->ui.tag;
    return !(parts & ~app->model.ledger_parts) && !(parts & LEDGER_TAG_LINES && other_tag);
}

bool app_seeks(const App *app) {
    const Panel *panel = app->ui.focus;
    const void *state = app->state[app_row(panel)];
    return panel->seeks && state && panel->seeks(state);
}

Rect app_where(const App *app, const Panel *panel) {
    int row = app_row(panel);
    return row < 0 ? (Rect){0} : app->inner[row];
}

/* ---- the two sets ---------------------------------------------------------------------------- */

static bool app_in_set(const App *app, int row) {
    return (app_panels[row].set & app->set) != 0;
}

/* Keeps what belongs to a set: which panels are open, and which has the keys. */
static void keep(Side *side, const Ui *ui) {
    side->focus = ui->focus;
    side->over = ui->over;
    side->before = ui->before;
    side->unders = ui->unders;
    side->enlarged = ui->enlarged;
    for (int i = 0; i < UI_UNDER; i++)
        side->under[i] = ui->under[i];
}

static void take(const Side *side, Ui *ui) {
    ui->focus = side->focus;
    ui->over = side->over;
    ui->before = side->before;
    ui->unders = side->unders;
    ui->enlarged = side->enlarged;
    for (int i = 0; i < UI_UNDER; i++)
        ui->under[i] = side->under[i];
    ui->edit = NULL;
}

void app_choose_set(App *app, PanelSet set) {
    if (set == app->set) return;
    Side now = app->other_side;
    keep(&app->other_side, &app->ui);
    take(&now, &app->ui);
    app->set = set;
}

void app_show_snapshot(App *app, OpenedSnapshot *heap) {
    bool other = heap != app->model.heap, from_program = app->set == SET_LIVE;
    app->model.heap = heap;
    app_choose_set(app, SET_SNAPSHOT);
    if (other) {
        ui_close_all(&app->ui);
        app->ui.focus = &panel_held;
    }
    question_opened(app, heap);
    app->wished = (from_program || app->wished) && app->ui.wish.what != WISH_NOTHING;
    if (app->ui.wish.what == WISH_NOTHING) return;
    ui_close_all(&app->ui);
    ui_open(&app->ui, &panel_why);
}

void app_offer_snapshot(App *app) {
    app->ui.has_snapshot = true;
    if (question_answered(app)) return;
    app->offered = true;
    if (app->notice_until) app->notice_until = app->ui.now + OFFER_TIME;
}

/* Returns the panel that has the keys when nothing is open over it. */
static const Panel *home_of(const App *app) {
    return app->ui.over ? app->ui.before : app->ui.focus;
}

/* ---- what comes by itself -------------------------------------------------------------------- */

static void paused(App *app) {
    if (app->ui.over == &panel_breaks && app->model.op.hit && !app->ui.edit) ui_close_all(&app->ui);
    if (app->bottom == &panel_inspector) return;
    app->bottom_before = app->bottom;
    app->focus_before = home_of(app);
    app->lent_bottom = true;
    app->bottom = &panel_inspector;
    /* the keys stay with their panel if that will be on the screen */
    int h = app->layout.footer.y + app->layout.footer.h;
    ScreenPlan next = screenplan_make(app->layout.header.w, h, BOTTOM_MUCH, app->verdict.tall);
    Slot slot = app_panels[app_row(app->ui.focus)].slot;
    if (app->ui.over || app->ui.enlarged) return;
    if (slot == SLOT_BOTTOM || next.slot[slot].w == 0) app->ui.focus = &panel_inspector;
}

static void resumed(App *app) {
    if (!app->lent_bottom) return;
    app->lent_bottom = false;
    app->bottom = app->bottom_before;
    if (app->ui.focus == &panel_inspector) app->ui.focus = app->focus_before;
    if (app->ui.before == &panel_inspector) app->ui.before = app->focus_before;
}

/* Changes the panels of the program, also while a snapshot is on the screen. */
static void change_live(App *app, void (*change)(App *app)) {
    PanelSet set = app->set;
    LineEdit *edit = app->ui.edit;
    app_choose_set(app, SET_LIVE);
    change(app);
    app_choose_set(app, set);
    if (set != SET_LIVE) app->ui.edit = edit;
}

void app_paused(App *app) {
    change_live(app, paused);
}

void app_resumed(App *app) {
    change_live(app, resumed);
}

void app_choose_bottom(App *app) {
    if (app->chose_bottom || app->model.ledger.lines == LMP_LINES_OFF) return;
    if (app->lent_bottom) {
        app->bottom_before = &panel_sites;
    } else {
        app->bottom = &panel_sites;
    }
}

/* ---- what a person chooses ------------------------------------------------------------------- */

void app_show(App *app, const Panel *panel) {
    int row = app_row(panel);
    ui_close_all(&app->ui);
    if (app_panels[row].slot == SLOT_BOTTOM && app->bottom != panel) {
        app->bottom = panel;
        app->lent_bottom = false;
    }
    if (app_panels[row].slot == SLOT_BOTTOM) app->chose_bottom = true;
    app->ui.focus = panel;
    app->chose = true;
}

void app_show_next(App *app, int step) {
    int row = app_row(home_of(app));
    do
        row = (row + step + APP_PANELS) % APP_PANELS;
    while (!app_panels[row].home || !app_in_set(app, row));
    app_show(app, app_panels[row].panel);
}

void app_show_number(App *app, int number) {
    for (int i = 0; i < APP_PANELS; i++) {
        if (!app_in_set(app, i)) continue;
        if (app_panels[i].home && app_panels[i].panel->number == number) {
            const Panel *panel = app_panels[i].panel;
            bool again = app->ui.focus == panel && !app->ui.over;
            app_show(app, panel);
            if (again && app->set == SET_LIVE) app->ui.enlarged = !app->ui.enlarged;
            return;
        }
    }
    app_say(app, "There is no panel %d", number % 10);
}

void app_back(App *app) {
    if (app->ui.over) {
        bool back = app->wished && app->set == SET_SNAPSHOT && app->ui.unders == 0;
        ui_close(&app->ui);
        if (back) app_choose_set(app, SET_LIVE);
    } else if (app->ui.enlarged) {
        app->ui.enlarged = false;
    } else if (app->set == SET_SNAPSHOT && !app->offline) {
        app_choose_set(app, SET_LIVE);
    } else if (app->model.since.on) {
        time_since_end(app);
    }
}
