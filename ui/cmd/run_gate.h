/* run_gate.h - the limits of `lmp run`: what they need beforehand, and what became of them. */
#ifndef LMP_RUN_GATE_H
#define LMP_RUN_GATE_H

#include "cmd/collect.h"
#include "viewer/privatedir.h"
#include "cmd/run_options.h"

typedef struct RunGate {
    const RunOptions *want;
    const char *program;
    PrivateDir directory; /* for snapshots that nobody else asked for */
    char file[280];       /* in there; "": none */
    int why;              /* errno, if there should be one and is none */
} RunGate;

/* Without limits nothing happens here or later. */
void run_gate_open(RunGate *gate, const RunOptions *want, const char *program);
/* The file for a snapshot at the program's end; NULL: none is needed. */
const char *run_gate_snapshot(const RunGate *gate);
/* Says what became of the limits on standard error, and in JUnit's file. True: all are kept. */
bool run_gate_judge(const RunGate *gate, const Collect *collect, const CollectEnd *end);
/* Removes what was made for it. */
void run_gate_close(RunGate *gate);

#endif
