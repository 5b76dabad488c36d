/* app_mouse.c - what the mouse does: finds spots (places outside of panels that stand for a key or
 * a panel: keys in the footer, tabs), and the panel that gets other events. */
#include "app/app_state.h"
#include "widget/tablepanel.h"

void app_spot(App *app, Spot spot) {
    if (spot.w > 0 && app->spots < SPOTS) app->spot[app->spots++] = spot;
}

void app_spot_line(App *app, const Line *line, int x, int y, int w) {
    int limit = line_limit(line, w), right = x + w;
    for (int i = 0; i < line->count; i++) {
        const LinePiece *piece = &line->piece[i];
        if (piece->priority >= limit) continue;
        int width = canvas_width(piece->text);
        if (width > right - x) width = right - x;
        if (piece->key != K_NONE) app_spot(app, (Spot){x, y, width, piece->key, NULL});
        x += width;
    }
}

static const Spot *spot_at(const App *app, int x, int y) {
    for (int i = 0; i < app->spots; i++) {
        const Spot *spot = &app->spot[i];
        if (y == spot->y && x >= spot->x && x < spot->x + spot->w) return spot;
    }
    return NULL;
}

/* Returns the row of the panel at this place, -1: none. */
static int row_at(const App *app, int x, int y) {
    for (int i = APP_PANELS - 1; i >= 0; i--) {
        const Rect *outer = &app->outer[i];
        if (outer->w > 0 && x >= outer->x && y >= outer->y && x < outer->x + outer->w &&
            y < outer->y + outer->h)
            return i;
    }
    return -1;
}

static bool is_click(MouseEvent event) {
    return event.what == MOUSE_CLICK || event.what == MOUSE_DOUBLE;
}

/* Tells the panel in which the button went down that it was let go somewhere else. */
static void let_go(App *app, MouseEvent event) {
    int row = app->pressed - 1;
    bool moved = event.x != app->press_x || event.y != app->press_y;
    app->pressed = 0;
    if (row < 0 || !moved || app->inner[row].w == 0 || !app_panels[row].panel->drags) return;
    const Rect *inner = &app->inner[row];
    event.x -= inner->x;
    event.y -= inner->y;
    PANEL_CALL(app_panels[row].panel, mouse)(app->state[row], &app->model, &app->ui, event, *inner);
}

void app_mouse(App *app, MouseEvent event) {
    int x = event.x, y = event.y;
    if (event.what == MOUSE_RELEASE) {
        let_go(app, event);
        return;
    }
    app->pressed = 0;
    const Spot *spot = is_click(event) ? spot_at(app, x, y) : NULL;
    if (spot && spot->panel) {
        app_show(app, spot->panel);
        return;
    }
    if (spot) { /* a double click is the key twice; while a line is typed, keys go to the line */
        if (!app->typing && !app->ui.edit) app_press(app, spot->key);
        return;
    }
    Rect header = app->layout.header;
    int note = header.h < 4 ? header.h - 1 : 3; /* a line or two */
    if (app->set == SET_LIVE && header.h >= 3 && y >= header.y + note && y < header.y + header.h) {
        if (event.what == MOUSE_CLICK) verdict_open(app);
        if (event.what == MOUSE_WHEEL_DOWN) verdict_next(app);
        return;
    }
    if (is_click(event) && y == app->layout.footer.y)
        app->notice_until = 0; /* the notice has been read */
    int row = row_at(app, x, y);
    if (row < 0) return;
    const Panel *panel = app_panels[row].panel;
    const Rect *inner = &app->inner[row];
    MouseEvent inside = {event.what, x - inner->x, y - inner->y};
    if (event.what == MOUSE_CLICK && inside.y >= 0) app->pressed = row + 1;
    app->press_x = x;
    app->press_y = y;
    if (event.what == MOUSE_CLICK && panel != app->ui.focus && app_panels[row].home)
        app_show(app, panel);
    if (inside.y < 0) { /* on the panel's title */
        bool whole = app_panels[row].slot == SLOTS;
        if (event.what == MOUSE_DOUBLE && panel == app->ui.focus && !whole)
            app->ui.enlarged = !app->ui.enlarged;
        if (is_click(event)) return;
    }
    if (time_hides(app, panel)) return;
    if (PANEL_CALL(panel, mouse) &&
        PANEL_CALL(panel, mouse)(app->state[row], &app->model, &app->ui, inside, *inner))
        return;
    Action action = event.what == MOUSE_WHEEL_UP     ? ACT_UP
                    : event.what == MOUSE_WHEEL_DOWN ? ACT_DOWN
                    : event.what == MOUSE_DOUBLE     ? ACT_ENTER
                                                     : ACT_NONE;
    if (action == ACT_NONE || !PANEL_CALL(panel, act)) return;
    PANEL_CALL(panel, act)(app->state[row], &app->model, &app->ui, action, *inner);
}
