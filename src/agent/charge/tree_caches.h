/* tree_caches.h - the caches of call paths, which grow while they are too small: the slots of keys.
 */
#ifndef LMP_TREE_CACHES_H
#define LMP_TREE_CACHES_H

#include "agent/charge/tree_impl.h"

static ALWAYS_INLINE uint64_t mix(uint64_t a, uint64_t b) {
    return (a ^ b) * 0x9e3779b97f4a7c15ull;
}

/* Where a hash's slot is in a cache of such slots. */
#define SLOT_AT(cache, size, hash) (&(cache)[(hash) >> (size).shift])
#define FIRST_SIZE                                                                                 \
    (LmpCacheSize) {                                                                               \
        .shift = 64 - TREE_CACHE_LEAST                                                             \
    }
static inline uint32_t slots_of(LmpCacheSize size) {
    return 1u << (64 - size.shift);
}
/* An answer with this key evicts another one. One about code that is gone does not count. True: the
 * cache has grown, and its answers have to be moved. */
static inline bool count_pushed(const struct LmpTree *t, LmpCacheSize *size, uint64_t was) {
    if (!was || was >> KEY_EPOCH != t->epoch >> KEY_EPOCH) return false;
    if (++size->pushed < slots_of(*size) / 4) return false;
    size->pushed = 0;
    if (size->shift == 64 - TREE_CACHE_MOST) return false;
    size->shift -= TREE_CACHE_STEP;
    return true;
}
_Static_assert(sizeof(LmpNodeSlot) == 16 && sizeof(LmpPathSlot) == 32 && sizeof(LmpCallSlot) == 32,
               "sizes of slots");

static ALWAYS_INLINE LmpNodeSlot *node_slot(struct LmpTree *t, uint64_t key, uint32_t under) {
    return SLOT_AT(t->node_cache, t->node_size, mix(key, (uint64_t)under << 32));
}

static ALWAYS_INLINE LmpPathSlot *path_slot(struct LmpTree *t, uint64_t key, uint64_t who) {
    return SLOT_AT(t->path_cache, t->path_size, mix(key, who));
}

static ALWAYS_INLINE LmpCallSlot *call_slot(struct LmpTree *t, uint64_t caller, uint64_t key,
                                            uint64_t who) {
    return SLOT_AT(t->call_cache, t->call_size, mix(caller + key * 8, who));
}

/* A cache has grown: its answers go to their new slots. */
void tree_move_nodes(struct LmpTree *t);
void tree_move_paths(struct LmpTree *t);
void tree_move_calls(struct LmpTree *t);

#endif
