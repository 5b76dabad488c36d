/* recordname.h - names of recordings and other files that are written, and the line that says where
 * a recording is. */
#ifndef LMP_RECORDNAME_H
#define LMP_RECORDNAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/recordjob.h"

#define RECORDNAME_MOST 4352 /* bytes of a name with its folder */

/* Makes a name that is valid from every folder; of "" that of the current folder, with a "/".
 * Returns false if it is too long, or there is no such folder (errno). */
bool recordname_whole(char *out, size_t size, const char *file);
/* Makes such a name of `file`; NULL: chooses one in the current folder that is not taken yet,
 * lmp-PID.lmprec, or with .2, .3 and so on. Returns false if it is too long, or there is no such
 * folder (errno). */
bool recordname_choose(char *out, size_t size, const char *file, uint32_t pid);
/* Returns the name as people write it here: without the current folder. */
const char *recordname_short(const char *file);
/* Says "recording written to X (N KiB); watch it: lmp replay X", what the limit has cost in
 * between, or why the recording ended early. Returns out. */
char *recordname_say(char *out, size_t size, const char *file, const RecordEnd *end);

#endif
