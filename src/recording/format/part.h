/* part.h - the parts of a recording's file: their heads, checksums and packing. docs/formats.md has
 * the grammar.
 *
 * A file is a head and then parts. Numbers are little-endian; heads are written word by word, so no
 * struct of the program lies in the file. */
#ifndef LMP_RECORDING_FORMAT_PART_H
#define LMP_RECORDING_FORMAT_PART_H

#include "base/err.h"
#include "recording/format/bytes.h"

#define REC_MAGIC 0x4452434552504d4cull     /* "LMPRECRD" in the file's order */
#define REC_END_MAGIC 0x58444e4952504d4cull /* "LMPRINDX" */
#define REC_VERSION 2u
#define REC_VERSION_LINKED 1u /* its rows are differences from those of the part before */
#define REC_HEAD 16u          /* bytes: magic, version, 0 */
#define REC_END 24u           /* bytes: place of the index, its stored bytes, 0, magic */
#define REC_PART 64u          /* bytes of a part's head */
#define REC_SYNC 0x54524150u  /* "PART" */
#define REC_PLAIN_MOST (256u << 20)
#define REC_DICTIONARY                                                                             \
    (1u << 20) /* plain bytes of a first frame that serves as dictionary, at most */

typedef enum RecKind {
    REC_SCHEMA = 1,  /* names and sizes of groups and fields (coding.h) */
    REC_HEADER,      /* the section info: about the program */
    REC_AGAIN,       /* how it was started, for a shell */
    REC_ROWS_PART,   /* rows that never change */
    REC_TABLES_PART, /* figures of the tables */
    REC_LIVE_PART,   /* all other figures: a frame */
    REC_OUTPUT,      /* of the script */
    REC_INDEX,       /* heads of all parts with their places */
    REC_ENDED,       /* all was written; live_bytes: 1 + the program's wait status, or 0 */
    REC_PARITY,      /* a sum of first parts (redundancy.h) */
    REC_SOURCE,      /* the text of a source file (texts.h) */
    REC_DIRECTORY,   /* in which the program ran */
    REC_KINDS
} RecKind;
#define REC_COPY 1u       /* a flag of parts that come once: what parts before it say, again */
#define REC_OWN_TABLES 1u /* a flag of frames: LMP_FRAME_TABLES */
extern const char *const rec_kind_names[REC_KINDS];

typedef enum RecPacking {
    REC_PLAIN,
    REC_ZSTD,
    REC_ZSTD_BASE, /* with the plain bytes of the part at `base` for its dictionary */
    REC_PACKINGS
} RecPacking;

typedef struct RecPart {
    uint64_t place; /* in the file; not in the head itself */
    uint8_t kind;   /* RecKind */
    uint8_t flags;  /* of a frame: LMP_FRAME_; else REC_COPY */
    uint8_t packing;
    uint32_t stored, plain;   /* bytes */
    uint64_t clock;           /* nanoseconds since the state's start */
    uint64_t base;            /* place of its chunk's first part; 0: it is that itself */
    uint64_t live_bytes, rss; /* of a frame */
    uint64_t tables;          /* of a frame: place of the tables that go with it; 0: none */
    uint32_t checksum;        /* CRC-32 of what is stored */
} RecPart;

/* Writes the head as it stands in the file. */
void part_put(uint8_t out[REC_PART], const RecPart *part);
/* Returns false if no head stands there, or a damaged one. */
bool part_get(RecPart *out, const uint8_t in[REC_PART], uint64_t place);

void rec_put32(uint8_t *at, uint32_t v);
void rec_put64(uint8_t *at, uint64_t v);
uint32_t rec_get32(const uint8_t *at);
uint64_t rec_get64(const uint8_t *at);

uint32_t part_checksum(const void *bytes, size_t n);

/* ---- packing --------------------------------------------------------------------------------- */

typedef struct RecPack RecPack; /* zstd's memory, and a dictionary */

RecPack *pack_new(void); /* NULL: no memory */
void pack_free(RecPack *pack);
/* Sets what `base` is for REC_ZSTD_BASE from now on, for packing or for unpacking; copied. n 0:
 * none. */
bool pack_set_base(RecPack *pack, const void *bytes, size_t n, bool packing);
/* Packs into `out` (its content is replaced) and says how in part->packing, ->stored, ->plain and
 * ->checksum; part->base tells whether the dictionary counts. Errors: NOMEM. */
LmpErr pack_bytes(RecPack *pack, RecPart *part, const RecBytes *plain, RecBytes *out);
/* Does the inverse: part->plain bytes into `out`. Errors: DAMAGED, NOMEM. */
LmpErr pack_unpack(RecPack *pack, const RecPart *part, const uint8_t *stored, RecBytes *out);

#endif
