/* odd.h - operations on blocks that are odd in some way, all of them cold: refused, on a new leaf,
 * off the grid, very large, watched, from before start, the profiler's own. And any operation at
 * all, for the slow path.
 */
#ifndef LMP_ODD_H
#define LMP_ODD_H

#include "agent/interp/owner.h"
#include "agent/state/profile.h"

/* Classes by the tag of a request: 4 .. 8 the Lua types, 9 upvalues, 10 prototypes (lobject.h). */
extern const uint32_t odd_tag_class[16];

static ALWAYS_INLINE unsigned odd_class(size_t type_tag) {
    return LIKELY(type_tag < 16) ? odd_tag_class[type_tag] : 0;
}

/* Who makes a block: its alloc context, and its class in the upper half. */
#define ODD_CONTEXT(alloc_context, cls) ((uint64_t)(alloc_context) | (uint64_t)(cls) << 32)

/* Enters any result r of a request: refused, on a new leaf, off the grid, very large. Returns r. */
void *odd_made(LmpProfile *p, void *r, size_t n, uint64_t alloc_context);
/* Releases any block: off the grid, from before start, the profiler's own, very large, watched, or
 * the first to be freed after a new peak. */
void *odd_release(LmpProfile *p, void *ptr, size_t osize, const char *cfa);
/* Enters any reallocation that has been tried. `here`: the record of the site that runs. Returns r.
 * */
void *odd_resized(LmpProfile *p, void *ptr, void *r, size_t osize, size_t nsize, uint32_t here);
void *odd_made_and_tick(LmpProfile *p, void *r);
void *odd_tick_and_release(LmpProfile *p, void *ptr, size_t osize);

/* Enters a block that was handed to Lua one request ago and is not counted yet. */
void odd_made_before(LmpProfile *p, void *block, size_t type_tag, size_t n);

/* Does the operation itself, for the slow path: what hook_alloc does apart from its checks. `own`:
 * the block belongs to our own API call (LMP_C_OWN). */
void *odd_operate(LmpProfile *p, void *ptr, size_t osize, size_t nsize, LmpCaller caller, bool own);

#endif
