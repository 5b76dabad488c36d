/* attach.h - has a program that nobody prepared load the module and start a profile, or end one.
 *
 * The steps: see that it can be done, hold all threads for some milliseconds, find the Lua states,
 * have one thread map memory and set debug hooks, let go. A hook is called before the program's
 * next instruction of Lua: there, and not before, the module is loaded. If we are killed at any
 * moment, the program goes on: with a profile or without. */
#ifndef LMP_ATTACH_ATTACH_H
#define LMP_ATTACH_ATTACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "shared/launch.h"

typedef struct AttachWish {
    pid_t pid;
    const char *module[LMP_LUAS]; /* the file to load, as lmp sees it, by Lua's version; "": none */
    const char *options; /* as in LMP_RUN (launch.h), without the socket; "": the profile ends */
    double wait;         /* seconds at most for an instruction of Lua */
} AttachWish;

typedef struct AttachResult {
    uint32_t globals; /* Lua states that were found */
    bool more;        /* there are more than lmp attaches to */
    uint32_t done;    /* of these, in so many */
    uint32_t serial;  /* of the first profile that was started */
    double held;      /* seconds for which threads stood: all of them, then where a profile began */
    char why[1400];   /* a sentence without a full stop: why not in all of them; "" */
} AttachResult;

/* Returns true if it was done in one state at least; else result->why says why not, and nothing has
 * changed in the program. */
bool attach_run(const AttachWish *wish, AttachResult *result);

#endif
