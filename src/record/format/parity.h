/* parity.h - a part by which the first part of a chunk can be mended: all others of the chunk need
 * it, and a copy of each would be a large share of a file. It is as long as the longest of them, or
 * a hundredth of the file, and has the sum without carry of all their bytes, each part folded to
 * that length. If one of them is damaged, the sum says what is wrong at each place of the fold; the
 * checksum says where in the part. So damage to one part is undone if it is half as long as the sum
 * at most, or the sum as long as the part. */
#ifndef LMP_RECORD_PARITY_H
#define LMP_RECORD_PARITY_H

#include "record/format/recfile.h"
#include "record/format/recscan.h"

#define PARITY_SHARE 100u /* sums take at most this part of the file */
#define PARITY_WORK                                                                                \
    (1ull << 30) /* bytes that are looked at for the sake of one recording, at most */

/* Adds a sum of the first parts that came since the sum before. What prevents that is no error, as
 * in copies.h. Errors: FILE. */
LmpErr parity_put(RecFile *file, uint64_t clock);

/* Mends a first part: `stored` is as it was read, and then as it was written. `work` counts what is
 * looked at. False: it cannot be mended. */
bool parity_mend(const RecScan *scan, const RecPart *part, RecBytes *stored, uint64_t *work);

#endif
