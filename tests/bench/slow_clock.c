/* slow_clock.c - preloaded beside an instruction counter, which makes a program some forty times
 * slower: a monotonic clock that is as much slower. Otherwise what the profiler does at each of so
 * many milliseconds would be counted forty times. With LMP_BENCH_STAGE set (instructions.lua)
 * nothing hangs on time at all: each look at the clock is a little later than the one before. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SLOWER = 40, LOOK = 20000 }; /* nanoseconds between two looks */

__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *t) {
    static long long first, looks; /* nanoseconds; counts */
    if (syscall(SYS_clock_gettime, id, t) != 0) return -1;
    if (id != CLOCK_MONOTONIC) return 0;
    long long now = t->tv_sec * 1000000000ll + t->tv_nsec;
    if (!first) first = now;
    now = getenv("LMP_BENCH_STAGE") ? ++looks * LOOK : first + (now - first) / SLOWER;
    t->tv_sec = (time_t)(now / 1000000000ll);
    t->tv_nsec = (long)(now % 1000000000ll);
    return 0;
}

/* Lua seeds its hashes with it. */
__attribute__((visibility("default"))) time_t time(time_t *out) {
    struct timespec t = {0};
    if (!getenv("LMP_BENCH_STAGE")) syscall(SYS_clock_gettime, CLOCK_REALTIME, &t);
    if (out) *out = t.tv_sec;
    return t.tv_sec;
}

/* A function of Lua's: where one stage of a workload ends and the next begins. */
__attribute__((visibility("default"))) int bench_stage(void *state) {
    (void)state;
    return 0;
}
