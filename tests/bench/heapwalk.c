/* heapwalk.c - what a walk over a heap costs the program in place: builds so many objects and walks
 * them, three times. Prints a line each. And what starting a child with a copy of it takes, which
 * is most of the stop when a snapshot is taken.
 *
 *     bench_heapwalk [OBJECTS [SHAPE]]      5 million; records, list, random, strings or functions
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lualib.h>

#include "agent/objects/offsets.h"
#include "agent/objects/walk.h"
#include "agent/session/profiler.h"
#include "base/forkos.h"

static const struct {
    const char *name, *code;
} shapes[] = {
    {"records", "local n = ... t = {} for i = 1, n // 4 do local s = 's' .. i "
                "t[i] = {s, {i}, function() return s end} end"},
    {"list", "local n = ... local last for i = 1, n // 2 do local node = {previous = last, value = "
             "{i}} if last then last.next = node end last = node end t = last"},
    {"random", "local n = ... t = {} for i = 1, n do t[i] = {} end local random = math.random "
               "for i = 1, n do local o = t[i] o[1], o[2], o[3], o[4] = t[random(n)], t[random(n)],"
               " t[random(n)], t[random(n)] end"},
    {"strings", "local n = ... t = {} for i = 1, n do t['key' .. i] = i end"},
    {"functions", "local n = ... t = {} for i = 1, n // 3 do local a, b = i, {} "
                  "t[i] = function() return a, b end end"},
};

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int ends(void *of) {
    (void)of;
    _exit(0);
}

static void measure_fork(void) {
    static char stack[65536] __attribute__((aligned(16)));
    unsigned long long whole = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%llu %llu", &whole, &resident) != 2) resident = 0;
    if (f) fclose(f);
    for (int i = 0; i < 3; i++) {
        double before = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        int pid = fork_os->fork(ends, stack + sizeof stack, NULL);
        double took = seconds(CLOCK_MONOTONIC) - before;
        printf("a child, of %.0f MiB resident: %.1f ms, %.1f ms of CPU\n",
               (double)resident * 4096 / 1048576, took * 1e3,
               (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e3);
        if (pid > 0) fork_os->reap(pid, true);
    }
}

int main(int argc, char **argv) {
    long objects = argc > 1 ? atol(argv[1]) : 5000000;
    const char *shape = argc > 2 ? argv[2] : "records", *code = NULL;
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (!strcmp(shape, shapes[i].name)) code = shapes[i].code;
    lua_State *L = luaL_newstate();
    if (!L || !code) return 1;
    luaL_openlibs(L);
    LmpOptions options = profiler_defaults;
    LmpErr lack;
    void *ud;
    options.live = false;
    options.summary = "";
    options.lines = true;
    profiler_prepare(L);
    double before = seconds(CLOCK_MONOTONIC);
    LmpErr known = offsets_known();
    printf("layout: %.1f ms, %s\n", (seconds(CLOCK_MONOTONIC) - before) * 1e3,
           known ? offsets_why() : "known");
    if (known || profiler_start(L, &options, &lack)) return 1;
    lua_getallocf(L, &ud);
    lua_gc(L, LUA_GCSTOP);
    if (luaL_loadstring(L, code)) return 1;
    lua_pushinteger(L, objects);
    if (lua_pcall(L, 1, 0, 0)) return 1;
    measure_fork();
    for (int i = 0; i < 3; i++) {
        LmpObjectSource source;
        LmpObjectMemory memory;
        LmpObjectGraph g;
        LmpObjectSums sums;
        before = seconds(CLOCK_MONOTONIC);
        double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        walk_source(&source, ud, NULL);
        if (walk_run(&source, &memory, &g, &sums)) return 1;
        printf("%s: %u objects, %u references, %.0f MiB: %.2f s, %.2f s of CPU; memory at most "
               "%.0f MiB, left %.0f MiB\n",
               shape, g.objects, g.edges, (double)sums.bytes / 1048576,
               seconds(CLOCK_MONOTONIC) - before, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu,
               (double)memory.most / 1048576, (double)memory.bytes / 1048576);
        objectmemory_free(&memory);
    }
    return 0;
}
