/* judge.h - what a heap's graph should be, by the documented API alone: every object that the API
 * reaches from the registry must be in it, with exactly the references that the API shows; and what
 * it reaches must be reachable in the graph. */
#ifndef TRUTH_HEAP_JUDGE_H
#define TRUTH_HEAP_JUDGE_H

#include <lua.h>

#include "agent/objects/walk.h"

/* The first thing that is wrong, in words; "" otherwise. Good until the next call. */
const char *judge_said(void);

/* Counts, offsets and labels: safe for any graph, asks no state. */
bool judge_form(const LmpObjectGraph *g);

/* Compares the graph with what L has. The graph was taken within the C function that runs in L,
 * when its stack had `top` values. Pushes, allocates, and leaves L's stack as it was. */
bool judge_compare(lua_State *L, int top, const LmpObjectGraph *g);

/* Is every object reachable from the root? */
bool judge_alive(const LmpObjectGraph *g);

#endif
