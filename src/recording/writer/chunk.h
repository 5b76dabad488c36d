/* chunk.h - frames of one section as parts of a file, one chunk after another: the first part of
 * each says the state against zero, and is the key of the others. */
#ifndef LMP_RECORDING_WRITER_CHUNK_H
#define LMP_RECORDING_WRITER_CHUNK_H

#include "recording/format/part.h"

/* Where parts go: sets part->place. */
typedef struct RecSink {
    LmpErr (*put)(void *of, RecPart *part, const uint8_t *stored);
    void *of;
} RecSink;

typedef struct Chunk {
    RecKind kind;
    RecPack *pack;
    RecBytes key;  /* the plain bytes of its first part; none: a new one is to begin */
    uint64_t base; /* place of that part */
    uint32_t base_stored, frames;
    uint64_t stored; /* of its other parts, bytes */
} Chunk;

/* Errors: NOMEM. */
LmpErr chunk_open(Chunk *c, RecKind kind);
void chunk_close(Chunk *c);

/* Packs the bytes as a part of the chunk, and puts it. Those of its first part become the key, and
 * `plain` is empty. Errors: NOMEM, and the sink's: then a new chunk is to begin. */
LmpErr chunk_put(Chunk *c, RecSink sink, RecPart *part, RecBytes *plain, RecBytes *packed);

#endif
