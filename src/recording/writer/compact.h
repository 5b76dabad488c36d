/* compact.h - a recording that has become large is written anew with fewer frames, a little with
 * every tick of who records, which goes on meanwhile. */
#ifndef LMP_RECORDING_WRITER_COMPACT_H
#define LMP_RECORDING_WRITER_COMPACT_H

#include "recording/format/recfile.h"
#include "recording/format/recscan.h"
#include "recording/writer/framewriter.h"

/* ---- which frames stay ----------------------------------------------------------------------- */

/* What becomes of a frame. */
typedef enum RecKeep { REC_DROP, REC_KEEP_FIGURES /* without its tables */, REC_KEEP_ALL } RecKeep;

/* By shares of the bytes, one after another; what does not fit a share is thinned by age: frames
 * are kept that are as far apart as a part of their age, and that part grows until they fit.
 *
 *   1. the largest, the largest with tables, the last and the first frame, with tables, unless
 *      these are more than two thirds of the bytes, and figures of the frames with a collector
 *      cycle right before and after the largest: in any case
 *   2. marks, with tables: a quarter; without tables: a quarter more
 *   3. figures of the newest minute: all, as long as that is no more than half of what is left
 *   4. frames with tables: up to five sixths; all those of the newest minute before older ones
 *      closer than a 256th of their age
 *   5. frames with the end of a collector cycle, then any: figures, of what is left */

/* Returns, malloc'd, one RecKeep for each of the `*frames`, which take about `bytes`; *short_of:
 * how many of the first, the last and the largest lose their tables. NULL: no memory. */
uint8_t *compact_choose(const RecScan *scan, uint64_t bytes, uint32_t *frames, uint32_t *short_of);

/* ---- writing them ---------------------------------------------------------------------------- */

#define COMPACT_STEP 2000000ull /* ns of work in a tick */

typedef struct RecCompact RecCompact;

/* Begins with the file in `fd`, which this build writes and which goes on growing, to leave about
 * `bytes` of it; what is made is called `name`, with .part at the end meanwhile (NULL: it has no
 * name). Errors: NOMEM, FILE. */
LmpErr compact_begin(RecCompact **out, int fd, const char *name, uint32_t generation,
                     uint64_t bytes, uint64_t most);
/* Goes on for `budget` nanoseconds; *done: all that is there until now was looked at. Errors:
 * NOMEM, FILE, DAMAGED. */
LmpErr compact_step(RecCompact *t, uint64_t budget, bool *done);
/* Frames that were to keep their tables, for which there was no room. */
uint32_t compact_left_out(const RecCompact *t);
/* Puts the new file in its place: by its name, or by copying it into `into`; `frames` go on there,
 * in a file of the caller's. *fd is the new file's, the caller's now (-1 where it was copied). The
 * RecCompact is gone, also on an error: FILE, NOMEM. */
LmpErr compact_finish(RecCompact *t, int into, RecFile *file, FrameWriter *frames, int *fd);
/* Gives it up: there will be none (NULL: nothing to do). */
void compact_drop(RecCompact *t);

#endif
