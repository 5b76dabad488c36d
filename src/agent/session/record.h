/* record.h - the option `record` of lmp.start: a process of ours that records the state. */
#ifndef LMP_RECORD_H
#define LMP_RECORD_H

#include "agent/session/session.h"
#include "base/err.h"

/* Into `file`, "": a name is chosen; what a display keeps of the output goes there, too. Errors:
 * NOVIEWER, VIEWER, SECURE, FILE (it cannot be written there). */
LmpErr record_start(LmpSession *session, const char *file);

#endif
