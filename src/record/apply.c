/* apply.c - see apply.h.
 *
 * A piece has its numbers column by column; memory has them row by row, and a row is longer than a
 * line of the cache. So the columns' beginnings are found first, which is no more than counting
 * bytes that end a number; then some rows at a time get all of theirs. */
#include "record/apply.h"

#include <stdlib.h>
#include <string.h>

enum { TILE = 256, MOST_WORDS = 65536 };

/* ---- taking back ----------------------------------------------------------------------------- */

void undo_free(RecUndo *undo) {
    for (uint32_t g = 0; g < REC_GROUPS; g++) {
        free(undo->row[g]);
        free(undo->held[g]);
    }
    *undo = (RecUndo){0};
}

void undo_all(RecUndo *undo, const RecMemory *m) {
    for (uint32_t g = 0; g < REC_GROUPS; g++) {
        coding_put_back(&rec_groups[g], m, undo->row[g], undo->rows[g], undo->held[g]);
        undo->rows[g] = 0;
    }
}

static bool undo_room(RecUndo *undo, size_t g, uint32_t rows) {
    if (undo->room[g] >= rows) return true;
    uint32_t *row = realloc(undo->row[g], rows * sizeof *row);
    if (row) undo->row[g] = row;
    char *held = row ? realloc(undo->held[g], (size_t)rows * rec_groups[g].row) : NULL;
    if (held) undo->held[g] = held;
    if (held) undo->room[g] = rows;
    return held != NULL;
}

static void undo_note(RecUndo *undo, size_t g, const char *from, const uint32_t *row, uint32_t n) {
    const size_t size = rec_groups[g].row;
    char *to = undo->held[g] + undo->rows[g] * size;
    memcpy(undo->row[g] + undo->rows[g], row, n * sizeof *row);
    for (uint32_t i = 0; i < n; i++)
        memcpy(to + i * size, from + row[i] * size, size);
    undo->rows[g] += n;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Passes over n numbers. False: so many are not there. */
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

/* The rest of a number whose first byte is not its last. It ends before the column does. */
static const uint8_t *longer(const uint8_t *at, uint64_t *v, bool *failed) {
    *v &= 127;
    for (unsigned shift = 7; shift < 64; shift += 7) {
        uint8_t byte = *at++;
        *v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return at;
    }
    *failed = true;
    return at;
}

/* Numbers for n rows of a column. */
typedef const uint8_t *ReadColumn(const uint8_t *at, char *to, size_t stride, const uint32_t *row,
                                  uint32_t n, bool *failed);

#define READ_COLUMN(name, type, old)                                                               \
    static const uint8_t *name(const uint8_t *at, char *to, size_t stride, const uint32_t *row,    \
                               uint32_t n, bool *failed) {                                         \
        for (uint32_t i = 0; i < n && !*failed; i++) {                                             \
            type *word = (type *)(void *)(to + row[i] * stride);                                   \
            uint64_t v = *at++;                                                                    \
            if (v >= 128) at = longer(at, &v, failed);                                             \
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
    bool first;     /* the first piece of a chunk */
    uint32_t *high; /* of a first one */
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
    if (n > a->column_room) {
        Column *more = realloc(a->column, n * sizeof *more);
        if (!more) return LMP_E_NOMEM;
        a->column = more;
        a->column_room = n;
    }
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

static void clear_column(char *to, size_t stride, uint32_t size, const uint32_t *row, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        rec_put_word(to + row[i] * stride, size, 0);
}

/* Some rows get their numbers. */
static bool apply_tile(Apply *a, const RecGroup *g, const uint32_t *row, uint32_t n) {
    char *base = rec_at(a->m, g->at);
    bool failed = false;
    uint32_t high = a->first ? a->high[g - rec_groups] : 0;
    for (uint32_t i = 0; i < a->columns && !failed; i++) {
        Column *c = &a->column[i];
        if (c->at)
            c->at = c->read(c->at, base + c->place, g->row, row, n, &failed);
        else if (a->first && row[0] < high)
            clear_column(base + c->place, g->row, c->size, row, n);
    }
    return !failed;
}

/* Rows between those of a first piece hold nothing. */
static void clear_between(const Apply *a, const RecGroup *g, const uint32_t *row, uint32_t n,
                          uint32_t *next) {
    uint32_t high = a->high[g - rec_groups];
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

static LmpErr apply_rows(Apply *a, const RecGroup *g) {
    size_t number = (size_t)(g - rec_groups);
    uint32_t known = a->which.rows, next = 0;
    bool fine = true;
    while (known > 0 && a->which.row[known - 1] >= g->most)
        known--;
    if (a->undo && known && !undo_room(a->undo, number, known)) return LMP_E_NOMEM;
    for (uint32_t i = 0; i < known && fine; i += TILE) {
        uint32_t n = known - i < TILE ? known - i : TILE;
        if (a->undo) undo_note(a->undo, number, rec_at(a->m, g->at), a->which.row + i, n);
        if (a->first) clear_between(a, g, a->which.row + i, n, &next);
        fine = apply_tile(a, g, a->which.row + i, n);
    }
    if (a->first) {
        if (next < a->high[number]) coding_clear(g, a->m, next, a->high[number]);
        if (fine || a->high[number] < next) a->high[number] = next;
    }
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
        coding_clear(&rec_groups[g], a->m, 0, a->high[g]);
        a->high[g] = 0;
    }
    free(a->which.row);
    free(a->column);
    return err;
}

LmpErr apply_first(const RecSchema *schema, RecSection section, const uint8_t *bytes, size_t n,
                   const RecMemory *m, uint32_t *high) {
    Apply a = {.r = {bytes, bytes + n, false},
               .section = section,
               .schema = schema,
               .m = m,
               .first = true,
               .high = high};
    return apply(&a);
}

LmpErr apply_changes(const RecSchema *schema, RecSection section, const uint8_t *bytes, size_t n,
                     const RecMemory *m, RecUndo *undo) {
    Apply a = {
        .r = {bytes, bytes + n, false}, .section = section, .schema = schema, .m = m, .undo = undo};
    return apply(&a);
}
