/* report_html.c - one page for a browser, which the room report/page writes. */
#include "report/formats/formats_impl.h"
#include "report/page/htmlpage.h"

LmpErr report_html(const LmpReport *report, FILE *out) {
    return htmlpage_write(report, out);
}
