/* kill_plan.h - what happens in one round of kill_rounds.c, by chance. */
#ifndef KILL_PLAN_H
#define KILL_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* RUN: `lmp run`, or the supervisor of lmp top. V_RECORDER writes the recording, V_SNAPSHOT is the
 * program's child that writes a heap snapshot. */
enum { RUN, V_RELAY, V_VIEWER, V_PROGRAM, V_RECORDER, V_SNAPSHOT, VICTIMS };

#define KILL_RECORDING "r.lmprec"
#define KILL_SNAPSHOT "s.heap"

typedef enum Kind { K_RUN, K_START, K_TOP, KINDS } Kind;
extern const char *const kill_kinds[KINDS]; /* what they are called */

typedef struct Plan {
    Kind kind;
    bool hold, slow_reader;
    bool record, pause, snapshot; /* KILL_RECORDING; a pause of the display's; KILL_SNAPSHOT */
    unsigned lines, pause_ms;     /* of the program */
    int status;                   /* it exits with this one */
    bool victim[VICTIMS];
    unsigned at_ms[VICTIMS];
    bool early;  /* relay or viewer was killed before the program could go on: it had no display
                    then */
    bool at_end; /* times count from the end of the program's output, not from the start */
} Plan;

/* The round of a number under a seed; `kind` (Kind): only such, -1: any. The same every time. */
Plan plan_make(uint64_t seed, unsigned round, int kind);
/* In a line. */
void plan_describe(char *out, size_t size, const Plan *p);
/* Nobody of lmp would be left; the program may be. */
bool plan_kills_all(const Plan *p);

#endif
