/* snapfile_impl.h - what writer and reader of snapshot files share: the records of the file, and
 * which parts of the shared state are in it. */
#ifndef LMP_SHARED_SNAPFILE_IMPL_H
#define LMP_SHARED_SNAPFILE_IMPL_H

#include <string.h>

#include "shared/snapfile.h"

typedef struct LmpSnapHead {
    uint64_t magic; /* LMP_SNAPFILE_MAGIC */
    uint32_t version;
    uint32_t head_size, info_size; /* a second check of the version */
    uint32_t columns;
    uint32_t state;  /* 1: parts of the shared state follow the columns */
    uint32_t layout; /* LMP_LAYOUT of it */
    LmpObjectInfo info;
    uint32_t objects, edges, wides, frames, slots, spare;
    uint64_t text_bytes;
    uint32_t count[LMP_OBJECT_KINDS];
    uint64_t checksum; /* of all before it */
} LmpSnapHead;
_Static_assert(sizeof(LmpSnapHead) ==
                   4 * 8 + sizeof(LmpObjectInfo) + 8 * 4 + LMP_OBJECT_KINDS * 4 + 8,
               "no holes, which would differ from file to file");

/* Makes the head, for the beginning of the file: what snapfile_write has written there may be
 * written again with more of `info` known. */
void snapfile_head(LmpSnapHead *head, const LmpObjectInfo *info, const LmpObjectGraph *graph,
                   const LmpSnapState *state);

typedef struct LmpSnapChunk {
    uint32_t section; /* a column, or LMP_SNAP_COLUMNS + a row of snapfile_parts; or the end */
    uint32_t plain;   /* bytes before compression, at most SNAPFILE_PLAIN */
    uint32_t stored;  /* bytes that follow; as many as plain: they are not compressed */
    uint32_t spare;
    uint64_t checksum; /* of the four words above and of what is stored */
} LmpSnapChunk;

#define LMP_SNAPFILE_END UINT32_MAX
#define SNAPFILE_PLAIN (256u << 10) /* bytes of a chunk before compression, at most */
#define SNAPFILE_VARINT 10u         /* bytes of a number, at most */

/* What of the shared state is in the file: rows of a size, at a place of it, under a name in
 * dumps. */
typedef struct SnapfilePart {
    const char *name;
    uint64_t at;                               /* in the state's file */
    uint32_t row;                              /* bytes */
    uint32_t most;                             /* rows */
    uint32_t (*rows)(const LmpTables *tables); /* in use; NULL: one */
} SnapfilePart;
enum { SNAPFILE_HEADER, SNAPFILE_LIVE, SNAPFILE_TABLES, SNAPFILE_PARTS = SNAPFILE_TABLES + 11 };
extern const SnapfilePart snapfile_parts[SNAPFILE_PARTS];

/* Four sums side by side, so that the processor need not wait for one product to begin the next. */
static inline uint64_t snapfile_checksum(const void *bytes, size_t n, uint64_t seed) {
    const uint64_t odd = 0x9e3779b97f4a7c15ull;
    const unsigned char *at = bytes;
    uint64_t sum[4] = {seed ^ n, seed + odd, seed ^ odd, ~seed}, word[4];
    for (; n >= sizeof word; n -= sizeof word, at += sizeof word) {
        memcpy(word, at, sizeof word);
        for (int i = 0; i < 4; i++) {
            sum[i] = (sum[i] ^ word[i]) * odd;
            sum[i] ^= sum[i] >> 29;
        }
    }
    memset(word, 0, sizeof word);
    memcpy(word, at, n);
    uint64_t all = 0;
    for (int i = 0; i < 4; i++) {
        all = (all ^ ((sum[i] ^ word[i]) * odd)) * odd;
        all ^= all >> 32;
    }
    return all;
}

static inline uint64_t snapfile_chunk_checksum(const LmpSnapChunk *chunk, const void *stored) {
    return snapfile_checksum(stored, chunk->stored,
                             snapfile_checksum(chunk, offsetof(LmpSnapChunk, checksum), 0));
}

#endif
