/* coding.h - groups of rows (fields.h) as bytes, and back.
 *
 * A piece of a live or tables section is, for each group: its number in the schema, rows in use,
 * how many of them have changed since the first frame of the chunk (in a first frame: are not all
 * zero), which ones (the distance of each from the one before, the first from -1), and then, word
 * by word of the row, either 0 (it has not changed in any of these rows) or 1 and its changes, one
 * for each of these rows, as signed numbers. A piece of the rows section has, for each group: its
 * number, the first row, how many, and word by word of the row the difference from the row before
 * (of the first one: from zero); characters stand as they are. All numbers as in bytes.h. Changes
 * are read by apply.h, written by changes.h. */
#ifndef LMP_RECORDING_FORMAT_CODING_H
#define LMP_RECORDING_FORMAT_CODING_H

#include "base/err.h"
#include "recording/format/bytes.h"
#include "recording/format/fields.h"

/* ---- memory of groups ------------------------------------------------------------------------ */

/* Copies, or clears, the fields of a group in rows [from, to). */
void coding_copy(const RecGroup *group, const RecMemory *to, const RecMemory *from, uint32_t first,
                 uint32_t end);
void coding_clear(const RecGroup *group, const RecMemory *m, uint32_t first, uint32_t end);
/* Copies the group's fields to these rows from `held`, where bytes [from, to) of each row lie one
 * after another. */
void coding_put_back(const RecGroup *group, const RecMemory *m, const uint32_t *row, uint32_t rows,
                     const char *held, uint32_t from, uint32_t to);

/* ---- writing --------------------------------------------------------------------------------- */

/* Puts the schema: all of rec_groups. */
void coding_put_schema(RecBytes *out);

/* Puts rows [first, end) of a group that never change. */
void coding_put_rows(RecBytes *out, uint32_t group, const RecMemory *now, uint32_t first,
                     uint32_t end);

/* ---- reading --------------------------------------------------------------------------------- */

/* A group of a file. */
typedef struct RecFileField {
    char name[64];
    uint16_t size, count;
    bool text;
    const RecField *own; /* NULL: not known here */
} RecFileField;

typedef struct RecFileGroup {
    char name[64];
    uint32_t section, fields;
    uint64_t most;
    const RecGroup *own; /* NULL: not known here */
    RecFileField *field;
} RecFileGroup;

typedef struct RecSchema {
    uint32_t groups;
    RecFileGroup *group;
} RecSchema;

/* Errors: DAMAGED, NOMEM. */
LmpErr coding_read_schema(RecSchema *out, const uint8_t *bytes, size_t n);
void coding_free_schema(RecSchema *schema);

/* Rows that a group's changes are of: numbers that rise and are below `n`. Errors: DAMAGED, NOMEM.
 */
typedef struct RecWhich {
    uint32_t *row; /* the caller frees it */
    uint32_t rows, room;
} RecWhich;
LmpErr which_read(RecWhich *which, RecRead *r, uint64_t n);

/* Puts rows that never change where they belong; `have`: where those of each of rec_groups end that
 * are there. `version`: of the file; in one of REC_VERSION_LINKED, a piece's first row is a
 * difference, too, so all before it must be there. Error: DAMAGED. */
LmpErr coding_read_rows(const RecSchema *schema, uint32_t version, const uint8_t *bytes, size_t n,
                        const RecMemory *m, uint32_t *have);

/* Tells what is in a piece of changes or rows, word by word, for people: `word` of the field's
 * words, in `row`; `value` is a difference. `field` NULL: a group begins, `row` of its rows are in
 * use and `value` are told. */
typedef void RecTell(void *of, const RecFileGroup *group, const RecFileField *field, uint32_t word,
                     uint64_t row, uint64_t value);
LmpErr coding_tell(const RecSchema *schema, RecSection section, const uint8_t *bytes, size_t n,
                   RecTell *tell, void *of);

#endif
