/* deaths.h - blocks whose end has to be told to whoever knows of what was in them: code, threads,
 * long strings. What stands at their addresses next is not the same. With lines only.
 */
#ifndef LMP_DEATHS_H
#define LMP_DEATHS_H

#include "agent/state/profile.h"

/* A block that was asked to be told of (shadow_notify, or a thread's) is freed. */
void deaths_notified(LmpProfile *p, uintptr_t addr, size_t size, unsigned cls);
/* A block from before start is freed: it may be any of these. */
void deaths_unknown(LmpProfile *p, uintptr_t addr, size_t size);

#endif
