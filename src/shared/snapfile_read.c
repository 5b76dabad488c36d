/* snapfile_read.c - reads snapshot files (snapfile.h), which may be cut off, changed, or made up by
 * somebody: every length is compared with what there is before it is used, then the graph in one
 * pass over each column, for kinds, ranges, references and their labels, strings, frames. */
#include <errno.h>
#include <lz4.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "shared/snapfile_impl.h"

/* LZ4 makes at most so much of a byte: who says that more is in a file lies. */
enum { RATIO_MOST = 255, WINDOW = 1 << 20 };
#define STATE_BYTES LMP_LEAVES_AT

typedef struct Reader {
    int fd;
    uint64_t size, at;     /* of the file; read so far (bytes) */
    unsigned char *window; /* WINDOW bytes: the next ones of the file */
    size_t begin, end;     /* of it not used yet */
    unsigned char *plain;  /* SNAPFILE_PLAIN: a chunk */
    LmpSnapChunk chunk;    /* the one at hand: its bytes are read next */
    bool pending;          /* its bytes have not been */
    LmpErr err;
    LmpProgress *progress;
} Reader;

static bool fail(Reader *r, LmpErr err) {
    if (!r->err) r->err = err;
    return false;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Returns the next n bytes, which stay until the next call; NULL: the file ends before. */
static const unsigned char *take(Reader *r, size_t n) {
    if (r->end - r->begin < n) {
        memmove(r->window, r->window + r->begin, r->end - r->begin);
        r->end -= r->begin;
        r->begin = 0;
        while (r->end < n) {
            ssize_t got = pread(r->fd, r->window + r->end, WINDOW - r->end, (off_t)r->at);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) {
                fail(r, LMP_E_DAMAGED);
                return NULL;
            }
            r->end += (size_t)got;
            r->at += (uint64_t)got;
        }
    }
    const unsigned char *bytes = r->window + r->begin;
    r->begin += n;
    return bytes;
}

/* The head of the next chunk, if that is of this section. */
static bool next_chunk(Reader *r, uint32_t section) {
    if (!r->pending) {
        const unsigned char *head = take(r, sizeof r->chunk);
        if (!head) return false;
        memcpy(&r->chunk, head, sizeof r->chunk);
        r->pending = true;
        if (r->chunk.plain > SNAPFILE_PLAIN || r->chunk.stored > r->chunk.plain)
            return fail(r, LMP_E_DAMAGED);
    }
    return r->chunk.section == section;
}

/* How far it is: by where it reads, as most of the time goes into what is packed there. */
static bool tell(Reader *r) {
    double at = (double)(r->at - (r->end - r->begin));
    return progress_tell(r->progress, "reading the file", at / (double)r->size) ||
           fail(r, LMP_E_STOPPED);
}

/* The bytes of the chunk at hand, unpacked to `out`, which has room for chunk.plain. */
static bool unpack(Reader *r, void *out) {
    if (!tell(r)) return false;
    const unsigned char *stored = take(r, r->chunk.stored);
    if (!stored) return false;
    if (snapfile_chunk_checksum(&r->chunk, stored) != r->chunk.checksum)
        return fail(r, LMP_E_DAMAGED);
    r->pending = false;
    if (r->chunk.stored == r->chunk.plain) {
        memcpy(out, stored, r->chunk.plain);
        return true;
    }
    int got =
        LZ4_decompress_safe((const char *)stored, out, (int)r->chunk.stored, (int)r->chunk.plain);
    return got == (int)r->chunk.plain || fail(r, LMP_E_DAMAGED);
}

/* A section of n bytes as they are, straight to where they belong. With `less`, there may be fewer,
 * but whole rows. */
static bool read_bytes(Reader *r, uint32_t section, void *out, uint64_t n, uint32_t row,
                       bool less) {
    uint64_t done = 0;
    while ((done < n || less) && next_chunk(r, section)) {
        if (r->chunk.plain == 0 || r->chunk.plain > n - done) return fail(r, LMP_E_DAMAGED);
        if (!unpack(r, (char *)out + done)) return false;
        done += r->chunk.plain;
    }
    if (r->err) return false;
    return done == n || (less && done % row == 0) || fail(r, LMP_E_DAMAGED);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* One number; NULL: it does not end, or is longer than 64 bits. */
static const unsigned char *varint(const unsigned char *at, const unsigned char *end,
                                   uint64_t *value) {
    uint64_t v = 0;
    for (unsigned shift = 0; at < end && shift < 70; shift += 7) {
        uint64_t byte = *at++;
        if (shift == 63 && byte > 1) return NULL;
        v |= (byte & 127) << shift;
        if (byte < 128) {
            *value = v;
            return at;
        }
    }
    return NULL;
}

static uint64_t zagzig(uint64_t v) {
    return v >> 1 ^ (0 - (v & 1));
}

typedef struct Rows {
    void *out;
    uint64_t n, done;
    uint64_t before; /* the last one, for differences */
} Rows;

/* All numbers of a chunk. What is wanted of them is told at compile time, for there are many. */
static inline __attribute__((always_inline)) bool
decode(const unsigned char *at, const unsigned char *end, Rows *rows, bool wide, bool delta) {
    uint64_t i = rows->done, before = rows->before;
    while (at < end && i < rows->n) {
        uint64_t v = *at;
        if (v < 128)
            at++;
        else if (!(at = varint(at, end, &v)))
            return false;
        if (delta) before = v = before + zagzig(v);
        if (wide)
            ((uint64_t *)rows->out)[i++] = v;
        else if (v > UINT32_MAX)
            return false;
        else
            ((uint32_t *)rows->out)[i++] = (uint32_t)v;
    }
    rows->done = i;
    rows->before = before;
    return at == end;
}

static bool read_numbers(Reader *r, uint32_t section, const LmpObjectColumn *column, void *out,
                         uint64_t n) {
    Rows rows = {.out = out, .n = n};
    bool wide = column->width == 8, delta = column->coding == LMP_CODING_DELTA;
    while (rows.done < n && next_chunk(r, section)) {
        if (!unpack(r, r->plain)) return false;
        const unsigned char *at = r->plain, *end = at + r->chunk.plain;
        bool good =
            wide ? delta ? decode(at, end, &rows, true, true) : decode(at, end, &rows, true, false)
            : delta ? decode(at, end, &rows, false, true)
                    : decode(at, end, &rows, false, false);
        if (!good || at == end) return fail(r, LMP_E_DAMAGED);
    }
    if (r->err) return false;
    return rows.done == n || fail(r, LMP_E_DAMAGED);
}

/* ---- is the graph one? ----------------------------------------------------------------------- */

static bool is_string(const LmpObjectGraph *g, uint32_t i) {
    return i < g->objects && g->kind[i] == LMP_OBJECT_STRING;
}

static bool is_string_or_none(const LmpObjectGraph *g, uint32_t i) {
    return i == 0 || is_string(g, i);
}

static bool check_kinds(const LmpObjectGraph *g) {
    uint32_t count[LMP_OBJECT_KINDS] = {0};
    for (uint32_t i = 0; i < g->objects; i++) {
        if (g->kind[i] >= LMP_OBJECT_KINDS) return false;
        count[g->kind[i]]++;
    }
    for (uint32_t kind = 0; kind < LMP_OBJECT_KINDS; kind++)
        if (count[kind] != g->count[kind]) return false;
    return g->objects > 0 && g->kind[0] == LMP_OBJECT_ROOT && g->size[0] == 0;
}

static bool check_ranges(const LmpObjectGraph *g) {
    if (g->edge_at[0] != 0 || g->edge_at[g->objects] != g->edges) return false;
    for (uint32_t i = 0; i < g->objects; i++)
        if (g->edge_at[i] > g->edge_at[i + 1]) return false;
    return true;
}

static bool check_label(const LmpObjectGraph *g, uint32_t from, unsigned kind, uint32_t label) {
    switch (kind) {
    case LMP_EDGE_ROOT:
        return label < LMP_ROOTS;
    case LMP_EDGE_FIELD:
        return is_string(g, label);
    case LMP_EDGE_INTEGER:
    case LMP_EDGE_FLOAT:
    case LMP_EDGE_LIGHT:
        return label < g->wides;
    case LMP_EDGE_BOOLEAN:
        return label <= 1;
    case LMP_EDGE_OBJECT:
        return label < g->objects;
    case LMP_EDGE_UPVALUE:
        return g->kind[from] == LMP_OBJECT_C_FUNCTION || is_string_or_none(g, label);
    case LMP_EDGE_CALL:
        return label < g->frames;
    case LMP_EDGE_LOCAL:
        return label < g->slots;
    case LMP_EDGE_LOT:
        return label < LMP_LOTS;
    default:
        return kind < LMP_EDGES;
    }
}

static bool check_edges(const LmpObjectGraph *g) {
    for (uint32_t i = 0; i < g->objects; i++)
        for (uint32_t e = g->edge_at[i]; e < g->edge_at[i + 1]; e++) {
            uint32_t label = g->edge_label[e];
            if (g->edge_to[e] >= g->objects) return false;
            if (!check_label(g, i, g->edge_kind[e] & LMP_EDGE_KIND, label)) return false;
            if (g->edge_kind[e] & LMP_EDGE_EPHEMERON && label >= g->objects) return false;
        }
    return true;
}

static bool check_strings(const LmpObjectGraph *g) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < g->count[LMP_OBJECT_STRING]; i++) {
        if (g->string_shown[i] > g->string_length[i]) return false;
        bytes += g->string_shown[i];
    }
    return bytes == g->text_bytes;
}

static bool check_frames(const LmpObjectGraph *g) {
    uint64_t frames = 0;
    for (uint32_t i = 0; i < g->count[LMP_OBJECT_THREAD]; i++)
        frames += g->thread_frames[i];
    if (frames > g->frames) return false;
    for (uint32_t i = 0; i < g->frames; i++)
        if (g->frame_function[i] >= g->objects) return false;
    for (uint32_t i = 0; i < g->slots; i++) {
        if (g->slot_frame[i] >= g->frames && g->slot_frame[i] != LMP_OBJECT_NONE) return false;
        if (!is_string_or_none(g, g->slot_name[i])) return false;
    }
    return true;
}

static bool check_others(const LmpObjectGraph *g) {
    for (uint32_t i = 0; i < g->count[LMP_OBJECT_PROTO]; i++)
        if (!is_string_or_none(g, g->proto_source[i])) return false;
    for (uint32_t i = 0; i < g->count[LMP_OBJECT_LOT]; i++)
        if (g->lot_what[i] >= LMP_LOTS) return false;
    return true;
}

/* Every index in it is within bounds and says what it should, sections ascend, kinds are known and
 * as many as is said, lengths fit. Columns have the rows that the counts say. */
static bool check_graph(const LmpObjectGraph *g) {
    return check_kinds(g) && check_ranges(g) && check_edges(g) && check_strings(g) &&
           check_frames(g) && check_others(g);
}

/* ---- the parts of a file --------------------------------------------------------------------- */

static bool ended(const char *text, size_t size) {
    return memchr(text, 0, size) != NULL;
}

static LmpErr check_head(const LmpSnapHead *h, uint64_t file) {
    if (h->magic != LMP_SNAPFILE_MAGIC) return LMP_E_FOREIGN;
    if (h->version != LMP_SNAPFILE_VERSION || h->head_size != sizeof *h ||
        h->info_size != sizeof h->info || h->columns != LMP_SNAP_COLUMNS)
        return LMP_E_VERSION;
    if (h->checksum != snapfile_checksum(h, offsetof(LmpSnapHead, checksum), 0))
        return LMP_E_DAMAGED;
    if (h->state && h->layout != LMP_LAYOUT) return LMP_E_VERSION;
    const LmpObjectInfo *info = &h->info;
    if (!ended(info->why_in_place, sizeof info->why_in_place) ||
        !ended(info->program, sizeof info->program) || !ended(info->lua, sizeof info->lua) ||
        !ended(info->lmp, sizeof info->lmp))
        return LMP_E_DAMAGED;
    for (uint32_t i = 0; i < LMP_OBJECT_MODULES; i++)
        if (!ended(info->module[i].name, sizeof info->module[i].name)) return LMP_E_DAMAGED;
    uint64_t objects = 0;
    for (uint32_t kind = 0; kind < LMP_OBJECT_KINDS; kind++)
        objects += h->count[kind];
    /* indexes of rows and of one more fit 32 bits, LMP_OBJECT_NONE is none of them */
    if (h->objects == 0 || objects != h->objects || h->count[LMP_OBJECT_ROOT] != 1 ||
        h->objects > LMP_OBJECT_NONE - 4 || h->edges > LMP_OBJECT_NONE - 4)
        return LMP_E_DAMAGED;
    uint64_t rows = (uint64_t)h->objects + h->edges + h->wides + h->frames + h->slots;
    if (h->text_bytes > file * RATIO_MOST || rows > file * RATIO_MOST) return LMP_E_DAMAGED;
    return LMP_OK;
}

/* One mapping for all columns. */
static bool make_room(LmpSnapRead *out, uint64_t file) {
    uint64_t bytes = 0, at[LMP_SNAP_COLUMNS];
    for (uint32_t i = 0; i < LMP_SNAP_COLUMNS; i++) {
        const LmpObjectColumn *column = &objectgraph_columns[i];
        at[i] = bytes;
        /* a word more: columns without rows are somewhere, too */
        bytes += (objectgraph_rows(&out->graph, column) * column->width + 64 + 63) & ~63ull;
    }
    out->memory = lmp_os->map(bytes, -1, 0, true);
    if (!out->memory) return false;
    out->memory_bytes = bytes;
    if (bytes / 16 < file) lmp_os->populate(out->memory, bytes); /* else it may not be true */
    for (uint32_t i = 0; i < LMP_SNAP_COLUMNS; i++)
        *(void **)((char *)&out->graph + objectgraph_columns[i].at) = (char *)out->memory + at[i];
    return true;
}

static bool read_head(Reader *r, LmpSnapHead *head) {
    /* what is shorter than a head, but begins as one, is a snapshot cut off */
    size_t n = r->size < sizeof *head ? (size_t)r->size : sizeof *head;
    memset(head, 0, sizeof *head);
    const unsigned char *bytes = take(r, n);
    if (!bytes) return false;
    memcpy(head, bytes, n);
    LmpErr err = n < sizeof *head && head->magic == LMP_SNAPFILE_MAGIC ? LMP_E_DAMAGED
                                                                       : check_head(head, r->size);
    return !err || fail(r, err);
}

static bool begin(Reader *r, LmpSnapRead *out, bool *state) {
    LmpSnapHead head;
    if (!read_head(r, &head)) return false;
    LmpObjectGraph *g = &out->graph;
    out->info = head.info;
    g->objects = head.objects, g->edges = head.edges, g->wides = head.wides;
    g->frames = head.frames, g->slots = head.slots, g->text_bytes = head.text_bytes;
    memcpy(g->count, head.count, sizeof g->count);
    *state = head.state;
    return make_room(out, r->size) || fail(r, LMP_E_NOMEM);
}

static bool read_columns(Reader *r, LmpSnapRead *out) {
    for (uint32_t i = 0; i < LMP_SNAP_COLUMNS; i++) {
        const LmpObjectColumn *column = &objectgraph_columns[i];
        void *rows = *(void **)((char *)&out->graph + column->at);
        uint64_t n = objectgraph_rows(&out->graph, column);
        bool good = column->coding == LMP_CODING_BYTES
                        ? read_bytes(r, i, rows, n * column->width, column->width, false)
                        : read_numbers(r, i, column, rows, n);
        if (!good) return false;
    }
    return true;
}

static bool read_state(Reader *r, LmpSnapRead *out) {
    out->whole = lmp_os->map(STATE_BYTES, -1, 0, true);
    if (!out->whole) return fail(r, LMP_E_NOMEM);
    for (uint32_t i = 0; i < SNAPFILE_PARTS; i++) {
        const SnapfilePart *part = &snapfile_parts[i];
        bool whole = i == SNAPFILE_HEADER || i == SNAPFILE_LIVE;
        if (!read_bytes(r, LMP_SNAP_COLUMNS + i, (char *)out->whole + part->at,
                        (uint64_t)part->row * part->most, part->row, !whole))
            return false;
    }
    LmpLive *live = (void *)((char *)out->whole + LMP_LIVE_AT);
    live->snapshot.frozen = 0; /* the file has the rows of its moment */
    live->lines_end = 0;
    return true;
}

static bool read_end(Reader *r) {
    if (!next_chunk(r, LMP_SNAPFILE_END)) return fail(r, LMP_E_DAMAGED);
    char nothing[1];
    if (r->chunk.plain != 0) return fail(r, LMP_E_DAMAGED);
    if (!unpack(r, nothing)) return false;
    return r->at - (r->end - r->begin) == r->size || fail(r, LMP_E_DAMAGED); /* nothing follows */
}

/* Error: FOREIGN, NOMEM. To be closed by reader_close, even then. */
static LmpErr reader_open(Reader *r, int fd) {
    struct stat st;
    *r = (Reader){.fd = fd};
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < 8) return LMP_E_FOREIGN;
    r->size = (uint64_t)st.st_size;
    r->window = malloc(WINDOW);
    r->plain = malloc(SNAPFILE_PLAIN);
    return r->window && r->plain ? LMP_OK : LMP_E_NOMEM;
}

static void reader_close(Reader *r) {
    free(r->window);
    free(r->plain);
}

LmpErr snapfile_read_info(LmpObjectInfo *out, int fd) {
    Reader r;
    LmpSnapHead head;
    r.err = reader_open(&r, fd);
    if (!r.err && read_head(&r, &head)) *out = head.info;
    reader_close(&r);
    return r.err;
}

LmpErr snapfile_read(LmpSnapRead *out, int fd) {
    return snapfile_read_told(out, fd, NULL);
}

LmpErr snapfile_read_told(LmpSnapRead *out, int fd, LmpProgress *progress) {
    Reader r;
    memset(out, 0, sizeof *out);
    r.err = reader_open(&r, fd);
    r.progress = progress;
    out->bytes = r.size;
    bool state = false;
    if (!r.err && begin(&r, out, &state) && read_columns(&r, out) &&
        (!state || read_state(&r, out)) && read_end(&r) && !check_graph(&out->graph))
        fail(&r, LMP_E_DAMAGED);
    reader_close(&r);
    if (r.err) {
        snapfile_free(out);
        out->bad_at = r.at - (r.end - r.begin);
    }
    return r.err;
}

void snapfile_free(LmpSnapRead *read) {
    if (read->memory) lmp_os->unmap(read->memory, read->memory_bytes);
    if (read->whole) lmp_os->unmap(read->whole, STATE_BYTES);
    memset(read, 0, sizeof *read);
}
