/* recording_cut.h - a piece of a recording as a recording of its own, without what is not to be
 * seen. */
#ifndef LMP_RECORDING_WRITER_RECORDING_CUT_H
#define LMP_RECORDING_WRITER_RECORDING_CUT_H

#include "recording/reader/recording.h"
#include "recording/writer/redact.h"

typedef struct LmpCut {
    uint64_t from, to; /* nanoseconds since start: frames and output of this time */
    LmpRedact redact;  /* if anything, then also without output and how it was started */
} LmpCut;

/* Writes it to `file`, beside it first, then renamed, with mode 0600; *frames: how many are in it
 * (may be NULL). It begins with the state as it was at `from`: the last frame with tables before
 * that is its first. The frame sought in `r` is another then; after redacting, `r` must be closed.
 * Errors: FILE (errno; as recfile_replaceable has it, too), NOMEM, DAMAGED (no frame can be read).
 */
LmpErr recording_cut(LmpRecording *r, const LmpCut *cut, const char *file, uint32_t *frames);

#endif
