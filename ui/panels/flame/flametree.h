/* flametree.h - the bars of a flame graph: the ledger's call tree with the lines of a function
 * taken together, by one figure of choice; or inverted, from each function that made something to
 * its callers. A bar is made when its parent's children are first asked for, so a tree of a
 * million nodes costs one pass for the figures, and then what is looked at.
 *
 * A bar's figure is its own and its children's, never less than theirs. Nothing recurses. */
#ifndef LMP_FLAMETREE_H
#define LMP_FLAMETREE_H

#include "panels/flame/flameplan.h"
#include "read/ledger/ledger.h"

#define FLAME_ROOT 0u
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
 * but the root. Returns false, with an empty root: no memory. */
bool flametree_update(FlameTree *t, const Ledger *ledger, FlameMetric metric, bool inverted);

FlameNodes flametree_nodes(FlameTree *t);
/* Returns how many children a bar has, numbered from *first on; those whose figure is 0 are left
 * out. None if there is no memory, or beyond FLAME_MOST_MEMBERS. */
uint32_t flametree_children(FlameTree *t, uint32_t bar, uint32_t *first);
/* Returns true if a bar was left closed for lack of room. */
bool flametree_cut(const FlameTree *t);

uint64_t flametree_value(const FlameTree *t, uint32_t bar);
uint32_t flametree_parent(const FlameTree *t, uint32_t bar); /* of the root: itself */
uint32_t flametree_depth(const FlameTree *t, uint32_t bar);  /* of the root: 0 */
/* Returns the row in the ledger's functions; FLAME_NONE for the root. */
uint32_t flametree_function(const FlameTree *t, uint32_t bar);
/* Returns a key that stays the same as long as the tree is of one program, one way up. */
uint64_t flametree_key(const FlameTree *t, uint32_t bar);
/* Returns the key of a child by its function's LmpFunctionRow.id, below a bar with this key. */
uint64_t flametree_key_below(uint64_t key, uint32_t function_id);
uint64_t flametree_key_root(void);
/* Returns the child of a bar whose function has this LmpFunctionRow.id; FLAME_NONE: none. */
uint32_t flametree_child_of(FlameTree *t, uint32_t bar, uint32_t function_id);

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

/* The part of a node that is read again and again: the ledger's rows are large. */
typedef struct FlameLink {
    uint32_t parent, function; /* rows of the ledger's tree and functions */
    uint32_t function_id;      /* LmpFunctionRow.id */
    uint32_t kind;             /* LmpTreeRow.kind */
} FlameLink;

/* Return, by node of the ledger: its place, its own figure, and the figure with all below it. */
const FlameLink *flametree_links(const FlameTree *t);
const uint64_t *flametree_own(const FlameTree *t);
const uint64_t *flametree_total(const FlameTree *t);
const Ledger *flametree_ledger(const FlameTree *t);
bool flametree_inverted(const FlameTree *t);

#endif
