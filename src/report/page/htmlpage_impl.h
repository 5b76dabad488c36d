/* htmlpage_impl.h - what the files of the page share. */
#ifndef LMP_HTMLPAGE_IMPL_H
#define LMP_HTMLPAGE_IMPL_H

#include "report/page/htmlout.h"
#include "report/page/htmlpage.h"

/* Made by embed.cmake: what stands before and after the data. */
extern const char htmlpage_head[], htmlpage_tail[];

enum { HTML_ROWS = 20000, HTML_NODES = 100000 }; /* of a table; of the graph */

/* Which rows of many the page has: the largest by any figure's share of all. */
typedef struct HtmlKept {
    uint32_t *row; /* rows kept, in order */
    uint32_t rows;
    uint32_t *place; /* of every row: where it is in row[], HTML_NOWHERE: left out */
} HtmlKept;
#define HTML_NOWHERE UINT32_MAX

/* `tally(of, i)` has row i's figures; `all` those of the whole; `parent(of, i)` is a row that is
 * left out only together with i, and below i (NULL: there is none). False: no memory. */
typedef struct HtmlRows {
    const void *of;
    const LmpTally *(*tally)(const void *of, uint32_t i);
    uint32_t (*parent)(const void *of, uint32_t i);
    const LmpTally *all;
    uint32_t rows, most;
} HtmlRows;
bool htmlpage_keep(const HtmlRows *rows, HtmlKept *kept);
void htmlpage_kept_free(HtmlKept *kept);

/* The figures of some tallies, one array a figure. */
void htmlpage_columns(HtmlOut *o, const LmpTally *const *tally, uint32_t rows);

/* Rows of every table that the page has. */
typedef struct HtmlAllKept {
    HtmlKept sites, functions, tags;
    uint32_t *tree_place; /* of every node: where its figures are counted; NULL: no tree */
    uint32_t tree_rows;   /* kept, and joined */
} HtmlAllKept;

/* Parts of the data, each some fields. */
void htmlpage_facts(HtmlOut *o, const LmpReport *r);
void htmlpage_time(HtmlOut *o, const LmpReport *report);
LmpErr htmlpage_sites(HtmlOut *o, const LmpReport *report, HtmlAllKept *kept);
LmpErr htmlpage_functions(HtmlOut *o, const LmpReport *report, HtmlAllKept *kept);
LmpErr htmlpage_tags(HtmlOut *o, const LmpReport *report, HtmlAllKept *kept);
LmpErr htmlpage_tree(HtmlOut *o, const LmpReport *report, HtmlAllKept *kept);
LmpErr htmlpage_sources(HtmlOut *o, const LmpReport *report, const HtmlKept *sites);
LmpErr htmlpage_moments(HtmlOut *o, const LmpReport *report, const HtmlAllKept *kept);

#endif
