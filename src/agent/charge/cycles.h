/* cycles.h - the collector's cycles in the figures: when each began and ended, what it freed, which
 * looked at all of the heap. What the collector does at a moment, collector.h tells. */
#ifndef LMP_CYCLES_H
#define LMP_CYCLES_H

#include "agent/state/profile.h"

/* Notes what has changed in the collector's colour and state since the last look. */
void cycles_look(LmpProfile *p);

/* Brings gc.mode up to date. Not while a cycle sweeps: a full collection of the generational mode
 * passes through the other mode then. */
void cycles_mode(LmpProfile *p);

#endif
