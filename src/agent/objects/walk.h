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
#include "agent/heap/source.h"
#include "base/err.h"
#include "shared/heapgraph.h"

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
