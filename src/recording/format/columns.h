/* columns.h - the numbers of a group in a piece of changes (coding.h), which has them word by word:
 * where those of each word begin is found first, then some rows at a time get all of theirs, so
 * that memory is passed once. The bytes may be anything. */
#ifndef LMP_RECORDING_FORMAT_COLUMNS_H
#define LMP_RECORDING_FORMAT_COLUMNS_H

#include "recording/format/coding.h"

typedef struct RecColumn {
    const uint8_t *at; /* what comes next of it; NULL: it has not changed */
    uint32_t place;    /* in the row */
    uint32_t size;
} RecColumn;

typedef struct RecColumns {
    RecColumn *column; /* one for each word of our own row; the caller frees it */
    uint32_t n, room;
} RecColumns;

/* Finds where the numbers of each word begin, for `rows` rows; passes over them. `g` may be one
 * that is not known here: then there are no columns. Errors: DAMAGED, NOMEM. */
LmpErr columns_find(RecColumns *c, RecRead *r, const RecFileGroup *g, uint32_t rows);

/* Puts the next numbers into these rows, which are `stride` bytes apart from `to` on; `add`: adds
 * them to what is there. `end`: of the piece. Returns false if a number is none. */
bool columns_read(RecColumns *c, const uint8_t *end, bool add, char *to, size_t stride,
                  const uint32_t *row, uint32_t n);

#endif
