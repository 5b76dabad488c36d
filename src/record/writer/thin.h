/* thin.h - a recording that has become large is written anew with fewer frames (choose.h says
 * which), a little with every tick of who records, which goes on meanwhile. */
#ifndef LMP_RECORD_THIN_H
#define LMP_RECORD_THIN_H

#include "record/writer/rewrite.h"

#define THIN_STEP 2000000ull   /* ns of work in a tick; */
#define THIN_HASTE 20000000ull /* when there is little room left */

typedef struct RecThin RecThin;

/* Begins with the file in `fd`, which goes on growing, to leave about `bytes` of it; what is made
 * is called `name`, with .part at the end meanwhile (NULL: it has no name). Errors: NOMEM, FILE. */
LmpErr thin_begin(RecThin **out, int fd, const char *name, uint32_t generation, uint64_t bytes,
                  uint64_t most);
/* Goes on for `budget` nanoseconds; *done: all that is there until now was looked at. Errors:
 * NOMEM, FILE, DAMAGED. */
LmpErr thin_step(RecThin *t, uint64_t budget, bool *done);
/* Frames that were to keep their tables, for which there was no room. */
uint32_t thin_left_out(const RecThin *t);
/* Puts the new file in its place: by its name, or by copying it into `into`. Gives what goes on
 * writing it; *fd is the new file's, the caller's now (-1 where it was copied). The RecThin is
 * gone, also on an error: FILE, NOMEM. */
LmpErr thin_finish(RecThin *t, int into, RecFile *file, RecFrames **frames, int *fd);
/* There will be none (NULL: nothing to do). */
void thin_drop(RecThin *t);

#endif
