/* htmlpage_impl.h - what the files of the page share. */
#ifndef LMP_HTMLPAGE_IMPL_H
#define LMP_HTMLPAGE_IMPL_H

#include "report/page/htmlkeep.h"
#include "report/page/htmlpage.h"

/* Made by embed.cmake: what stands before and after the data. */
extern const char htmlpage_head[], htmlpage_tail[];

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
