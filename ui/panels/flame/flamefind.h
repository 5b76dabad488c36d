/* flamefind.h - finds the bars of a flame graph whose functions are sought: all of them, also
 * those too narrow or too deep to be seen, and their share of the whole, in which each byte counts
 * once however many of the bars around it match.
 *
 * The search is one pass over the nodes of the ledger. Inverted, a path is followed only while it
 * is the same as others; the hits on its rest are a known number. So hits are counted at first, and
 * listed when the next one is asked for. At most FLAME_FIND_STEPS are made. */
#ifndef LMP_FLAMEFIND_H
#define LMP_FLAMEFIND_H

#include "base/keymap.h"
#include "panels/flame/flametree.h"

#define FLAME_FIND_STEPS (1u << 23)

typedef struct FlameHit {
    uint64_t key, value; /* of the bar */
    uint32_t node,
        at; /* one of the bar's nodes; inverted: the node that made something, and the caller */
} FlameHit;

/* Hits of one value: a bar, or inverted all hits of a path from one bar on. */
typedef struct FlameRun {
    uint64_t key; /* of the bar around the first hit */
    uint64_t value;
    uint32_t node, at; /* of the first hit, or of what is between it and `key` */
    uint32_t hits;
} FlameRun;

typedef struct FlameCallers FlameCallers;

typedef struct FlameFind {
    uint32_t hits;
    uint32_t inside; /* hits in the bar that is zoomed to, that one included */
    uint64_t value;  /* of all hits, each byte once */
    bool cut;        /* there may be more: too many paths */
    /* private */
    const uint8_t *match;
    FlameRun *run;
    uint32_t runs, run_room, node_room;
    uint64_t *key;  /* by node: of its bar */
    uint8_t *state; /* by node: a bar around it is a hit, or the bar zoomed to */
    KeyMap by_key;
    FlameCallers *callers; /* inverted */
} FlameFind;

/* Finds all hits. `match`: by row of the ledger's functions, not 0: sought; it stays the caller's,
 * unchanged until the next call. `zoom`: the bar that is zoomed to. `find`: all zeroes before the
 * first time. Returns false, without hits: no memory. */
bool flamefind_update(FlameFind *find, const FlameTree *tree, const uint8_t *match, uint32_t zoom);
void flamefind_free(FlameFind *find);
/* Returns true if the bar is a hit. */
bool flamefind_has(const FlameFind *find, const FlameTree *tree, uint32_t bar);
/* Finds the hit after the bar `from` (or, `step` -1, before it) by size, largest first, wrapping
 * around; from a bar that is no hit the largest (smallest). `tree` is as in flamefind_update.
 * Returns false: no hits, or no memory. `place`: the hit's number from 1. */
bool flamefind_next(FlameFind *find, const FlameTree *tree, uint32_t from, int step, FlameHit *next,
                    uint32_t *place);

#define FLAME_ZOOMS 64 /* zooms that escape goes back through */

typedef struct FlamePlace {
    uint32_t *id; /* LmpFunctionRow.id of each function, from the outermost on */
    uint32_t n, room;
} FlamePlace;

typedef struct FlameZoom {
    FlamePlace place;
    bool paged; /* shows a rest of the bar's children (FlameView) */
    uint32_t skip;
} FlameZoom;

/* Return false: no memory, and the place is unchanged. */
bool flameplace_set(FlamePlace *place, const FlameTree *tree, uint32_t bar);
bool flameplace_of_hit(FlamePlace *place, const FlameTree *tree, const FlameHit *hit);
bool flameplace_copy(FlamePlace *place, const FlamePlace *from);
void flameplace_free(FlamePlace *place);
/* Returns the bar of a place, or the innermost bar around it that exists now; *whole: it is the
 * bar itself. */
uint32_t flameplace_find(const FlamePlace *place, FlameTree *tree, bool *whole);

/* Private to flamefind.c and flamecallers.c, which finds in the inverted graph. */

/* Appends a run; `inside`: how many of its hits are in the bar that is zoomed to. Returns false:
 * no memory. */
bool flamefind_add(FlameFind *find, FlameRun run, uint32_t inside);

/* Counts hits; then lists the counted ones as runs. */
bool flamecallers_find(FlameFind *find, const FlameTree *tree, uint32_t zoom);
bool flamecallers_list(FlameFind *find, const FlameTree *tree);
void flamecallers_free(FlameCallers *callers);

#endif
