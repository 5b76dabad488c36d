/* recopen.h - opens recordings for a command, and says what is wrong with one. */
#ifndef LMP_RECOPEN_H
#define LMP_RECOPEN_H

#include "record/moment.h"

/* False: it cannot be read; why was said on stderr, in one line. Of a damaged one it is said what
 * that has cost, and it is open. */
bool recopen(LmpRecording **recording, const char *file);
/* Says what damage has cost. The frame sought is another then. */
void recopen_say_damage(LmpRecording *recording, const char *file);
/* Is it one? Of what cannot be opened: no. */
bool recopen_is(const char *file);

/* The moment that was asked for. False: there is none, and that was said; one that is far off is
 * said, too; after "NAME: ", unless that is "". */
bool recopen_moment(LmpRecording *recording, const char *name, const char *text, LmpMoment *moment);

/* "FILE@MOMENT": the recording, and its moment, or its end (`said` is "" then, unless the end was
 * not recorded). False: what is wrong has been said, and nothing is open. */
bool recopen_at(LmpRecording **recording, const char *name, LmpMoment *moment);

#endif
