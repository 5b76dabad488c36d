/* flametree.h - the bars of a flame graph: the ledger's call tree folded by function
 * (callfold.h), by one figure of choice; or inverted, from each function that made something to its
 * callers.
 *
 * A bar is a call of that fold, and has its number. Its figure is its own and its children's, never
 * less than theirs. */
#ifndef LMP_FLAMETREE_H
#define LMP_FLAMETREE_H

#include "panels/flame/flameplan.h"
#include "read/ledger/callfold.h"

#define FLAME_ROOT CALL_ROOT
#define FLAME_MOST_MEMBERS (8u << 20) /* nodes in all bars that have been looked into */

/* What widths are shares of. The last ones need a mark or a range of time to count from, or another
 * run to compare with. */
typedef enum FlameMetric {
    FLAME_LIVE,
    FLAME_MADE,
    FLAME_TEMPORARY, /* freed before the next allocation there: by the average size there */
    FLAME_PEAK,      /* live at the heap's high-water mark */
    FLAME_BLOCKS,    /* live blocks */
    FLAME_SURVIVE,   /* made since, or in a piece of the past, and live (Model.since) */
    FLAME_MADE_SINCE,
    FLAME_FREED_SINCE,
    FLAME_GROWN,  /* live since the mark; nothing if it shrank */
    FLAME_SHRUNK, /* live at the mark and no more; nothing if it grew */
    FLAME_EITHER, /* live in one run or the other, whichever has more: so what is gone has a width,
                     too */
    FLAME_METRICS
} FlameMetric;

typedef struct FlameMetricInfo {
    const char *name;                 /* "live bytes" */
    const char *word;                 /* behind a figure: "live" */
    bool bytes;                       /* else a count */
    bool marked;                      /* only with a mark, a range, or another run */
    bool compared;                    /* only with another run */
    bool since;                       /* only while survivors are shown */
    const char *compared_name;        /* its name with another run; NULL: name */
    const char *ranged, *ranged_word; /* both in a range of time; NULL: as without one */
    uint64_t (*of)(const LmpTally *own);
} FlameMetricInfo;
extern const FlameMetricInfo flame_metric[FLAME_METRICS];

typedef struct FlameTree FlameTree;

FlameTree *flametree_new(void); /* NULL: no memory */
void flametree_free(FlameTree *t);

/* Begins anew with this ledger, which must stay unchanged until the next call: forgets all bars
 * but the root. Returns false, without bars: no memory. */
bool flametree_update(FlameTree *t, const Ledger *ledger, FlameMetric metric, bool inverted);

FlameNodes flametree_nodes(FlameTree *t);
/* Returns how many children a bar has, numbered from *first on; those whose figure is 0 are left
 * out. None if there is no memory, or beyond FLAME_MOST_MEMBERS: then CallFold.cut is set. */
uint32_t flametree_children(FlameTree *t, uint32_t bar, uint32_t *first);
/* Returns the child of a bar whose function has this LmpFunctionRow.id; FLAME_NONE: none. */
uint32_t flametree_child_of(FlameTree *t, uint32_t bar, uint32_t function_id);
/* Returns the fold, with a link for each node of its ledger. */
const CallFold *flametree_fold(const FlameTree *t);
static inline const Call *flametree_call(const FlameTree *t, uint32_t bar) {
    return &flametree_fold(t)->call[bar];
}
/* Returns a bar's figure; 0: there is no such bar. */
uint64_t flametree_value(const FlameTree *t, uint32_t bar);
/* Return, by node of the ledger, its own figure, and the figure with all below it. */
const uint64_t *flametree_own(const FlameTree *t);
const uint64_t *flametree_total(const FlameTree *t);

/* What colours follow from: live bytes, bytes made, and those live at the mark, of a bar with all
 * below it; inverted: as flametree_tally. Summed up once for each bar that is asked for. */
typedef struct FlameSum {
    uint64_t live, made, marked;
} FlameSum;
FlameSum flametree_sum(FlameTree *t, uint32_t bar);

/* Returns all figures of a bar with all below it; inverted: what the outermost bar's function
 * made when called this way. Looks at each node in the bar, but only once for the bar asked for
 * last. */
LmpTally flametree_tally(FlameTree *t, uint32_t bar);
/* Returns the type that has most of the figure; LMP_KINDS: not known. */
unsigned flametree_kind(FlameTree *t, uint32_t bar);
/* Returns a line in the bar; 0: none. */
int32_t flametree_line(const FlameTree *t, uint32_t bar);

#endif
