/* tablepanel.h - panels that are a table, perhaps with something around it: keys, mouse and the
 * cursor's place work the same in all of them.
 *
 * Such a panel describes its table once (TablePanelDef), and its state begins with a TablePanel.
 * TABLEPANEL_CALLS puts the table's functions into its callbacks (Panel); its own create() calls
 * tablepanel_new, its draw() calls tablepanel_draw and adds what is around the table. */
#ifndef LMP_TABLEPANEL_H
#define LMP_TABLEPANEL_H

#include "widget/table.h"

typedef struct TablePanelDef {
    TableDef table;
    /* Gives the present rows: sets rows, count and serial of *from, which is zero except for model
     * and ui. Returns false if there is no table now. `state`: the panel's. */
    bool (*rows)(void *state, const Model *model, const Ui *ui, TableSource *from);
    /* Returns the table's place in the panel's room. NULL: all of it. */
    Rect (*room)(const Ui *ui, Rect rect);
    /* What a row is about: TableSource.tally and .site. May be NULL. A row with a site has its
     * place and its page, which enter opens. */
    const LmpTally *(*tally)(const TableSource *from, uint32_t row);
    const LmpSiteRow *(*site)(const TableSource *from, uint32_t row);
    /* For rows about something else: looks inside; gives the place, as Panel.place does. NULL, or
     * false: nothing inside, no place. */
    bool (*enter)(const TableSource *from, uint32_t row, Ui *ui);
    bool (*place)(const TableSource *from, uint32_t row, PanelPlace *out);
} TablePanelDef;

typedef struct TablePanel {
    const TablePanelDef *def;
    Table table;
} TablePanel;

/* Returns a panel's state: `size` bytes that begin with a TablePanel, the rest zero; NULL: no
 * memory. `def` must stay where it is. */
void *tablepanel_new(const TablePanelDef *def, size_t size);
void tablepanel_free(void *state);
/* Resets the table to its initial state: nothing chosen, filtered or re-sorted. */
void tablepanel_reset(TablePanel *panel);

/* Gives the table its present rows; use *from for further calls to it (table.h). Returns false if
 * there is no table now. */
bool tablepanel_fill(void *state, const Model *model, const Ui *ui, TableSource *from);
/* Fills the table, too, and draws it in its part of the panel's room `rect`. */
bool tablepanel_draw(void *state, const Model *model, const Ui *ui, Canvas *canvas, Rect rect,
                     TableSource *from);

/* For a page whose figures stand in one line above its table: TablePanelDef.room; the figures, each
 * if it still fits (a text of "" is left out); "12 lines · enter: look inside · esc back", for
 * Panel.note. */
typedef struct PageFigure {
    const char *label, *text;
} PageFigure;
Rect tablepanel_below_figures(const Ui *ui, Rect rect);
void tablepanel_draw_figures(Canvas *canvas, int x, int right, int y, const PageFigure *figure,
                             size_t count);
void tablepanel_note_lines(void *state, const Model *model, const Ui *ui, char *out, size_t size);

/* As in Panel. */
struct Table *tablepanel_table(void *state);
bool tablepanel_act(void *state, const Model *model, Ui *ui, Action action, Rect rect);
bool tablepanel_mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect);
bool tablepanel_place(void *state, const Model *model, const Ui *ui, PanelPlace *out);
#define TABLEPANEL_CALLS                                                                           \
    .table = tablepanel_table, .destroy = tablepanel_free, .act = tablepanel_act,                  \
    .mouse = tablepanel_mouse, .place = tablepanel_place

#endif
