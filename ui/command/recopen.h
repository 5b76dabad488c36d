/* recopen.h - opens recordings for a command, and says what is wrong with one. */
#ifndef LMP_RECOPEN_H
#define LMP_RECOPEN_H

#include "record/moment.h"

/* Opens a recording. Returns false if it cannot be read; one line on stderr has said why. A damaged
 * recording opens, and a line says what the damage has cost. */
bool recopen(LmpRecording **recording, const char *file);
/* Says what damage has cost. May seek another frame, so call it before recording_seek. */
void recopen_say_damage(LmpRecording *recording, const char *file);
/* Returns true if the file is a recording, by its first bytes; false if it cannot be opened. */
bool recopen_is(const char *file);

/* Finds the moment that was asked for. Says so if the nearest recorded one is far off. Returns
 * false if there is none; a line has said so. Lines begin with "NAME: ", unless the name is "". */
bool recopen_moment(LmpRecording *recording, const char *name, const char *text, LmpMoment *moment);

/* Opens "FILE@MOMENT" and finds the moment; without "@MOMENT", the end (`said` is "" then, unless
 * the end was not recorded). Returns false if nothing is open; a line has said why. */
bool recopen_at(LmpRecording **recording, const char *name, LmpMoment *moment);

#endif
