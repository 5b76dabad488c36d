/* recording_impl.h - the inside of LmpRecording, for recording.c, which opens and asks, and seek.c.
 */
#ifndef LMP_RECORDING_READER_RECORDING_IMPL_H
#define LMP_RECORDING_READER_RECORDING_IMPL_H

#include "recording/format/recscan.h"
#include "recording/reader/apply.h"
#include "recording/reader/recording.h"

struct LmpRecording {
    int fd;
    bool own_fd;
    RecScan scan;
    uint32_t loaded; /* parts that were looked at */
    RecSchema schema;
    uint32_t *frame; /* numbers of parts */
    uint32_t frames, frames_room;
    char *again, *directory, *damage;
    KeptTexts *sources;
    uint32_t ended;
    uint64_t left_out;
    RecOutputs outputs;
    /* the state */
    RecMemory state, key; /* key: the first frame of the chunk of figures; it has no tables */
    LmpView view;
    uint32_t have[REC_GROUPS];    /* rows that never change: where they end */
    bool header;                  /* it was read */
    bool lost_rows;               /* some of them may not be there */
    RecExtent extent[REC_GROUPS]; /* of the key, or of the tables */
    uint64_t key_live;            /* place of what the key has; 0: nothing */
    /* Of the tables in the state, by layer: their place, and that of the first of their chunk, to
     * which `undo` leads back; 0: none. */
    uint64_t tables[REC_LAYERS], first_tables[REC_LAYERS];
    uint64_t tables_clock;
    uint32_t now; /* the frame sought; UINT32_MAX: none */
    RecUndo undo;
    uint64_t mending; /* bytes looked at to mend parts */
    RecBytes stored, plain;
    RecPack *pack, *pack_live, *pack_tables; /* NULL: it is spent */
};

/* Reads a part's plain bytes into r->plain. Errors: DAMAGED, NOMEM. */
LmpErr seek_part(LmpRecording *r, RecPack *pack, const RecPart *part);

/* Returns what that part says, of these layers. */
RecPiece seek_piece(const LmpRecording *r, RecSection section, unsigned layers);
/* Clears what the state has of a section, or of all tables. */
void seek_clear(LmpRecording *r, RecSection section);
void seek_no_tables(LmpRecording *r);

#endif
