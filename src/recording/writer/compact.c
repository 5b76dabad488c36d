/* compact.c - goes through the parts of the file that is still being written. What comes once is
 * copied as it is stored; rows and output are gathered until a frame that stays; and such a frame's
 * pieces become changes against the key of the new chunk: nobody needs the state that they speak
 * of. At its end the new file is renamed, or copied over the old one if that has no name. */
#include "recording/writer/compact.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/os.h"
#include "recording/format/redundancy.h"
#include "recording/format/texts.h"
#include "recording/reader/recording.h"
#include "recording/writer/changes.h"

enum { PART_NAME = 4096, PIECE = 256 << 10 /* of output, in a part */ };

/* Frames of one section. */
typedef struct Frames {
    RecSection section;
    Chunk chunk;    /* of the new file */
    RecPack *pack;  /* of the old one, */
    RecBytes first; /* whose first piece of a chunk this is, */
    uint64_t place; /* from there; 0: none */
    RecBytes more;  /* and the frame's own piece */
} Frames;

struct RecCompact {
    RecScan from;
    uint8_t *keep; /* RecKeep of each frame that was there at the beginning; later ones: all */
    uint32_t kept; /* so many */
    uint32_t next; /* part, */
    uint32_t frame;
    uint64_t clock; /* of the frame before */
    RecFile file;   /* what is made */
    Frames figures, tables;
    Changes *changes;
    RecPack *pack;
    RecBytes stored, plain, packed;
    RecBytes rows, output;
    uint64_t output_clock, last_tables;
    bool once[REC_KINDS];
    bool rows_bad;                         /* some cannot be read: their copies are wanted */
    unsigned flags;                        /* of frames that were dropped since the last one kept */
    bool any;                              /* one was kept */
    uint32_t left_out;                     /* frames whose tables found no room */
    uint32_t short_of;                     /* frames that lose their tables, by choice */
    char name[PART_NAME], part[PART_NAME]; /* "": none */
};

/* ---- opening --------------------------------------------------------------------------------- */

static LmpErr frames_open(Frames *f, RecSection section, RecKind kind) {
    f->section = section;
    f->pack = pack_new();
    LmpErr err = chunk_open(&f->chunk, kind);
    return f->pack ? err : LMP_E_NOMEM;
}

static void frames_close(Frames *f) {
    chunk_close(&f->chunk);
    pack_free(f->pack);
    bytes_free(&f->first);
    bytes_free(&f->more);
}

static int open_beside(RecCompact *t, const char *name) {
    if (!name) return memfd_create("lmp-recording", MFD_CLOEXEC);
    int fd = recfile_beside(name, t->part, sizeof t->part);
    if (fd >= 0) snprintf(t->name, sizeof t->name, "%s", name);
    return fd;
}

LmpErr compact_begin(RecCompact **out, int fd, const char *name, uint32_t generation,
                     uint64_t bytes, uint64_t most) {
    RecCompact *t = calloc(1, sizeof *t);
    *out = t;
    if (!t) return LMP_E_NOMEM;
    t->file.fd = -1;
    t->pack = pack_new();
    t->changes = changes_new();
    LmpErr err = t->pack && t->changes ? recscan_open(&t->from, fd) : LMP_E_NOMEM;
    if (!err) err = frames_open(&t->figures, REC_LIVE, REC_LIVE_PART);
    if (!err) err = frames_open(&t->tables, REC_TABLES, REC_TABLES_PART);
    if (!err && !(t->keep = compact_choose(&t->from, bytes, &t->kept, &t->short_of)))
        err = LMP_E_NOMEM;
    int beside = err ? -1 : open_beside(t, name);
    if (!err) err = beside < 0 ? LMP_E_FILE : recfile_begin(&t->file, beside, generation);
    t->file.fd = beside;
    t->file.most = most;
    return err;
}

void compact_drop(RecCompact *t) {
    if (!t) return;
    RecBytes *const bytes[] = {&t->stored, &t->plain, &t->packed, &t->rows, &t->output};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        bytes_free(bytes[i]);
    frames_close(&t->figures);
    frames_close(&t->tables);
    changes_free(t->changes);
    pack_free(t->pack);
    recscan_free(&t->from);
    if (t->part[0]) unlink(t->part);
    if (t->file.fd >= 0) close(t->file.fd);
    recfile_free(&t->file);
    free(t->keep);
    free(t);
}

/* ---- what is no frame ------------------------------------------------------------------------ */

static LmpErr unpack(RecCompact *t, RecPack *pack, const RecPart *part, RecBytes *plain) {
    LmpErr err = recscan_read(&t->from, part, &t->stored);
    return err ? err : pack_unpack(pack, part, t->stored.at, plain);
}

static LmpErr put_bytes(RecCompact *t, RecPart *part, const RecBytes *plain) {
    LmpErr err = plain->n > 0 ? pack_bytes(t->pack, part, plain, &t->packed) : LMP_OK;
    return err || plain->n == 0 ? err : recfile_put(&t->file, part, t->packed.at);
}

static bool is_full(const RecCompact *t, LmpErr err) {
    return err == LMP_E_FILE && t->file.full;
}

/* Copies the first part of its kind, or each source; one that finds no room is left out. */
static LmpErr copy(RecCompact *t, RecPart part) {
    if (part.kind != REC_SOURCE && t->once[part.kind]) return LMP_OK;
    LmpErr err = recscan_read(&t->from, &part, &t->stored);
    if (!err && part_checksum(t->stored.at, part.stored) != part.checksum) err = LMP_E_DAMAGED;
    part.flags = 0;
    if (!err) err = recfile_put(&t->file, &part, t->stored.at);
    if (!err) t->once[part.kind] = true;
    return is_full(t, err) ? LMP_OK : err;
}

static LmpErr gather_rows(RecCompact *t, const RecPart *part) {
    if (part->flags & REC_COPY && !t->rows_bad) return LMP_OK;
    LmpErr err = unpack(t, t->pack, part, &t->plain);
    if (err == LMP_E_DAMAGED) t->rows_bad = true;
    if (!err) bytes_put(&t->rows, t->plain.at, t->plain.n);
    return err ? err : t->rows.failed ? LMP_E_NOMEM : LMP_OK;
}

static LmpErr put_rows(RecCompact *t, uint64_t clock) {
    RecPart part = {.kind = REC_ROWS_PART, .clock = clock};
    LmpErr err = put_bytes(t, &part, &t->rows);
    if (!err) bytes_free(&t->rows);
    return err;
}

static LmpErr put_output(RecCompact *t) {
    RecPart part = {.kind = REC_OUTPUT, .clock = t->output_clock};
    LmpErr err = put_bytes(t, &part, &t->output);
    t->output.n = 0;
    return err;
}

static LmpErr gather_output(RecCompact *t, const RecPart *part) {
    RecOutputs read = {0};
    LmpErr err = unpack(t, t->pack, part, &t->plain);
    if (!err) err = outputs_read(&read, part->clock, t->plain.at, t->plain.n);
    for (uint32_t i = 0; i < read.pieces && (!err || err == LMP_E_DAMAGED); i++) {
        const RecOutputPiece *piece = &read.piece[i];
        if (t->output.n + piece->n > PIECE || piece->clock < t->output_clock) err = put_output(t);
        if (t->output.n == 0) t->output_clock = piece->clock;
        outputs_put(&t->output, piece->clock - t->output_clock, (char *)read.text.at + piece->at,
                    piece->n);
        if (t->output.failed) err = LMP_E_NOMEM;
    }
    outputs_free(&read);
    return err;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Reads a frame's pieces. */
static LmpErr read_pieces(RecCompact *t, Frames *f, const RecPart *part) {
    uint32_t i = recscan_find(&t->from, part->base ? part->base : part->place);
    if (i >= t->from.parts) return LMP_E_DAMAGED;
    const RecPart *first = &t->from.part[i];
    LmpErr err = LMP_OK;
    if (f->place != first->place) {
        f->place = 0;
        err = first->base || first->kind != part->kind ? LMP_E_DAMAGED
                                                       : unpack(t, t->pack, first, &f->first);
        if (!err && !pack_set_base(f->pack, f->first.at, f->first.n, false)) err = LMP_E_NOMEM;
        if (!err) f->place = first->place;
    }
    f->more.n = 0;
    if (!err && first != part) err = unpack(t, f->pack, part, &f->more);
    bytes_empty(&t->stored);
    return err;
}

/* Writes what was read. */
static LmpErr put_pieces(RecCompact *t, Frames *f, RecPart *part) {
    t->plain.n = 0;
    changes_begin(t->changes, &(ChangesOf){&f->chunk.key, &f->first, &f->more});
    for (uint32_t g = 0; g < REC_GROUPS; g++)
        if (rec_groups[g].section == f->section) changes_put(t->changes, &t->plain, g, NULL, false);
    return chunk_put(&f->chunk, (RecSink){recfile_put, &t->file}, part, &t->plain, &t->packed);
}

static LmpErr put_tables(RecCompact *t, uint64_t clock) {
    RecPart part = {.clock = clock};
    LmpErr err = put_rows(t, clock);
    if (!err) err = put_pieces(t, &t->tables, &part);
    if (!err) t->last_tables = part.place;
    return err;
}

static LmpErr put_frame(RecCompact *t, const RecPart *old, RecKeep keep) {
    const RecPart *tables = NULL;
    uint32_t at = recscan_find(&t->from, old->tables);
    bool own = old->flags & LMP_FRAME_TABLES;
    if (keep == REC_KEEP_ALL && (own || !t->any) && at < t->from.parts) tables = &t->from.part[at];
    LmpErr err = read_pieces(t, &t->figures, old);
    if (!err && tables) err = read_pieces(t, &t->tables, tables);
    if (!err) err = put_output(t);
    if (err) return err;
    RecPart part = {.flags = (uint8_t)((old->flags & ~(unsigned)LMP_FRAME_TABLES) | t->flags),
                    .clock = old->clock,
                    .live_bytes = old->live_bytes,
                    .rss = old->rss};
    if (tables) err = put_tables(t, tables->clock);
    if (tables && !err) part.flags |= LMP_FRAME_TABLES;
    if (is_full(t, err)) { /* there is no room for its tables, but for it perhaps */
        t->left_out++;
        err = LMP_OK;
    }
    part.tables = t->last_tables;
    if (!err) err = put_pieces(t, &t->figures, &part);
    if (is_full(t, err)) {
        t->flags |= old->flags & (LMP_FRAME_MARK | LMP_FRAME_PEAK | LMP_FRAME_CYCLE);
        return LMP_OK;
    }
    t->flags = 0;
    t->any = true;
    return err;
}

/* Returns true if a frame was written, in *err how that went. */
static bool step_frame(RecCompact *t, const RecPart *part, LmpErr *err) {
    if (!recscan_is_frame(part, t->clock)) return false;
    RecKeep keep = t->frame < t->kept ? (RecKeep)t->keep[t->frame] : REC_KEEP_ALL;
    t->frame++;
    t->clock = part->clock;
    if (keep == REC_DROP)
        t->flags |= part->flags & (LMP_FRAME_MARK | LMP_FRAME_PEAK | LMP_FRAME_CYCLE);
    else
        *err = put_frame(t, part, keep);
    return keep != REC_DROP;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Deals with the next part. What is damaged is left out. */
static bool step(RecCompact *t, LmpErr *err) {
    const RecPart *part = &t->from.part[t->next++];
    bool written = false;
    switch (part->kind) {
    case REC_SCHEMA:
    case REC_HEADER:
    case REC_AGAIN:
    case REC_DIRECTORY:
    case REC_SOURCE:
        *err = copy(t, *part);
        break;
    case REC_ROWS_PART:
        *err = gather_rows(t, part);
        break;
    case REC_OUTPUT:
        *err = gather_output(t, part);
        break;
    case REC_LIVE_PART:
        written = step_frame(t, part, err);
        break;
    default:
        break;
    }
    if (*err == LMP_E_DAMAGED) *err = LMP_OK;
    return written;
}

LmpErr compact_step(RecCompact *t, uint64_t budget, bool *done) {
    uint64_t begun = lmp_os->clock(), spent = 0;
    LmpErr err = LMP_OK;
    *done = false;
    while (!err && !*done && spent < budget) {
        if (t->next < t->from.parts) {
            if (step(t, &err)) spent = lmp_os->clock() - begun;
            continue;
        }
        err = recscan_more(&t->from); /* what came meanwhile: at least one with each tick */
        *done = !err && t->next >= t->from.parts;
    }
    return err;
}

uint32_t compact_left_out(const RecCompact *t) {
    return t->left_out + t->short_of;
}

/* Writes all of the new file over the old one. */
static LmpErr copy_into(const RecCompact *t, int into) {
    static char bytes[1 << 16];
    uint64_t at = 0, size = t->file.size;
    while (at < size) {
        ssize_t n = pread(t->file.fd, bytes, sizeof bytes, (off_t)at);
        if (n <= 0 || !lmp_os->write_at(into, at, bytes, (size_t)n)) return LMP_E_FILE;
        at += (uint64_t)n;
    }
    return ftruncate(into, (off_t)size) == 0 ? LMP_OK : LMP_E_FILE;
}

LmpErr compact_finish(RecCompact *t, int into, RecFile *file, FrameWriter *frames, int *fd) {
    LmpErr err = put_output(t);
    if (!err) err = put_rows(t, t->clock);
    bool rows = !err;
    if (is_full(t, err)) err = LMP_OK; /* the next tables bring all rows again, if there is room */
    if (!err) err = redundancy_put(&t->file, t->clock);
    if (!err && into >= 0) err = copy_into(t, into);
    if (!err && into < 0 && rename(t->part, t->name) != 0) err = LMP_E_FILE;
    int why = errno;
    if (!err) {
        framewriter_move(frames, &t->figures.chunk, &t->tables.chunk, t->last_tables, rows);
        *fd = into >= 0 ? -1 : t->file.fd;
        *file = t->file;
        t->file = (RecFile){.fd = into >= 0 ? t->file.fd : -1};
        t->part[0] = 0;
    }
    compact_drop(t);
    errno = why;
    return err;
}
