/* requests.h - what viewers request of a program that runs: marks, previews, collections, break
 * conditions. (Pause and step are pause.h.)
 */
#ifndef LMP_REQUESTS_H
#define LMP_REQUESTS_H

#include "agent/state/profile.h"

/* Fulfils what can be fulfilled at once. `stack_safe`: the stack may be looked at now. */
void requests_serve(LmpProfile *p, bool stack_safe);

/* Notes a mark (the name is copied; NULL: "mark N"). */
void requests_mark(LmpProfile *p, const char *name);

#endif
