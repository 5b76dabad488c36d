/* snapfile.c - writes snapshot files (snapfile.h). It runs in a copy of the profiled program of
 * which nobody knows who held which lock: so no malloc, no stdio, nothing but the sink's write.
 *
 * A section's rows are encoded into a buffer; full, it is compressed and written as a chunk. */
#include "shared/snapfile.h"

#include <lz4.h>

#include "shared/snapfile_impl.h"

#define TABLE(name, NAME, type, rows)                                                              \
    { name, LMP_##NAME##_AT, sizeof(type), LMP_##NAME##_MAX, rows }
#define BESIDE(name, NAME, bytes, OF, rows)                                                        \
    { name, LMP_##NAME##_AT, (bytes), LMP_##OF##_MAX, rows }

static uint32_t text_used(const LmpTables *t) {
    uint32_t n = *(const volatile uint32_t *)&t->live->tables.text;
    return n < LMP_TEXT_MAX ? n : LMP_TEXT_MAX;
}

const SnapfilePart snapfile_parts[SNAPFILE_PARTS] = {
    [SNAPFILE_HEADER] = {"header", 0, sizeof(LmpHeader), 1, NULL},
    [SNAPFILE_LIVE] = {"figures", LMP_LIVE_AT, sizeof(LmpLive), 1, NULL},
    [SNAPFILE_TABLES] = TABLE("texts", TEXT, char, text_used),
    TABLE("functions", FUNCTIONS, LmpFunction, tables_functions),
    TABLE("sites", SITES, LmpSite, tables_sites),
    TABLE("records", RECORDS, LmpRecord, tables_records),
    TABLE("nodes", NODES, LmpNode, tables_nodes),
    TABLE("usages", USAGES, uint64_t, tables_usages),
    TABLE("paths", PATHS, LmpPath, tables_paths),
    BESIDE("live history", LIVE_HISTORY, LMP_LIVE_HISTORY * 8u, SITES, tables_sites),
    BESIDE("live history blocks", LIVE_HISTORY_BLOCKS, LMP_LIVE_HISTORY * 4u, SITES, tables_sites),
    BESIDE("marked records", MARKED_RECORDS, LMP_MARKED * sizeof(LmpMarked), RECORDS,
           tables_records),
    BESIDE("marked nodes", MARKED_NODES, LMP_MARKED * sizeof(LmpMarked), NODES, tables_nodes),
};

typedef struct Writer {
    LmpSnapSink *sink;
    void *lz4;                  /* the compressor's own memory */
    unsigned char *plain, *out; /* the chunk being filled; a chunk's head and what is stored */
    size_t used;                /* of plain */
    bool failed;
} Writer;

enum { OUT = sizeof(LmpSnapChunk) + LZ4_COMPRESSBOUND(SNAPFILE_PLAIN) };

static size_t aligned(size_t n) {
    return (n + 15) & ~(size_t)15;
}

size_t snapfile_scratch(void) {
    return aligned((size_t)LZ4_sizeofState()) + SNAPFILE_PLAIN + aligned(OUT);
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static void put_chunk(Writer *w, uint32_t section, const void *plain, size_t n) {
    if (w->failed) return;
    unsigned char *stored = w->out + sizeof(LmpSnapChunk);
    LmpSnapChunk chunk = {.section = section, .plain = (uint32_t)n, .stored = (uint32_t)n};
    int packed = n == 0 ? 0
                        : LZ4_compress_fast_extState(w->lz4, plain, (char *)stored, (int)n,
                                                     LZ4_COMPRESSBOUND(SNAPFILE_PLAIN), 1);
    if (packed > 0 && (size_t)packed < n)
        chunk.stored = (uint32_t)packed;
    else
        memcpy(stored, plain, n);
    chunk.checksum = snapfile_chunk_checksum(&chunk, stored);
    memcpy(w->out, &chunk, sizeof chunk);
    w->failed = !w->sink->write(w->sink, w->out, sizeof chunk + chunk.stored);
}

static void flush(Writer *w, uint32_t section) {
    if (w->used) put_chunk(w, section, w->plain, w->used);
    w->used = 0;
}

/* Bytes as they are. What the program may be changing is copied first: the compressor reads it more
 * than once. */
static void put_bytes(Writer *w, uint32_t section, const void *bytes, uint64_t n, bool changes) {
    const unsigned char *at = bytes;
    while (n && !w->failed) {
        size_t part = n < SNAPFILE_PLAIN ? (size_t)n : SNAPFILE_PLAIN;
        if (changes) memcpy(w->plain, at, part);
        put_chunk(w, section, changes ? w->plain : at, part);
        at += part;
        n -= part;
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

static size_t put_varint(unsigned char *out, uint64_t value) {
    size_t n = 0;
    for (; value >= 128; value >>= 7)
        out[n++] = (unsigned char)(value | 128);
    out[n++] = (unsigned char)value;
    return n;
}

static uint64_t zigzag(uint64_t difference) {
    return difference << 1 ^ (0 - (difference >> 63));
}

static void put_numbers(Writer *w, uint32_t section, const LmpObjectColumn *column,
                        const void *rows, uint64_t n) {
    const uint64_t *wide = rows;
    const uint32_t *narrow = rows;
    bool delta = column->coding == LMP_CODING_DELTA;
    uint64_t before = 0;
    for (uint64_t i = 0; i < n && !w->failed; i++) {
        uint64_t value = column->width == 8 ? wide[i] : narrow[i];
        if (w->used + SNAPFILE_VARINT > SNAPFILE_PLAIN) flush(w, section);
        w->used += put_varint(w->plain + w->used, delta ? zigzag(value - before) : value);
        before = value;
    }
    flush(w, section);
}

static void put_column(Writer *w, const LmpObjectGraph *graph, uint32_t section) {
    const LmpObjectColumn *column = &objectgraph_columns[section];
    const void *rows = *(void *const *)((const char *)graph + column->at);
    uint64_t n = objectgraph_rows(graph, column);
    if (column->coding == LMP_CODING_BYTES)
        put_bytes(w, section, rows, n * column->width, false);
    else
        put_numbers(w, section, column, rows, n);
}

/* ---- the state ------------------------------------------------------------------------------- */

static void put_state(Writer *w, const LmpSnapState *state) {
    const LmpTables *tables = state->tables && state->tables->text ? state->tables : NULL;
    for (uint32_t i = 0; i < SNAPFILE_PARTS; i++) {
        const SnapfilePart *part = &snapfile_parts[i];
        uint32_t section = LMP_SNAP_COLUMNS + i;
        if (i == SNAPFILE_HEADER)
            put_bytes(w, section, state->header, part->row, true);
        else if (i == SNAPFILE_LIVE)
            put_bytes(w, section, state->live, part->row, true);
        else if (tables)
            put_bytes(w, section, tables->text + (part->at - LMP_TABLES_AT),
                      (uint64_t)part->rows(tables) * part->row, true);
    }
}

static bool has_state(const LmpSnapState *state) {
    return state && state->header && state->live;
}

void snapfile_head(LmpSnapHead *head, const LmpObjectInfo *info, const LmpObjectGraph *graph,
                   const LmpSnapState *state) {
    *head = (LmpSnapHead){.magic = LMP_SNAPFILE_MAGIC,
                          .version = LMP_SNAPFILE_VERSION,
                          .head_size = sizeof *head,
                          .info_size = sizeof head->info,
                          .columns = LMP_SNAP_COLUMNS,
                          .state = has_state(state),
                          .layout = LMP_LAYOUT,
                          .info = *info,
                          .objects = graph->objects,
                          .edges = graph->edges,
                          .wides = graph->wides,
                          .frames = graph->frames,
                          .slots = graph->slots,
                          .text_bytes = graph->text_bytes};
    memcpy(head->count, graph->count, sizeof head->count);
    head->checksum = snapfile_checksum(head, offsetof(LmpSnapHead, checksum), 0);
}

LmpErr snapfile_write(LmpSnapSink *sink, const LmpObjectInfo *info, const LmpObjectGraph *graph,
                      const LmpSnapState *state, void *scratch) {
    unsigned char *at = scratch;
    Writer w = {.sink = sink, .lz4 = at};
    LmpSnapHead head;
    w.plain = at + aligned((size_t)LZ4_sizeofState());
    w.out = w.plain + SNAPFILE_PLAIN;
    snapfile_head(&head, info, graph, state);
    w.failed = !sink->write(sink, &head, sizeof head);
    for (uint32_t i = 0; i < LMP_SNAP_COLUMNS; i++)
        put_column(&w, graph, i);
    if (has_state(state)) put_state(&w, state);
    put_chunk(&w, LMP_SNAPFILE_END, "", 0);
    return w.failed ? LMP_E_FILE : LMP_OK;
}
