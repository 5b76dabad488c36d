/* redundancy.h - what a recording's file says twice, so that damage to one place of it costs
 * nothing: copies of what comes once, and parity, by which the first part of a chunk is mended.
 * Where that would be much beside the rest of the file, there is none. */
#ifndef LMP_RECORDING_FORMAT_REDUNDANCY_H
#define LMP_RECORDING_FORMAT_REDUNDANCY_H

#include "recording/format/recfile.h"
#include "recording/format/recscan.h"

#define COPIES_SHARE 50u  /* copies take at most this part of the file, */
#define PARITY_SHARE 100u /* and parity this one */
#define PARITY_WORK                                                                                \
    (1ull << 30) /* bytes that are looked at for the sake of one recording, at most */

/* Adds copies of the schema, the header and how the program was started, if there are none, of all
 * rows that came since the copy before, and the parity of the first parts that came since the one
 * before. What prevents that (no memory, little room below the file's limit, a part that cannot be
 * read) is no error: there is none then. Errors: FILE, where it could not be written. */
LmpErr redundancy_put(RecFile *file, uint64_t clock);

/* Mends the first part of a chunk, which all others of the chunk need: a copy of each would be a
 * large share of a file. The parity is as long as the longest of them, or a hundredth of the file,
 * and has the sum without carry of all their bytes, each part folded to that length. If one of them
 * is damaged, the sum says what is wrong at each place of the fold; the checksum says where in the
 * part. So damage to one part is undone if it is half as long as the sum at most, or the sum as
 * long as the part. `stored` is as it was read, and then as it was written. `work` counts what is
 * looked at. Returns false if it cannot be mended. */
bool redundancy_mend(const RecScan *scan, const RecPart *part, RecBytes *stored, uint64_t *work);

#endif
