/* rewrite.h - makes a recording of another: some of its frames, without what is not to be seen. Bit
 * by bit, for compact.h; and at once, a piece of a recording as a recording of its own. */
#ifndef LMP_RECORDING_WRITER_REWRITE_H
#define LMP_RECORDING_WRITER_REWRITE_H

#include "recording/format/recfile.h"
#include "recording/reader/recording.h"
#include "recording/writer/framewriter.h"
#include "recording/writer/redact.h"

/* ---- bit by bit ------------------------------------------------------------------------------ */

/* What becomes of a frame. */
typedef enum RecKeep { REC_DROP, REC_KEEP_FIGURES /* without its tables */, REC_KEEP_ALL } RecKeep;

typedef struct RecRewrite {
    LmpRecording *from; /* the caller's */
    RecFile file;       /* what is made; its descriptor is the caller's */
    FrameWriter *frames;
    uint8_t *keep; /* RecKeep of each frame that was there at the beginning; later ones: all */
    uint32_t kept; /* so many */
    uint32_t next; /* frame, */
    uint32_t next_output;
    uint64_t output_from, output_to; /* nanoseconds since start: output of this time goes along */
    unsigned flags;                  /* of frames that were dropped since the last one kept */
    bool any;                        /* one was kept */
    uint32_t left_out;               /* frames whose tables found no room */
    LmpRedact redact;
    RecBytes output;
} RecRewrite;

/* `keep`: malloc'd, its own from now on, also on an error. Errors: NOMEM, FILE. */
LmpErr rewrite_begin(RecRewrite *w, LmpRecording *from, int fd, uint32_t generation, uint8_t *keep,
                     uint32_t kept, LmpRedact redact);
/* Goes on for about `budget` nanoseconds; *done: no frame is left. Frames that are damaged are left
 * out. Errors: NOMEM, FILE. */
LmpErr rewrite_step(RecRewrite *w, uint64_t budget, bool *done);
/* Output that came after the last frame, if it goes along, and copies (redundancy.h). Errors:
 * NOMEM, FILE. */
LmpErr rewrite_rest(RecRewrite *w);
void rewrite_free(RecRewrite *w);

/* ---- a piece --------------------------------------------------------------------------------- */

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
