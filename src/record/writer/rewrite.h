/* rewrite.h - makes a recording of another: some of its frames, without what is not to be seen, bit
 * by bit. What thinning and cutting have in common. */
#ifndef LMP_RECORD_REWRITE_H
#define LMP_RECORD_REWRITE_H

#include "record/format/recfile.h"
#include "record/reader/recording.h"
#include "record/writer/choose.h"
#include "record/writer/frames.h"
#include "record/writer/redact.h"

typedef struct RecRewrite {
    LmpRecording *from; /* the caller's */
    RecFile file;       /* what is made; its descriptor is the caller's */
    RecFrames *frames;
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
/* Output that came after the last frame, if it goes along, and copies (copies.h). Errors: NOMEM,
 * FILE. */
LmpErr rewrite_rest(RecRewrite *w);
void rewrite_free(RecRewrite *w);

#endif
