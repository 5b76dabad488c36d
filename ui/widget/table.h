/* table.h - a table with columns, for panels: sorting by any column, a text filter, a cursor that
 * stays on its row, and an order that stays still while a person moves in it.
 *
 * A panel describes its table once (TableDef: columns and what a row is) and keeps a Table in its
 * state. Before every use (draw, act, mouse) it says what the rows are now (table_fill), which is
 * cheap when nothing has changed; so a table never looks at rows that are gone. Rows are known by
 * their index in the panel's array; what must survive a refresh is known by the row's id.
 *
 * The order: rows are sorted anew with every refresh until a person moves the cursor. From then on
 * it is held: rows keep their places, new ones come last, figures go on changing. TABLE_HOLD after
 * the last move, or with Home, sorting is resumed; the cursor stays on its row, and the row on its
 * line of the screen as far as possible. After Home (and at first) the cursor is on the first line,
 * whatever row that is. */
#ifndef LMP_TABLE_H
#define LMP_TABLE_H

#include "screen/edit.h"
#include "widget/tablesource.h"

#define TABLE_HOLD 5000000000ull /* nanoseconds */
#define TABLE_COLUMNS 24         /* at most */
#define TABLE_NONE UINT32_MAX

struct Measure; /* measure.h */

typedef enum TableAlign {
    TABLE_RIGHT, /* figures */
    TABLE_LEFT,
    TABLE_TAIL /* left; where it does not fit its beginning is cut: paths */
} TableAlign;

/* One column. Widths count the blank to the next column: text has one column less. `drop`: columns
 * with the highest go first where there is no room (0: stays to the last). Columns are as narrow as
 * can be first, then widened from the left; what is left over goes to the last `flex` column. */
typedef struct TableColumn {
    const char *title; /* NULL: heading() tells, or the measure */
    int narrow, wide, drop;
    int least; /* where even `narrow` does not fit: it takes what is left, if that is so much; 0 */
    TableAlign align;
    bool flex;
    TableMode mode;
    /* A figure of the row's tally: title, cell, order and shares are its. `tally`: where it is of
     * another one than TableSource.tally; may tell NULL, no figure. */
    const struct Measure *measure;
    const LmpTally *(*tally)(const TableSource *from, uint32_t row);
    bool rising; /* chosen to sort by: smallest first (names); else largest first */
    /* The text and style of a row's cell; `wide`: the column has its wide width. */
    void (*cell)(const TableSource *from, uint32_t row, bool wide, TableCell *cell);
    /* What to sort by: a figure, or an order (< 0: a is the smaller one); both NULL: this column
     * cannot be sorted by. */
    double (*value)(const TableSource *from, uint32_t row);
    int (*compare)(const TableSource *from, uint32_t a, uint32_t b);
    const char *(*heading)(const TableSource *from);
    /* Instead of cell(): draws w columns at (x, y) by itself (tree lines, bars). May be NULL. */
    void (*paint)(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y, int w);
    const char *help; /* what it means, for the help page; NULL: as its measure says */
    /* Is there nothing to show in it now? Then it takes no room. May be NULL. */
    bool (*hidden)(const TableSource *from);
} TableColumn;

typedef struct TableDef {
    const char *name; /* the panel's, as the config file has it; NULL: columns cannot be chosen */
    const TableColumn *column;
    int columns;
    int sort;       /* column that it is sorted by at first */
    int sort_makes; /* the same where it shows what is made; 0: it has but one mode */
    /* A row's name for as long as it lives. */
    uint64_t (*id)(const TableSource *from, uint32_t row);
    /* The text that `/` looks in, at most size - 1 bytes. NULL: the panel filters by itself, with
     * table_matches. */
    void (*words)(const TableSource *from, uint32_t row, char *out, size_t size);
    /* Rows that are not in the table at all. May be NULL. */
    bool (*skips)(const TableSource *from, uint32_t row);
    const char *empty; /* said where there are no rows at all */
    int heading;       /* lines of room from which there is a heading; 0: 3 */
    bool no_cursor;    /* nothing is chosen in it: no line is marked, arrows are not its own */
    bool own_order;    /* rows come in the order to show (a tree): the panel sorts, by table_before,
                          and `<`, `>`, `r` only choose */
} TableDef;

typedef struct Table {
    const TableDef *def;
    int sort; /* column */
    bool reverse;
    bool makes;     /* the mode that this is the order of */
    int other_sort; /* of the other mode */
    bool other_reverse;
    LineEdit filter;
    List list; /* places in `order` */

    uint32_t off;      /* bit i: column i is not wanted (table_columns.c) */
    bool columns_read; /* what the config says of them is in `off` */

    /* private */
    bool begun;
    bool has_chosen; /* else the cursor is on the first line, whatever is there */
    uint64_t chosen; /* id of the row under the cursor */
    uint64_t moved;  /* when the cursor was last moved, nanoseconds; 0: the order is not held */
    uint32_t *order; /* rows that pass the filter, in the order shown; list.count of them */
    uint64_t *ids;   /* of them */
    double *keys;    /* by row: what is sorted by */
    uint32_t *spare;
    uint32_t room;   /* of these arrays */
    uint32_t total;  /* rows before the filter, without those left out */
    uint64_t serial; /* of the rows that order is of */
    const void *rows;
    uint32_t rows_count;
    int sorted_by; /* column and direction that order is sorted by; -1: not at all */
    bool sorted_reverse, held;
    char sought[EDIT_MAX]; /* filter that order has passed */
    bool no_memory;
    int page;                 /* lines of rows when last drawn */
    int at[TABLE_COLUMNS];    /* where columns were drawn, relative to the rect */
    int width[TABLE_COLUMNS]; /* 0: not shown */
} Table;

/* What a panel with a table offers in the footer, for Panel.offers. */
#define TABLE_OFFERS ACT_FILTER, ACT_SORT_LEFT, ACT_SORT_RIGHT, ACT_REVERSE
/* And with one that can show what is made. */
#define TABLE_OFFERS_MAKES TABLE_OFFERS, ACT_MAKES

/* `table`: all zeroes before. `def` stays where it is. */
void table_init(Table *table, const TableDef *def);
void table_free(Table *table);

/* What the rows are now: filters them and puts them in order, if anything has changed. */
void table_fill(Table *table, const TableSource *from);

/* Takes the order of the mode that is shown now; table_fill does it too. */
void table_follow_mode(Table *table, const Ui *ui);

/* After table_fill, with the same source: */

/* Draws heading, rows and scroll bar. */
void table_draw(Table *table, const TableSource *from, Canvas *canvas, Rect rect);
/* Draws one more row in the columns of the last table_draw, which had `rect`: a sum below it. */
void table_draw_row(const Table *table, const TableSource *from, Canvas *canvas, Rect rect, int y,
                    uint32_t row);
/* Moving, sorting, filter; escape clears the filter first. False: not an action of tables. */
bool table_act(Table *table, const TableSource *from, Ui *ui, Action action);
/* Click: the row, or the heading (sorts by it, again: reverses); wheel. Its place is relative to
 * `rect`, the one that it was drawn in. A double click is left to the caller (false) with its row
 * chosen: app.c makes it enter. */
bool table_mouse(Table *table, const TableSource *from, MouseEvent event, Rect rect);

/* The row on a line of `rect`, the one that it was drawn in; TABLE_NONE: there is none. */
uint32_t table_row_at(const Table *table, int y, Rect rect);
/* The row under the cursor, TABLE_NONE: there is none. */
uint32_t table_selected(const Table *table);
/* Puts the cursor on the row with this id, if it is there and passes the filter; else false. It
 * stays there, and the order is not held. */
bool table_choose(Table *table, uint64_t id);
/* As Home does: the cursor on the first line, sorted anew at the next table_fill. */
void table_to_top(Table *table);
/* As if the cursor had been moved: it keeps to its row, and the order is held. */
void table_hold(Table *table, const Ui *ui);
/* Is the order held now? */
bool table_is_held(const Table *table, const Ui *ui);
/* For the frame's note: "12 of 340 match 'push'", "order held", or "" when there is nothing. */
void table_note(const Table *table, const Ui *ui, char *out, size_t size);

/* Does a text match the filter: every word of it, upper or lower case alike. */
bool table_matches(const Table *table, const char *text);
bool table_words_match(const char *words, const char *text);
/* The chosen order: < 0 when row a comes before row b; what is equal in it goes by id. */
int table_before(const Table *table, const TableSource *from, uint32_t a, uint32_t b);

/* The column that shares, bars and heat follow: the one that is sorted by, if rows add up in it,
 * else the one that it is sorted by at first. NULL: there is none. */
const TableColumn *table_by(const Table *table);
/* A row's share of the whole in it, 0 .. 1. */
double table_share(const TableSource *from, uint32_t row);
/* A row's tally in a column. NULL: it has none. */
const LmpTally *table_tally(const TableSource *from, const TableColumn *column, uint32_t row);

/* The tone for a figure that is `share` (0 .. 1) of the whole: plain, and from 1 % on warmer. */
Tone table_heat(double share);

/* Which columns a person wants to see (table_columns.c). */

/* What a column is called where it is chosen: its title; "bar" of what is drawn. NULL: it cannot be
 * chosen, and is always there. */
const char *table_column_name(const TableColumn *column);

/* What it means, NULL: nothing is said of it. */
const char *table_column_help(const TableColumn *column);

/* Takes what the config says (`columns.NAME`, the table's name), once. */
void table_columns_read(Table *table, const Config *config);

/* Is it of the mode that the table is in now? */
bool table_column_in_mode(const Table *table, int column);
bool table_column_shown(const Table *table, int column);
/* Shows or hides all columns of that name (those of both modes). One stays in each mode: false. */
bool table_column_show(Table *table, int column, bool shown);
/* The value for the config: names with commas; "" where all are shown. Returns out. */
char *table_columns_text(const Table *table, char *out, size_t size);

#endif
