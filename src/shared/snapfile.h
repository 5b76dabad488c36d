/* snapfile.h - the file of a heap snapshot: written by the profiled program's child, read by lmp.
 *
 *     LmpSnapHead        magic, version, LmpObjectInfo, counts, checksum of itself
 *     chunks             LmpSnapChunk and then `stored` bytes each, compressed (LZ4): a part of one
 *                        section; sections in their order, their chunks one after another
 *     LmpSnapChunk       section LMP_SNAPFILE_END: the file is whole
 *
 * Sections are the columns of the graph (objectgraph_columns, by index), then what the shared state
 * had in that moment, as it lies there (layout.h): LmpHeader, LmpLive, and the rows in use of each
 * table. So all that a live display says of lines, functions and call paths can be said of the
 * file.
 *
 * The writer runs in a child that may use neither locks nor the host's malloc: all memory is the
 * caller's. The reader trusts nothing. Integers are little-endian, as on all machines that lmp
 * runs on. */
#ifndef LMP_SHARED_SNAPFILE_H
#define LMP_SHARED_SNAPFILE_H

#include <stddef.h>

#include "base/err.h"
#include "base/progress.h"
#include "shared/objectgraph.h"
#include "shared/tables.h"

#define LMP_SNAPFILE_MAGIC 0x5041454850504d4cull /* "LMPPHEAP" in memory order */
#define LMP_SNAPFILE_VERSION 1u

/* What of the shared state goes into the file; a NULL header: nothing (tests, foreign heaps). */
typedef struct LmpSnapState {
    const LmpHeader *header;
    const LmpLive *live;
    const LmpTables *tables; /* NULL or text NULL: none */
} LmpSnapState;

/* Where bytes go. Returns false when they cannot be written: then the writer gives up. `wrote` is
 * called after each chunk, for a heartbeat. */
typedef struct LmpSnapSink {
    bool (*write)(struct LmpSnapSink *sink, const void *bytes, size_t n);
    void *of;
} LmpSnapSink;

/* Returns how much scratch memory snapfile_write needs (bytes). */
size_t snapfile_scratch(void);

/* Writes a whole file. `scratch`: snapfile_scratch() bytes, aligned to 16. Errors: FILE (the sink
 * refused). No malloc, no lock, no stdio. */
LmpErr snapfile_write(LmpSnapSink *sink, const LmpObjectInfo *info, const LmpObjectGraph *graph,
                      const LmpSnapState *state, void *scratch);

/* A snapshot as read. All memory is its own; snapfile_free gives it back. The graph is
 * checked: every index in it is within bounds, edge_at ascends, kinds are known, counts fit, the
 * lengths in string_shown sum to text_bytes. */
typedef struct LmpSnapRead {
    LmpObjectInfo info;
    LmpObjectGraph graph;
    void *whole;     /* the state, VIEW_WHOLE bytes mapped, for view_open_whole(); NULL: none */
    uint64_t bytes;  /* of the file */
    uint64_t bad_at; /* where reading failed (byte of the file) */
    void *memory;    /* what the graph's columns lie in */
    uint64_t memory_bytes;
} LmpSnapRead;

/* Reads the file in `fd` (stays the caller's). Errors: FOREIGN (no snapshot), VERSION, DAMAGED (cut
 * off, or changed), NOMEM. */
LmpErr snapfile_read(LmpSnapRead *out, int fd);
/* Does the same, telling how far it is (NULL: nobody). Error: STOPPED, too. */
LmpErr snapfile_read_told(LmpSnapRead *out, int fd, LmpProgress *progress);
void snapfile_free(LmpSnapRead *read);
/* Reads what its head alone says. Errors: FOREIGN, VERSION, DAMAGED, NOMEM. */
LmpErr snapfile_read_info(LmpObjectInfo *out, int fd);

#endif
