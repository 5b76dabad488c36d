/* marks.h - the marks of a whole recording, also of a run that set more than a frame knows: the
 * last LMP_MARKS of its moment. Older frames know the older ones. */
#ifndef LMP_RECORD_MARKS_H
#define LMP_RECORD_MARKS_H

#include "record/reader/recording.h"

typedef struct RecordedMark {
    uint64_t clock;  /* ns since start */
    uint64_t number; /* of all that the program has set, from 1 */
    uint64_t bytes;  /* live then, as the program has noted it */
    char name[sizeof((LmpMark *)0)->name];
} RecordedMark;

/* At most so many, the last ones: each LMP_MARKS of them cost a seek. */
#define LMP_RECORDED_MARKS 4096u

/* All that any frame knows, the oldest first; *mark is owned by the caller, NULL where there are
 * none. The frame sought before is no longer. Errors: DAMAGED (the last frame), NOMEM. */
LmpErr recording_marks(LmpRecording *r, RecordedMark **mark, uint32_t *marks);

#endif
