/* chance.h - what benches share: chance, and processor time. */
#ifndef LMP_BENCH_CHANCE_H
#define LMP_BENCH_CHANCE_H

#include <stdint.h>
#include <time.h>

static inline uint64_t below(uint64_t n) {
    static uint64_t chance = 88172645463325252ull;
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return chance % n;
}

/* Nanoseconds. Other programs may be at work: they do not count. */
static inline uint64_t spent(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

#endif
