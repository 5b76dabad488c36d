/* walk.h - the heap of a Lua state as a graph (heapgraph.h), read from the interpreter's objects
 * directly: the profiled state's API is never called. So it works at any instruction, within an
 * operation at which the program is paused, in finalisers, error handlers and the parser, in both
 * modes of the collector, and in a forked child that must not use a lock or an allocator of the
 * host. Nothing recurses, and nothing is written but our own memory.
 *
 * Where the interpreter keeps things is found and verified before (layout.h): call
 * heaplayout_known() in the program itself, early, since it makes a private state.
 *
 * What belongs to whom: every counted block that is an object's or one of its parts is in that
 * object's size; all others are in lots. So the sizes of everything that is not LMP_HEAP_BEFORE sum
 * to live_bytes, and the blocks to the live blocks, exactly. An object from before start of which a
 * part is counted (a table that has grown since) has the size of its counted parts and not the
 * flag; one of which nothing is counted has the flag, and the size that its layout tells. */
#ifndef LMP_HEAP_WALK_H
#define LMP_HEAP_WALK_H

#include "agent/heap/memory.h"
#include "agent/state/profile.h"
#include "base/err.h"
#include "shared/heapgraph.h"

/* The operation within which the program stands; all zero: none. An allocation has no old block, a
 * free no new size. A reallocation that was refused has new_addr 0: nothing has moved. */
typedef struct LmpHeapHand {
    uintptr_t old_addr, new_addr;
    uint64_t old_size, new_size;
} LmpHeapHand;

typedef struct LmpHeapSource {
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
    void *ud;
    LmpHeapHand hand;
    uint32_t text_max; /* bytes of each string that are kept; 0: the usual number */
} LmpHeapSource;

/* What a walk has met. */
typedef struct LmpHeapSums {
    uint64_t bytes, blocks; /* counted, with the lots: live_bytes and the live blocks */
    uint64_t missing;       /* references to what is no object that is known: left out */
    uint64_t dead;          /* objects that the collector is about to free: no references */
} LmpHeapSums;

/* A source for a profile as it is now; or for a state that is not profiled. */
void heapwalk_source(LmpHeapSource *source, const LmpProfile *p, const LmpHeapHand *hand);
void heapwalk_source_bare(LmpHeapSource *source, lua_State *main);

/* Walks. The columns of *out are in *memory (which is cleared first) until heapmemory_free;
 * *sums may be NULL. LMP_E_LAYOUT: heaplayout_why() tells why; LMP_E_CLOSED: the state is being
 * closed, its lists are no longer whole; LMP_E_NOMEM; LMP_E_DAMAGED: the lists lead to what is no
 * object. On an error there is nothing to free. */
LmpErr heapwalk_run(const LmpHeapSource *source, LmpHeapMemory *memory, LmpHeapGraph *out,
                    LmpHeapSums *sums);

#endif
