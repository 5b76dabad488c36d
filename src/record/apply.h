/* apply.h - pieces of changes (coding.h) done to memory: fast, since a seek in the recording of a
 * large program reads a million rows, and so that they can be taken back. The bytes may be
 * anything. */
#ifndef LMP_RECORD_APPLY_H
#define LMP_RECORD_APPLY_H

#include "record/coding.h"

/* What rows held before a piece was added to them, of each of rec_groups. */
typedef struct RecUndo {
    uint32_t *row[REC_GROUPS];
    char *held[REC_GROUPS]; /* whole rows, one after another */
    uint32_t rows[REC_GROUPS], room[REC_GROUPS];
} RecUndo;
void undo_free(RecUndo *undo);
/* Puts back what was there, and forgets it. */
void undo_all(RecUndo *undo, const RecMemory *m);

/* Makes `m` what the first piece of a chunk says: what it does not speak of is zero. `high`: of
 * each of rec_groups, how many rows may not be zero; kept so. Errors: DAMAGED (some of it may have
 * been done), NOMEM. */
LmpErr apply_first(const RecSchema *schema, RecSection section, const uint8_t *bytes, size_t n,
                   const RecMemory *m, uint32_t *high);

/* Adds the changes of a piece to what is there. `undo` (empty; may be NULL) notes what was. Errors:
 * the same; what was done is noted. */
LmpErr apply_changes(const RecSchema *schema, RecSection section, const uint8_t *bytes, size_t n,
                     const RecMemory *m, RecUndo *undo);

#endif
