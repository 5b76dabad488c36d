/* chunks.h - what lies between the Lua blocks of a mapping: what glibc's malloc keeps around each
 * block, what it keeps free, and what other code has asked it for.
 *
 * A chunk of glibc's malloc is a word with its size, and what it serves; where it ends the next one
 * begins. Three low bits of the size word say whether the chunk *before* is in use, whether this
 * one has a mapping of its own, and whether it is another arena's. So from one chunk all that
 * follow are found, without malloc's lock, by reading alone. The program goes on meanwhile, so what
 * is read is believed only where it fits: the chunk of each Lua block, whose size the shadow map
 * knows, must be as large as malloc makes it for that size, and the chunks between two Lua blocks
 * must end exactly where the second one begins. What does not fit is not told apart.
 *
 * mallinfo2() would be exact, but it holds malloc's lock while it walks all free chunks: 0.4 s for
 * half a million of them.
 *
 * Small freed chunks that malloc keeps for the next request of their size still count as in use for
 * it. They are known by the scrambled link in their first word (since glibc 2.32). */
#ifndef LMP_CHUNKS_H
#define LMP_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include "read/heapmap/heapmap.h"

#define CHUNKS_PAGE 4096u      /* what is looked at, bytes; the system's pages may be larger */
#define CHUNKS_PART (1u << 20) /* what is read in one go, bytes */
#define CHUNKS_PAGES (CHUNKS_PART / CHUNKS_PAGE)

typedef enum ChunkUse {
    CHUNK_LUA,    /* Lua's blocks, as it asked for them */
    CHUNK_AROUND, /* the rest of their chunks: size words, rounding */
    CHUNK_FREE,
    CHUNK_CODE, /* what other code has asked malloc for, with what is around it */
    CHUNK_OWN,  /* lmp's own mappings */
    CHUNK_USES
} ChunkUse;

/* How pages are filled: in tenths, by all that is in use there; [10]: pages that are full. */
#define CHUNKS_FILL 11u

/* Bytes in memory, unless it says otherwise. */
typedef struct ChunkSums {
    uint64_t use[CHUNK_USES];
    uint64_t untold;             /* not told apart */
    uint64_t free_whole;         /* of CHUNK_FREE: in pages where nothing else is */
    uint64_t absent;             /* of Lua's blocks: not in memory, never touched or swapped out */
    uint64_t fits;               /* Lua blocks whose chunk is what glibc makes for them (count) */
    uint64_t misfits;            /* others (count) */
    uint64_t pages[CHUNKS_FILL]; /* the system's, of which all is told (count) */
} ChunkSums;

/* A part of a mapping: at most CHUNKS_PART bytes of addresses that lie in one such stretch. */
typedef struct ChunkPart {
    uint64_t from, to;
    const bool *here; /* by page of the stretch: it is in memory */
    const uint8_t
        *memory; /* of the stretch; only what is `here` counts. NULL: it may not be read */
    const MapListBlock *block; /* Lua's, that begin in it or right at its end, by address */
    uint32_t blocks;
} ChunkPart;

typedef struct ChunkSpan {
    uint64_t from, to;
    ChunkUse use;
} ChunkSpan;

/* A walk over a mapping, part by part from its beginning on. */
typedef struct Chunks {
    uint64_t start, end;  /* of the mapping */
    uint64_t system_page; /* bytes */
    uint32_t glibc;       /* as in Mappings */
    /* Reads a word that is not in the part: as above, false if it is not in memory. */
    bool (*word)(void *context, uint64_t addr, uint64_t *out);
    void *context;
    ChunkSums sums;
    /* inside */
    bool synced; /* a chunk begins at `next` */
    uint64_t next;
    uint64_t told; /* where the last Lua block's chunk ends, if memory is not read */
    const ChunkPart *part;
    ChunkSpan ahead[4]; /* what reaches beyond the part */
    uint32_t aheads;
    ChunkSpan gap[CHUNKS_PART / 16];
    uint32_t gaps;
    uint16_t page[CHUNKS_PAGES][CHUNK_USES];
} Chunks;

/* Returns the size of the chunk that glibc makes for a request. */
uint64_t chunks_size(uint64_t bytes);

/* Begins the walk over [start, end); the rest of it is set by the caller. */
void chunks_begin(Chunks *c, uint64_t start, uint64_t end);
/* Counts the chunks of a part. `own`: ranges of lmp's own, by address, that intersect the part. */
void chunks_part(Chunks *c, const ChunkPart *part, const ChunkSpan *own, uint32_t owns);

/* Returns how long mapping starts with chunks that have a mapping of their own: bytes from its
 * beginning on; 0: with none. */
uint64_t chunks_mapped(const Chunks *c);

#endif
