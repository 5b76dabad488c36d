/* recopen.h - opens recordings for a command, and says what is wrong with one. */
#ifndef LMP_RECOPEN_H
#define LMP_RECOPEN_H

#include "record/recording.h"

/* False: it cannot be read; why was said on stderr, in one line. Of one whose end is missing that
 * is said, and it is open. */
bool recopen(LmpRecording **recording, const char *file);
/* Says so of one that is torn, and how many rows of its tables damage has cost. The frame sought is
 * another then. */
void recopen_say_damage(LmpRecording *recording, const char *file);
/* Is it one? Of what cannot be opened: no. */
bool recopen_is(const char *file);

/* "FILE@MOMENT": the recording, and the frame with tables of its moment, or of its end. `moment`:
 * was one named? May be NULL. False: what is wrong has been said, and nothing is open. */
bool recopen_at(LmpRecording **recording, const char *name, uint32_t *frame, bool *moment);

#endif
