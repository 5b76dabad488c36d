/* pause.h - an operation in which the program stops, because a viewer asked for it or a break
 * condition is met: what it shows, and the sleep until it is resumed.
 */
#ifndef LMP_PAUSE_H
#define LMP_PAUSE_H

#include "agent/hook/break_check.h"
#include "agent/interp/owner.h"
#include "agent/state/profile.h"

/* A request, its effect, and what was done about it so far. */
typedef struct LmpTrapped {
    void *ptr;
    size_t osize, nsize;
    uint64_t old_size; /* of the block that was there: as the map has it, else as is said; or 0 */
    LmpCaller caller;
    bool own;                /* by our own API call */
    bool stack_safe;         /* the stack may be looked at */
    uint32_t entry;          /* of the block that was there */
    uint32_t alloc_context;  /* its */
    uint64_t failed;         /* requests refused before it */
    LmpCallInfo *constructs; /* frame whose saved pc is set to the table constructor that runs */
    uintptr_t saved;         /* what it was */
} LmpTrapped;

/* Returns the alloc context of a block, 0: none is known. */
uint32_t pause_context(LmpProfile *p, const void *block);

/* Begins a pause before the operation, or after it if the stack is safe; op->seq is odd from then
 * on. */
void pause_begin(LmpProfile *p, LmpTrapped *q);
/* Sleeps after the operation: `r` is what it gave. */
void pause_end(LmpProfile *p, const LmpTrapped *q, void *r, const LmpCheckedOp *watched);

#endif
