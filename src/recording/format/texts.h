/* texts.h - what a recording has beside the state: texts of the program's source files (what ran,
 * whatever has become of the files), and pieces of the script's output with their times. */
#ifndef LMP_RECORDING_FORMAT_TEXTS_H
#define LMP_RECORDING_FORMAT_TEXTS_H

#include "base/err.h"
#include "recording/format/bytes.h"

/* ---- source files ---------------------------------------------------------------------------- */

typedef struct KeptTexts KeptTexts;

/* Puts one text as the plain bytes of a part. `source`: as lua_Debug has it, "@file". */
void kepttexts_put(RecBytes *out, const char *source, const char *text, size_t n);
/* Adds what such bytes say; of a source that is there already the first text stays. *texts: NULL
 * before the first time. Errors: DAMAGED (it is none, or there are too many), NOMEM. */
LmpErr kepttexts_add(KeptTexts **texts, const uint8_t *bytes, size_t n);
void kepttexts_free(KeptTexts *texts);

/* Returns how many there are; of NULL, none. */
uint32_t kepttexts_count(const KeptTexts *texts);
/* Returns the text number `i`, `*n` bytes and a NUL, and what it is of. */
const char *kepttexts_at(const KeptTexts *texts, uint32_t i, const char **source, size_t *n);
/* Returns the same of that source; NULL: there is none. */
const char *kepttexts_find(const KeptTexts *texts, const char *source, size_t *n);

/* ---- output ---------------------------------------------------------------------------------- */

typedef struct RecOutputPiece {
    uint64_t clock; /* nanoseconds since the state's start */
    size_t at, n;   /* in `text` */
} RecOutputPiece;

typedef struct RecOutputs {
    RecOutputPiece *piece;
    uint32_t pieces, room;
    RecBytes text;
} RecOutputs;

/* Puts a piece as it stands in an output part that begins at `clock`. */
void outputs_put(RecBytes *out, uint64_t since, const char *bytes, size_t n);
/* Adds the pieces of a part. Errors: DAMAGED (the pieces before it are there), NOMEM. */
LmpErr outputs_read(RecOutputs *o, uint64_t clock, const uint8_t *bytes, size_t n);
void outputs_free(RecOutputs *o);

#endif
