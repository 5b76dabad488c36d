/* moment.h - moments of a recording as people write them, for all commands that take one. */
#ifndef LMP_MOMENT_H
#define LMP_MOMENT_H

#include "record/recording.h"

/* What people may write, for help. */
#define MOMENT_WORDS                                                                               \
    "12:30 or 1:02:03 since the start, 90s, 5m, 1h30m, 50% of all of it, -5m before the end,\n"    \
    "start, end, peak, mark (the last one), mark 3, or a mark's name"

enum { MOMENT_PROBLEM = 160 };

/* The frame of a moment. False: it is none; `problem` (MOMENT_PROBLEM bytes) says why, for after
 * "MOMENT: ". Marks have names, for which it seeks: the frame sought before is no longer. */
bool moment_find(LmpRecording *r, const char *text, uint32_t *frame, char *problem);

/* The same for a time alone, nanoseconds since start; `end`: of the recording. False: it is no
 * time. */
bool moment_clock(const char *text, uint64_t end, uint64_t *clock);

/* The frame nearest before (or, if there is none, after) this one that has tables: reports are made
 * of those. Without any: this one. */
uint32_t moment_tables(const LmpRecording *r, uint32_t frame);

/* Takes "FILE@MOMENT" apart: copies FILE and returns MOMENT, NULL where there is none. A file of
 * the whole name wins. */
const char *moment_split(char *file, size_t size, const char *text);

#endif
