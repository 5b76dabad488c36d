/* tablepanel.c - a panel's callbacks for its table: each one asks the panel for the rows, fills the
 * table with them, and calls the function of table.h. */
#include "widget/tablepanel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

void *tablepanel_new(const TablePanelDef *def, size_t size) {
    TablePanel *panel = calloc(1, size);
    if (!panel) return NULL;
    panel->def = def;
    table_init(&panel->table, &def->table);
    return panel;
}

void tablepanel_free(void *state) {
    TablePanel *panel = state;
    table_free(&panel->table);
    free(panel);
}

void tablepanel_reset(TablePanel *panel) {
    table_free(&panel->table);
    table_init(&panel->table, &panel->def->table);
}

void *panel_create(const Panel *panel) {
    if (panel->size == 0) return NULL;
    void *state = panel->def ? tablepanel_new(panel->def, panel->size) : calloc(1, panel->size);
    if (state && panel->def) ((TablePanel *)state)->parts = panel->ledger;
    if (!state || !panel->begin || panel->begin(state)) return state;
    panel_destroy(panel, state);
    return NULL;
}

void panel_destroy(const Panel *panel, void *state) {
    if (!state) return;
    if (panel->end) panel->end(state);
    if (panel->def) table_free(&((TablePanel *)state)->table);
    free(state);
}

bool tablepanel_fill(void *state, const Model *model, const Ui *ui, TableSource *from) {
    TablePanel *panel = state;
    if (!panel) return false;
    const TablePanelDef *def = panel->def;
    *from = (TableSource){.model = model,
                          .ui = ui,
                          .table = &panel->table,
                          .whole = &model->ledger.all,
                          .row_size = def->row_size,
                          .row = def->row,
                          .dress = def->dress,
                          .tally = def->tally,
                          .site = def->site,
                          .object = def->object};
    if (!def->rows(state, from)) return false;
    table_fill(&panel->table, from);
    return true;
}

bool tablepanel_noted(const TablePanel *panel, char *out, size_t size) {
    table_note(&panel->table, out, size);
    return out[0] != 0;
}

/* ---- the choice above the table -------------------------------------------------------------- */

enum { FIRST = 5 /* column of the first word */, GAP = 2, ARROWS = 16 };
enum { LEAST = 4 /* lines of a table that has others above it */, LINE_ABOVE = 1 + LEAST };

/* Returns the column of a word; of the last one plus one: where the line ends. */
static int column_of(const ByChoice *choice, int by) {
    int x = FIRST;
    for (int i = 0; i < by; i++)
        x += (int)strlen(choice->words[i]) + GAP;
    return x;
}

static void draw_choice(const ByChoice *choice, int chosen, const Ui *ui, Canvas *canvas,
                        Rect rect) {
    int end = column_of(choice, choice->count) + 1;
    if (rect.h < LINE_ABOVE) return;
    canvas_text(canvas, rect.x + 1, rect.y, rect.w, STYLE(TONE_MUTED), "by");
    for (int by = 0; by < choice->count; by++) {
        int x = column_of(choice, by);
        canvas_text(canvas, rect.x + x, rect.y, rect.w - x,
                    STYLE(by == chosen ? TONE_ACCENT : TONE_TEXT), choice->words[by]);
    }
    if (choice->arrows && rect.w > end + ARROWS)
        canvas_text(canvas, rect.x + end, rect.y, rect.w - end, STYLE(TONE_MUTED),
                    ui->utf8 ? "← →" : "left, right");
}

static void turn(TablePanel *panel, int to) {
    if (panel->def->turn) {
        panel->def->turn(panel, to);
        return;
    }
    panel->by = to;
    table_to_top(&panel->table);
}

/* Returns false: not an action of the line. */
static bool act_on_choice(TablePanel *panel, Action action) {
    const ByChoice *choice = panel->def->choice;
    if (!choice) return false;
    int step = action == ACT_LEFT                           ? choice->count - 1
               : action == ACT_RIGHT || action == ACT_OWNER ? 1
                                                            : 0;
    if (step > 0) turn(panel, (panel->by + step) % choice->count);
    return step > 0;
}

static bool click_on_choice(TablePanel *panel, MouseEvent event, Rect rect) {
    const ByChoice *choice = panel->def->choice;
    if (!choice || event.what != MOUSE_CLICK || event.y != 0 || rect.h < LINE_ABOVE) return false;
    int chosen = panel->by;
    for (int by = 0; by < choice->count; by++)
        if (event.x >= column_of(choice, by) && event.x < column_of(choice, by + 1)) chosen = by;
    if (chosen != panel->by) turn(panel, chosen);
    return true;
}

/* ---- drawing --------------------------------------------------------------------------------- */

Rect tablepanel_room(const TablePanel *panel, const Ui *ui, Rect rect) {
    if (panel->def->room) return panel->def->room(ui, rect);
    int above = panel->def->choice ? 1 : panel->def->above;
    if (rect.h < above + LEAST) above = 0;
    return (Rect){rect.x, rect.y + above, rect.w, rect.h - above};
}

bool tablepanel_draw(void *state, const Model *model, const Ui *ui, Canvas *canvas, Rect rect,
                     TableSource *from) {
    TablePanel *panel = state;
    if (rect.w <= 0 || rect.h <= 0 || !tablepanel_fill(state, model, ui, from)) return false;
    Rect room = tablepanel_room(panel, ui, rect);
    if (room.h > 0) table_draw(&panel->table, from, canvas, room);
    return true;
}

static TablePanel *shown_of(TablePanel *panel) {
    TablePanel *other = panel->def->instead ? panel->def->instead(panel) : NULL;
    return other ? other : panel;
}

static bool can(const TablePanel *panel, const Model *model, const Ui *ui, Canvas *canvas,
                Rect rect) {
    const TablePanelDef *def = panel->def;
    if (def->can && !def->can(model, canvas, rect)) return false;
    return def->need == NEED_NOTHING || !canvas ||
           tallycell_can(model, ui, canvas, rect, def->need, panel->parts);
}

static void draw(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect) {
    TablePanel *panel = state;
    TableSource from;
    if (!panel || rect.w <= 0 || rect.h <= 0 || !can(panel, model, ui, canvas, rect)) return;
    const TablePanelDef *def = panel->def;
    if (def->choice) draw_choice(def->choice, panel->by, ui, canvas, rect);
    if (def->ready && !def->ready(state, model, ui, canvas, rect)) return;
    TablePanel *shown = shown_of(panel);
    if (shown != panel && tablepanel_draw(shown, model, ui, canvas, rect, &from)) return;
    if (tablepanel_draw(panel, model, ui, canvas, rect, &from) && def->around)
        def->around(state, &from, ui, canvas, rect);
}

/* ---- keys and mouse -------------------------------------------------------------------------- */

static bool look_inside(const TablePanel *panel, const TableSource *from, uint32_t row, Ui *ui) {
    if (panel->def->enter) return panel->def->enter(from, row, ui);
    if (!from->site) return false;
    ui_open_site(ui, from->site(from, row)->id);
    return true;
}

bool tablepanel_act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    TablePanel *panel = state;
    TableSource from;
    if (!panel || !can(panel, model, ui, NULL, rect)) return false;
    if (act_on_choice(panel, action)) return true;
    if (panel->def->act && panel->def->act(state, model, ui, action, rect)) return true;
    if (shown_of(panel) != panel || !tablepanel_fill(state, model, ui, &from)) return false;
    uint32_t row = table_selected(&panel->table);
    if (action == ACT_WHY && panel->def->why)
        return row != TABLE_NONE && panel->def->why(&from, row, ui);
    if (action == ACT_ENTER && row != TABLE_NONE && look_inside(panel, &from, row, ui)) return true;
    return table_act(&panel->table, &from, ui, action);
}

bool tablepanel_mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    TablePanel *panel = state;
    TableSource from;
    if (!panel || !can(panel, model, ui, NULL, rect)) return false;
    if (click_on_choice(panel, event, rect)) return true;
    panel = shown_of(panel);
    if (!tablepanel_fill(panel, model, ui, &from)) return false;
    Rect room = tablepanel_room(panel, ui, rect);
    event.x -= room.x - rect.x;
    event.y -= room.y - rect.y;
    return table_mouse(&panel->table, &from, event, room);
}

static bool place(void *state, const Model *model, const Ui *ui, PanelPlace *out) {
    TablePanel *panel = state;
    TableSource from;
    if (!tablepanel_fill(state, model, ui, &from)) return false;
    uint32_t row = table_selected(&panel->table);
    if (row == TABLE_NONE) return false;
    if (panel->def->place) return panel->def->place(&from, row, out);
    if (!from.site) return false;
    *out = panel_place_of(from.site(&from, row));
    return true;
}

static struct Table *tablepanel_table(void *state) {
    return state ? &shown_of(state)->table : NULL;
}

const Panel tablepanel_calls = {.draw = draw,
                                .act = tablepanel_act,
                                .mouse = tablepanel_mouse,
                                .place = place,
                                .table = tablepanel_table};

/* ---- pages ----------------------------------------------------------------------------------- */

void tablepanel_draw_figures(Canvas *canvas, int x, int right, int y, const PageFigure *figure,
                             size_t count) {
    for (size_t i = 0; i < count; i++) {
        int need = (int)strlen(figure[i].label) + (int)strlen(figure[i].text);
        if (!figure[i].text[0] || x + need > right) continue;
        x += canvas_text(canvas, x, y, right - x, STYLE(TONE_MUTED), figure[i].label);
        x += canvas_text(canvas, x, y, right - x, STYLE(TONE_TEXT), figure[i].text) + 2;
    }
}

void tablepanel_note_lines(void *state, const Model *model, const Ui *ui, char *out, size_t size) {
    (void)model, (void)ui;
    const TablePanel *panel = state;
    char count[LMP_NUM];
    if (!panel || tablepanel_noted(panel, out, size)) return;
    snprintf(out, size, "%s line%s · enter: look inside · esc back",
             format_count(count, panel->table.total), panel->table.total == 1 ? "" : "s");
}
