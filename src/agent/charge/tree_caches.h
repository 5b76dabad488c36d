/* tree_caches.h - the caches of call paths, which grow while they are too small: the slots of keys.
 */
#ifndef LMP_TREE_CACHES_H
#define LMP_TREE_CACHES_H

#include "agent/charge/tree_impl.h"

/* Slots are found by plain sums of addresses and rows, not by a hash that scatters: frames and
 * nodes that were made one after another are met one after another, and so are their slots then. */
#define SLOT_AT(cache, size, sum) (&(cache)[(sum) & (size).mask])
#define FIRST_SIZE                                                                                 \
    (LmpCacheSize) {                                                                               \
        .mask = (1u << TREE_CACHE_LEAST) - 1                                                       \
    }
static inline uint32_t slots_of(LmpCacheSize size) {
    return size.mask + 1;
}
/* An answer evicts another one, which may still be right. True: the cache has grown, and its
 * answers have to be moved. */
static inline bool count_pushed(LmpCacheSize *size) {
    if (++size->pushed < slots_of(*size) / 4) return false;
    size->pushed = 0;
    if (slots_of(*size) == 1u << TREE_CACHE_MOST) return false;
    size->mask = (slots_of(*size) << TREE_CACHE_STEP) - 1;
    return true;
}
_Static_assert(sizeof(LmpNodeSlot) == 16 && sizeof(LmpLinePathSlot) == 16 &&
                   sizeof(LmpPathSlot) == 32,
               "sizes of slots");

static ALWAYS_INLINE LmpNodeSlot *node_slot(struct LmpTree *t, uint64_t key, uint32_t under) {
    return SLOT_AT(t->node_cache, t->node_size, (key >> 2) + under);
}

static ALWAYS_INLINE LmpPathSlot *path_slot(struct LmpTree *t, uint64_t key, uint64_t who) {
    return SLOT_AT(t->path_cache, t->path_size, (key >> 2) + who + (who >> 32));
}

static ALWAYS_INLINE LmpLinePathSlot *line_slot(struct LmpTree *t, uint64_t who) {
    return SLOT_AT(t->line_cache, t->line_size, who + (who >> 32));
}

/* A cache has grown: its answers go to their new slots. */
void tree_move_nodes(struct LmpTree *t);
void tree_move_lines(struct LmpTree *t);
void tree_move_paths(struct LmpTree *t);

#endif
