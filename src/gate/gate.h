/* gate.h - whether a program keeps its limits (limits.h). Judged from its report and, where memory
 * that is still held is limited, from a snapshot of the heap at its end; said as text and as
 * JUnit's XML.
 *
 * Exactly at the limit is kept. A limit that cannot be told is broken, but for leaks, which "cannot
 * be told yet" in most short runs: that is said. */
#ifndef LMP_GATE_H
#define LMP_GATE_H

#include <stdbool.h>
#include <stdio.h>

#include "gate/limits.h"
#include "read/snapshot/snapshot.h"
#include "report/report.h"

#define GATE_LINES 5u /* lines responsible, at most */

typedef struct LmpGateLine {
    uint64_t value;
    char where[300], what[600]; /* "cache.lua:12", "in function 'put'": safe to print */
} LmpGateLine;

typedef struct LmpFinding {
    const LmpLimit *limit;
    bool broken;
    bool told;                    /* value is its figure */
    uint64_t value;               /* bytes or a count */
    char note[320];               /* what must be known to read it, safe to print; "": nothing */
    LmpGateLine line[GATE_LINES]; /* if it is broken: the largest first */
    uint32_t lines;
} LmpFinding;

/* One Lua state that has been profiled. */
typedef struct LmpGateInput {
    const LmpReport *report; /* with sites and tags */
    const LmpTables *tables; /* that it was filled from; NULL: none */
    bool ended;              /* its profile has come to its end; else it was killed, or runs */
    LmpSnapshot *heap;       /* at the end; NULL: there is none, */
    const char *no_snapshot; /* for this reason */
} LmpGateInput;

/* Judges one limit. */
void gate_judge(const LmpLimit *limit, const LmpGateInput *in, LmpFinding *out);
/* Breaks the limit because nothing can be told, for a reason. */
void gate_unknown(const LmpLimit *limit, const char *why, LmpFinding *out);

/* What is judged: "app.lua", its process (0: none), how it ended, seconds. */
typedef struct LmpGateOf {
    const char *program, *ending;
    uint32_t pid;
    double seconds;
    bool failed; /* the program itself */
} LmpGateOf;

/* Says each limit with its figure, and who is responsible for what is broken: for people. */
void gate_text(const LmpGateOf *of, const LmpFinding *finding, uint32_t findings, FILE *out);

/* Write the same for CI: a document of suites, one a state, with a test case each limit. The XML is
 * valid whatever the texts are. */
void gate_junit_begin(FILE *out);
void gate_junit_suite(const LmpGateOf *of, const LmpFinding *finding, uint32_t findings, FILE *out);
void gate_junit_end(FILE *out);

#endif
