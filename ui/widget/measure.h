/* measure.h - the figures that tables show of a tally, one row each: how a figure is worked out,
 * how it is written, what its column is called. A column names its row (TableColumn.measure); cell,
 * order, share and heat follow from it.
 *
 * Some belong to what the program holds, some to what it makes: TableColumn.mode says so. */
#ifndef LMP_MEASURE_H
#define LMP_MEASURE_H

#include "widget/tablesource.h"

typedef enum MeasureName {
    /* what is held */
    M_LIVE,
    M_BLOCKS,
    M_CHANGE, /* of what is live: a second, or since the mark */
    M_EACH_LIVE,
    M_CHURN, /* the freed share of the bytes that were made */
    /* what is made */
    M_MADE,
    M_RATE, /* bytes made a second, or since the mark */
    M_ALLOCS,
    M_EACH,
    M_AT_ONCE, /* freed before the next allocation there; shares of the allocations */
    M_IN_CYCLE,
    M_LATER,
    M_PER_CYCLE,
    MEASURES
} MeasureName;

typedef struct Measure {
    const char *title;
    const char *marked, *mean; /* where it is since the mark, over the whole run; NULL: title */
    bool adds;                 /* rows add up to the whole: there are shares of it, bars and heat */
    double (*of)(const Model *model, const LmpTally *tally); /* NaN: there is none */
    void (*put)(TableCell *cell, double value, bool wide);
    const char *help;
} Measure;
extern const Measure measure[MEASURES];

/* As the column of a table: its row in `measure`, in the mode that it belongs to. */
#define HOLDS(name) .mode = TABLE_HOLDS, .measure = &measure[name]
#define MAKES(name) .mode = TABLE_MAKES, .measure = &measure[name]

/* Is a second the last one? Else the program stands still, and what is said to be a second is the
 * average over the whole run. */
bool measure_is_now(const Model *model);
/* A title, in ASCII where there is nothing else. */
const char *measure_word(const char *title, bool utf8);
const char *measure_title(const Measure *m, const TableSource *from);
/* A tally's figure in a row's cell, with what else of the row tells how it is to be looked at. */
void measure_cell(const Measure *m, const TableSource *from, uint32_t row, const LmpTally *tally,
                  bool wide, TableCell *cell);
/* Bytes a second that a tally makes. */
double measure_rate(const Model *model, const LmpTally *tally);
/* Does it hold more than before: than at the mark, than a second ago? */
bool measure_grows(const Model *model, const LmpTally *tally);

/* The freed share of the bytes that were made, 0 .. 1; negative: nothing was. */
double tally_churn(const LmpTally *tally);
/* Bytes made for an allocation. */
uint64_t tally_each(const LmpTally *tally);
/* Freed in the next collector cycle, but not at once; later. Counts. */
uint64_t tally_in_cycle(const LmpTally *tally);
uint64_t tally_later(const LmpTally *tally);

#endif
