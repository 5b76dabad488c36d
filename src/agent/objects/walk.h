/* walk.h - the heap of a Lua state as a graph (objectgraph.h), read from the interpreter's objects
 * directly: the profiled state's API is never called. So it works at any instruction, within an
 * operation at which the program is paused, in finalisers, error handlers and the parser, in both
 * modes of the collector, and in a forked child that must not use a lock or an allocator of the
 * host. Nothing recurses, and nothing is written but our own memory.
 *
 * Where the interpreter keeps things is found and verified before (offsets.h): call
 * offsets_known() in the program itself, early, since it makes a private state.
 *
 * What belongs to whom: every counted block that is an object's or one of its parts is in that
 * object's size; all others are in lots. So the sizes of everything that is not LMP_OBJECT_BEFORE
 * sum to live_bytes, and the blocks to the live blocks, exactly. An object from before start of
 * which a part is counted (a table that has grown since) has the size of its counted parts and not
 * the flag; one of which nothing is counted has the flag, and the size that its layout tells. */
#ifndef LMP_AGENT_OBJECTS_WALK_H
#define LMP_AGENT_OBJECTS_WALK_H

#include "agent/objects/memory.h"
#include "agent/objects/source.h"
#include "base/err.h"
#include "shared/objectgraph.h"

/* What a walk has met. */
typedef struct LmpObjectSums {
    uint64_t bytes, blocks; /* counted, with the lots: live_bytes and the live blocks */
    uint64_t missing;       /* references to what is no object that is known: left out */
    uint64_t dead;          /* objects that the collector is about to free: no references */
} LmpObjectSums;

/* Make a source: for a profile as it is now, and for a state that is not profiled. */
void walk_source(LmpObjectSource *source, const LmpProfile *p, const LmpObjectHand *hand);
void walk_source_bare(LmpObjectSource *source, lua_State *main);

/* Walks. The columns of *out are in *memory (which is cleared first) until objectmemory_free;
 * *sums may be NULL. LMP_E_LAYOUT: offsets_why() tells why; LMP_E_CLOSED: the state is being
 * closed, its lists are no longer whole; LMP_E_NOMEM; LMP_E_DAMAGED: the lists lead to what is no
 * object. On an error there is nothing to free. */
LmpErr walk_run(const LmpObjectSource *source, LmpObjectMemory *memory, LmpObjectGraph *out,
                LmpObjectSums *sums);

#endif
