/* tallycell.h - what tables of allocations and live bytes have in common: cells and columns of
 * tallies, bars of shares, and the message where there can be no table. */
#ifndef LMP_TALLYCELL_H
#define LMP_TALLYCELL_H

#include "widget/shownfigure.h"
#include "widget/table.h"

/* Returns a share, 0 .. 1. The part is summed up at another moment than the heap, which may have
 * shrunk since, so shares are capped at 1. */
double tallycell_share_of(uint64_t part, uint64_t whole);

void tallycell_bytes(TableCell *cell, uint64_t bytes, Style style);
/* Writes "12.3": percent of the whole, in its heat. */
void tallycell_share(TableCell *cell, double share);
/* Writes "file.lua:12", muted if it is not a place in a source. */
void tallycell_where(TableCell *cell, const Ui *ui, const char *short_src, int line);
/* Appends "new" or "gone" if only one of two compared runs has the row (LmpSide). */
void tallycell_side(TableCell *cell, unsigned side);
/* Returns the line where the function begins that a line makes, if it only ends there; else 0. */
uint32_t tallycell_begins(const Ui *ui, const LmpSiteRow *site);
/* Writes the text of a line of the program, or why there is none; for a line in which a function
 * ends also its first line. */
void tallycell_source(TableCell *cell, const Ui *ui, const LmpSiteRow *site);
/* Writes a function's name, and its kind, which follows in grey. */
void tallycell_name(TableCell *cell, const Ui *ui, const char *name);
/* Draws a bar of w columns: `share` (0 .. 1) in its heat, continued in grey up to `whole`. */
void tallycell_bar(Canvas *canvas, int x, int y, int w, double share, double whole);

/* Show the share of the whole in the column that the table is sorted by (table_share): as percent,
 * as a bar. */
void tallycell_col_share(const TableSource *from, uint32_t row, TableCell *cell);
void tallycell_col_bar(const TableSource *from, uint32_t row, Canvas *canvas, int x, int y, int w);
/* Show, for rows about sites (TableSource.site), the line's place; its text, or why there is none,
 * or nothing then. */
void tallycell_col_where(const TableSource *from, uint32_t row, TableCell *cell);
void tallycell_col_text(const TableSource *from, uint32_t row, TableCell *cell);
void tallycell_col_text_if_any(const TableSource *from, uint32_t row, TableCell *cell);
/* Returns the order of such rows: by place, by the function's name. */
int tallycell_col_by_where(const TableSource *from, uint32_t a, uint32_t b);
int tallycell_col_by_function(const TableSource *from, uint32_t a, uint32_t b);

/* What a table needs from the run. */
typedef enum TallyNeed { NEED_NOTHING, NEED_LINES, NEED_STACKS, NEED_TAGS } TallyNeed;
/* Returns true if the run has that, and the parts (LEDGER_*) have been read. If not, draws why, and
 * how to get it. */
bool tallycell_can(const Model *model, const Ui *ui, Canvas *canvas, Rect rect, TallyNeed need,
                   unsigned parts);

/* What the columns of tallycell_col_share and tallycell_col_bar mean. */
#define SHARE_HELP "share of the whole, in the column that is sorted by"
#define BAR_HELP "that share as a bar"

/* The figures of a page whose rows are lines, before the columns that name the line. */
enum { PAGE_SHARE, PAGE_LIVE = COL_AFTER_RANGE, PAGE_MADE };
#define TALLY_PAGE_COLUMNS                                                                         \
    [PAGE_SHARE] = {"%", 6, 6, 2, .cell = tallycell_col_share, .help = SHARE_HELP},                \
    RANGE_COLUMNS, [PAGE_LIVE] = {NULL, 10, 11, 0, HOLDS(M_LIVE)},                                 \
    [PAGE_MADE] = {NULL, 10, 11, 0, MAKES(M_MADE)}, {NULL, 8, 13, 6, HOLDS(M_BLOCKS)},             \
    {NULL, 11, 12, 4, HOLDS_NOW(M_CHANGE)}, {NULL, 11, 12, 4, MAKES_NOW(M_RATE)},                  \
    {NULL, 8, 13, 6, MAKES(M_ALLOCS)}, {NULL, 9, 10, 5, HOLDS(M_EACH_LIVE)},                       \
    {NULL, 9, 10, 5, MAKES(M_EACH)}, {NULL, 7, 7, 3, HOLDS(M_CHURN)},                              \
    {NULL, 9, 9, 3, MAKES(M_AT_ONCE)}, {NULL, 7, 7, 7, MAKES(M_IN_CYCLE)}, {                       \
        NULL, 7, 7, 7, MAKES(M_LATER)                                                              \
    }

#endif
