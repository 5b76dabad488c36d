/* luastates.h - finds Lua states in a process by what their memory is like.
 *
 * While the program runs, its memory is looked through for main threads. With all threads held, a
 * thread of Lua counts if it is the main thread of a state that is not being closed, or if it
 * runs on the C stack of a held thread: its innermost protected call is there. Of others nobody can
 * say from outside whether they still live. Where things are: agent/interp/luafacts.h of what is
 * read here is the same in all releases, but for the place of that call. */
#ifndef LMP_ATTACH_LUASTATES_H
#define LMP_ATTACH_LUASTATES_H

#include "attach/tracer.h"
#include "shared/attach.h"

typedef struct LuaStates {
    uint64_t global[LMP_ATTACH_GLOBALS], main[LMP_ATTACH_GLOBALS];
    uint32_t globals;
    uint64_t L[LMP_ATTACH_STATES]; /* those that run first, each stack from its top on */
    uint32_t states;
    bool more; /* there is no room for all */
} LuaStates;

/* Looks through the first GiB of what the program has in memory of its own, while that runs: what
 * is found may be gone a moment later. `inside`: the main thread of a state is in its global state,
 * as from Lua 5.5 on. */
void luastates_look(LuaStates *found, const Target *target, bool inside);
/* Adds what registers, stacks and data of files lead to, and the threads that run. Before, *found
 * is what luastates_look has found: what is not so any more is taken out. */
void luastates_find(LuaStates *found, const Tracer *tracer, bool inside);

#endif
