/* recordname.h - names of recordings, and the line that says where one is. */
#ifndef LMP_RECORDNAME_H
#define LMP_RECORDNAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/recordjob.h"

#define RECORDNAME_MOST 4352 /* bytes of a name with its folder */

/* The name from everywhere; `file` NULL: one for this process in this folder that is not taken yet,
 * lmp-PID.lmprec, or with .2, .3 and so on. False: it is too long, or there is no such folder
 * (errno). */
bool recordname_choose(char *out, size_t size, const char *file, uint32_t pid);
/* As people write it from here: without our own folder. */
const char *recordname_short(const char *file);
/* "recording written to X (N KiB); watch it: lmp replay X", what its limit has cost in between, or
 * why it ended before. Returns out. */
char *recordname_say(char *out, size_t size, const char *file, const RecordEnd *end);

#endif
