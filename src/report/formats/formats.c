/* formats.c - the table of the formats. */
#include "report/formats/formats.h"

#include <string.h>

#include "report/formats/formats_impl.h"
#include "report/formats/value.h"
#include "report/page/htmlpage.h"

#define OWN true
#define LISTED false
#define ROW(ID, name, help, own, arg, option, before, between, after, parts, flags)                \
    [REPORT_##ID] = {#name, help, report_##name, before, between, after, parts, flags, own},
const LmpReportKind report_kinds[REPORTS] = {REPORT_KINDS(ROW)};
#undef ROW
#undef LISTED
#undef OWN

/* One page for a browser, which the room report/page writes. */
LmpErr report_html(const LmpReport *report, FILE *out) {
    return htmlpage_write(report, out);
}

const LmpReportKind *report_find(const char *name) {
    for (size_t i = 0; i < REPORTS; i++)
        if (strcmp(report_kinds[i].name, name) == 0) return &report_kinds[i];
    return NULL;
}

const char *report_lacks(const LmpReportKind *kind, const LmpReport *report) {
    if (kind->flags & REPORT_OF_LINES && report->ledger_error)
        return "not enough memory for its rows";
    if (kind->flags & REPORT_OF_LINES && report->ledger.lines == LMP_LINES_OFF)
        return "it is of a run without lines";
    if (kind->flags & REPORT_OF_LINES && report->ledger.sites == 0) return "nothing was allocated";
    if (value_chosen(report) == VALUES)
        return report->metric == REPORT_PEAK ? "of the peak, blocks are not counted: only bytes"
                                             : "temporary blocks are counted, not their bytes";
    if (report->from > 0 && report->metric == REPORT_PEAK) return "a range of time has no peak";
    return NULL;
}

const char *const report_metrics[REPORT_METRICS] = {
    [REPORT_ANY_METRIC] = "any", [REPORT_LIVE] = "live",           [REPORT_ALLOCATED] = "allocated",
    [REPORT_PEAK] = "peak",      [REPORT_TEMPORARY] = "temporary",
};

const char *const report_units[REPORT_UNITS] = {
    [REPORT_ANY_UNIT] = "any", [REPORT_BYTES] = "bytes", [REPORT_BLOCKS] = "blocks"};

static int find(const char *const *names, int n, const char *name) {
    for (int i = 1; i < n; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

int report_metric_find(const char *name) {
    return find(report_metrics, REPORT_METRICS, name);
}

int report_unit_find(const char *name) {
    return find(report_units, REPORT_UNITS, name);
}
