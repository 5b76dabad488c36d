/* report.c - the table of reports, and what all of them are made from. */
#include "report.h"

#include <string.h>

const LmpReportKind report_kinds[] = {
    {"summary", "the figures as text, for people", report_summary},
    {"json", "the figures as one JSON object, for machines", report_json},
    {NULL, NULL, NULL},
};

void report_fill(LmpReport *report, const LmpHeader *header, const LmpLive *live, uint64_t clock,
                 const char *ending) {
    memcpy(report->program, header->program, sizeof report->program);
    memcpy(report->lua, header->lua, sizeof report->lua);
    report->program[sizeof report->program - 1] = report->lua[sizeof report->lua - 1] = 0;
    report->pid = header->pid;
    report->ending = ending;
    report->attached = false;
    report->owners_known = live->owners_known == 1;
    stats_derive(live, clock, &report->stats);
    report->gc = live->gc;
}
