/* redundancy.c - copies what comes once as it is stored. A part of rows needs no other to be read,
 * so a copy of several is their plain bytes one after another. The parity is an exclusive or: to
 * mend a part, all others and the parity itself are folded together, which leaves the difference;
 * it is put in at one stretch after the other until the part's checksum is right. */
#include "recording/format/redundancy.h"

#include <stdlib.h>
#include <string.h>

#include "recording/format/recscan.h"

/* ---- parity ---------------------------------------------------------------------------------- */

enum { LEAST = 64 /* bytes of a sum that is worth its head */ };

typedef struct Sum {
    const RecScan *scan;
    uint8_t *byte;
    uint32_t size;
    uint64_t *work;
} Sum;

static bool is_first(const RecPart *part) {
    return part->base == 0 && (part->kind == REC_TABLES_PART || part->kind == REC_LIVE_PART);
}

static void fold(const Sum *sum, const uint8_t *bytes, size_t n) {
    for (size_t i = 0, k = 0; i < n; i++, k = k + 1 < sum->size ? k + 1 : 0)
        sum->byte[k] ^= bytes[i];
}

/* Reads a part's bytes into `stored`. Returns true if they are as they were written. */
static bool read_whole(const Sum *sum, const RecPart *part, RecBytes *stored) {
    *sum->work += part->stored;
    return *sum->work <= PARITY_WORK && recscan_read(sum->scan, part, stored) == LMP_OK &&
           part_checksum(stored->at, part->stored) == part->checksum;
}

/* Adds the first parts of chunks among these, but for the one at place `but`. */
static bool fold_parts(const Sum *sum, const RecPart *part, uint32_t parts, uint64_t but) {
    RecBytes stored = {0};
    bool fine = true;
    for (uint32_t i = 0; i < parts && fine; i++) {
        if (!is_first(&part[i]) || part[i].place == but) continue;
        fine = read_whole(sum, &part[i], &stored);
        if (fine) fold(sum, stored.at, stored.n);
    }
    bytes_free(&stored);
    return fine;
}

/* ---- writing --------------------------------------------------------------------------------- */

static LmpErr parity_put(RecFile *file, uint64_t clock) {
    const RecScan scan = {.fd = file->fd, .size = file->size};
    uint64_t work = 0, room = file->size / PARITY_SHARE;
    Sum sum = {.scan = &scan, .work = &work};
    uint32_t begin = 0, longest = 0;
    for (uint32_t i = 0; i < file->parts; i++) {
        const RecPart *part = &file->part[i];
        uint64_t took = part->kind == REC_PARITY ? (uint64_t)part->stored + REC_PART : 0;
        room = room > took ? room - took : 0;
        if (took) longest = 0;
        if (took) begin = i + 1;
        if (is_first(part) && part->stored > longest) longest = part->stored;
    }
    if (room < LEAST + REC_PART || longest == 0) return LMP_OK;
    sum.size = longest < room - REC_PART ? longest : (uint32_t)(room - REC_PART);
    if (file->most && file->size + sum.size + REC_PART > file->most / 32 * 31) return LMP_OK;
    sum.byte = calloc(1, sum.size);
    LmpErr err = LMP_OK;
    if (sum.byte && fold_parts(&sum, file->part + begin, file->parts - begin, 0)) {
        RecPart part = {.kind = REC_PARITY,
                        .clock = clock,
                        .packing = REC_PLAIN,
                        .stored = sum.size,
                        .plain = sum.size,
                        .checksum = part_checksum(sum.byte, sum.size)};
        err = recfile_put(file, &part, sum.byte);
    }
    free(sum.byte);
    return err;
}

/* ---- mending --------------------------------------------------------------------------------- */

static void change(const Sum *sum, RecBytes *stored, size_t from, size_t n) {
    for (size_t i = from; i < from + n && i < stored->n; i++)
        stored->at[i] ^= sum->byte[i % sum->size];
}

/* Changes one stretch after the other by the difference, until the checksum is right. */
static bool find_place(const Sum *sum, const RecPart *part, RecBytes *stored) {
    size_t step = sum->size >= stored->n ? sum->size : (sum->size + 1) / 2;
    for (size_t from = 0; from < stored->n; from += step) {
        *sum->work += stored->n;
        if (*sum->work > PARITY_WORK) return false;
        change(sum, stored, from, sum->size);
        if (part_checksum(stored->at, stored->n) == part->checksum) return true;
        change(sum, stored, from, sum->size);
    }
    return false;
}

bool redundancy_mend(const RecScan *scan, const RecPart *part, RecBytes *stored, uint64_t *work) {
    Sum sum = {.scan = scan, .work = work};
    RecBytes bytes = {0};
    uint32_t i = recscan_find(scan, part->place), begin = i, end = i;
    if (i >= scan->parts || !is_first(part) || stored->n != part->stored) return false;
    while (end < scan->parts && scan->part[end].kind != REC_PARITY)
        end++;
    while (begin > 0 && scan->part[begin - 1].kind != REC_PARITY)
        begin--;
    bool fine = end < scan->parts && scan->part[end].stored > 0 &&
                read_whole(&sum, &scan->part[end], &bytes);
    if (fine) {
        sum.byte = bytes.at;
        sum.size = scan->part[end].stored;
        fold(&sum, stored->at, stored->n);
        fine = fold_parts(&sum, scan->part + begin, end - begin, part->place) &&
               find_place(&sum, part, stored);
    }
    bytes_free(&bytes);
    return fine;
}

/* ---- copies ---------------------------------------------------------------------------------- */

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

LmpErr redundancy_put(RecFile *file, uint64_t clock) {
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
