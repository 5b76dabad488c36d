/* recname.h - names of recordings and other files that are written, and the line that says where
 * a recording is. */
#ifndef LMP_RECORDER_RECNAME_H
#define LMP_RECORDER_RECNAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/recjob.h"

#define RECNAME_MOST 4352 /* bytes of a name with its folder */

/* Makes a name that is valid from every folder; of "" that of the current folder, with a "/".
 * Returns false if it is too long, or there is no such folder (errno). */
bool recname_whole(char *out, size_t size, const char *file);
/* Makes such a name of `file`; NULL: chooses one in the current folder that is not taken yet,
 * lmp-PID.lmprec, or with .2, .3 and so on. Returns false if it is too long, or there is no such
 * folder (errno). */
bool recname_choose(char *out, size_t size, const char *file, uint32_t pid);
/* Returns the name as people write it here: without the current folder. */
const char *recname_short(const char *file);
/* Says "recording written to X (N KiB); watch it: lmp replay X", what the limit has cost in
 * between, or why the recording ended early. Returns out. */
char *recname_say(char *out, size_t size, const char *file, const RecEnd *end);

#endif
