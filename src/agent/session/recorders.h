/* recorders.h - the option `record` of lmp.start: a process of ours that records the state. */
#ifndef LMP_AGENT_SESSION_RECORDERS_H
#define LMP_AGENT_SESSION_RECORDERS_H

#include "agent/session/session.h"
#include "base/err.h"

/* Returns LMP_OK if a recording could be written to `file`, "": to one in this folder. Error: FILE,
 * errno says why. */
LmpErr recorders_possible(const char *file);
/* Starts a recorder into `file`, "": a name is chosen; what a display keeps of the output goes
 * there, too. Errors: NOVIEWER, VIEWER, SECURE, FILE (it cannot be written there after all). */
LmpErr recorders_start(LmpSession *session, const char *file);

#endif
