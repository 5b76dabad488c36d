/* callers.h - who calls the lines that allocate, by samples: what is kept of them where no call
 * paths are (agent/charge/callers.h), for the page of a line.
 *
 * Guarded by `seq`; for readers everything is untrusted. */
#ifndef LMP_SHARED_CALLERS_H
#define LMP_SHARED_CALLERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LMP_CALLERS 96u      /* ways to a line that are told apart: those met most often */
#define LMP_CALLER_LEVELS 3u /* frames of each, from the one that called the line's function */

typedef struct LmpCallerRow {
    uint32_t site;                  /* row of the sites: where was allocated; 0: the row is free */
    uint32_t rest;                  /* 1: of ways that found no room, all of them together */
    uint32_t by[LMP_CALLER_LEVELS]; /* rows of the sites, innermost first; 0: nothing further out */
    uint32_t samples;
    /* What the samples stand for: */
    uint64_t allocs, bytes;
} LmpCallerRow;

typedef struct LmpCallers {
    _Atomic uint32_t seq; /* odd while being written */
    uint32_t spare;
    LmpCallerRow row[LMP_CALLERS];
} LmpCallers;

/* Copies one moment. Returns false if there is no copy to be had. */
bool callers_copy(const LmpCallers *from, LmpCallers *out);

#endif
