/* diff_html_impl.h - what the files of the page of a comparison share. */
#ifndef LMP_DIFF_HTML_IMPL_H
#define LMP_DIFF_HTML_IMPL_H

#include "report/diff/diffreport_impl.h"
#include "report/page/htmlkeep.h"
#include "report/webpage.h"

/* Lines, functions and tags, each a field; of the lines `kept` says which, for htmlkept_free. */
LmpErr diff_html_tables(Json *json, const DiffReport *report, HtmlKept *kept);
/* The call paths of both, as one field; nothing where a side has none. */
LmpErr diff_html_paths(Json *json, const DiffReport *report, const HtmlKept *sites);

#endif
