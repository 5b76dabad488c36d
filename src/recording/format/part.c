/* part.c - heads word by word, CRC-32 (zlib), and zstd, with the chunk's first part as dictionary
 * for the others. */
#include "recording/format/part.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

const char *const rec_kind_names[REC_KINDS] = {
    [REC_SCHEMA] = "schema",  [REC_HEADER] = "header",      [REC_AGAIN] = "again",
    [REC_ROWS_PART] = "rows", [REC_TABLES_PART] = "tables", [REC_LIVE_PART] = "frame",
    [REC_OUTPUT] = "output",  [REC_INDEX] = "index",        [REC_ENDED] = "ended",
    [REC_PARITY] = "parity",  [REC_SOURCE] = "source",      [REC_DIRECTORY] = "directory",
};

/* ---- heads ----------------------------------------------------------------------------------- */

void rec_put32(uint8_t *at, uint32_t v) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(v >> 8 * i);
}

void rec_put64(uint8_t *at, uint64_t v) {
    rec_put32(at, (uint32_t)v);
    rec_put32(at + 4, (uint32_t)(v >> 32));
}

uint32_t rec_get32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint64_t rec_get64(const uint8_t *at) {
    return rec_get32(at) | (uint64_t)rec_get32(at + 4) << 32;
}

uint32_t part_checksum(const void *bytes, size_t n) {
    return (uint32_t)crc32_z(0, bytes, n);
}

void part_put(uint8_t out[REC_PART], const RecPart *p) {
    rec_put32(out, REC_SYNC);
    out[4] = p->kind;
    out[5] = p->flags;
    out[6] = p->packing;
    out[7] = 0;
    rec_put32(out + 8, p->stored);
    rec_put32(out + 12, p->plain);
    rec_put64(out + 16, p->clock);
    rec_put64(out + 24, p->base);
    rec_put64(out + 32, p->live_bytes);
    rec_put64(out + 40, p->rss);
    rec_put64(out + 48, p->tables);
    rec_put32(out + 56, p->checksum);
    rec_put32(out + 60, part_checksum(out, 60));
}

bool part_get(RecPart *p, const uint8_t in[REC_PART], uint64_t place) {
    if (rec_get32(in) != REC_SYNC || rec_get32(in + 60) != part_checksum(in, 60)) return false;
    *p = (RecPart){.place = place,
                   .kind = in[4],
                   .flags = in[5],
                   .packing = in[6],
                   .stored = rec_get32(in + 8),
                   .plain = rec_get32(in + 12),
                   .clock = rec_get64(in + 16),
                   .base = rec_get64(in + 24),
                   .live_bytes = rec_get64(in + 32),
                   .rss = rec_get64(in + 40),
                   .tables = rec_get64(in + 48),
                   .checksum = rec_get32(in + 56)};
    return true;
}

/* ---- packing --------------------------------------------------------------------------------- */

/* Frames are packed fast: they come ten times a second, and may be large. */
enum { LEVEL = 3, LEVEL_LARGE = 1, LARGE = 1 << 20 };

struct RecPack {
    ZSTD_CCtx *c;
    ZSTD_DCtx *d;
    ZSTD_CDict *c_base;
    ZSTD_DDict *d_base;
};

RecPack *pack_new(void) {
    RecPack *pack = calloc(1, sizeof *pack);
    if (!pack) return NULL;
    pack->c = ZSTD_createCCtx();
    pack->d = ZSTD_createDCtx();
    if (pack->c && pack->d) return pack;
    pack_free(pack);
    return NULL;
}

void pack_free(RecPack *pack) {
    if (!pack) return;
    ZSTD_freeCCtx(pack->c);
    ZSTD_freeDCtx(pack->d);
    ZSTD_freeCDict(pack->c_base);
    ZSTD_freeDDict(pack->d_base);
    free(pack);
}

bool pack_set_base(RecPack *pack, const void *bytes, size_t n, bool packing) {
    ZSTD_freeCDict(pack->c_base);
    ZSTD_freeDDict(pack->d_base);
    pack->c_base = NULL;
    pack->d_base = NULL;
    if (n == 0 || n > REC_DICTIONARY) return true;
    if (packing)
        pack->c_base = ZSTD_createCDict(bytes, n, LEVEL);
    else
        pack->d_base = ZSTD_createDDict(bytes, n);
    return pack->c_base || pack->d_base;
}

LmpErr pack_bytes(RecPack *pack, RecPart *part, const RecBytes *plain, RecBytes *out) {
    out->n = 0;
    if (plain->failed || plain->n > REC_PLAIN_MOST ||
        !bytes_room(out, ZSTD_compressBound(plain->n)))
        return LMP_E_NOMEM;
    bool based = part->base && pack->c_base;
    size_t n = based ? ZSTD_compress_usingCDict(pack->c, out->at, out->room, plain->at, plain->n,
                                                pack->c_base)
                     : ZSTD_compressCCtx(pack->c, out->at, out->room, plain->at, plain->n,
                                         plain->n > LARGE ? LEVEL_LARGE : LEVEL);
    if (ZSTD_isError(n)) return LMP_E_NOMEM;
    part->packing = based ? REC_ZSTD_BASE : REC_ZSTD;
    part->plain = (uint32_t)plain->n;
    part->stored = (uint32_t)n;
    out->n = n;
    part->checksum = part_checksum(out->at, n);
    return LMP_OK;
}

LmpErr pack_unpack(RecPack *pack, const RecPart *part, const uint8_t *stored, RecBytes *out) {
    out->n = 0;
    if (part->plain > REC_PLAIN_MOST || part->packing >= REC_PACKINGS ||
        part_checksum(stored, part->stored) != part->checksum)
        return LMP_E_DAMAGED;
    if (part->packing == REC_PLAIN) {
        if (part->stored != part->plain) return LMP_E_DAMAGED;
        if (!bytes_room(out, (size_t)part->stored + 1)) return LMP_E_NOMEM;
        bytes_put(out, stored, part->stored);
        return out->failed ? LMP_E_NOMEM : LMP_OK;
    }
    unsigned long long said = ZSTD_getFrameContentSize(stored, part->stored);
    if (said != part->plain) return LMP_E_DAMAGED; /* before room is made for it */
    if (part->packing == REC_ZSTD_BASE && !pack->d_base) return LMP_E_DAMAGED;
    if (!bytes_room(out, (size_t)part->plain + 1)) return LMP_E_NOMEM;
    size_t n = part->packing == REC_ZSTD_BASE
                   ? ZSTD_decompress_usingDDict(pack->d, out->at, part->plain, stored, part->stored,
                                                pack->d_base)
                   : ZSTD_decompressDCtx(pack->d, out->at, part->plain, stored, part->stored);
    if (ZSTD_isError(n) || n != part->plain) return LMP_E_DAMAGED;
    out->n = n;
    return LMP_OK;
}
