/* htmlkeep.h - which rows of many a page has, and their figures as columns. */
#ifndef LMP_HTMLKEEP_H
#define LMP_HTMLKEEP_H

#include "read/ledger/ledger.h"
#include "report/json.h"

enum { HTML_ROWS = 20000, HTML_NODES = 100000 }; /* of a table; of the graph */

/* Which rows of many the page has: the largest by any figure's share of all. */
typedef struct HtmlKept {
    uint32_t *row; /* rows kept, in order */
    uint32_t rows;
    uint32_t *place; /* of every row: where it is in row[], HTML_NOWHERE: left out */
} HtmlKept;
#define HTML_NOWHERE UINT32_MAX

/* `tally(of, i)` has row i's figures; `all` those of the whole; `parent(of, i)` is a row that is
 * left out only together with i, and below i (NULL: there is none); `score(of, i)` how much it
 * matters, 0 to 1, in place of the largest share that its figures have of the whole (NULL: that).
 * False: no memory. */
typedef struct HtmlRows {
    const void *of;
    const LmpTally *(*tally)(const void *of, uint32_t i);
    uint32_t (*parent)(const void *of, uint32_t i);
    const LmpTally *all;
    uint32_t rows, most;
    float (*score)(const void *of, uint32_t i);
} HtmlRows;
bool htmlkeep(const HtmlRows *rows, HtmlKept *kept);
void htmlkept_free(HtmlKept *kept);
/* Writes the figures of the rows kept, and, where some were left out, of these together as one row
 * more. Errors: NOMEM. */
LmpErr htmlkeep_columns(Json *json, const HtmlRows *rows, const HtmlKept *kept, LmpFigureColumn of);

/* Returns the largest share that a row's figures have of the whole, 0 to 1. */
float htmlkeep_score(const LmpTally *tally, const LmpTally *all);

/* Writes the figures of some tallies, one array a figure: all, or those of the page that compares
 * runs. */
void htmlkeep_figures(Json *json, const LmpTally *const *tally, uint32_t rows, LmpFigureColumn of);

#endif
