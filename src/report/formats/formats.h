/* formats.h - the reports of a run: the one table of their formats. A new one is a file
 * report_NAME.c and a row of REPORT_KINDS: that row makes it a FORMAT of `lmp report` and of
 * `lmp run --report`, a line of their help and a part of the man page.
 */
#ifndef LMP_FORMATS_H
#define LMP_FORMATS_H

#include "report/report.h"

/* ID, name, what it is (a sentence without a full stop), whose option of `lmp run` it is as well
 * (OWN: with the argument and the help that follow; LISTED: only --report=NAME), what stands
 * before, between and after the reports of several Lua states (BETWEEN NULL: each has a file of its
 * own), what it needs besides sites, functions and tags (LEDGER_*, REPORT_PART_HISTORY), and
 * REPORT_* below. LmpErr report_NAME(const LmpReport *, FILE *) writes it: OK or NOMEM; what FILE
 * says of errors is its caller's to ask. The first row is for people, and is what is written unless
 * another one is asked for. */
#define REPORT_KINDS(REPORT)                                                                       \
    REPORT(SUMMARY, summary, "the figures of the whole, the lines and functions that hold most",   \
           OWN, "FILE", "write the summary to FILE, not to standard error", "", "\n", "", 0, 0)    \
    REPORT(JSON, json, "all figures, lines, functions, tags and call paths for machines", OWN,     \
           "[FILE]", "the summary as JSON; with FILE, as JSON to FILE besides it", "[\n", ",",     \
           "]\n", LEDGER_TREE | LEDGER_EDGES | LEDGER_OVERRIDES, 0)                                \
    REPORT(FLAT, flat, "a table of functions: what each made, retains, and makes by allocation",   \
           LISTED, "", "", "", "\n", "", LEDGER_BRIEF, REPORT_OF_LINES)                            \
    REPORT(CALLGRAPH, callgraph, "functions with their callers above and callees below, as gprof", \
           LISTED, "", "", "", "\n", "", LEDGER_BRIEF | LEDGER_TREE | LEDGER_EDGES,                \
           REPORT_OF_LINES)                                                                        \
    REPORT(TREE, tree, "the call tree as text, as deep and as fine as it can be read", LISTED, "", \
           "", "", "\n", "", LEDGER_BRIEF | LEDGER_TREE, REPORT_OF_LINES)                          \
    REPORT(MEMPROF, memprof, "allocations, reallocations, deallocations, who holds: as Tarantool", \
           LISTED, "", "", "", "\n", "", LEDGER_BRIEF | LEDGER_OVERRIDES, REPORT_OF_LINES)         \
    REPORT(CALLGRIND, callgrind, "for KCachegrind, callgrind_annotate and gprof2dot", LISTED, "",  \
           "", "", NULL, "", LEDGER_BRIEF | LEDGER_TREE | LEDGER_EDGES, REPORT_OF_LINES)           \
    REPORT(PPROF, pprof, "for Go's pprof and all that read its profiles (compressed, .pb.gz)",     \
           LISTED, "", "", "", NULL, "", LEDGER_TREE | LEDGER_TREE_KINDS,                          \
           REPORT_OF_LINES | REPORT_BINARY)                                                        \
    REPORT(FOLDED, folded, "a line for each call path, for flame graph tools", LISTED, "", "", "", \
           "", "", LEDGER_BRIEF | LEDGER_TREE, REPORT_OF_LINES)                                    \
    REPORT(SPEEDSCOPE, speedscope, "for speedscope, a profile for each figure", LISTED, "", "",    \
           "", NULL, "", LEDGER_BRIEF | LEDGER_TREE, REPORT_OF_LINES)                              \
    REPORT(MASSIF, massif, "the heap over time and what it was at its peak, for ms_print", LISTED, \
           "", "", "", NULL, "", LEDGER_BRIEF | LEDGER_TREE | REPORT_PART_HISTORY, REPORT_AT_TOP)  \
    REPORT(CSV, csv, "a row for each line of the program, for a spreadsheet", LISTED, "", "", "",  \
           NULL, "", LEDGER_BRIEF, REPORT_OF_LINES)                                                \
    REPORT(OPENMETRICS, openmetrics,                                                               \
           "figures, types, and the lines that hold most, for Prometheus", LISTED, "", "", "",     \
           NULL, "", 0, REPORT_WHOLE)                                                              \
    REPORT(TIMELINE, timeline, "a row for each interval of time, for a spreadsheet", LISTED, "",   \
           "", "", NULL, "", LEDGER_BRIEF | REPORT_PART_HISTORY, REPORT_WHOLE)                     \
    REPORT(HTML, html, "one page for a browser: timeline, flame graph, treemap, tables, source",   \
           LISTED, "", "", "", NULL, "", LEDGER_TREE | REPORT_PART_HISTORY,                        \
           REPORT_WHOLE | REPORT_SEEKS)

#define REPORT_OF_LINES 1u /* says nothing of a run without lines */
#define REPORT_BINARY 2u   /* not for a terminal */
#define REPORT_WHOLE 4u    /* of a range of time it shows that part: rows are those of its end */
#define REPORT_SEEKS 8u    /* has other moments, too: LmpReport.recording */
#define REPORT_AT_TOP 16u  /* the same, but rows are those of the range's highest moment */
/* Of a larger call tree there is no other moment: a recording beside it takes too much memory. */
#define REPORT_SEEKS_NODES 300000u

enum {
#define REPORT_ID(ID, ...) REPORT_##ID,
    REPORT_KINDS(REPORT_ID) REPORTS
#undef REPORT_ID
};

typedef struct LmpReportKind {
    const char *name, *help;
    LmpErr (*write)(const LmpReport *report, FILE *out);
    const char *before, *between, *after;
    unsigned parts, flags;
    bool own; /* an option of `lmp run` is called as it is */
} LmpReportKind;

extern const LmpReportKind report_kinds[REPORTS]; /* the only way to a report */

/* Returns the kind of this name; NULL: there is none. */
const LmpReportKind *report_find(const char *name);
/* Returns why this report cannot be written of this run; NULL: it can. */
const char *report_lacks(const LmpReportKind *kind, const LmpReport *report);

/* Names of LmpReport.metric and .unit, REPORT_ANY_... the first; the number of one, or -1. */
extern const char *const report_metrics[REPORT_METRICS], *const report_units[REPORT_UNITS];
int report_metric_find(const char *name);
int report_unit_find(const char *name);

#endif
