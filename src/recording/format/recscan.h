/* recscan.h - the parts of a recording's file, found by its index or by looking through it. Reads
 * heads alone, and trusts nothing. */
#ifndef LMP_RECORDING_FORMAT_RECSCAN_H
#define LMP_RECORDING_FORMAT_RECSCAN_H

#include "recording/format/coding.h"
#include "recording/format/part.h"

typedef struct RecScan {
    int fd;        /* the caller's */
    uint64_t size; /* of the file when it was looked at last */
    uint64_t end;  /* of the last whole part */
    uint64_t lost; /* bytes that are in no whole part, */
    uint64_t cut;  /* and those of them behind the last one */
    uint32_t version;
    uint32_t generation; /* changes when the file is written anew */
    uint64_t device, inode;
    uint32_t anew; /* how often recscan_more has begun anew (count) */
    bool complete; /* it was closed in order */
    bool indexed;  /* found by the index */
    RecPart *part; /* by rising place; the index is not among them */
    uint32_t parts, room;
} RecScan;

/* Errors: FOREIGN, VERSION, DAMAGED, NOMEM. */
LmpErr recscan_open(RecScan *scan, int fd);
/* Parts that came since; those that are there stay, unless the generation has changed or the
 * descriptor is that of another file (recscan_reopen): then it begins anew. */
LmpErr recscan_more(RecScan *scan);
void recscan_free(RecScan *scan);

/* Returns the number of the part at a place; UINT32_MAX: none. */
uint32_t recscan_find(const RecScan *scan, uint64_t place);
/* Returns true if a part is a frame. Moments are found by their clocks: one from before those that
 * are there, `clock` the last, does not belong where it stands, and is lost. */
bool recscan_is_frame(const RecPart *part, uint64_t clock);
/* Returns the tables of its own that a frame has; NULL: none. */
const RecPart *recscan_tables(const RecScan *scan, const RecPart *frame);
/* Reads what is stored of a part, into `out`. Errors: DAMAGED, NOMEM. */
LmpErr recscan_read(const RecScan *scan, const RecPart *part, RecBytes *out);

/* Reads the schema: all else in the file needs that, so the first of its copies that is sound will
 * do; *out stays empty where there is none. `out`: empty. Errors: NOMEM. */
LmpErr recscan_schema(const RecScan *scan, RecSchema *out);

/* ---- a file that somebody else may still write to -------------------------------------------- */

/* Returns true if anybody writes to it (recfile_take), and where files cannot be locked, as nobody
 * knows then. */
bool recscan_has_writer(int fd);
/* Makes `fd` the recording that the name belongs to by now, if it is another: a recorder that
 * compacts its file writes another one beside it and renames that. recording_refresh then begins
 * anew. Returns false if it is the same, or cannot be read. */
bool recscan_reopen(int fd, const char *file);

#endif
