/* offsets.h - is the interpreter's layout known, so that heaps can be walked (walk.h)?
 *
 * What differs from release to release is found by search, in a private state made by the same
 * code, whose contents are known. All of objects.h is compared there with what the documented API
 * says of the same objects, and with the requests that the allocator has seen (offsets_check.c). A
 * single difference, and there are no walks: nothing is guessed. */
#ifndef LMP_AGENT_OBJECTS_OFFSETS_H
#define LMP_AGENT_OBJECTS_OFFSETS_H

#include "agent/objects/objects.h"
#include "base/err.h"

/* Returns LMP_OK if the layout is known. Found once (thread-safe; where there was no memory, at the
 * next call), in a private state: not in a forked child, and not within an operation of the
 * profiled state. Errors: LAYOUT, NOMEM. */
LmpErr offsets_known(void);
/* Returns what was found; only after LMP_OK. Safe anywhere from then on. */
const LmpObjectOffsets *offsets_get(void);
/* Returns how many bytes come before a userdata's own, with n user values; only after that, too. */
uintptr_t offsets_userdata_head(unsigned n);
/* Returns why not, "" otherwise: "tables: array part". */
const char *offsets_why(void);

#endif
