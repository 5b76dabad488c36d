/* laps.h - laps: rounds of the program's own loop, whose ends it tells (lmp.frame). What they made
 * is summed up and sorted into buckets, and the worst of them are kept.
 *
 * Users call them frames, as games do; here that word is taken, by calls and by recordings.
 *
 * One writer, at every end of a lap, so maybe 100,000 times a second: no loop over what is kept
 * unless a lap is one of the worst. For readers everything is untrusted: they take a copy, and
 * check what they read in it. Rows of worst[] are in no order. */
#ifndef LMP_SHARED_LAPS_H
#define LMP_SHARED_LAPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LMP_LAPS_WORST 16u
#define LMP_LAP_NAME 40u
#define LMP_LAP_BUCKETS 496u /* eight to every power of two */

typedef struct LmpLap {
    uint64_t number;         /* from 1; 0: none */
    uint64_t start, end;     /* nanoseconds since start */
    uint64_t bytes;          /* made in it, growth of blocks included */
    uint64_t allocs;         /* count */
    uint64_t cycles;         /* of the collector that ended in it (count) */
    char name[LMP_LAP_NAME]; /* NUL-terminated; "": none */
} LmpLap;

/* What laps are differences of. */
typedef struct LmpLapMoment {
    uint64_t clock; /* nanoseconds since start */
    uint64_t allocs, alloc_bytes;
    int64_t realloc_bytes; /* sum of new - old */
    uint64_t cycles;
} LmpLapMoment;

typedef struct LmpLaps {
    _Atomic uint32_t seq; /* odd while being written */
    uint32_t begun;       /* 1: there was a first call, and so a lap is under way */
    uint32_t least;       /* row of worst[] that made least, or is empty: the next to go */
    uint32_t spare;
    uint64_t laps;                    /* ended (count) */
    uint64_t bytes, allocs, duration; /* of all of them; duration in nanoseconds */
    uint64_t last_bytes;
    LmpLapMoment began;               /* the one under way */
    uint64_t bucket[LMP_LAP_BUCKETS]; /* laps by bytes (count): laps_bucket */
    LmpLap worst[LMP_LAPS_WORST];
} LmpLaps;

/* Ends a lap `now`, and begins the next. `name` NULL: none; the name is copied. The first call only
 * begins, and returns false. Otherwise *lap is the lap that has ended, but for its name. */
bool laps_end(LmpLaps *laps, const LmpLapMoment *now, const char *name, LmpLap *lap);

/* Copies one moment. Returns false if the writer stands still in the middle of writing, or died
 * there; *out is then the best that can be had. */
bool laps_copy(const LmpLaps *laps, LmpLaps *out);

/* Returns the bucket of a lap by its bytes, and the most bytes that a lap in a bucket has: at most
 * an eighth above any other in it. */
uint32_t laps_bucket(uint64_t bytes);
uint64_t laps_bucket_most(uint32_t bucket);

/* Returns bytes that `percent` (1 to 100) of the laps did not exceed: as laps_bucket_most has them,
 * or the most that any lap made, whichever is less. 0: no lap has ended. */
uint64_t laps_percentile(const LmpLaps *copy, unsigned percent);

#endif
