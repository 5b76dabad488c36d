/* flamefind.h - the frames of a flame graph whose functions are sought: all of them, also those too
 * narrow or too deep to be seen, and their share of the whole, in which each byte counts once
 * however many of the frames around it match.
 *
 * Costs a pass over the nodes of the ledger. Inverted, paths are followed only while they are as
 * others are; from where one stands alone, the hits on it are a number that is known. They are
 * counted then, and listed when the next one is asked for. FLAME_FIND_STEPS are made at most. */
#ifndef LMP_FLAMEFIND_H
#define LMP_FLAMEFIND_H

#include "base/keymap.h"
#include "panels/flametree.h"

#define FLAME_FIND_STEPS (1u << 23)

typedef struct FlameHit {
    uint64_t key, value; /* of the frame */
    uint32_t node, at;   /* one of its nodes; inverted: who made something, and the caller */
} FlameHit;

/* Hits of one value: a frame, or inverted all those of a path from one on. */
typedef struct FlameRun {
    uint64_t key; /* of what is around the first one */
    uint64_t value;
    uint32_t node, at; /* of the first one, or what is between it and `key` */
    uint32_t hits;
} FlameRun;

typedef struct FlameCallers FlameCallers;

typedef struct FlameFind {
    uint32_t hits;
    uint32_t inside; /* of these, in the frame that is zoomed to, that one included */
    uint64_t value;  /* of all of them, each byte once */
    bool cut;        /* there may be more: the paths are too many */
    /* private */
    const uint8_t *match;
    FlameRun *run;
    uint32_t runs, run_room, node_room;
    uint64_t *key;  /* by node: of its frame */
    uint8_t *state; /* by node: is one around it a hit, the frame zoomed to */
    KeyMap by_key;
    FlameCallers *callers; /* inverted */
} FlameFind;

/* `match`: by row of the ledger's functions, not 0: it is sought; it stays the caller's, and as it
 * is until the next time. `zoom`: the frame that is zoomed to. `find` all zeroes before the first
 * time. False: no memory, and there are no hits. */
bool flamefind_update(FlameFind *find, const FlameTree *tree, const uint8_t *match, uint32_t zoom);
void flamefind_free(FlameFind *find);
/* Is a frame one of them? */
bool flamefind_has(const FlameFind *find, const FlameTree *tree, uint32_t frame);
/* The hit after the frame `from` (or, `step` -1, before it) by size, largest first, wrapping
 * around; from a frame that is none the largest (smallest). `tree` is as it was found in. False:
 * there are no hits, or no memory. `place`: its number from 1. */
bool flamefind_next(FlameFind *find, const FlameTree *tree, uint32_t from, int step, FlameHit *next,
                    uint32_t *place);

#endif
