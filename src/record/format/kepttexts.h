/* kepttexts.h - texts of the program's source files that a recording has: what ran, wherever the
 * recording is read, and whatever has become of the files. */
#ifndef LMP_RECORD_KEPTTEXTS_H
#define LMP_RECORD_KEPTTEXTS_H

#include "base/err.h"
#include "record/format/bytes.h"

typedef struct KeptTexts KeptTexts;

/* One text as the plain bytes of a part. `source`: as lua_Debug has it, "@file". */
void kepttexts_put(RecBytes *out, const char *source, const char *text, size_t n);
/* Adds what such bytes say; of a source that is there already the first text stays. *texts: NULL
 * before the first time. Errors: DAMAGED (it is none, or there are too many), NOMEM. */
LmpErr kepttexts_add(KeptTexts **texts, const uint8_t *bytes, size_t n);
void kepttexts_free(KeptTexts *texts);

/* NULL as `texts`: there are none. */
uint32_t kepttexts_count(const KeptTexts *texts);
/* The text number `i`, `*n` bytes and a NUL, and what it is of. */
const char *kepttexts_at(const KeptTexts *texts, uint32_t i, const char **source, size_t *n);
/* The same of that source; NULL: there is none. */
const char *kepttexts_find(const KeptTexts *texts, const char *source, size_t *n);

#endif
