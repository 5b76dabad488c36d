/* moment.h - moments of a recording as people write them, for all commands that take one; and the
 * marks of a whole recording, also of a run that set more than a frame knows. */
#ifndef LMP_RECORDING_READER_MOMENT_H
#define LMP_RECORDING_READER_MOMENT_H

#include "recording/reader/recording.h"

/* ---- marks ----------------------------------------------------------------------------------- */

typedef struct RecordedMark {
    uint64_t clock;  /* ns since start */
    uint64_t number; /* of all that the program has set, from 1 */
    uint64_t bytes;  /* live then, as the program has noted it */
    char name[sizeof((LmpMark *)0)->name];
} RecordedMark;

/* At most so many, the last ones: each LMP_MARKS of them cost a seek. */
#define LMP_RECORDED_MARKS 4096u

/* Lists all marks that any frame knows, the oldest first; *mark is owned by the caller, NULL where
 * there are none. The frame sought before is no longer. Errors: DAMAGED (the last frame), NOMEM. */
LmpErr recording_marks(LmpRecording *r, RecordedMark **mark, uint32_t *marks);

/* ---- moments --------------------------------------------------------------------------------- */

/* What people may write, for help. */
#define MOMENT_WORDS                                                                               \
    "12:30 or 1:02:03 since the start, 90s, 5m, 1h30m, 50% of all of it, -5m before the end,\n"    \
    "start, end, peak, mark (the last one), mark 3, or a mark's name"

enum { MOMENT_PROBLEM = 160, MOMENT_SAID = 304 };

/* A moment that was asked for, and the one that reports can be made of. */
typedef struct LmpMoment {
    uint32_t frame;  /* at or before it; of a mark: at or after */
    uint32_t tables; /* the nearest with tables; of the peak: the highest. Without any: `frame` */
    uint64_t clock;  /* that was asked for, ns since start */
    uint64_t bytes; /* live then, as the program noted it (mark, peak), else by the nearest frame */
    int64_t late;   /* ns from `clock` to that of `tables` */
    int64_t more;   /* live bytes of `tables` less `bytes` */
    bool mark;      /* it is one */
    bool far;       /* more than a tenth of a second, or a hundredth of the bytes */
    char said[MOMENT_SAID]; /* all that in words */
} LmpMoment;

/* Returns false if there is none; `problem` (MOMENT_PROBLEM bytes) says why, for after "MOMENT: ".
 * It seeks: the frame sought before is no longer. */
bool moment_find(LmpRecording *r, const char *text, LmpMoment *out, char *problem);

/* Reads the time alone, nanoseconds since start; `end`: of the recording. What is before the start
 * is UINT64_MAX. Returns false if it is no time. */
bool moment_clock(const char *text, uint64_t end, uint64_t *clock);

/* Reads a span of time, "90", "12:30", "1h30m", in seconds. `loose`, as it is typed in the display:
 * in any case, with blanks between numbers and units, and with numbers of any size. */
bool moment_span(const char *text, bool loose, double *seconds);

/* Takes "FILE@MOMENT" apart: copies FILE and returns MOMENT, NULL where there is none. A file of
 * the whole name wins. */
const char *moment_split(char *file, size_t size, const char *text);

#endif
