/* shownfigure.h - the figures of a tally that tables show: those of tally_figures, and those that
 * are computed from them, one row of `shown_figure` each: how it is computed, how it is written,
 * the title of its column. A column names its row (TableColumn.shown_figure); cell, order, share
 * and heat follow from that.
 *
 * Some figures describe what the program holds, some what it makes: see TableColumn.mode. */
#ifndef LMP_WIDGET_SHOWNFIGURE_H
#define LMP_WIDGET_SHOWNFIGURE_H

#include "widget/tablesource.h"

typedef enum ShownName {
    /* The figures of tally_figures come first; `shown_figure` needs nothing of them. */
    M_LIVE = TALLY_LIVE_BYTES,
    M_BLOCKS = TALLY_LIVE_BLOCKS,
    M_MADE = TALLY_MADE,
    M_ALLOCS = TALLY_ALLOCS,
    M_SURVIVE =
        TALLY_SINCE_BYTES, /* live bytes of what was made since, or in a piece of the past */
    M_SURVIVORS = TALLY_SINCE_BLOCKS, /* blocks of these */
    /* for what is held */
    M_CHANGE = TALLY_FIGURES, /* change of live bytes: per second, since the mark, in the range, or
                                 from the other run */
    M_EACH_LIVE,
    M_CHURN, /* the freed share of the bytes made */
    /* for what is made */
    M_RATE, /* bytes made per second, since the mark, in the range, or more than in the other run */
    M_EACH,
    M_AT_ONCE, /* freed before the next allocation there; shares of the allocations */
    M_IN_CYCLE,
    M_LATER,
    M_PER_CYCLE,
    M_PER_LAP, /* frames are the program's own; per second means the last second's frames */
    M_FREED,   /* bytes freed in the range; without a range there is no figure */
    SHOWN_FIGURES
} ShownName;

typedef struct ShownFigure {
    const char *title;
    const char *marked,
        *mean; /* title of a figure since the mark, over the whole run; NULL: title */
    bool adds; /* see shownfigure_adds */
    double (*of)(const Model *model, const LmpTally *tally);
    void (*put)(TableCell *cell, double value);
    const char *help;
} ShownFigure;
extern const ShownFigure shown_figure[SHOWN_FIGURES];

/* Makes a table's column of a row in `shown_figure`, in the mode it belongs to. */
#define HOLDS(name) .mode = TABLE_HOLDS, .shown_figure = &shown_figure[name]
#define MAKES(name) .mode = TABLE_MAKES, .shown_figure = &shown_figure[name]

/* A column of tables that show what happened in a range (Model.held), in either mode; and columns
 * that only other tables have. */
#define IN_RANGE(name) .shown_figure = &shown_figure[name], .hidden = shownfigure_no_range
#define HOLDS_NOW(name) HOLDS(name), .hidden = shownfigure_range
#define MAKES_NOW(name) MAKES(name), .hidden = shownfigure_range
/* A column of tables that show what was made since a moment and lives (Model.since). */
#define IN_SINCE(name) .shown_figure = &shown_figure[name], .hidden = shownfigure_no_since
/* Columns 1 to 5, after the share, of tables that have them. */
enum {
    COL_SURVIVE = 1,
    COL_SURVIVORS,
    COL_RANGE_MADE,
    COL_RANGE_FREED,
    COL_RANGE_GREW,
    COL_AFTER_RANGE
};
#define RANGE_COLUMNS                                                                              \
    [COL_SURVIVE] = {NULL, 10, 11, 0, IN_SINCE(M_SURVIVE)},                                        \
    [COL_SURVIVORS] = {NULL, 11, 13, 1, IN_SINCE(M_SURVIVORS)},                                    \
    [COL_RANGE_MADE] = {"allocated", 11, 12, 0, IN_RANGE(M_RATE), .help = RANGE_MADE_HELP},        \
    [COL_RANGE_FREED] = {NULL, 10, 11, 1, IN_RANGE(M_FREED)},                                      \
    [COL_RANGE_GREW] = {"grew", 11, 12, 1, IN_RANGE(M_CHANGE), .help = RANGE_GREW_HELP}
/* ... and by which of their columns such tables sort at first: while they show what is held, what
 * is made, what happened in a range, what survives. */
#define TALLY_SORTS(holds, makes)                                                                  \
    .sort = holds, .sort_makes = makes, .sort_range = COL_RANGE_MADE, .sort_since = COL_SURVIVE
#define RANGE_MADE_HELP "in a range of time (V): bytes made in it"
#define RANGE_GREW_HELP "in a range of time: what live bytes changed by in it"

/* Returns true if figures count what happened in a range of time; false if two runs are
 * compared. */
bool shownfigure_in_range(const Model *model);
/* Return, for TableColumn.hidden, true if figures are not those of a range; true if they are. */
bool shownfigure_no_range(const TableSource *from);
bool shownfigure_range(const TableSource *from);
/* Returns true if tables show what was made since a moment, or in a piece of the past, and
 * lives. */
bool shownfigure_in_since(const Model *model);
bool shownfigure_no_since(const TableSource *from);
/* Returns, for TableColumn.hidden, true if the program reports no frames. */
bool shownfigure_no_laps(const TableSource *from);
/* Returns true if "a second" is the last one. If not, the program stands still, and a rate per
 * second is the average over the whole run. */
bool shownfigure_is_now(const Model *model);
/* Returns a title, in ASCII if there is no UTF-8. */
const char *shownfigure_word(const char *title, bool utf8);
const char *shownfigure_title(const ShownFigure *m, const TableSource *from);
/* Returns NaN if there is no such figure. */
double shownfigure_value(const ShownFigure *m, const Model *model, const LmpTally *tally);
/* Return the title in a list of columns, and what explains the column. */
const char *shownfigure_name(const ShownFigure *m);
const char *shownfigure_help(const ShownFigure *m);
/* Returns true if rows add up to the whole: the figure has shares, bars and heat. */
bool shownfigure_adds(const ShownFigure *m);
/* Returns true for figures that show the difference where two runs are compared; they may be
 * negative. */
bool shownfigure_differs(const ShownFigure *m);
/* Returns the figure that rows are sorted by: a difference between two runs counts by its size, so
 * that what shrank is not at the end. */
double shownfigure_key(const ShownFigure *m, const Model *model, double value);
/* Puts a tally's figure into a row's cell, styled by what else is known of the row. */
void shownfigure_cell(const ShownFigure *m, const TableSource *from, uint32_t row,
                      const LmpTally *tally, TableCell *cell);
/* Returns the bytes per second that a tally makes. */
double shownfigure_rate(const Model *model, const LmpTally *tally);

/* Returns the average bytes per allocation. */
uint64_t shownfigure_each(const LmpTally *tally);
/* Return the count freed in the next collector cycle, but not at once; the count freed later. */
uint64_t shownfigure_in_cycle(const LmpTally *tally);
uint64_t shownfigure_later(const LmpTally *tally);

#endif
