/* report.c - the table of reports, and what all of them are made from. */
#include "report.h"

const LmpReportKind report_kinds[] = {
    {"summary", "the figures as text, for people", report_summary},
    {"json", "the figures as one JSON object, for machines", report_json},
    {NULL, NULL, NULL},
};

void report_fill(LmpReport *report, const LmpHeader *header, const LmpLive *live, uint64_t clock,
                 const char *ending) {
    report->program = header->program;
    report->lua = header->lua;
    report->pid = header->pid;
    report->ending = ending;
    report->attached = false;
    report->owners_known = live->owners_known == 1;
    stats_derive(live, clock, &report->stats);
    report->gc = live->gc;
}
