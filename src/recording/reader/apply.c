/* apply.c - a piece has its numbers column by column; memory has them row by row, and a row is
 * longer than a line of the cache. So the columns' beginnings are found first, which is no more
 * than counting bytes that end a number; then some rows at a time get all of theirs. */
#include "recording/reader/apply.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { TILE = 256, MOST_WORDS = 65536 };

/* ---- taking back ----------------------------------------------------------------------------- */

void undo_free(RecUndo *undo) {
    for (uint32_t g = 0; g < REC_GROUPS; g++) {
        free(undo->group[g].row);
        free(undo->group[g].held);
    }
    *undo = (RecUndo){0};
}

void undo_all(RecUndo *undo, const RecMemory *m) {
    for (uint32_t g = 0; g < REC_GROUPS; g++) {
        struct RecHeld *h = &undo->group[g];
        coding_put_back(&rec_groups[g], m, h->row, h->rows, h->held, h->from, h->to);
        h->rows = 0;
    }
}

void undo_forget(RecUndo *undo, RecExtent *extent) {
    for (uint32_t g = 0; g < REC_GROUPS; g++) {
        struct RecHeld *h = &undo->group[g];
        uint32_t end = h->rows ? h->row[h->rows - 1] + 1 : 0;
        if (extent[g].rows < end) extent[g].rows = end;
        h->rows = 0;
    }
}

static bool undo_room(struct RecHeld *h, uint32_t rows) {
    size_t bytes = (size_t)rows * (h->to - h->from);
    if (!array_room(&h->row, &h->room, rows)) return false;
    if (h->held_room < bytes) {
        char *held = realloc(h->held, bytes);
        if (!held) return false;
        h->held = held;
        h->held_room = bytes;
    }
    return true;
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

/* ---- numbers --------------------------------------------------------------------------------- */

/* Passes over n numbers. Returns false if there are not so many. */
static bool pass_over(RecRead *r, uint64_t n) {
    const uint64_t high = 0x8080808080808080u;
    const uint8_t *at = r->at;
    while (n >= 128 && r->end - at >= 128) { /* no more than 128 can end in as many bytes */
        uint64_t ends = 0;
        for (int i = 0; i < 16; i++, at += 8) {
            uint64_t word;
            memcpy(&word, at, sizeof word);
            ends += (~word & high) >> 7;
        }
        ends = (ends & 0x00ff00ff00ff00ffu) + (ends >> 8 & 0x00ff00ff00ff00ffu);
        n -= ends * 0x0001000100010001u >> 48;
    }
    for (; n > 0 && at < r->end; at++)
        n -= *at < 128;
    r->at = at;
    return n == 0;
}

/* Reads a number of more than eight bytes, or near the end of the piece; it ends before the column
 * does. Returns what comes after it. */
static const uint8_t *longer(const uint8_t *at, uint64_t *v, bool *failed) {
    *v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = *at++;
        *v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return at;
    }
    *failed = true;
    return at;
}

/* Reads any number. The length of each cannot be foreseen, so there are few branches; but numbers
 * of a column are much alike. */
__attribute__((always_inline)) static inline const uint8_t *
number(const uint8_t *at, const uint8_t *end, uint64_t *v, bool *failed) {
    if (end - at < 8) return longer(at, v, failed);
    uint64_t x = at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
                 (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
                 (uint64_t)at[7] << 56; /* one load where numbers are little-endian */
    uint64_t ends = ~x & 0x8080808080808080u;
    if (ends & 0x80808080u) {
        uint32_t y = (uint32_t)(x & (ends ^ (ends - 1)));
        y = (y & 0x007f007fu) | (y & 0x7f007f00u) >> 1;
        *v = (y & 0x3fffu) | (y & 0x3fff0000u) >> 2;
        return at + (__builtin_ctzll(ends) >> 3) + 1;
    }
    if (!ends) return longer(at, v, failed);
    x &= ends ^ (ends - 1);
    x = (x & 0x007f007f007f007fu) | (x & 0x7f007f007f007f00u) >> 1;
    x = (x & 0x00003fff00003fffu) | (x & 0x3fff00003fff0000u) >> 2;
    *v = (x & 0x0fffffffu) | (x & 0x0fffffff00000000u) >> 4;
    return at + (__builtin_ctzll(ends) >> 3) + 1;
}

/* Numbers for n rows of a column, in a piece that goes to `end`. */
typedef const uint8_t *ReadColumn(const uint8_t *at, const uint8_t *end, char *to, size_t stride,
                                  const uint32_t *row, uint32_t n, bool *failed);

#define READ_COLUMN(name, type, old)                                                               \
    static const uint8_t *name(const uint8_t *at, const uint8_t *end, char *to, size_t stride,     \
                               const uint32_t *row, uint32_t n, bool *failed) {                    \
        for (uint32_t i = 0; i < n && !*failed; i++) {                                             \
            uint64_t v;                                                                            \
            type *word = (type *)(void *)(to + row[i] * stride);                                   \
            at = number(at, end, &v, failed);                                                      \
            *word = (type)((old) + rec_unzigzag(v));                                               \
        }                                                                                          \
        return at;                                                                                 \
    }
READ_COLUMN(put8, uint8_t, 0u)
READ_COLUMN(put16, uint16_t, 0u)
READ_COLUMN(put32, uint32_t, 0u)
READ_COLUMN(put64, uint64_t, 0u)
READ_COLUMN(add8, uint8_t, *word)
READ_COLUMN(add16, uint16_t, *word)
READ_COLUMN(add32, uint32_t, *word)
READ_COLUMN(add64, uint64_t, *word)

/* Where a number begins is known when the one before has been read: so two columns at a time are
 * read in little more time than one. */
#define READ_PAIR(name, old, old2)                                                                 \
    static const uint8_t *name(const uint8_t *at, const uint8_t **at2, const uint8_t *end,         \
                               char *to, char *to2, size_t stride, const uint32_t *row,            \
                               uint32_t n, bool *failed) {                                         \
        const uint8_t *other = *at2;                                                               \
        for (uint32_t i = 0; i < n && !*failed; i++) {                                             \
            uint64_t v, v2, *word = (uint64_t *)(void *)(to + row[i] * stride),                    \
                            *word2 = (uint64_t *)(void *)(to2 + row[i] * stride);                  \
            at = number(at, end, &v, failed);                                                      \
            other = number(other, end, &v2, failed);                                               \
            *word = (old) + rec_unzigzag(v);                                                       \
            *word2 = (old2) + rec_unzigzag(v2);                                                    \
        }                                                                                          \
        *at2 = other;                                                                              \
        return at;                                                                                 \
    }
READ_PAIR(put64_pair, 0u, 0u)
READ_PAIR(add64_pair, *word, *word2)

static ReadColumn *column_reader(uint32_t size, bool first) {
    if (size == 1) return first ? put8 : add8;
    if (size == 2) return first ? put16 : add16;
    if (size == 4) return first ? put32 : add32;
    return first ? put64 : add64;
}

/* ---- groups ---------------------------------------------------------------------------------- */

typedef struct Column {
    const uint8_t *at; /* what comes next of it; NULL: it has not changed */
    uint32_t place;    /* in the row */
    uint32_t size;
    ReadColumn *read;
} Column;

typedef struct Apply {
    RecRead r;
    RecSection section;
    const RecSchema *schema;
    const RecMemory *m;
    bool first; /* the first piece of a chunk */
    RecExtent *extent;
    RecUndo *undo;
    bool seen[REC_GROUPS];
    /* of the group under way */
    RecWhich which;
    Column *column; /* one for each word of our own row */
    uint32_t columns, column_room;
} Apply;

static LmpErr columns_begin(Apply *a, const RecGroup *g) {
    uint32_t n = 0;
    for (uint32_t f = 0; f < g->fields; f++)
        n += g->field[f].count;
    if (!array_room(&a->column, &a->column_room, n)) return LMP_E_NOMEM;
    a->columns = 0;
    for (uint32_t f = 0; f < g->fields; f++)
        for (uint32_t w = 0; w < g->field[f].count; w++) {
            uint32_t size = g->field[f].size;
            a->column[a->columns++] =
                (Column){NULL, g->field[f].at + w * size, size, column_reader(size, a->first)};
        }
    return LMP_OK;
}

static Column *column_of(const Apply *a, const RecGroup *g, const RecField *own) {
    Column *c = a->column;
    for (const RecField *f = g->field; f < own; f++)
        c += f->count;
    return c;
}

/* Where the numbers of each word begin. */
static LmpErr find_columns(Apply *a, const RecFileGroup *g) {
    for (uint32_t f = 0; f < g->fields; f++) {
        const RecField *own = g->field[f].own;
        Column *column = own ? column_of(a, g->own, own) : NULL;
        for (uint32_t w = 0; w < g->field[f].count; w++) {
            uint64_t how = read_varint(&a->r);
            if (a->r.failed || how > 1) return LMP_E_DAMAGED;
            const uint8_t *at = a->r.at;
            if (how == 1 && !pass_over(&a->r, a->which.rows)) return LMP_E_DAMAGED;
            if (how == 1 && own && w < own->count) column[w].at = at;
        }
    }
    return LMP_OK;
}

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
    bool failed = false;
    Column *waits = NULL; /* for one more of 64 bits */
    for (uint32_t i = 0; i < a->columns && !failed; i++) {
        Column *c = &a->column[i];
        if (c->at && c->size == 8 && !waits)
            waits = c;
        else if (c->at && c->size == 8) {
            c->at =
                (a->first ? put64_pair : add64_pair)(c->at, &waits->at, a->r.end, base + c->place,
                                                     base + waits->place, g->row, row, n, &failed);
            waits = NULL;
        } else if (c->at)
            c->at = c->read(c->at, a->r.end, base + c->place, g->row, row, n, &failed);
        else if (was && row[0] < was->rows && was->words & word_bit(i))
            clear_column(base + c->place, g->row, c->size, row, n);
    }
    if (waits && !failed)
        waits->at = waits->read(waits->at, a->r.end, base + waits->place, g->row, row, n, &failed);
    return !failed;
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
    for (uint32_t i = 0; i < a->columns; i++) {
        const Column *c = &a->column[i];
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
    if (g->section != a->section || n > g->most) return LMP_E_DAMAGED;
    if (g->own && a->seen[g->own - rec_groups]) return LMP_E_DAMAGED; /* twice */
    LmpErr err = which_read(&a->which, &a->r, n);
    if (!err && g->own) err = columns_begin(a, g->own);
    if (!err && a->which.rows > 0) err = find_columns(a, g);
    if (err || !g->own) return err;
    a->seen[g->own - rec_groups] = true;
    return apply_rows(a, g->own);
}

static LmpErr apply(Apply *a) {
    LmpErr err = LMP_OK;
    while (!err && a->r.at < a->r.end)
        err = apply_group(a);
    for (uint32_t g = 0; g < REC_GROUPS && a->first && !err; g++) {
        if (rec_groups[g].section != a->section || a->seen[g]) continue;
        coding_clear(&rec_groups[g], a->m, 0, a->extent[g].rows);
        a->extent[g] = (RecExtent){0};
    }
    free(a->which.row);
    free(a->column);
    return err;
}

LmpErr apply_first(const RecSchema *schema, RecSection section, const uint8_t *bytes, size_t n,
                   const RecMemory *m, RecExtent *extent) {
    Apply a = {.r = {bytes, bytes + n, false},
               .section = section,
               .schema = schema,
               .m = m,
               .first = true,
               .extent = extent};
    return apply(&a);
}

LmpErr apply_changes(const RecSchema *schema, RecSection section, const uint8_t *bytes, size_t n,
                     const RecMemory *m, RecUndo *undo, RecExtent *extent) {
    Apply a = {.r = {bytes, bytes + n, false},
               .section = section,
               .schema = schema,
               .m = m,
               .undo = undo,
               .extent = extent};
    return apply(&a);
}
