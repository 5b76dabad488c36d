/* recopen.h - opens recordings for a command, and says what is wrong with one. */
#ifndef LMP_RECOPEN_H
#define LMP_RECOPEN_H

#include "record/recording.h"

/* False: it cannot be read; why was said on stderr, in one line. Of one whose end is missing that
 * is said, and it is open. */
bool recopen(LmpRecording **recording, const char *file);
/* The same for an error of anything done with one; `error`: errno of then. */
void recopen_say(const char *file, LmpErr err, int error);
/* Is it one? Of what cannot be opened: no. */
bool recopen_is(const char *file);

#endif
