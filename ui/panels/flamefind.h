/* flamefind.h - the frames of a flame graph whose functions are sought: all of them, also those too
 * narrow or too deep to be seen, and their share of the whole, in which each byte counts once
 * however many of the frames around it match.
 *
 * Costs a pass over the nodes of the ledger; inverted, over their paths, FLAME_FIND_STEPS of them
 * at most. */
#ifndef LMP_FLAMEFIND_H
#define LMP_FLAMEFIND_H

#include "base/keymap.h"
#include "panels/flametree.h"

#define FLAME_FIND_STEPS (1u << 23)

typedef struct FlameHit {
    uint64_t key, value; /* of the frame */
    uint32_t node, at;   /* one of its nodes; inverted: who made something, and the caller */
} FlameHit;

typedef struct FlameFind {
    FlameHit *hit;
    uint32_t hits;
    uint32_t inside; /* of these, in the frame that is zoomed to, that one included */
    uint64_t value;  /* of all of them, each byte once */
    bool cut;        /* there may be more: the paths are too many */
    /* private */
    uint32_t hit_room, node_room;
    uint64_t *key;  /* by node: of its frame */
    uint8_t *state; /* by node: is one around it a hit, the frame zoomed to */
    KeyMap by_key;
} FlameFind;

/* `match`: by row of the ledger's functions, not 0: it is sought. `zoom`: key of the frame that is
 * zoomed to. `find` all zeroes before the first time. False: no memory, and there are no hits. */
bool flamefind_update(FlameFind *find, const FlameTree *tree, const uint8_t *match, uint64_t zoom);
void flamefind_free(FlameFind *find);
bool flamefind_has(const FlameFind *find, uint64_t key);
/* The hit after the one with this key (or, `step` -1, before it) by size, largest first, wrapping
 * around; from a key that is none the largest (smallest). NULL: there are no hits. `place`: its
 * number from 1. */
const FlameHit *flamefind_next(const FlameFind *find, uint64_t key, int step, uint32_t *place);

#endif
