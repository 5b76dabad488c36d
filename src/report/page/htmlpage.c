/* htmlpage.c - the page put together. */
#include <stdlib.h>

#include "report/page/htmlpage_impl.h"

static LmpErr put_data(Json *json, const void *of) {
    const LmpReport *report = of;
    HtmlAllKept kept = {0};
    htmlpage_facts(json, report);
    htmlpage_time(json, report);
    LmpErr err = htmlpage_sites(json, report, &kept);
    if (!err) err = htmlpage_functions(json, report, &kept);
    if (!err) err = htmlpage_tags(json, report, &kept);
    if (!err) err = htmlpage_tree(json, report, &kept);
    if (!err) err = htmlpage_sources(json, report, &kept.sites);
    if (!err && report->recording) err = htmlpage_moments(json, report, &kept);
    json_words(json, "words");
    htmlkept_free(&kept.sites);
    htmlkept_free(&kept.functions);
    htmlkept_free(&kept.tags);
    free(kept.tree_place);
    return err;
}

LmpErr htmlpage_write(const LmpReport *report, FILE *out) {
    return webpage_write(&run_page, JSON_ON_PAGE, put_data, report, out);
}
