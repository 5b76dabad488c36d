/* diffreport.h - what differs between two runs, for people and for machines. A new format is one
 * file diff_NAME.c and one row of DIFF_REPORTS. Nothing here prints by itself: the caller gives the
 * FILE. */
#ifndef LMP_DIFFREPORT_H
#define LMP_DIFFREPORT_H

#include "read/rundiff/rundiff.h"
#include "report/report.h"

typedef struct DiffSide {
    const LmpReport *report; /* with its ledger; with the tree where paths are to be compared */
    const char *name;        /* of the file, as a person wrote it: "a.lmprec@peak" */
} DiffSide;

/* Totals that two runs are judged by. */
typedef struct DiffTotal {
    const char *key, *title;
    bool bytes;           /* of its figures; else counts */
    bool judged;          /* by --fail-on-increase, where no metric is named */
    RunDiffMetric metric; /* it is the total of; RUNDIFF_METRICS: of none */
    uint64_t was, is;
} DiffTotal;

enum { DIFF_TOTALS = 6 };

typedef struct DiffReport {
    DiffSide old, newer;
    const RunDiff *diff;
    uint32_t top;   /* rows of each table; 0: the format's own number */
    uint64_t noise; /* what rundiff_make was given */
    double fail;    /* percent that a judged total may grow by; below 0: nothing is judged */
    bool by_metric; /* only the total of the diff's metric is judged */
} DiffReport;

/* Writes the totals of both. */
void diffreport_totals(const DiffReport *report, DiffTotal out[DIFF_TOTALS]);
/* Returns true if the total has a limit. */
bool diffreport_judged(const DiffReport *report, const DiffTotal *total);
/* Returns true if the total has grown by more than it may. Exactly as much passes. */
bool diffreport_broken(const DiffReport *report, const DiffTotal *total);
/* Returns true if any has. */
bool diffreport_fails(const DiffReport *report);
/* Changes below this are noise where nobody says otherwise: a thousandth of the metric's total. */
uint64_t diffreport_noise(const LmpReport *old, const LmpReport *newer, RunDiffMetric metric);

/* ID, name, what it needs of the tables beside those of every report (LEDGER_ bits), help. LmpErr
 * diff_NAME(const DiffReport *, FILE *) writes it. `lmp diff` has an option for each. */
#define DIFF_REPORTS(REPORT)                                                                       \
    REPORT(TEXT, text, 0, "tables for people (the default)")                                       \
    REPORT(JSON, json, 0, "as JSON")                                                               \
    REPORT(HTML, html, LEDGER_TREE,                                                                \
           "of recordings: one page for a browser, with a graph of the call paths")

enum {
#define DIFF_ID(ID, ...) DIFF_##ID,
    DIFF_REPORTS(DIFF_ID) DIFF_KINDS
#undef DIFF_ID
};

typedef struct DiffReportKind {
    const char *name, *help;
    unsigned parts; /* what report_fill_with is to be asked for */
    /* Errors: NOMEM. Whether the bytes were written is known by ferror. */
    LmpErr (*write)(const DiffReport *report, FILE *out);
} DiffReportKind;

extern const DiffReportKind diffreport_kinds[DIFF_KINDS];

#endif
