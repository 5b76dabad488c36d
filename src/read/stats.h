/* stats.h - the figures a person reads, derived from the counters of a shared state.
 *
 * Terms and units: stats_figures, one row a figure, from which all are shown and documented. Counts
 * are counts, bytes are bytes as Lua asked for them. Either column of the kinds (by owner, by tag)
 * sums to the totals. */
#ifndef LMP_STATS_H
#define LMP_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "read/figure.h"
#include "shared/counters.h"
#include "shared/layout.h"

typedef struct LmpKindStats {
    /* by owner */
    uint64_t allocs, live_blocks, live_bytes, peak_bytes, made_bytes;
    /* by tag */
    uint64_t tag_allocs, tag_live_blocks, tag_live_bytes, tag_made_bytes;
} LmpKindStats;

/* A lap of the program's own: a frame, for its users. */
typedef struct LmpLapStats {
    uint64_t number, bytes, allocs, gc_cycles;
    double at, seconds; /* it began, since start; it took */
    char name[LMP_LAP_NAME];
} LmpLapStats;

typedef struct LmpLapList {
    uint32_t count; /* at most LMP_LAPS_WORST */
    LmpLapStats row[LMP_LAPS_WORST];
} LmpLapList;

typedef struct LmpStats {
    uint64_t mallocs, malloc_bytes;
    uint64_t reallocs;
    int64_t realloc_bytes; /* sum of new - old */
    uint64_t frees, free_bytes;
    uint64_t failed;
    uint64_t live_blocks, live_bytes, peak_bytes;
    uint64_t before_frees, before_free_bytes, before_reallocs;
    int64_t before_realloc_bytes;
    uint64_t dropped, dropped_bytes;
    uint64_t hidden_regions;  /* of 64 MiB: in the figures, but not in the file that viewers map */
    double lines_end_seconds; /* the file's figures by line show this moment; 0: now */
    uint64_t gc_cycles, gc_freed_bytes;
    uint32_t gc_mode; /* LmpGcMode */
    uint32_t lines;   /* LmpLines: how it is known who made what; stats_lines() */
    /* Requests charged by the documented API because no known way explains them, and parts whose
     * owner is not known (counts). */
    uint64_t lines_unproven, owners_unproven;
    uint32_t why;                    /* LmpWhy: lines are approximate, or off though asked for */
    uint32_t stacks_why, sample_why; /* LmpWhy: asked for and not there */
    uint32_t counts;                 /* LMP_COUNTS_ bits: what is counted besides memory */
    uint32_t counts_why;             /* LmpWhy: one was asked for and is not there */
    uint64_t hook_lost;              /* another debug hook was seen in place of lmp's (count) */
    double hook_lost_seconds;        /* the first time, since start */
    bool stacks;
    uint64_t sample; /* bytes between samples, on average; 0: every block is accounted for */
    /* others that have called the profiled state's allocator (LmpStrange) */
    uint64_t other_states, mixed_states, passed_requests, clashes, other_sizes;
    bool covered;
    bool partial_map; /* light.h: it lacks blocks */
    bool owners_known;
    uint64_t folded; /* allocations charged to "(others)": a table was full */
    double seconds;  /* since start, at `clock` */
    LmpKindStats kind[LMP_KINDS];
    /* laps that have ended; bytes that half of them, and 99 of 100, did not exceed (laps.h) */
    uint64_t frames, frame_bytes, frame_allocs;
    double frame_seconds;
    uint64_t frame_mean_bytes, frame_median_bytes, frame_p99_bytes, frame_last_bytes;
    LmpLapList worst_frames; /* what made most first; none that made nothing */
} LmpStats;

/* What there is, of LmpStats, LmpKindStats and LmpLapStats; each ends with a row whose name is
 * NULL.
 */
extern const LmpFigure stats_figures[], kind_figures[], lap_figures[];

/* Returns how lines are known, by the program's own claim and by the outcome: where more than one
 * request in a thousand is unproven, lines are approximate. */
LmpLines stats_lines(const LmpLive *live);
/* Returns why they are approximate, or off though requested, and that in words ("" where they are
 * not). */
LmpWhy stats_why(const LmpLive *live);
extern const char *const stats_why_words[LMP_WHYS];

/* Returns how many of worst_frames, the first ones, stand out: they made far more than is usual,
 * and at least half as much as the worst. 0 where too few frames have ended to say what is
 * usual. */
uint32_t stats_spikes(const LmpStats *stats);

/* Why calls and instructions are not all there, in words for people; "" if they are, or are not
 * counted at all. */
enum { STATS_LOST = 160 };
const char *stats_counts_lost(char out[STATS_LOST], const LmpStats *stats);

/* Derives all figures. `clock`: nanoseconds since start to report as `seconds`. Safe on any bytes
 * (sums may wrap, nothing else happens). */
void stats_derive(const LmpLive *live, uint64_t clock, LmpStats *out);

/* Makes the figures that are sums over classes those of these totals. The peak stays, unless more
 * is live than that. */
void stats_set_totals(LmpStats *stats, const LmpClassTotal total[LMP_CLASSES]);

/* Makes figures what was added since `then`, an earlier moment of the same state: what is live is
 * how much more it is, in two's complement. What no range of time has (LmpFigure.moment) is 0; what
 * is no amount stays. */
void stats_between(LmpStats *now, const LmpStats *then);

/* ---- a snapshot ------------------------------------------------------------------------------ */

/* Writes "snapshot 1: 12,345 objects, stood 12 ms, slowest operation 3 ms: lmp-4242-1.heap", or why
 * there is none; of a snapshot that nobody has asked for no file, which is gone with the display.
 * Safe to print. `s`: written or failed. Returns out. */
char *stats_snapshot(char *out, size_t size, const LmpSnapshotLive *s);

#endif
