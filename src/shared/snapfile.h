/* heapfile.h - the file of a heap snapshot: written by the profiled program's child, read by lmp.
 *
 *     LmpHeapHead        magic, version, LmpHeapInfo, counts, checksum of itself
 *     chunks             LmpHeapChunk and then `stored` bytes each, compressed (LZ4): a part of one
 *                        section; sections in their order, their chunks one after another
 *     LmpHeapChunk       section LMP_HEAPFILE_END: the file is whole
 *
 * Sections are the columns of the graph (heapgraph_columns, by index), then what the shared state
 * had in that moment, as it lies there (layout.h): LmpHeader, LmpLive, and the rows in use of each
 * table. So all that a live display says of lines, functions and call paths can be said of the
 * file.
 *
 * The writer runs in a child that may use neither locks nor the host's malloc: all memory is the
 * caller's. The reader trusts nothing. Integers are little-endian, as on all machines that lmp
 * runs on. */
#ifndef LMP_SHARED_HEAPFILE_H
#define LMP_SHARED_HEAPFILE_H

#include <stddef.h>

#include "base/err.h"
#include "base/progress.h"
#include "shared/heapgraph.h"
#include "shared/tables.h"

#define LMP_HEAPFILE_MAGIC 0x5041454850504d4cull /* "LMPPHEAP" in memory order */
#define LMP_HEAPFILE_VERSION 1u

/* What of the shared state goes into the file; a NULL header: nothing (tests, foreign heaps). */
typedef struct LmpHeapState {
    const LmpHeader *header;
    const LmpLive *live;
    const LmpTables *tables; /* NULL or text NULL: none */
} LmpHeapState;

/* Where bytes go. Returns false when they cannot be written: then the writer gives up. `wrote` is
 * called after each chunk, for a heartbeat. */
typedef struct LmpHeapSink {
    bool (*write)(struct LmpHeapSink *sink, const void *bytes, size_t n);
    void *of;
} LmpHeapSink;

/* Returns how much scratch memory heapfile_write needs (bytes). */
size_t heapfile_scratch(void);

/* Writes a whole file. `scratch`: heapfile_scratch() bytes, aligned to 16. Errors: FILE (the sink
 * refused). No malloc, no lock, no stdio. */
LmpErr heapfile_write(LmpHeapSink *sink, const LmpHeapInfo *info, const LmpHeapGraph *graph,
                      const LmpHeapState *state, void *scratch);

/* A snapshot as read. All memory is its own; heapfile_free gives it back. The graph is
 * checked: every index in it is within bounds, edge_at ascends, kinds are known, counts fit, the
 * lengths in string_shown sum to text_bytes. */
typedef struct LmpHeapRead {
    LmpHeapInfo info;
    LmpHeapGraph graph;
    void *whole;     /* the state, VIEW_WHOLE bytes mapped, for view_open_whole(); NULL: none */
    uint64_t bytes;  /* of the file */
    uint64_t bad_at; /* where reading failed (byte of the file) */
    void *memory;    /* what the graph's columns lie in */
    uint64_t memory_bytes;
} LmpHeapRead;

/* Reads the file in `fd` (stays the caller's). Errors: FOREIGN (no snapshot), VERSION, DAMAGED (cut
 * off, or changed), NOMEM. */
LmpErr heapfile_read(LmpHeapRead *out, int fd);
/* The same, telling how far it is (NULL: nobody). Error: STOPPED, too. */
LmpErr heapfile_read_told(LmpHeapRead *out, int fd, LmpProgress *progress);
void heapfile_free(LmpHeapRead *read);
/* What its head alone says. Errors: FOREIGN, VERSION, DAMAGED, NOMEM. */
LmpErr heapfile_read_info(LmpHeapInfo *out, int fd);

#endif
