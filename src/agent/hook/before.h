/* before.h - what lived before the profile of a program that was attached to.
 *
 * Every object on the collector's lists and each of its parts is entered as if it were made now, by
 * a line of its own, "(before)": who made it nobody knows. So totals, types, map and snapshots are
 * whole from the first moment. What no list has, such as a host's own blocks, stays from before. */
#ifndef LMP_BEFORE_H
#define LMP_BEFORE_H

#include "agent/state/profile.h"

/* Enters all of it; between two instructions, before our allocator is set. Returns the bytes: 0
 * where the interpreter's layout is not known. */
uint64_t before_enter(LmpProfile *p);

#endif
