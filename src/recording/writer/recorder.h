/* recorder.h - writes a recording of one shared state: a file of frames from which recording.h
 * gives the state of any of their moments. Used by whoever reads that state from another process
 * (the process of `lmp run`, `lmp record`, the viewer for its slider); the program does nothing for
 * it and does not notice.
 *
 * Not for several threads at once. The format is in docs/formats.md. */
#ifndef LMP_RECORDING_WRITER_RECORDER_H
#define LMP_RECORDING_WRITER_RECORDER_H

#include "read/view.h"

typedef struct LmpRecorder LmpRecorder;

#define LMP_REC_LIMIT (64ull << 20)        /* bytes of a file, unless options say otherwise */
#define LMP_REC_LIMIT_LEAST (256ull << 10) /* less is taken for this */
#define LMP_REC_OUTPUT                                                                             \
    (16ull << 20) /* bytes of the script's output, at most; and no more than a                     \
                     quarter of the limit */

/* What the limit has cost beyond thinning, until now. */
typedef struct LmpRecShort {
    uint64_t tables; /* frames whose tables found no room (count) */
    uint64_t apart;  /* ns between two frames with tables, at most, where the limit wanted that */
    uint64_t enough; /* bytes: a limit that would have been enough; 0: this one was */
} LmpRecShort;
#define LMP_REC_APART 30000000000ull /* ns: what is less is as it should be */

typedef struct LmpRecorderOptions {
    const char *file;  /* made with mode 0600, replaced if it is there; NULL: `fd` */
    int fd;            /* with file NULL: a file that we may read and write (a memfd for the live
                          slider); the caller's */
    uint64_t limit;    /* bytes; 0: LMP_REC_LIMIT */
    const char *again; /* how it was started, for a shell; NULL: not known */
    LmpRecShort *shortage; /* filled as it goes, until recorder_close; NULL: not wanted */
} LmpRecorderOptions;

/* Begins a recording of the view's state; the first recorder_tick takes its first frame. Errors:
 * NOMEM, FILE (errno says why). */
LmpErr recorder_open(LmpRecorder **out, const LmpView *view, const LmpRecorderOptions *options);

/* Takes what is due: figures ten times a second, tables as often as a 125th of a processor allows;
 * as often as a tenth does, at a new mark and at live bytes above recorder_peak. `now`:
 * CLOCK_MONOTONIC ns. *next: when to call again (calling sooner does nothing, but for these two).
 * An error ends the recording (what is written stays good); the caller says it in one line and goes
 * on. Errors: FILE (recorder_errno says why), NOMEM; STOPPED: it had ended before. */
LmpErr recorder_tick(LmpRecorder *recorder, LmpView *view, uint64_t now, uint64_t *next);

/* Returns live bytes above which recorder_tick would take tables now; UINT64_MAX: it would not. */
uint64_t recorder_peak(const LmpRecorder *recorder, uint64_t now);

/* Writes a frame with all tables now, whatever is due (pause, mark by the user, the end). Errors as
 * above. */
LmpErr recorder_frame(LmpRecorder *recorder, LmpView *view, uint64_t now);

/* Writes output of the script at `clock` (ns since the state's start). What is beyond
 * LMP_REC_OUTPUT is left out. Errors as above. */
LmpErr recorder_output(LmpRecorder *recorder, uint64_t clock, const char *bytes, size_t n);

uint64_t recorder_size(const LmpRecorder *recorder); /* bytes of the file so far */
int recorder_errno(const LmpRecorder *recorder);     /* why it could not be written; 0: it could */

/* Writes the last frame (view NULL: the state is gone), with `ended`: 1 + wait status, 0 not known;
 * and the index, and closes the file. The recorder is gone in any case. Errors as above. */
LmpErr recorder_close(LmpRecorder *recorder, LmpView *view, uint32_t ended);

#endif
