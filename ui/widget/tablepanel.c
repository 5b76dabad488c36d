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

bool tablepanel_fill(void *state, const Model *model, const Ui *ui, TableSource *from) {
    TablePanel *panel = state;
    if (!panel) return false;
    *from = (TableSource){.model = model,
                          .ui = ui,
                          .table = &panel->table,
                          .whole = &model->ledger.all,
                          .tally = panel->def->tally,
                          .site = panel->def->site};
    if (!panel->def->rows(state, model, ui, from)) return false;
    table_fill(&panel->table, from);
    return true;
}

static Rect room_of(const TablePanel *panel, const Ui *ui, Rect rect) {
    return panel->def->room ? panel->def->room(ui, rect) : rect;
}

bool tablepanel_draw(void *state, const Model *model, const Ui *ui, Canvas *canvas, Rect rect,
                     TableSource *from) {
    TablePanel *panel = state;
    if (rect.w <= 0 || rect.h <= 0 || !tablepanel_fill(state, model, ui, from)) return false;
    Rect room = room_of(panel, ui, rect);
    if (room.h > 0) table_draw(&panel->table, from, canvas, room);
    return true;
}

static bool look_inside(const TablePanel *panel, const TableSource *from, Ui *ui) {
    uint32_t row = table_selected(&panel->table);
    if (row == TABLE_NONE) return false;
    if (panel->def->enter) return panel->def->enter(from, row, ui);
    if (!from->site) return false;
    ui_open_site(ui, from->site(from, row)->id);
    return true;
}

bool tablepanel_act(void *state, const Model *model, Ui *ui, Action action, Rect rect) {
    TablePanel *panel = state;
    TableSource from;
    (void)rect;
    if (!tablepanel_fill(state, model, ui, &from)) return false;
    if (action == ACT_ENTER && look_inside(panel, &from, ui)) return true;
    return table_act(&panel->table, &from, ui, action);
}

bool tablepanel_mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect) {
    TablePanel *panel = state;
    TableSource from;
    if (!tablepanel_fill(state, model, ui, &from)) return false;
    Rect room = room_of(panel, ui, rect);
    event.x -= room.x - rect.x;
    event.y -= room.y - rect.y;
    return table_mouse(&panel->table, &from, event, room);
}

bool tablepanel_place(void *state, const Model *model, const Ui *ui, PanelPlace *out) {
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

Rect tablepanel_below_figures(const Ui *ui, Rect rect) {
    int above = rect.h >= 5 ? 1 : 0;
    (void)ui;
    return (Rect){rect.x, rect.y + above, rect.w, rect.h - above};
}

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
    const TablePanel *panel = state;
    char count[LMP_NUM];
    (void)model;
    const char *dot = ui->utf8 ? "·" : "-";
    if (!panel) return;
    table_note(&panel->table, ui, out, size);
    if (out[0]) return;
    snprintf(out, size, "%s line%s %s enter: look inside %s esc back",
             format_count(count, panel->table.total), panel->table.total == 1 ? "" : "s", dot, dot);
}

struct Table *tablepanel_table(void *state) {
    return state ? &((TablePanel *)state)->table : NULL;
}
