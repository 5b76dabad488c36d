/* odd.h - operations on blocks that are odd in some way, all of them cold: refused, on a new leaf,
 * off the grid, very large, watched, from before start, the profiler's own. And any operation at
 * all, for the slow path.
 */
#ifndef LMP_ODD_H
#define LMP_ODD_H

#include "agent/interp/luafacts.h"
#include "agent/interp/owner.h"
#include "agent/state/profile.h"

/* Classes by the tag of a request: 4 .. 8 the Lua types, 9 upvalues, 10 prototypes (lobject.h). */
extern const uint32_t odd_tag_class[16];

static ALWAYS_INLINE unsigned odd_class(size_t type_tag) {
    return LIKELY(type_tag < 16) ? odd_tag_class[type_tag] : 0;
}

/* Who makes a block: its alloc context, and its class in the upper half. */
#define ODD_CONTEXT(alloc_context, cls) ((uint64_t)(alloc_context) | (uint64_t)(cls) << 32)
/* With the class: it is a host's own, who may say another size when it gives the block back. */
#define ODD_HOST 16u

/* Enters any result r of a request: refused, on a new leaf, off the grid, very large. Returns r. */
void *odd_made(LmpProfile *p, void *r, size_t n, uint64_t alloc_context);
/* Releases any block: off the grid, from before start, the profiler's own, very large, watched, or
 * the first to be freed after a new peak. */
void *odd_release(LmpProfile *p, void *ptr, size_t osize, LmpFrom from);
/* Enters any reallocation that has been tried. `here`: the record of the site that runs, and in the
 * upper half the class of a block that the map does not have (LMP_C_NONE: one from before start).
 * Returns r. */
void *odd_resized(LmpProfile *p, void *ptr, void *r, size_t osize, size_t nsize, uint64_t here);
void *odd_made_and_tick(LmpProfile *p, void *r);
void *odd_tick_and_release(LmpProfile *p, void *ptr, size_t osize);

/* Returns the class of what a request of a new block asks for. */
unsigned odd_request_class(LmpProfile *p, size_t type_tag, size_t nsize, LmpCaller caller);
/* Returns the class of the block that `caller` frees or resizes; LMP_C_NONE: it is from before
 * start. */
unsigned odd_block_class(LmpProfile *p, const void *ptr, size_t size, LmpCaller caller);

/* Enters a block that was handed to Lua one request ago and is not counted yet. */
void odd_made_before(LmpProfile *p, void *block, size_t type_tag, size_t n);

/* Charges a part that is given back for another one to the site of record `row`. */
static inline void odd_freed_here(LmpProfile *p, uint32_t row, unsigned cls, uint64_t n) {
    LmpRecord *here = &p->record[row];
    here->here_frees++;
    here->here_free_bytes += n;
    if (cls != LMP_C_TABLE_PART || !luafacts_is_array_back(n)) return;
    LmpSite *site = &p->tables.site[here->site];
    site->arrays_back++;
    site->arrays_back_bytes += n;
}

/* Does the operation itself, for the slow path: what hook_alloc does apart from its checks. `own`:
 * the block belongs to our own API call (LMP_C_OWN). */
void *odd_operate(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller, bool own);

#endif
