/* tablesource.h - what tables get their rows from, and fill their cells with. */
#ifndef LMP_TABLESOURCE_H
#define LMP_TABLESOURCE_H

#include <stddef.h>

#include "widget/panel.h"

#define TABLE_TEXT 256 /* bytes of a cell's text */

/* The question about the program: what it holds, or what it makes (Ui.makes). A column belongs to
 * one of the two, or to both. */
typedef enum TableMode { TABLE_BOTH, TABLE_HOLDS, TABLE_MAKES } TableMode;

struct Table;
struct TableColumn;
typedef struct TableCell TableCell;

/* The rows as they are now, for the callbacks. */
typedef struct TableSource {
    const void *rows; /* the panel's; NULL with count 0 */
    uint32_t count;
    uint64_t serial; /* changes whenever rows or their contents may have changed */
    const Model *model;
    const Ui *ui;
    const struct Table *table; /* the table that shows the rows; NULL: no shares */
    const LmpTally *whole;     /* what shares are of */
    uint64_t all;              /* the same for columns with LOOK_SHARE */
    /* As in TablePanelDef, where they come from. */
    size_t row_size;
    const void *(*row)(const struct TableSource *from, uint32_t row);
    void (*dress)(const struct TableSource *from, uint32_t row, const struct TableColumn *column,
                  TableCell *cell);
    /* What a row is about, for tables that share such rows. May be NULL. */
    uint32_t (*object)(const struct TableSource *from, uint32_t row);
    const LmpTally *(*tally)(const struct TableSource *from, uint32_t row);
    const LmpSiteRow *(*site)(const struct TableSource *from, uint32_t row);
} TableSource;

struct TableCell {
    char text[TABLE_TEXT];
    Style style;   /* STYLE(TONE_TEXT) unless the callback sets another */
    bool wide;     /* the column has its wide width */
    char kind[24]; /* shown in grey behind the text, if there is room */
};

#endif
