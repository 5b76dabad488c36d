/* choose.h - which frames of a recording stay when it is to take fewer bytes.
 *
 * By shares of these bytes, one after another; what does not fit a share is thinned by age: frames
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
#ifndef LMP_RECORD_CHOOSE_H
#define LMP_RECORD_CHOOSE_H

#include "record/reader/recording.h"

/* What becomes of a frame. */
typedef enum RecKeep { REC_DROP, REC_KEEP_FIGURES /* without its tables */, REC_KEEP_ALL } RecKeep;

/* malloc'd, one RecKeep for each frame, which take about `bytes`; *short_of: how many of the first,
 * the last and the largest lose their tables. NULL: no memory. */
uint8_t *choose_frames(const LmpRecording *r, uint64_t bytes, uint32_t *short_of);

#endif
