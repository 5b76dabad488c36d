/* invalidate.h - drops what is remembered of the contents of a block when it is freed: of code,
 * threads, long strings. The next block at its address is not the same. With lines only. */
#ifndef LMP_INVALIDATE_H
#define LMP_INVALIDATE_H

#include "agent/state/profile.h"

/* Call when a block that is watched (by shadow_notify, or as a thread's) is freed. */
void invalidate_watched(LmpProfile *p, uintptr_t addr, size_t size, unsigned cls);
/* Call when a block from before start is freed: it may be any of these. */
void invalidate_unknown(LmpProfile *p, uintptr_t addr, size_t size);

#endif
