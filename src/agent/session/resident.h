/* resident.h - how much memory the whole process has when a profile ends: for reports, which are
 * made when nobody can ask any more. */
#ifndef LMP_RESIDENT_H
#define LMP_RESIDENT_H

#include "agent/state/profile.h"

/* Notes it in the shared state; where it cannot be had it stays 0. */
void resident_note(LmpProfile *p);

#endif
