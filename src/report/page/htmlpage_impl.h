/* htmlpage_impl.h - what the files of the page share. */
#ifndef LMP_HTMLPAGE_IMPL_H
#define LMP_HTMLPAGE_IMPL_H

#include "report/page/htmlkeep.h"
#include "report/page/htmlpage.h"
#include "report/webpage.h"

/* Rows of every table that the page has. */
typedef struct HtmlAllKept {
    uint32_t rows_most, nodes_most; /* of a table; of the graph */
    HtmlKept sites, functions, tags;
    uint32_t *tree_place; /* of every node: where its figures are counted; NULL: no tree */
    uint32_t tree_rows;   /* kept, and joined */
} HtmlAllKept;

/* Parts of the data, each some fields. */
void htmlpage_facts(Json *json, const LmpReport *r);
void htmlpage_time(Json *json, const LmpReport *report);
void htmlpage_map(Json *json, const LmpReport *report);
LmpErr htmlpage_sites(Json *json, const LmpReport *report, HtmlAllKept *kept);
LmpErr htmlpage_functions(Json *json, const LmpReport *report, HtmlAllKept *kept);
LmpErr htmlpage_tags(Json *json, const LmpReport *report, HtmlAllKept *kept);
LmpErr htmlpage_sources(Json *json, const LmpReport *report, const HtmlKept *sites);
LmpErr htmlpage_moments(Json *json, const LmpReport *report, const HtmlAllKept *kept);

#endif
