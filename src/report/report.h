/* report.h - reports: what a run amounts to, for people and for machines. A new report is one file
 * and one row in the table of report.c. Nothing here prints by itself: the caller gives the FILE.
 */
#ifndef LMP_REPORT_H
#define LMP_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "read/ledger/ledger.h"
#include "read/stats.h"
#include "shared/shared.h"

#define REPORT_TOP_MOST 1000u /* rows of a table of the summary */

typedef struct LmpReport {
    char program[sizeof((LmpHeader *)0)->program]; /* a copy, ended here whatever stands there */
    char lua[sizeof((LmpHeader *)0)->lua];         /* "Lua 5.4.4" */
    uint32_t pid;
    const char *ending; /* "finished", "killed by signal 9 (SIGKILL)", "still running" ... */
    const char *error;  /* the message that it ended with; NULL: none, or not known */
    bool attached;      /* lmp can look at it again: the "next" line says how */
    bool owners_known;
    LmpStats stats;
    LmpGc gc;            /* copy; ring indices are checked by whoever reads them */
    uint32_t top;        /* rows of the summary's tables, at most REPORT_TOP_MOST */
    Ledger ledger;       /* sites, functions, tags; lines LMP_LINES_OFF: nothing is known of them */
    LmpErr ledger_error; /* why it has no rows */
    LmpLeak *leak;       /* owned: sites that grew, steady ones and largest slope first */
    uint32_t leaks;      /* rows in leak[] */
    LmpVerdict verdict;
} LmpReport;

/* Fills a report from a (checked) header, live part and tables (NULL: without them); `ending` must
 * outlive it. What was in it is not looked at: report_close gives back what it holds. */
void report_fill(LmpReport *report, const LmpHeader *header, const LmpLive *live,
                 const LmpTables *tables, uint64_t clock, const char *ending);
void report_close(LmpReport *report);

typedef struct LmpReportKind {
    const char *name, *help;
    void (*write)(const LmpReport *report, FILE *out);
} LmpReportKind;

extern const LmpReportKind report_kinds[]; /* ends with a row whose name is NULL */

/* For people: plain text of at most 80 columns, tables of sites and functions at most 100. */
void report_summary(const LmpReport *report, FILE *out);
void report_json(const LmpReport *report, FILE *out); /* for machines, one object and a newline */

#endif
