/* grown.h - what each site holds after collector cycles: the rows from which the leak view tells
 * growth from garbage that only waits (tables.grown in shared.h).
 *
 * A row is made at the end of a cycle, if the last one is long enough ago. How long that is grows
 * with the run: a 64th of it, so that the ring's 32 rows always span about the last two fifths of
 * the run (what was loaded at its beginning soon drops out), up to 15 seconds, from when on they
 * span the last eight minutes. It is never less than 200 times what making a row takes. A cycle
 * that comes later than that is never left out. */
#ifndef LMP_GROWN_H
#define LMP_GROWN_H

#include "profile.h"

/* A collector cycle has ended: it is the last one in gc.ring. Does nothing without lines. */
void grown_cycle_ended(LmpProfile *p);

#endif
