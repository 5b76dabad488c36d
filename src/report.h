/* report.h - reports: what a run amounts to, for people and for machines. A new report is one file
 * and one row in the table of report.c. Nothing here prints by itself: the caller gives the FILE.
 */
#ifndef LMP_REPORT_H
#define LMP_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "shared.h"
#include "stats.h"

typedef struct LmpReport {
    char program[sizeof((LmpHeader *)0)->program]; /* a copy, ended here whatever stands there */
    char lua[sizeof((LmpHeader *)0)->lua];         /* "Lua 5.4.4" */
    uint32_t pid;
    const char *ending; /* "finished", "killed by signal 9 (SIGKILL)", "still running" ... */
    bool attached;      /* lmp can look at it again: the "next" line says how */
    bool owners_known;
    LmpStats stats;
    LmpGc gc; /* copy; ring indices are checked by whoever reads them */
} LmpReport;

/* Fills a report from a (checked) header and live part; `ending` must outlive it. */
void report_fill(LmpReport *report, const LmpHeader *header, const LmpLive *live, uint64_t clock,
                 const char *ending);

typedef struct LmpReportKind {
    const char *name, *help;
    void (*write)(const LmpReport *report, FILE *out);
} LmpReportKind;

extern const LmpReportKind report_kinds[]; /* ends with a row whose name is NULL */

void report_summary(const LmpReport *report, FILE *out); /* for people, plain text */
void report_json(const LmpReport *report, FILE *out); /* for machines, one object and a newline */

#endif
