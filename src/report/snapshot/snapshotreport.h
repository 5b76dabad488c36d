/* snapshotreport.h - reports of a heap snapshot, for people and for other tools. A new one is a
 * file snapshot_NAME.c and a row of SNAPSHOT_REPORTS: that row is its name for `lmp report`, its
 * line in the help and its part in the man page. */
#ifndef LMP_REPORT_SNAPSHOT_SNAPSHOTREPORT_H
#define LMP_REPORT_SNAPSHOT_SNAPSHOTREPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "read/snapshot/compare.h"
#include "read/snapshot/snapshot.h"

typedef struct SnapshotReport {
    const LmpSnapshot *s;
    const LmpSnapshot *old; /* an earlier snapshot of the same run; NULL: none */
    const LmpSnapshotSteps
        *before;      /* the growth that led to `old` (suspects_make); NULL: not known */
    uint64_t address; /* of the object that it is about; 0: the whole heap */
    uint32_t top;     /* rows of a table, nodes of a picture; 0: as many as the kind shows */
    bool no_stacks;   /* leaves call paths out of a heapsnapshot */
    bool redact;      /* hides all words of the program */
} SnapshotReport;

/* ID, name, help (a sentence without a full stop). LmpErr snapshot_NAME(const SnapshotReport *,
 * FILE *) writes it: OK or NOMEM; what FILE says of errors is its caller's to ask. */
#define SNAPSHOT_REPORTS(REPORT)                                                                   \
    REPORT(SUMMARY, summary, "what holds most and Lua's usual suspects, as text")                  \
    REPORT(JSON, json, "the same as JSON")                                                         \
    REPORT(HEAPSNAPSHOT, heapsnapshot,                                                             \
           "every object, for the memory panel of Chrome's DevTools, VS Code and memlab")          \
    REPORT(CSV, csv, "a row for every object")                                                     \
    REPORT(DOT, dot,                                                                               \
           "a graph for Graphviz: who retains most, or the paths to one object (--object)")        \
    REPORT(HOLDERS, holders, "bytes by the path that holds them, folded, for flame graph tools")   \
    REPORT(PPROF, pprof, "the same for pprof, compressed (.pb.gz)")                                \
    REPORT(ICICLE, icicle, "the same as a page for a browser")                                     \
    REPORT(TREEMAP, treemap, "who retains what as nested rectangles, a page for a browser")

enum {
#define SNAPSHOT_REPORT_ID(ID, ...) SNAPSHOT_REPORT_##ID,
    SNAPSHOT_REPORTS(SNAPSHOT_REPORT_ID) SNAPSHOT_REPORT_KINDS
#undef SNAPSHOT_REPORT_ID
};

typedef struct SnapshotReportKind {
    const char *name, *help;
    LmpErr (*write)(const SnapshotReport *report, FILE *out);
} SnapshotReportKind;

extern const SnapshotReportKind snapshotreport_kinds[SNAPSHOT_REPORT_KINDS];

/* Returns the kind of this name; NULL: there is none. */
const SnapshotReportKind *snapshotreport_find(const char *name);
/* Returns why this report cannot be written of this snapshot; NULL: it can. */
const char *snapshotreport_lacks(const SnapshotReportKind *kind, const SnapshotReport *report);

/* What changed between two snapshots: by class, and by line where lines are known; with some taken
 * between them also step by step. `json`: as JSON, else as text. Errors: NOMEM. */
typedef struct SnapshotDiff {
    const LmpSnapshot *old, *newer;
    const LmpSnapshot *const *between; /* the older ones first */
    uint32_t betweens;                 /* less than LMP_STEPS_MOST */
    uint32_t top;                      /* rows; 0: twenty */
    bool json;
} SnapshotDiff;
LmpErr snapshotdiff_write(const SnapshotDiff *diff, FILE *out);

/* A snapshot's file in readable form, part by part, as it lies there (snapshotdump.c): for whoever
 * wants to know what is in it, what is wrong with it, or reads it with a program of their own. */
typedef struct SnapshotDump {
    bool heads;       /* the head and the chunks alone */
    uint32_t objects; /* so many of them at most, with their references; UINT32_MAX: all */
} SnapshotDump;

/* Writes it to `out`. What is damaged or cut off is said where it is, and all before it is written.
 * Errors: FOREIGN, VERSION (nothing was written then), DAMAGED, NOMEM. `fd` stays the caller's. */
LmpErr snapshotdump_write(const SnapshotDump *dump, int fd, FILE *out);

#endif
