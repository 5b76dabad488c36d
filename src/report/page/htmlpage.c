/* htmlpage.c - the page put together. */
#include <stdlib.h>

#include "report/page/htmlpage_impl.h"

LmpErr htmlpage_write(const LmpReport *report, FILE *out) {
    HtmlOut o = {.out = out};
    HtmlAllKept kept = {0};
    fputs(htmlpage_head, out);
    htmlout_begin(&o, NULL, '{');
    htmlpage_facts(&o, report);
    htmlpage_time(&o, report);
    LmpErr err = htmlpage_sites(&o, report, &kept);
    if (!err) err = htmlpage_functions(&o, report, &kept);
    if (!err) err = htmlpage_tags(&o, report, &kept);
    if (!err) err = htmlpage_tree(&o, report, &kept);
    if (!err) err = htmlpage_sources(&o, report, &kept.sites);
    if (!err && report->recording) err = htmlpage_moments(&o, report, &kept);
    htmlout_words(&o, "words");
    htmlout_end(&o, '}');
    fputs(htmlpage_tail, out);
    htmlkept_free(&kept.sites);
    htmlkept_free(&kept.functions);
    htmlkept_free(&kept.tags);
    free(kept.tree_place);
    if (!err && o.failed) err = LMP_E_NOMEM;
    htmlout_free(&o);
    return err;
}
