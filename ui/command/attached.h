/* attached.h - a display in the foreground of a command: started, watched and waited for. */
#ifndef LMP_ATTACHED_H
#define LMP_ATTACHED_H

#include "viewer/viewer_supervisor.h"

/* Returns true if the command has a terminal, in and out; a line has said so if it has none. */
bool attached_possible(void);

/* Shows what `viewer` describes on this terminal until the display ends; sets all that has to do
 * with the terminal. Signals for the command end it. Says what went wrong, followed by `then` (";
 * the program goes on"), and where a picture was saved. *result: how the display ended and what it
 * left, NULL: there was none. Returns the exit status. */
int attached_show(ViewerOptions *viewer, const char *then, const ViewerResult **result);

#endif
