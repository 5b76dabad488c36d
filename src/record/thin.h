/* thin.h - a recording that has become large is written anew with fewer frames, a little with every
 * tick of who records, which goes on meanwhile: the newest minute stays as it is, and the older,
 * the further apart frames are. Marks, the peak, first and last frames stay; of what is near to
 * each other, a frame with the end of a collector cycle rather than one without. */
#ifndef LMP_RECORD_THIN_H
#define LMP_RECORD_THIN_H

#include "record/rewrite.h"

#define THIN_STEP 2000000ull   /* ns of work in a tick; */
#define THIN_HASTE 20000000ull /* when there is little room left */
#define THIN_COARSEST 12u

typedef struct RecThin RecThin;

/* Which frames stay so that about `bytes` do; `coarse`: 0 to THIN_COARSEST, each leaves out half
 * of what the one before did not. malloc'd, one RecKeep for each frame; NULL: no memory. */
uint8_t *thin_choose(const LmpRecording *r, uint64_t bytes, uint32_t coarse);

/* Begins with the file in `fd`, which goes on growing; what is made is called `name`, with .part at
 * the end meanwhile (NULL: it has no name). Errors: NOMEM, FILE. */
LmpErr thin_begin(RecThin **out, int fd, const char *name, uint32_t generation, uint64_t bytes,
                  uint32_t coarse);
/* Goes on for `budget` nanoseconds; *done: all that is there until now was looked at. Errors:
 * NOMEM, FILE, DAMAGED. */
LmpErr thin_step(RecThin *t, uint64_t budget, bool *done);
/* Puts the new file in its place: by its name, or by copying it into `into`. Gives what goes on
 * writing it; *fd is the new file's, the caller's now (-1 where it was copied). The RecThin is
 * gone, also on an error: FILE, NOMEM. */
LmpErr thin_finish(RecThin *t, int into, RecFile *file, RecFrames **frames, int *fd);
/* There will be none (NULL: nothing to do). */
void thin_drop(RecThin *t);

#endif
