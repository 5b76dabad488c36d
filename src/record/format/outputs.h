/* outputs.h - pieces of the script's output with their times, as a recording has them. */
#ifndef LMP_RECORD_OUTPUTS_H
#define LMP_RECORD_OUTPUTS_H

#include "base/err.h"
#include "record/format/bytes.h"

typedef struct RecOutputPiece {
    uint64_t clock; /* nanoseconds since the state's start */
    size_t at, n;   /* in `text` */
} RecOutputPiece;

typedef struct RecOutputs {
    RecOutputPiece *piece;
    uint32_t pieces, room;
    RecBytes text;
} RecOutputs;

/* A piece as it stands in an output part that begins at `clock`. */
void outputs_put(RecBytes *out, uint64_t since, const char *bytes, size_t n);
/* Adds the pieces of a part. Errors: DAMAGED (the pieces before it are there), NOMEM. */
LmpErr outputs_read(RecOutputs *o, uint64_t clock, const uint8_t *bytes, size_t n);
void outputs_free(RecOutputs *o);

#endif
