/* attached.h - a display in the foreground of a command: started, watched and waited for. */
#ifndef LMP_ATTACHED_H
#define LMP_ATTACHED_H

#include "viewer/viewer_supervisor.h"

/* Shows the display that `viewer` describes until it ends; signals for the command end it. Says
 * what went wrong, followed by `then` ("; the program goes on"), and where a picture was saved.
 * *result: how the display ended and what it left, NULL: there was none. Returns the exit
 * status. */
int attached_show(const ViewerOptions *viewer, const char *then, const ViewerResult **result);

#endif
