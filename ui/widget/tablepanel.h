/* tablepanel.h - panels that are a table, perhaps with something around it: state, drawing, keys,
 * mouse and the cursor's place are the same in all of them, unless a panel has its own (Panel).
 *
 * Such a panel describes its table once (TablePanelDef, Panel.def), and its state begins with a
 * TablePanel. */
#ifndef LMP_TABLEPANEL_H
#define LMP_TABLEPANEL_H

#include "widget/table.h"
#include "widget/tallycell.h"

/* The line above a table, "by  class  type  line", that chooses what rows are summed up by: with
 * left and right, or a click. */
typedef struct ByChoice {
    const char *const *words;
    int count;
    bool arrows; /* the line shows the keys */
} ByChoice;

typedef struct TablePanelDef {
    TableDef table;
    /* Gives the present rows: sets rows, count and serial of *from, which is zero except for model
     * and ui. Returns false if there is no table now. `state`: the panel's. */
    bool (*rows)(void *state, TableSource *from);
    /* For columns with fields: the size of a row, if `rows` is an array of them; else the row. */
    size_t row_size;
    const void *(*row)(const TableSource *from, uint32_t row);
    /* Changes the style of a cell that has been filled, by what else is known of the row. */
    void (*dress)(const TableSource *from, uint32_t row, const TableColumn *column,
                  TableCell *cell);
    /* Returns the table's place in the panel's room. NULL: all of it, below the choice or, where
     * there is room for them, `above` lines. */
    Rect (*room)(const Ui *ui, Rect rect);
    int above;
    /* What a row is about: TableSource.tally, .site and .object. May be NULL. A row with a site has
     * its place and its page, which enter opens. */
    const LmpTally *(*tally)(const TableSource *from, uint32_t row);
    const LmpSiteRow *(*site)(const TableSource *from, uint32_t row);
    uint32_t (*object)(const TableSource *from, uint32_t row);
    /* For rows about something else: looks inside; gives the place, as Panel.place does. NULL, or
     * false: nothing inside, no place. */
    bool (*enter)(const TableSource *from, uint32_t row, Ui *ui);
    bool (*place)(const TableSource *from, uint32_t row, PanelPlace *out);
    /* Shows why the row is alive. May be NULL. */
    bool (*why)(const TableSource *from, uint32_t row, Ui *ui);
    /* What rows are summed up by (TablePanel.by). NULL: there is no choice. `turn` chooses another
     * way; NULL: that goes back to the first line. */
    const ByChoice *choice;
    void (*turn)(void *state, int by);
    /* Return false if there can be no table: then they have drawn why. `need`: what a table of
     * tallies needs from the run; `can`: whether there are keys, too (then `canvas` is NULL);
     * `ready`: the choice stands above already. May be NULL. */
    TallyNeed need;
    bool (*can)(const Model *model, Canvas *canvas, Rect rect);
    bool (*ready)(void *state, const Model *model, Ui *ui, Canvas *canvas, Rect rect);
    /* Draws what is around the table in the panel's room `rect`, after it. May be NULL. */
    void (*around)(void *state, const TableSource *from, Ui *ui, Canvas *canvas, Rect rect);
    /* Handles an action before the table does. Returns true: handled. May be NULL. */
    bool (*act)(void *state, const Model *model, Ui *ui, Action action, Rect rect);
    /* Returns the state of another table that stands in the place of this one now, if it has rows;
     * NULL: none. */
    void *(*instead)(void *state);
} TablePanelDef;

typedef struct TablePanel {
    const TablePanelDef *def;
    unsigned parts; /* of the ledger: Panel.ledger */
    int by;         /* chosen: of ByChoice.words */
    Table table;
} TablePanel;

/* Make and free the state of a panel (Panel.size, .def, .begin, .end). */
void *panel_create(const Panel *panel);
void panel_destroy(const Panel *panel, void *state);
/* The panel's own function, or that of tables; may be NULL: PANEL_CALL(panel, act)(...). */
#define PANEL_CALL(panel, what)                                                                    \
    ((panel)->what || !(panel)->def ? (panel)->what : tablepanel_calls.what)
extern const Panel tablepanel_calls;

/* Returns, for a table that is no panel, its state, `size` bytes that begin with a TablePanel, the
 * rest zero; NULL: no memory. `def` must stay where it is. */
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
/* Returns the place of the table in the panel's room. */
Rect tablepanel_room(const TablePanel *panel, const Ui *ui, Rect rect);
/* Writes what the table has to say in Panel.note (table_note). Returns true if there is any. */
bool tablepanel_noted(const TablePanel *panel, char *out, size_t size);

/* For a page whose figures stand in one line above its table: the figures, each if it still fits (a
 * text of "" is left out); "12 lines · enter: look inside · esc back", for Panel.note. */
typedef struct PageFigure {
    const char *label, *text;
} PageFigure;
void tablepanel_draw_figures(Canvas *canvas, int x, int right, int y, const PageFigure *figure,
                             size_t count);
void tablepanel_note_lines(void *state, const Model *model, const Ui *ui, char *out, size_t size);

/* As in Panel. */
bool tablepanel_act(void *state, const Model *model, Ui *ui, Action action, Rect rect);
bool tablepanel_mouse(void *state, const Model *model, Ui *ui, MouseEvent event, Rect rect);

#endif
