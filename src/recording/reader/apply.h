/* apply.h - pieces of changes (coding.h) done to memory: fast, since a seek in the recording of a
 * large program reads a million rows, and so that they can be taken back. The bytes may be
 * anything. */
#ifndef LMP_RECORDING_READER_APPLY_H
#define LMP_RECORDING_READER_APPLY_H

#include "recording/format/coding.h"

/* Of a group: what of it may not be zero. */
typedef struct RecExtent {
    uint32_t rows;
    uint64_t words; /* a bit for each word of the row, the last one for all from the 64th on */
} RecExtent;

/* What rows held before a piece was added to them, of each of rec_groups. */
typedef struct RecUndo {
    struct RecHeld {
        uint32_t *row, rows, room;
        uint32_t from, to; /* bytes of the row that are held, */
        char *held;        /* one row after another */
        uint32_t held_room;
    } group[REC_GROUPS];
} RecUndo;
void undo_free(RecUndo *undo);
/* Puts back what was there, and forgets it. `layers`: bits, 1 << RecLayer; others stay. */
void undo_all(RecUndo *undo, const RecMemory *m, unsigned layers);
/* Forgets it, for an apply_first of what it speaks of. `extent`: of each of rec_groups. */
void undo_forget(RecUndo *undo, RecExtent *extent, unsigned layers);

/* A piece: its plain bytes, and what of it is done to memory. */
typedef struct RecPiece {
    RecSection section;
    unsigned layers; /* bits: 1 << RecLayer; what is of others is passed over */
    const uint8_t *bytes;
    size_t n;
} RecPiece;

/* Makes `m` what the first piece of a chunk says: what it does not speak of is zero. `extent`, of
 * each of rec_groups, is that of what was there, and then of what is. Errors: DAMAGED (some of it
 * may have been done), NOMEM. */
LmpErr apply_first(const RecSchema *schema, const RecPiece *piece, const RecMemory *m,
                   RecExtent *extent);

/* Adds the changes of a piece to what is there. `undo` (empty) notes what was; `extent` gets the
 * words that were changed; both may be NULL. Errors: the same; what was done is noted. */
LmpErr apply_changes(const RecSchema *schema, const RecPiece *piece, const RecMemory *m,
                     RecUndo *undo, RecExtent *extent);

#endif
