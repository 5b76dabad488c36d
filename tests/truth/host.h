/* host.h - a program with a Lua state on the oracle's allocator, and the comparison of what
 * lmp.stats() says with what the oracle counted. */
#ifndef HOST_H
#define HOST_H

#include "oracle.h"

typedef enum HostHook {
    HH_NONE, /* no profiler: a pass-through of our own stands where the hook would */
    HH_PROFILED,
    HH_UNHOOKED /* start() was called, then its hook was taken out from under it: the same Lua
                   objects as when profiled, the allocator as when not */
} HostHook;

typedef struct Host {
    Oracle o;
    lua_State *L;
    HostHook hook;
    const char *name;    /* of the script, for messages */
    const char *options; /* of start(), as in a table constructor; NULL: none */
    bool quiet; /* leave out the figures by owner: allocations fail, and owners of parts that died
                   early cannot be told; or the profiler cannot know them */
    bool sites; /* add up who made what, too */
    bool may_drop; /* the profiler may be at the limit of its memory: dropped is not zero then */
    long long dropped;
    int checks, errors; /* comparisons made; figures that differed */
    double other_share; /* largest share of the live bytes that the profiler left in other */
    uint64_t started;   /* CLOCK_MONOTONIC, ns, just before start() */
    char *out;          /* what the script printed */
    size_t out_n, out_room;
} Host;

/* A new state with the standard libraries, and with these globals for scripts:
 *   check(label)     compares everything at this moment
 *   lmp              the profiler's API, or stubs of it
 *   bigdata(bytes)   a userdata whose memory is not touched
 *   original()       is the state's allocator the oracle itself?
 *   print(...)       into `out`
 * `module`: directory of luamemprofiler.so (HH_NONE: unused). False: it does not work, and why has
 * been printed. */
bool host_open(Host *h, const char *name, HostHook hook, OracleBack back, bool deep,
               const char *module);
/* lmp.start() and, for HH_UNHOOKED, what follows. */
bool host_start(Host *h);
bool host_stop(Host *h);
/* Compares; `label` names the moment. */
void host_check(Host *h, lua_State *L, const char *label);
/* Calls a function of the profiler's API (on the stack, below nargs arguments) so that the oracle
 * knows what it requests; as lua_pcall. */
int host_api(Host *h, lua_State *L, int nargs, int nresults);
/* Closes the state; leaks are errors. Returns all errors so far. */
int host_close(Host *h);
void host_error(Host *h, const char *format, ...) __attribute__((format(printf, 2, 3)));

uint64_t host_clock(void);

#endif
