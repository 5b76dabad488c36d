/* copies.c - copies what comes once as it is stored. A part of rows needs no other to be read, so a
 * copy of several is their plain bytes one after another. */
#include "record/format/copies.h"

#include "record/format/parity.h"
#include "record/format/recscan.h"

typedef struct Copies {
    RecFile *file;
    RecPack *pack;
    RecBytes stored, plain, packed;
    uint64_t copied; /* bytes of copies that are there */
    uint64_t once;   /* of what comes once and has no copy */
    uint64_t rows;   /* of rows that have none, */
    uint32_t first;  /* from this part on */
} Copies;

static uint64_t bytes_of(const RecPart *part) {
    return (uint64_t)part->stored + REC_PART;
}

static bool comes_once(const RecPart *part) {
    return part->kind == REC_SCHEMA || part->kind == REC_HEADER || part->kind == REC_AGAIN;
}

/* Adds up what has no copy yet. */
static void find_new(Copies *c) {
    for (uint32_t i = 0; i < c->file->parts; i++) {
        const RecPart *part = &c->file->part[i];
        bool once = comes_once(part);
        if (!once && part->kind != REC_ROWS_PART) continue;
        if (part->flags & REC_COPY) {
            c->copied += bytes_of(part);
            *(once ? &c->once : &c->rows) = 0;
            if (!once) c->first = i + 1;
        } else {
            *(once ? &c->once : &c->rows) += bytes_of(part);
        }
    }
}

/* The file's end is still to be written, too. */
static bool has_room(const Copies *c, uint64_t bytes) {
    uint64_t most = c->file->most / 32 * 31;
    if (bytes == 0 || (most && c->file->size + bytes > most)) return false;
    return (c->copied + bytes) * COPIES_SHARE <= c->file->size;
}

static bool read_stored(Copies *c, const RecPart *part) {
    const RecScan scan = {.fd = c->file->fd, .size = c->file->size};
    return recscan_read(&scan, part, &c->stored) == LMP_OK;
}

static LmpErr put(Copies *c, RecPart *part, const uint8_t *stored) {
    part->flags |= REC_COPY;
    c->copied += bytes_of(part);
    return recfile_put(c->file, part, stored);
}

static LmpErr put_once(Copies *c) {
    LmpErr err = LMP_OK;
    uint32_t parts = c->file->parts;
    for (uint32_t i = 0; !err && i < parts; i++) {
        RecPart part = c->file->part[i];
        if (comes_once(&part) && read_stored(c, &part)) err = put(c, &part, c->stored.at);
    }
    return err;
}

static bool gather_rows(Copies *c, RecBytes *all) {
    for (uint32_t i = c->first; i < c->file->parts; i++) {
        const RecPart *part = &c->file->part[i];
        if (part->kind != REC_ROWS_PART) continue;
        if (all->n + part->plain > REC_PLAIN_MOST || !read_stored(c, part) ||
            pack_unpack(c->pack, part, c->stored.at, &c->plain) != LMP_OK)
            return false;
        bytes_put(all, c->plain.at, c->plain.n);
    }
    return !all->failed;
}

static LmpErr put_rows(Copies *c, uint64_t clock) {
    RecPart part = {.kind = REC_ROWS_PART, .clock = clock};
    RecBytes all = {0};
    LmpErr err = LMP_OK;
    if (gather_rows(c, &all) && pack_bytes(c->pack, &part, &all, &c->packed) == LMP_OK)
        err = put(c, &part, c->packed.at);
    bytes_free(&all);
    return err;
}

LmpErr copies_put(RecFile *file, uint64_t clock) {
    Copies c = {.file = file, .pack = pack_new()};
    LmpErr err = LMP_OK;
    find_new(&c);
    if (c.pack && has_room(&c, c.once)) err = put_once(&c);
    if (c.pack && !err && has_room(&c, c.rows)) err = put_rows(&c, clock);
    if (!err) err = parity_put(file, clock);
    pack_free(c.pack);
    bytes_free(&c.stored);
    bytes_free(&c.plain);
    bytes_free(&c.packed);
    return err;
}
