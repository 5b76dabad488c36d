/* report.h - reports: the result of a run, for people and for machines. A new report is one file
 * report_NAME.c and one row of REPORT_KINDS: that row is its option of `lmp run` and its part in
 * the man page, too. Nothing here prints by itself: the caller gives the FILE.
 */
#ifndef LMP_REPORT_H
#define LMP_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "read/ledger/ledger.h"
#include "read/stats.h"
#include "read/verdict/verdict.h"
#include "shared/layout.h"

#define REPORT_TOP_MOST 1000u /* rows of a table of the summary */

typedef struct LmpReport {
    char program[sizeof((LmpHeader *)0)->program]; /* a copy, always terminated */
    char lua[sizeof((LmpHeader *)0)->lua];         /* "Lua 5.4.4" */
    uint32_t pid;
    const char *ending; /* "finished", "killed by signal 9 (SIGKILL)", "still running" ... */
    const char *error;  /* the message that it ended with; NULL: none, or not known */
    bool attached;      /* lmp can look at it again: the "next" line says how */
    bool watched;       /* it has had the display */
    const char *again;  /* options, program and arguments of its `lmp run`, for a shell; NULL: not
                           known */
    LmpStats stats;
    LmpGc gc;            /* copy; ring indices are checked by its readers */
    uint32_t top;        /* rows of the summary's tables, at most REPORT_TOP_MOST */
    Ledger ledger;       /* sites, functions, tags; lines LMP_LINES_OFF: nothing is known of them */
    LmpErr ledger_error; /* why it has no rows */
    LmpLeak *leak;       /* owned: sites that grew, steady ones and largest slope first */
    uint32_t leaks;      /* rows in leak[] */
    LmpJudgement judgement;
    Verdicts verdicts; /* count 0: nothing is known of lines and growth */
} LmpReport;

/* Fills a report from a (checked) header, live part and tables (NULL: without them); `ending` must
 * outlive it. Its previous content is ignored; report_close frees what it holds. */
void report_fill(LmpReport *report, const LmpHeader *header, const LmpLive *live,
                 const LmpTables *tables, uint64_t clock, const char *ending);
/* The same with what else a kind needs of the tables (LmpReportKind.parts): the call tree may have
 * a million nodes, so only the caller that writes it requests it. */
void report_fill_with(LmpReport *report, const LmpHeader *header, const LmpLive *live,
                      const LmpTables *tables, unsigned parts, uint64_t clock, const char *ending);
void report_close(LmpReport *report);

/* All reports: ID, name, argument and help of the option of `lmp run` ("[FILE]": without a file it
 * stands in place of the summary, with one besides it), what stands before, between and after
 * those of several Lua states, and what it needs besides sites, functions and tags (LEDGER_*, 0:
 * nothing). void report_NAME(const LmpReport *, FILE *) writes one of them. The
 * first row is for people, and is what is written unless another one is asked for. */
#define REPORT_KINDS(REPORT)                                                                       \
    REPORT(SUMMARY, summary, "FILE", "write the summary to FILE, not to standard error", "", "\n", \
           "", 0)                                                                                  \
    REPORT(JSON, json, "[FILE]", "the summary as JSON; with FILE, as JSON to FILE besides it",     \
           "[\n", ",", "]\n", LEDGER_TREE)

enum {
#define REPORT_ID(ID, ...) REPORT_##ID,
    REPORT_KINDS(REPORT_ID) REPORTS
#undef REPORT_ID
};

typedef struct LmpReportKind {
    const char *name;
    void (*write)(const LmpReport *report, FILE *out);
    const char *before, *between, *after;
    unsigned parts;
} LmpReportKind;

extern const LmpReportKind report_kinds[REPORTS]; /* the only way to a report */

#endif
