/* redact.h - hides what a program has made up while it ran: the code of chunks, tags, marks, names
 * of frames of its own, files. Names of functions and files of the code stay: who made what is
 * what a recording is for. */
#ifndef LMP_RECORD_REDACT_H
#define LMP_RECORD_REDACT_H

#include "read/view.h"

/* In the tables and the header of a recording's own memory. */
void redact_names(LmpView *view);
/* In the figures of the frame that is in it now. */
void redact_figures(LmpView *view);

#endif
