/* attached.h - a display in the foreground of a command: started, watched and waited for. */
#ifndef LMP_ATTACHED_H
#define LMP_ATTACHED_H

#include "viewer/viewer_supervisor.h"

/* Shows the display that `viewer` describes until it ends; signals that are for the command end it.
 * Says what went wrong, `then` after it ("; the program goes on"), and where a picture was saved.
 * *result: how it ended and what it left, NULL when there was no display. Returns the exit
 * status. */
int attached_show(const ViewerOptions *viewer, const char *then, const ViewerResult **result);

#endif
