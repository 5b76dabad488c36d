/* deaths.h - notifies those that remember the contents of a block when it is freed: code, threads,
 * long strings. The next block at its address is not the same. With lines only.
 */
#ifndef LMP_DEATHS_H
#define LMP_DEATHS_H

#include "agent/state/profile.h"

/* A block with a pending notification (shadow_notify, or a thread's) is freed. */
void deaths_notified(LmpProfile *p, uintptr_t addr, size_t size, unsigned cls);
/* A block from before start is freed: it may be any of these. */
void deaths_unknown(LmpProfile *p, uintptr_t addr, size_t size);

#endif
