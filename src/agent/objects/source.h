/* source.h - where a walk over a heap reads: the state, the shadow map as it was in that moment,
 * and the operation in hand. */
#ifndef LMP_AGENT_OBJECTS_SOURCE_H
#define LMP_AGENT_OBJECTS_SOURCE_H

#include "agent/state/profile.h"

/* The operation within which the program stands; all zero: none. An allocation has no old block, a
 * free no new size. A reallocation that was refused has new_addr 0: nothing has moved. */
typedef struct LmpObjectHand {
    uintptr_t old_addr, new_addr;
    uint64_t old_size, new_size;
} LmpObjectHand;

/* Returns where a vector is now that an object says is at `at`; 0: it is being freed. */
static inline uintptr_t objecthand_moved(const LmpObjectHand *hand, uintptr_t at) {
    if (at != hand->old_addr || !at) return at;
    if (hand->new_addr) return hand->new_addr;
    return hand->new_size ? at : 0; /* refused, or freed */
}

typedef struct LmpObjectSource {
    lua_State *main;     /* the main thread */
    const LmpProfile *p; /* only its address space is used: skew, whether alloc contexts are kept.
                            NULL: nothing is profiled, all objects are from before */
    /* The shadow map as it was in that moment: by default the profile's own. */
    uint32_t leaves;
    const uint64_t *leaf_base; /* of each, LMP_LEAF_WORD */
    LmpLeaf *const *leaf;
    const LmpOverflow *overflow;
    /* Copies n bytes of leaf number `leaf` from offset `at` on, as they were in that moment: what
     * is asked for never crosses a page. NULL: they are copied from leaf[]. */
    void (*copy)(void *ud, uint32_t leaf, uint64_t at, void *to, uint64_t n);
    /* There was progress; called now and then, NULL: nobody wants to know. */
    void (*beat)(void *ud);
    void *ud;
    LmpObjectHand hand;
    uint32_t text_max; /* bytes of each string that are kept; 0: the usual number */
} LmpObjectSource;

#endif
