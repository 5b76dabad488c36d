/* apply.c - a piece has its numbers column by column; memory has them row by row, and a row is
 * longer than a line of the cache. So some rows at a time get all of theirs (columns.h). */
#include "recording/reader/apply.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "recording/format/columns.h"

enum { TILE = 256 };

/* ---- taking back ----------------------------------------------------------------------------- */

void undo_free(RecUndo *undo) {
    for (uint32_t g = 0; g < REC_GROUPS; g++) {
        free(undo->group[g].row);
        free(undo->group[g].held);
    }
    *undo = (RecUndo){0};
}

void undo_all(RecUndo *undo, const RecMemory *m, unsigned layers) {
    for (uint32_t g = 0; g < REC_GROUPS; g++) {
        if (!rec_in(&rec_groups[g], layers)) continue;
        struct RecHeld *h = &undo->group[g];
        coding_put_back(&rec_groups[g], m, h->row, h->rows, h->held, h->from, h->to);
        h->rows = 0;
    }
}

void undo_forget(RecUndo *undo, RecExtent *extent, unsigned layers) {
    for (uint32_t g = 0; g < REC_GROUPS; g++) {
        if (!rec_in(&rec_groups[g], layers)) continue;
        struct RecHeld *h = &undo->group[g];
        uint32_t end = h->rows ? h->row[h->rows - 1] + 1 : 0;
        if (extent[g].rows < end) extent[g].rows = end;
        h->rows = 0;
    }
}

static bool undo_room(struct RecHeld *h, uint32_t rows) {
    size_t bytes = (size_t)rows * (h->to - h->from);
    return array_room(&h->row, &h->room, rows) && array_room(&h->held, &h->held_room, bytes);
}

static void undo_note(struct RecHeld *h, const char *from, size_t stride, const uint32_t *row,
                      uint32_t n) {
    const size_t size = h->to - h->from;
    char *to = h->held + h->rows * size;
    memcpy(h->row + h->rows, row, n * sizeof *row);
    for (uint32_t i = 0; i < n; i++)
        memcpy(to + i * size, from + row[i] * stride + h->from, size);
    h->rows += n;
}

/* ---- groups ---------------------------------------------------------------------------------- */

typedef struct Apply {
    RecRead r;
    const RecPiece *piece;
    const RecSchema *schema;
    const RecMemory *m;
    bool first; /* the first piece of a chunk */
    RecExtent *extent;
    RecUndo *undo;
    bool seen[REC_GROUPS];
    /* of the group under way */
    RecWhich which;
    RecColumns columns;
} Apply;

#define CLEAR_WORDS(type)                                                                          \
    for (uint32_t i = 0; i < n; i++)                                                               \
        *(type *)(void *)(to + row[i] * stride) = 0;                                               \
    break

static void clear_column(char *to, size_t stride, uint32_t size, const uint32_t *row, uint32_t n) {
    switch (size) {
    case 1:
        CLEAR_WORDS(uint8_t);
    case 2:
        CLEAR_WORDS(uint16_t);
    case 4:
        CLEAR_WORDS(uint32_t);
    default:
        CLEAR_WORDS(uint64_t);
    }
}

static uint64_t word_bit(uint32_t i) {
    return 1ull << (i < 63 ? i : 63);
}

/* Gives some rows their numbers; in a first piece, words without any become zero. */
static bool apply_tile(Apply *a, const RecGroup *g, const uint32_t *row, uint32_t n) {
    char *base = rec_at(a->m, g->at);
    const RecExtent *was = a->first ? &a->extent[g - rec_groups] : NULL;
    bool fine = columns_read(&a->columns, a->r.end, !a->first, base, g->row, row, n);
    for (uint32_t i = 0; was && row[0] < was->rows && i < a->columns.n; i++) {
        const RecColumn *c = &a->columns.column[i];
        if (!c->at && was->words & word_bit(i))
            clear_column(base + c->place, g->row, c->size, row, n);
    }
    return fine;
}

/* Rows between those of a first piece hold nothing. */
static void clear_between(const Apply *a, const RecGroup *g, const uint32_t *row, uint32_t n,
                          uint32_t *next) {
    uint32_t high = a->extent[g - rec_groups].rows;
    if (row[n - 1] - *next == n - 1) { /* there are none */
        *next = row[n - 1] + 1;
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t end = row[i] < high ? row[i] : high;
        if (*next < end) coding_clear(g, a->m, *next, end);
        *next = row[i] + 1;
    }
}

/* Returns, as bits, the words that have numbers, and in *span which bytes of the row they are
 * in. */
static uint64_t words_changed(const Apply *a, struct RecHeld *span) {
    uint64_t words = 0;
    span->from = UINT32_MAX;
    span->to = 0;
    for (uint32_t i = 0; i < a->columns.n; i++) {
        const RecColumn *c = &a->columns.column[i];
        if (!c->at) continue;
        words |= word_bit(i);
        if (span->from > c->place) span->from = c->place;
        if (span->to < c->place + c->size) span->to = c->place + c->size;
    }
    return words;
}

static LmpErr apply_rows(Apply *a, const RecGroup *g) {
    size_t number = (size_t)(g - rec_groups);
    struct RecHeld none, *held = a->undo ? &a->undo->group[number] : &none;
    uint32_t known = a->which.rows, next = 0, *row = a->which.row;
    if (known > 0 && row[known - 1] >= g->most) return LMP_E_DAMAGED; /* there is no place for it */
    uint64_t words = words_changed(a, held);
    bool fine = true;
    if (a->undo && words && !undo_room(held, known)) return LMP_E_NOMEM;
    for (uint32_t i = 0; i < known && fine; i += TILE) {
        uint32_t n = known - i < TILE ? known - i : TILE;
        if (a->undo && words) undo_note(held, rec_at(a->m, g->at), g->row, row + i, n);
        if (a->first) clear_between(a, g, row + i, n, &next);
        fine = apply_tile(a, g, row + i, n);
    }
    RecExtent *extent = a->extent ? &a->extent[number] : NULL;
    if (a->first && next < extent->rows) coding_clear(g, a->m, next, extent->rows);
    if (a->first && (fine || extent->rows < next)) extent->rows = next;
    if (extent) extent->words = a->first && fine ? words : extent->words | words;
    return fine ? LMP_OK : LMP_E_DAMAGED;
}

static LmpErr apply_group(Apply *a) {
    uint64_t number = read_varint(&a->r), n = read_varint(&a->r);
    if (a->r.failed || number >= a->schema->groups) return LMP_E_DAMAGED;
    const RecFileGroup *g = &a->schema->group[number];
    if (g->section != a->piece->section || n > g->most) return LMP_E_DAMAGED;
    if (g->own && a->seen[g->own - rec_groups]) return LMP_E_DAMAGED; /* twice */
    LmpErr err = which_read(&a->which, &a->r, n);
    if (!err) err = columns_find(&a->columns, &a->r, g, a->which.rows);
    if (err || !g->own) return err;
    a->seen[g->own - rec_groups] = true;
    return rec_in(g->own, a->piece->layers) ? apply_rows(a, g->own) : LMP_OK;
}

static LmpErr apply(Apply *a) {
    const RecPiece *piece = a->piece;
    LmpErr err = LMP_OK;
    a->r = (RecRead){piece->bytes, piece->bytes + piece->n, false};
    while (!err && a->r.at < a->r.end)
        err = apply_group(a);
    for (uint32_t g = 0; g < REC_GROUPS && a->first && !err; g++) {
        if (rec_groups[g].section != piece->section || a->seen[g]) continue;
        if (!rec_in(&rec_groups[g], piece->layers)) continue;
        coding_clear(&rec_groups[g], a->m, 0, a->extent[g].rows);
        a->extent[g] = (RecExtent){0};
    }
    free(a->which.row);
    free(a->columns.column);
    return err;
}

LmpErr apply_first(const RecSchema *schema, const RecPiece *piece, const RecMemory *m,
                   RecExtent *extent) {
    Apply a = {.piece = piece, .schema = schema, .m = m, .first = true, .extent = extent};
    return apply(&a);
}

LmpErr apply_changes(const RecSchema *schema, const RecPiece *piece, const RecMemory *m,
                     RecUndo *undo, RecExtent *extent) {
    Apply a = {.piece = piece, .schema = schema, .m = m, .undo = undo, .extent = extent};
    return apply(&a);
}
