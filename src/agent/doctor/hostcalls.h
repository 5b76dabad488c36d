/* hostcalls.h - a table `host` of C functions for programs that are looked at: they call, resume
 * and ask for memory in ways that no library does. The observer is told what it must know. Also
 * used by the tests' own oracle (tests/truth/lines.c).
 */
#ifndef LMP_HOSTCALLS_H
#define LMP_HOSTCALLS_H

#include <lua.h>

typedef struct HostCalls {
    int (*resume)(lua_State *L, lua_State *from, int nargs, int *results); /* lua_resume */
    void (*set_hook)(lua_State *L, lua_Hook f, int mask, int count);       /* lua_sethook */
} HostCalls;

/* Makes the table, a global. For one state at a time; `calls` outlives it. */
void hostcalls_open(lua_State *L, const HostCalls *calls);

/* Runs what a program has returned, on top of the stack, from C alone: a function in a thread of
 * its own, a table's functions in threads that take turns. As lua_pcall. */
int hostcalls_run_returned(lua_State *L);

#endif
