/* flametree.h - the frames of a flame graph: the ledger's call tree with the lines of a function
 * taken together, by one figure of choice; or inverted, from each function that made something to
 * its callers. A frame is made when its parent's children are first asked for, so a tree of a
 * million nodes costs one pass for the figures, and then what is looked at.
 *
 * The figure of a frame is its own and its children's, and never less than these. Nothing recurses.
 */
#ifndef LMP_FLAMETREE_H
#define LMP_FLAMETREE_H

#include "panels/flamelayout.h"
#include "read/ledger/ledger.h"

#define FLAME_ROOT 0u
#define FLAME_MOST_MEMBERS (8u << 20) /* nodes in all frames that have been looked into */

/* What widths are shares of. The last ones are there while there is a mark, or a range of time, to
 * count from, or another run to compare with. */
typedef enum FlameMetric {
    FLAME_LIVE,
    FLAME_MADE,
    FLAME_TEMPORARY, /* freed before the next allocation there: by the average size there */
    FLAME_PEAK,      /* live at the heap's high-water mark */
    FLAME_BLOCKS,    /* live blocks */
    FLAME_SURVIVE,   /* made since, or in a piece of the past, and live (Model.since) */
    FLAME_MADE_SINCE,
    FLAME_FREED_SINCE,
    FLAME_GROWN,  /* live since the mark; where it shrank, nothing */
    FLAME_SHRUNK, /* live at the mark and no more; where it grew, nothing */
    FLAME_EITHER, /* live in one run or the other, whichever has more: what is gone is there, too */
    FLAME_METRICS
} FlameMetric;

typedef struct FlameMetricInfo {
    const char *name;                 /* "live bytes" */
    const char *word;                 /* behind a figure: "live" */
    bool bytes;                       /* else a count */
    bool marked;                      /* only with a mark, a range, or another run */
    bool compared;                    /* only with another run */
    bool since;                       /* only while survivors are shown */
    const char *compared_name;        /* its name there; NULL: name */
    const char *ranged, *ranged_word; /* both in a range of time; NULL: no other */
    uint64_t (*of)(const LmpTally *own);
} FlameMetricInfo;
extern const FlameMetricInfo flame_metric[FLAME_METRICS];

typedef struct FlameTree FlameTree;

FlameTree *flametree_new(void); /* NULL: no memory */
void flametree_free(FlameTree *t);

/* Begins anew with this ledger, which must stay as it is until the next time: all frames are
 * forgotten but the root. False: no memory, and the root is nothing. */
bool flametree_update(FlameTree *t, const Ledger *ledger, FlameMetric metric, bool inverted);

FlameNodes flametree_nodes(FlameTree *t);
/* Children of a frame, numbered from *first on; those whose figure is 0 are not there. Returns how
 * many: none if there is no memory, or FLAME_MOST_MEMBERS are exceeded. */
uint32_t flametree_children(FlameTree *t, uint32_t frame, uint32_t *first);
/* Was a frame left closed, for there was no room? */
bool flametree_cut(const FlameTree *t);

uint64_t flametree_value(const FlameTree *t, uint32_t frame);
uint32_t flametree_parent(const FlameTree *t, uint32_t frame); /* of the root: itself */
uint32_t flametree_depth(const FlameTree *t, uint32_t frame);  /* of the root: 0 */
/* Row in the ledger's functions; of the root FLAME_NONE. */
uint32_t flametree_function(const FlameTree *t, uint32_t frame);
/* The same for as long as the tree is of one program, one way up. */
uint64_t flametree_key(const FlameTree *t, uint32_t frame);
/* That of the child of a frame with this key by the function's LmpFunctionRow.id. */
uint64_t flametree_key_below(uint64_t key, uint32_t function_id);
uint64_t flametree_key_root(void);
/* The child of a frame whose function has this LmpFunctionRow.id; FLAME_NONE: there is none. */
uint32_t flametree_child_of(FlameTree *t, uint32_t frame, uint32_t function_id);

/* What colours follow from: live bytes, bytes made, and those live at the mark, of a frame with all
 * below it; inverted: as flametree_tally. Summed up once for each frame that is asked for. */
typedef struct FlameSum {
    uint64_t live, made, marked;
} FlameSum;
FlameSum flametree_sum(FlameTree *t, uint32_t frame);

/* All figures of a frame with all below it; inverted: what the outermost frame's function made when
 * called this way. Costs a look at each node in it, once for the frame that was asked for last. */
LmpTally flametree_tally(FlameTree *t, uint32_t frame);
/* The type that has most of its figure; LMP_KINDS: not known. */
unsigned flametree_kind(FlameTree *t, uint32_t frame);
/* A line in it; 0: none. */
int32_t flametree_line(const FlameTree *t, uint32_t frame);

/* What is looked at of a node again and again: the ledger's rows are large. */
typedef struct FlameLink {
    uint32_t parent, function; /* rows of the ledger's tree and functions */
    uint32_t function_id;      /* LmpFunctionRow.id */
    uint32_t kind;             /* LmpTreeRow.kind */
} FlameLink;

/* By node of the ledger: its place, its own figure, and that with all below it. */
const FlameLink *flametree_links(const FlameTree *t);
const uint64_t *flametree_own(const FlameTree *t);
const uint64_t *flametree_total(const FlameTree *t);
const Ledger *flametree_ledger(const FlameTree *t);
bool flametree_inverted(const FlameTree *t);

#endif
