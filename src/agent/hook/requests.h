/* requests.h - what viewers request of a program that runs: marks, previews, collections, break
 * conditions. (Pause and step are pause.h.)
 */
#ifndef LMP_REQUESTS_H
#define LMP_REQUESTS_H

#include "agent/objects/source.h"

/* Fulfils what can be fulfilled at once. `stack_safe`: the stack may be looked at now. `hand`:
 * the operation, if it has been carried out; all zero: it comes yet. */
void requests_serve(LmpProfile *p, bool stack_safe, const LmpObjectHand *hand);

/* Wakes who records, if somebody does. */
void requests_tell_recorder(LmpProfile *p);

/* Notes a mark (the name is copied; NULL: "mark N"). */
void requests_mark(LmpProfile *p, const char *name);

#endif
