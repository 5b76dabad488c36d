/* table.h - a table with columns, for panels: sorting by any column, a text filter, a cursor that
 * stays on its row, and an order that stays still while a person moves in it.
 *
 * A panel describes its table once (TableDef: columns and what a row is) and keeps a Table in its
 * state. Before every use (draw, act, mouse) it gives the present rows (table_fill), which is cheap
 * if nothing has changed; so a table never looks at rows that are gone. Rows are known by their
 * index in the panel's array; what must survive a refresh is known by the row's id.
 *
 * The order: every refresh sorts the rows anew until a person moves the cursor. From then on the
 * order is held: rows keep their places, new ones come last, figures go on changing. TABLE_HOLD
 * after the last move, or with Home, sorting resumes; the cursor stays on its row, and the row on
 * its line of the screen as far as possible. After Home (and at first) the cursor is on the first
 * line, whatever row that is. */
#ifndef LMP_TABLE_H
#define LMP_TABLE_H

#include "screen/edit.h"
#include "widget/tablesource.h"

#define TABLE_HOLD 5000000000ull /* nanoseconds */
#define TABLE_COLUMNS 28         /* at most */
#define TABLE_NONE UINT32_MAX

struct ShownFigure; /* shownfigure.h */

typedef enum TableAlign {
    TABLE_RIGHT, /* figures */
    TABLE_LEFT,
    TABLE_TAIL /* left; a text that does not fit loses its beginning: paths */
} TableAlign;

/* A field of the rows' struct. FIELD(LmpObjectGroup, size) is one of a column, with a TableLook
 * FIGURE(LmpObjectGroup, size, LOOK_BYTES). */
typedef struct TableField {
    enum { FIELD_NONE, FIELD_U32, FIELD_U64, FIELD_I64, FIELD_REAL, FIELD_TEXT, FIELD_CHARS } type;
    size_t at; /* its place in the struct */
} TableField;
#define FIELD(Row, name)                                                                           \
    .field = {_Generic(&((Row *)0)->name, uint32_t * : FIELD_U32, uint64_t * : FIELD_U64,          \
                       int64_t * : FIELD_I64, double * : FIELD_REAL, const char ** : FIELD_TEXT,   \
                       default : FIELD_CHARS), offsetof(Row, name)}
#define FIGURE(Row, name, as) FIELD(Row, name), .look = as

/* How a figure is written in a cell. */
typedef enum TableLook {
    LOOK_WORDS,  /* a text, as it is */
    LOOK_BYTES,  /* "12.5 KiB" */
    LOOK_COUNT,  /* "12,345", where there is little room "12.3k" */
    LOOK_TIMES,  /* "×12,345" */
    LOOK_CHANGE, /* "+12.5 KiB", in the tones of growth and shrinking */
    LOOK_SHARE   /* percent of TableSource.all, in its heat */
} TableLook;

/* One column. Widths include the blank before the next column: text has one column less. `drop`:
 * columns with the highest value go first if room is short (0: the last to stay). Columns start as
 * narrow as possible and are then widened from the left; the last `flex` column gets the rest. */
typedef struct TableColumn {
    const char *title; /* NULL: from heading(), or from shown_figure */
    int narrow, wide, drop;
    int least;  /* if even `narrow` does not fit: takes the remaining columns if at least this many;
                   0 */
    int yields; /* `drop` while the table shows a range of time, whose own columns come first; 0:
                   drop */
    TableAlign align;
    bool flex;
    TableMode mode;
    /* The figure of the row's tally that gives title, cell, order and shares. `tally`: where that
     * is not TableSource.tally; may return NULL, no figure. */
    const struct ShownFigure *shown_figure;
    const LmpTally *(*tally)(const TableSource *from, uint32_t row);
    /* The field that gives cell and order; or value() does. NaN: there is none. */
    TableField field;
    TableLook look;
    Tone tone;   /* of the figure, unless it is zero; TONE_NONE: as plain text */
    bool rising; /* sorted by smallest first (names); else largest first */
    /* Fills a row's cell in another way. */
    void (*cell)(const TableSource *from, uint32_t row, TableCell *cell);
    /* The sort key, if there is neither shown_figure nor field: a figure, or an order (< 0: a is
     * the smaller one); none of them: not sortable. */
    double (*value)(const TableSource *from, uint32_t row);
    int (*compare)(const TableSource *from, uint32_t a, uint32_t b);
    const char *(*heading)(const TableSource *from);
    /* Instead of cell(): draws w columns at (x, y) by itself (tree lines, bars). May be NULL. */
    void (*paint)(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y, int w);
    const char *help; /* what the column means, for the help page; NULL: shown_figure's */
    /* Returns true if the column has nothing to show now, and takes no room. May be NULL. */
    bool (*hidden)(const TableSource *from);
} TableColumn;

typedef struct TableDef {
    const char *name; /* the panel's, as in the config file; NULL: columns cannot be chosen */
    const TableColumn *column;
    int columns;
    int sort;       /* column to sort by at first */
    int sort_makes; /* the same while the table shows what is made; 0: it has only one mode */
    int sort_range; /* the same while it shows what happened in a range of time; 0: no other */
    int sort_since; /* the same while the table shows what was made since a moment and lives; 0: no
                       other */
    /* Identifies a row for as long as it exists. NULL: the site or object that the row is about
     * does, or else its number. */
    uint64_t (*id)(const TableSource *from, uint32_t row);
    /* Writes the text that `/` searches, at most size - 1 bytes. NULL: that of the first column
     * with a field of text; or, with own_order, the panel filters itself, with table_words_match.
     */
    void (*words)(const TableSource *from, uint32_t row, char *out, size_t size);
    /* Returns what rows are sorted by in place of a figure that is not in shown_figure: such that
     * some come before others. May be NULL. */
    double (*rank)(const TableSource *from, uint32_t row, double figure);
    /* Returns true for rows that are not in the table at all. May be NULL. */
    bool (*skips)(const TableSource *from, uint32_t row);
    const char *empty; /* shown if there are no rows at all */
    int heading;       /* minimum lines of room for a heading; 0: 3 */
    bool no_cursor;    /* no row can be chosen: no line is marked, and the table takes no arrows */
    bool own_order;    /* rows arrive in the order to show (a tree): the panel sorts,
                        * and `<`, `>`, `r` only choose */
} TableDef;

#define TABLE_COLUMNS_OF(array) .column = array, .columns = sizeof array / sizeof *array

typedef struct Table {
    const TableDef *def;
    int sort; /* column */
    bool reverse;
    bool makes; /* the mode that this order belongs to ... */
    enum { ORDER_ALL, ORDER_RANGE, ORDER_SINCE, ORDERS } of; /* ... and what its figures are of */
    struct {
        int sort;
        bool reverse;
    } order_of[2][ORDERS]; /* of the other modes, by `makes` and `of` */
    LineEdit filter;
    List list; /* places in `order` */

    uint32_t off;      /* bit i: column i is not wanted */
    bool columns_read; /* the config's choice of columns is in `off` */

    /* private */
    bool begun;
    bool against;    /* two runs are compared: sorted by what differs, until a person chooses */
    bool has_chosen; /* else the cursor is on the first line, whatever is there */
    uint64_t chosen; /* id of the row under the cursor */
    uint64_t moved;  /* when the cursor last moved, nanoseconds; 0: the order is not held */
    uint32_t *order; /* rows that pass the filter, in the order shown; list.count of them */
    uint64_t *ids;   /* ids of these rows */
    double *keys;    /* by row: the sort keys */
    uint32_t *spare;
    uint32_t room;   /* capacity of these arrays */
    uint32_t total;  /* rows before the filter, without those skipped */
    uint64_t serial; /* of the rows in `order` */
    const void *rows;
    uint32_t rows_count;
    int sorted_by; /* column and direction of `order`; -1: unsorted */
    bool sorted_reverse, held;
    char sought[EDIT_MAX]; /* the filter that `order` has passed */
    bool no_memory;
    int page;                 /* lines of rows when last drawn */
    int at[TABLE_COLUMNS];    /* where columns were drawn, relative to the rect */
    int width[TABLE_COLUMNS]; /* 0: not shown */
    int tail[TABLE_COLUMNS];  /* widest path that was ever shown */
} Table;

/* What a panel with a table offers in the footer, for Panel.offers. */
#define TABLE_OFFERS ACT_FILTER, ACT_SORT_LEFT, ACT_SORT_RIGHT, ACT_REVERSE
/* The same for a table that can show what is made. */
#define TABLE_OFFERS_MAKES TABLE_OFFERS, ACT_MAKES

/* Begins a table. `table`: all zeroes before. `def` must stay where it is. */
void table_init(Table *table, const TableDef *def);
void table_free(Table *table);

/* Gives the present rows: filters and sorts them if anything has changed. */
void table_fill(Table *table, const TableSource *from);

/* Sorts by what differs at first, where two runs are compared; table_fill calls this, too. */
void table_compare(Table *table, const Model *model);

/* Switches to the order of the current mode (Ui.makes, a range); table_fill calls this, too. */
void table_follow_mode(Table *table, const Model *model, const Ui *ui);

/* After table_fill, with the same source: */

/* Draws heading, rows and scroll bar. */
void table_draw(Table *table, const TableSource *from, Canvas *canvas, Rect rect);
/* Draws one more row, such as a sum, in the columns of the last table_draw, which had `rect`. */
void table_draw_row(const Table *table, const TableSource *from, Canvas *canvas, Rect rect, int y,
                    uint32_t row);
/* Moves, sorts, filters; escape first clears the filter. Returns false: not an action of tables. */
bool table_act(Table *table, const TableSource *from, Ui *ui, Action action);
/* Handles a click on a row, or on the heading (sorts by it, again: reverses), and the wheel. The
 * position is relative to `rect`, in which the table was drawn. A double click chooses its row and
 * returns false: app.c turns it into enter. */
bool table_mouse(Table *table, const TableSource *from, MouseEvent event, Rect rect);

/* Returns the row on a line of `rect`, in which the table was drawn; TABLE_NONE: there is none. */
uint32_t table_row_at(const Table *table, int y, Rect rect);
/* Returns the row under the cursor, TABLE_NONE: there is none. */
uint32_t table_selected(const Table *table);
/* Puts the cursor on the row with this id; it stays there, and the order is not held. Returns false
 * if the row does not exist or does not pass the filter. */
bool table_choose(Table *table, uint64_t id);
/* Puts the cursor on the first line, as Home does; the next table_fill sorts anew. */
void table_to_top(Table *table);
/* Holds the order with the cursor on its row, as if it had moved. */
void table_hold(Table *table, const Ui *ui);
/* Returns true if the order is held now. */
bool table_is_held(const Table *table, const Ui *ui);
/* Writes the border's note: "12 of 340 match 'push'", "order held", or "". */
void table_note(const Table *table, char *out, size_t size);

/* Returns true if a text has every one of these words, ignoring case. */
bool table_words_match(const char *words, const char *text);

/* Returns the column that shares, bars and heat follow: the sort column, if rows add up in it, else
 * the initial sort column. NULL: there is none. */
const TableColumn *table_by(const Table *table);
/* Returns a row's share of the whole in that column, 0 .. 1. */
double table_share(const TableSource *from, uint32_t row);
/* Returns a row's figure in a column that has one; its text, if the column has a field of text,
 * else NULL. */
double table_value(const TableSource *from, const TableColumn *column, uint32_t row);
const char *table_text(const TableSource *from, const TableColumn *column, uint32_t row);
/* Returns an id for rows that are known by their names. */
uint64_t table_id_of(const char *name, uint32_t kind);
/* Returns a row's tally in a column. NULL: none. */
const LmpTally *table_tally(const TableSource *from, const TableColumn *column, uint32_t row);

/* Returns the tone for a figure that is `share` (0 .. 1) of the whole: plain, warmer from 1 %
 * on. */
Tone table_heat(double share);

/* Which columns a person wants to see. */

/* Returns a column's name in the list of columns: its title; "bar" if it is drawn. NULL: it cannot
 * be chosen, and is always shown. */
const char *table_column_name(const TableColumn *column);

/* Returns what the column means, NULL: no explanation. */
const char *table_column_help(const TableColumn *column);

/* Takes the config's choice (`columns.NAME`, the table's name), once. */
void table_columns_read(Table *table, const Config *config);

/* Returns true if the column belongs to the table's current mode. */
bool table_column_in_mode(const Table *table, int column);
bool table_column_shown(const Table *table, int column);
/* Shows or hides all columns of that name (in both modes). Returns false if a mode would have none
 * left. */
bool table_column_show(Table *table, int column, bool shown);
/* Writes the value for the config: names separated by commas; "" if all are shown. Returns out. */
char *table_columns_text(const Table *table, char *out, size_t size);

#endif
