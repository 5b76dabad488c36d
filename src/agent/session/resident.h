/* resident.h - how much memory the whole process has when a profile ends: for reports, which are
 * made when it can no longer be read. */
#ifndef LMP_RESIDENT_H
#define LMP_RESIDENT_H

#include "agent/state/profile.h"

/* Stores it in the shared state; 0 where it is not available. */
void resident_note(LmpProfile *p);

#endif
