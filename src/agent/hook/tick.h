/* tick.h - what is due every few milliseconds of work: clock, history, the epoch in which blocks
 * are born, names; now and then a look at display and viewers. Counted in operations, which adapt.
 */
#ifndef LMP_TICK_H
#define LMP_TICK_H

#include "agent/state/profile.h"

/* Ticks; called also by itself, at start and at the end. */
void tick_now(LmpProfile *p);

#endif
