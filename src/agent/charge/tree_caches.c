/* tree_caches.c - moves answers to where they belong after a cache has grown: each stays where it
 * is, or goes up by as many slots as there were, or a multiple, where nothing has been yet. */
#include "agent/charge/tree_caches.h"

COLD void tree_move_nodes(struct LmpTree *t) {
    for (uint32_t i = slots_of(t->node_size) >> TREE_CACHE_STEP; i-- > 0;) {
        LmpNodeSlot slot = t->node_cache[i];
        t->node_cache[i].key = 0;
        if (slot.key) *node_slot(t, slot.key, slot.under) = slot;
    }
}

COLD void tree_move_paths(struct LmpTree *t) {
    for (uint32_t i = slots_of(t->path_size) >> TREE_CACHE_STEP; i-- > 0;) {
        LmpPathSlot slot = t->path_cache[i];
        t->path_cache[i].key = 0;
        if (slot.key) *path_slot(t, slot.key, slot.who) = slot;
    }
}

COLD void tree_move_lines(struct LmpTree *t) {
    for (uint32_t i = slots_of(t->line_size) >> TREE_CACHE_STEP; i-- > 0;) {
        LmpLinePathSlot slot = t->line_cache[i];
        t->line_cache[i].who = 0;
        if (slot.who) *line_slot(t, slot.who) = slot;
    }
}
