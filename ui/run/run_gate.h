/* run_gate.h - the limits of `lmp run`: prepares what they need, judges them, and says the
 * result. */
#ifndef LMP_RUN_GATE_H
#define LMP_RUN_GATE_H

#include "base/privatedir.h"
#include "run/collect.h"
#include "run/run_options.h"

typedef struct RunGate {
    const RunOptions *want;
    const char *program;
    PrivateDir directory; /* for snapshots that nobody else asked for */
    char file[280];       /* in the directory; "": none */
    int why;              /* errno, if the directory is needed and cannot be made */
} RunGate;

/* Prepares a file for a snapshot if a limit needs one. Without limits these functions do
 * nothing. */
void run_gate_open(RunGate *gate, const RunOptions *want, const char *program);
/* Returns the file for a snapshot at the program's end; NULL: none is needed. */
const char *run_gate_snapshot(const RunGate *gate);
/* Says the result of each limit on standard error, and in JUnit's file. Returns true if all are
 * kept. */
bool run_gate_judge(const RunGate *gate, const Collect *collect, const CollectEnd *end);
/* Removes what run_gate_open made. */
void run_gate_close(RunGate *gate);

#endif
