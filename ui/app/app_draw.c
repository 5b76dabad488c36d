/* app_draw.c - draws the screen: the panels with their borders, header above, footer below. */
#include <stdio.h>
#include <string.h>

#include "app/app_state.h"
#include "base/format.h"
#include "widget/tablepanel.h"

#define TAB_MORE 2 /* columns of the sign that there are more tabs to the left */

static const Panel *bottom_panel(const App *app) {
    const Panel *over = app->ui.over;
    if (over && app_panels[app_row(over)].slot == SLOT_BOTTOM) return over;
    return app->bottom;
}

static Bottom bottom_wanted(const Panel *bottom) {
    if (!bottom) return BOTTOM_NONE;
    if (bottom == &panel_output) return BOTTOM_SOME;
    /* what the person asked to see, and only for a while */
    if (bottom == &panel_inspector || bottom == &panel_blocks) return BOTTOM_MUCH;
    return bottom->ledger ? BOTTOM_LIST : BOTTOM_MUCH;
}

static void place(App *app, int row, Rect outer) {
    if (outer.w <= 0 || outer.h <= 0) return;
    app->outer[row] = outer;
    app->inner[row] = screenplan_inside(outer, NULL);
}

/* Places the panels on a screen of w * h; fills app->layout, outer, inner. */
static void app_arrange(App *app, int w, int h) {
    const Panel *bottom = bottom_panel(app);
    bool tall = app->set == SET_LIVE && verdict_is_tall(app, w, h);
    app->layout = screenplan_make(w, h, bottom_wanted(bottom), tall);
    memset(app->outer, 0, sizeof app->outer);
    memset(app->inner, 0, sizeof app->inner);
    /* until the person chooses, the keys go to the map, or to another panel that is there */
    bool at_home = app->ui.focus == &panel_heapmap || app->ui.focus == &panel_types;
    if (!app->chose && at_home && app->set == SET_LIVE) {
        bool map = app->layout.slot[SLOT_MAP].w > 0 || app->layout.slot[SLOT_TYPES].w == 0;
        app->ui.focus = map ? &panel_heapmap : &panel_types;
    }
    int focus = app_row(app->ui.focus);
    Slot slot = app_panels[focus].slot;
    if (app->set == SET_SNAPSHOT) slot = SLOTS; /* one at a time */
    /* whatever has the keys is on the screen, at any size */
    bool alone = app->ui.enlarged || slot == SLOTS || app->layout.slot[slot].w == 0 ||
                 (slot == SLOT_BOTTOM && app->ui.focus != bottom);
    if (alone) {
        place(app, focus, app->layout.body);
        return;
    }
    for (int i = 0; i < APP_PANELS; i++) {
        const PanelRow *row = &app_panels[i];
        if (row->slot == SLOTS || !(row->set & SET_LIVE)) continue;
        if (row->slot == SLOT_BOTTOM && row->panel != bottom) continue;
        place(app, i, app->layout.slot[row->slot]);
    }
}

/* Returns true if this panel is one of the tabs of `row`: of the others at the bottom, or of those
 * over a snapshot. */
static bool is_tab(int i, int row) {
    const PanelRow *a = &app_panels[i], *b = &app_panels[row];
    return i != row && a->home && a->slot == b->slot && (a->set & b->set) != 0;
}

static int tab_width(int i) {
    const Panel *panel = app_panels[i].panel;
    return canvas_width(panel->title) + (panel->number > 0 ? 4 : 2);
}

/* Returns the first tab to draw: not the very first if the tab that the key brings next would not
 * fit then. So any number of panels can be reached at any width. */
static int first_tab(int row, int max) {
    int first = 0, next = (row + 1) % APP_PANELS, need = 0;
    while (next != row && !is_tab(next, row))
        next = (next + 1) % APP_PANELS;
    for (int i = 0; i <= next; i++)
        need += is_tab(i, row) ? tab_width(i) : 0;
    if (need <= max) return 0;
    for (need += TAB_MORE; first < next && need > max; first++)
        need -= is_tab(first, row) ? tab_width(first) : 0;
    return need <= max ? first : 0;
}

/* Draws the other panels of the same slot, by number, so that a person knows about them; the output
 * tab is lit if something was printed that has not been on the screen. */
static int draw_tabs(App *app, int row, Canvas *canvas, int x, int y, int max) {
    int used = 0;
    bool over_snapshot = app->set == SET_SNAPSHOT && app_panels[row].home;
    if (app_panels[row].slot != SLOT_BOTTOM && !over_snapshot) return 0;
    max--; /* leave one column of the border */
    int first = first_tab(row, max);
    Style style = STYLE(TONE_MUTED), lit = STYLE(TONE_ACCENT);
    bool news = app->ui.output && output_bytes(app->ui.output) != app->output_seen;
    if (first > 0) {
        bool lost = news && first > INDEX_OF_panel_output;
        canvas_put(canvas, x, y, ' ', style);
        canvas_put(canvas, x + 1, y, G_ELLIPSIS, lost ? lit : style);
        used = TAB_MORE;
    }
    for (int i = first; i < APP_PANELS; i++) {
        const Panel *panel = app_panels[i].panel;
        if (!is_tab(i, row)) continue;
        if (used + tab_width(i) > max) break;
        app_spot(app, (Spot){x + used, y, tab_width(i), K_NONE, panel});
        if (panel->number > 0)
            used += canvas_printf(canvas, x + used, y, -1, style, " %d", panel->number % 10);
        used += canvas_printf(canvas, x + used, y, -1, style, " %s ", panel->title);
        if (news && panel == &panel_output) canvas_put(canvas, x + used - 1, y, G_BULLET, lit);
    }
    return used;
}

/* Draws the last line that the program printed in the lower line of the lowest border, if its panel
 * is not on the screen: a question that waits for an answer must be seen. After an error that is
 * the end of a traceback; the header has the error itself. */
static void draw_last_words(const App *app, Canvas *canvas, Rect outer) {
    Output *output = app->ui.output;
    bool lowest = outer.x == 0 && outer.y + outer.h == app->layout.footer.y;
    bool error = app->ended && app->ui.error[0];
    if (!output || error || !lowest || app->set == SET_SNAPSHOT ||
        app->outer[INDEX_OF_panel_output].w > 0)
        return;
    char text[OUTPUT_COLUMNS + 1] = "";
    for (uint64_t n = output_lines(output), back = 0; n-- > 0 && back < 8 && !text[0]; back++) {
        format_text(text, sizeof text, output_line(output, n), !app->ui.utf8);
        if (!text[strspn(text, " ")]) text[0] = 0;
    }
    int x = outer.x + 2, y = outer.y + outer.h - 1, right = outer.x + outer.w - 2;
    if (!text[0] || right - x < 16) return;
    x += canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), " output: ");
    x += canvas_text(canvas, x, y, right - x - 1, STYLE(TONE_TEXT), text + strspn(text, " "));
    canvas_put(canvas, x, y, ' ', STYLE(TONE_TEXT));
}

/* Says, where figures per second stand and there are `room` columns, that they are averages over
 * the whole run: the program stands still. */
static void add_mean(const App *app, const Panel *panel, char *note, size_t size, int room) {
    bool any = panel->number > 0 && panel_offers(panel, ACT_MAKES);
    if (!any || app->model.seen == LMP_SEEN_RUNNING || app->model.ledger_marked) return;
    static const char mean[] = "mean/s: over the whole run";
    size_t used = strlen(note);
    if (canvas_width(note) + 3 + (int)sizeof mean > room) return;
    snprintf(note + used, size - used, "%s%s", used == 0 ? "" : app->ui.utf8 ? " · " : " - ", mean);
}

/* Says how much older a recording's tables are than the figures in the header, or how much later
 * the first ones were: they are recorded less often. While it is played, a second does not
 * matter. */
static void add_age(const App *app, const Panel *panel, char *note, size_t size) {
    const Model *model = &app->model;
    char rest[128], age[LMP_NUM];
    uint64_t least = app->ui.time.playing ? 1000000000u : 1;
    bool later = model->tables_clock > model->clock;
    uint64_t apart =
        later ? model->tables_clock - model->clock : model->clock - model->tables_clock;
    bool any = panel->ledger && model->tables_clock && apart >= least;
    if (!any || time_hides(app, panel)) return;
    snprintf(rest, sizeof rest, "%.*s", (int)sizeof rest - 1, note);
    snprintf(note, size, "%s %s%s%s", format_span(age, apart), later ? "later" : "old",
             !rest[0]       ? ""
             : app->ui.utf8 ? " · "
                            : " - ",
             rest);
}

static void draw_border(App *app, int row, Canvas *canvas) {
    Rect outer = app->outer[row];
    const Panel *panel = app_panels[row].panel;
    BorderKind kind;
    screenplan_inside(outer, &kind);
    if (kind == BORDER_NONE) return;
    bool focus = panel == app->ui.focus;
    Style line = STYLE(focus ? TONE_BORDER_FOCUS : TONE_BORDER);
    int x = outer.x, right = outer.x + outer.w;
    if (kind == BORDER_BOX) {
        canvas_box(canvas, outer, line);
        draw_last_words(app, canvas, outer);
        x += 2;
        right -= 2;
    }
    char note[160] = "";
    if (panel->note && !time_hides(app, panel))
        panel->note(app->state[row], &app->model, &app->ui, note, sizeof note);
    add_age(app, panel, note, sizeof note);
    if (kind == BORDER_BOX) canvas_put(canvas, x++, outer.y, ' ', line);
    if (panel->number > 0) {
        x += canvas_printf(canvas, x, outer.y, right - x, STYLE(focus ? TONE_ACCENT : TONE_STRONG),
                           "%d ", panel->number % 10);
    }
    x += canvas_text(canvas, x, outer.y, right - x, STYLE(focus ? TONE_ACCENT : TONE_STRONG),
                     panel->title);
    if (panel_offers(panel, ACT_MAKES))
        x += canvas_text(canvas, x, outer.y, right - x, STYLE(focus ? TONE_ACCENT : TONE_STRONG),
                         app->ui.makes ? ": makes" : ": holds");
    if (x < right) canvas_put(canvas, x++, outer.y, ' ', line);
    add_mean(app, panel, note, sizeof note, right - x - 2);
    int noted = note[0] ? canvas_width(note) + 2 : 0;
    if (kind == BORDER_BOX) x += draw_tabs(app, row, canvas, x, outer.y, right - x - noted - 2);
    int room = right - x - 2;
    if (note[0] == 0 || room < 6) return;
    int width = canvas_width(note);
    if (width > room - 1) width = room - 1;
    canvas_put(canvas, right - width - 2, outer.y, ' ', line);
    canvas_text(canvas, right - width - 1, outer.y, width, STYLE(TONE_MUTED), note);
    canvas_put(canvas, right - 1, outer.y, ' ', line);
}

void app_draw(App *app, Canvas *canvas, uint64_t now) {
    app->ui.now = now;
    app->ui.restless = app->ui.at_once = false;
    if (app->notice_until && now >= app->notice_until) app->notice_until = 0;
    app->spots = 0;
    canvas_clear(canvas, STYLE(TONE_NONE));
    app_arrange(app, canvas->w, canvas->h);
    if (app->ui.output && app->outer[INDEX_OF_panel_output].w > 0)
        app->output_seen = output_bytes(app->ui.output);
    for (int i = 0; i < APP_PANELS; i++) {
        if (app->outer[i].w == 0) continue;
        Rect old = canvas_clip(canvas, app->inner[i]);
        if (time_hides(app, app_panels[i].panel))
            time_draw_hidden(app_panels[i].panel, canvas, app->inner[i]);
        else
            PANEL_CALL(app_panels[i].panel, draw)
        (app->state[i], &app->model, &app->ui, canvas, app->inner[i]);
        canvas_unclip(canvas, old);
        draw_border(app, i, canvas); /* after the panel, so that the title matches it */
    }
    Rect old = canvas_clip(canvas, app->layout.header);
    if (app->set == SET_SNAPSHOT)
        snapshot_header_draw(app, canvas, app->layout.header);
    else
        header_draw(app, canvas, app->layout.header);
    canvas_unclip(canvas, old);
    old = canvas_clip(canvas, app->layout.footer);
    footer_draw(app, canvas, app->layout.footer);
    canvas_unclip(canvas, old);
}
