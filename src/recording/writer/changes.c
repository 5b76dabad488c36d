/* changes.c - a tile is some rows of a group as they lie in memory. Those of the key are made from
 * its piece, those of now copied or made likewise; then they are compared, eight bytes at a time,
 * and of each row that differs every word gets a number, in the column of that word. A column is
 * not begun before a number in it is not zero. */
#include "recording/writer/changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "recording/format/columns.h"

enum {
    TILE = 256,           /* rows, at most, */
    TILE_BYTES = 32 << 10 /* in so many bytes; one row may be larger */
};

/* A piece that is read, group by group. */
typedef struct Piece {
    RecRead r;
    uint64_t used;  /* rows in use, of the group under way, */
    RecWhich which; /* those that it has numbers for, */
    uint32_t next;  /* of them, */
    RecColumns columns;
} Piece;

/* The numbers of a word. */
typedef struct Word {
    RecBytes bytes;
    uint32_t zeros; /* so many come first, which are not in the bytes yet */
} Word;

/* Eight bytes of a row. */
typedef struct Eight {
    uint32_t at;
    uint64_t mask; /* of the bytes that are fields */
} Eight;

struct Changes {
    RecSchema schema; /* our own */
    Piece key, first, more;
    char *now, *then; /* a tile each */
    /* of the group under way */
    Eight *eight;
    Word *word;
    uint32_t eights, eight_room, words, word_room;
    RecBytes which;
    uint32_t rows, last;
};

/* ---- opening --------------------------------------------------------------------------------- */

static LmpErr own_schema(RecSchema *out) {
    RecBytes bytes = {0};
    coding_put_schema(&bytes);
    LmpErr err = bytes.failed ? LMP_E_NOMEM : coding_read_schema(out, bytes.at, bytes.n);
    bytes_free(&bytes);
    return err;
}

static size_t tile_bytes(void) {
    size_t most = TILE_BYTES;
    for (uint32_t g = 0; g < REC_GROUPS; g++)
        if (rec_groups[g].row > most) most = rec_groups[g].row;
    return most + 8; /* the last bytes of a row are compared with what follows, too */
}

Changes *changes_new(void) {
    Changes *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->now = calloc(1, tile_bytes());
    c->then = calloc(1, tile_bytes());
    if (c->now && c->then && own_schema(&c->schema) == LMP_OK) return c;
    changes_free(c);
    return NULL;
}

static void piece_free(Piece *p) {
    free(p->which.row);
    free(p->columns.column);
}

void changes_free(Changes *c) {
    if (!c) return;
    coding_free_schema(&c->schema);
    piece_free(&c->key);
    piece_free(&c->first);
    piece_free(&c->more);
    free(c->now);
    free(c->then);
    free(c->eight);
    for (uint32_t w = 0; w < c->word_room; w++)
        bytes_free(&c->word[w].bytes);
    free(c->word);
    bytes_free(&c->which);
    free(c);
}

/* ---- pieces that are read -------------------------------------------------------------------- */

static void piece_begin(Piece *p, const RecBytes *bytes) {
    p->r = (RecRead){NULL, NULL, false};
    if (bytes && bytes->n > 0) p->r = (RecRead){bytes->at, bytes->at + bytes->n, false};
}

/* Goes on to the group. */
static LmpErr piece_group(Piece *p, const RecSchema *schema, uint32_t group) {
    const RecFileGroup *g = &schema->group[group];
    p->used = p->which.rows = p->next = p->columns.n = 0;
    if (!p->r.at) return LMP_OK;
    uint64_t number = read_varint(&p->r);
    p->used = read_varint(&p->r);
    if (p->r.failed || number != group || p->used > g->most) return LMP_E_DAMAGED;
    LmpErr err = which_read(&p->which, &p->r, p->used);
    return err ? err : columns_find(&p->columns, &p->r, g, p->which.rows);
}

/* Returns which rows of [first, first + n) the piece has numbers for, from `first` on. */
static uint32_t piece_next(Piece *p, uint32_t first, uint32_t n, uint32_t row[TILE]) {
    uint32_t rows = 0;
    while (p->next < p->which.rows && p->which.row[p->next] < first + n)
        row[rows++] = p->which.row[p->next++] - first;
    return rows;
}

void changes_begin(Changes *c, const ChangesOf *of) {
    piece_begin(&c->key, of->key);
    piece_begin(&c->first, of->first);
    piece_begin(&c->more, of->more);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static bool find_eights(Changes *c, const RecField *f) {
    for (uint32_t at = f->at; at < f->at + (uint32_t)f->size * f->count; at++) {
        Eight *last = c->eights ? &c->eight[c->eights - 1] : NULL;
        if (!last || last->at != (at & ~7u)) {
            if (!array_room(&c->eight, &c->eight_room, c->eights + 1)) return false;
            last = &c->eight[c->eights++];
            *last = (Eight){at & ~7u, 0};
        }
        ((uint8_t *)&last->mask)[at & 7] = UINT8_MAX;
    }
    return true;
}

static LmpErr begin_group(Changes *c, const RecGroup *g) {
    uint32_t had = c->word_room;
    c->eights = c->words = c->rows = 0;
    c->last = UINT32_MAX;
    for (uint32_t f = 0; f < g->fields; f++) {
        if (!find_eights(c, &g->field[f])) return LMP_E_NOMEM;
        c->words += g->field[f].count;
    }
    if (!array_room(&c->word, &c->word_room, c->words)) return LMP_E_NOMEM;
    memset(c->word + had, 0, (c->word_room - had) * sizeof *c->word);
    return LMP_OK;
}

/* Copies the fields of a row, or the row: what lies between does no harm. */
static void copy_row(const Changes *c, const RecGroup *g, char *to, const char *from) {
    if (g->row <= TILE_BYTES) {
        memcpy(to, from, g->row);
        return;
    }
    for (uint32_t k = 0; k < c->eights; k++)
        memcpy(to + c->eight[k].at, from + c->eight[k].at, 8);
}

static void clear_tile(const Changes *c, const RecGroup *g, char *tile, uint32_t n) {
    if ((size_t)g->row * n <= TILE_BYTES) {
        memset(tile, 0, (size_t)g->row * n);
        return;
    }
    for (uint32_t k = 0; k < c->eights; k++)
        memset(tile + c->eight[k].at, 0, 8);
}

/* Makes the tile rows [first, first + n) of the piece. False: a number is none. */
static bool piece_put(const Changes *c, Piece *p, const RecGroup *g, char *tile, uint32_t first,
                      uint32_t n) {
    uint32_t row[TILE], rows = piece_next(p, first, n, row);
    /* A key's rows of the tile before have numbers for the same words. */
    bool other = tile == c->now || first == 0 || (rows < n && p->which.rows > 0);
    if (other) clear_tile(c, g, tile, n);
    return rows == 0 || columns_read(&p->columns, p->r.end, false, tile, g->row, row, rows);
}

/* Adds them to what is there. */
static bool piece_add(Piece *p, const RecGroup *g, char *tile, uint32_t first, uint32_t n) {
    uint32_t row[TILE], rows = piece_next(p, first, n, row);
    return rows == 0 || columns_read(&p->columns, p->r.end, true, tile, g->row, row, rows);
}

/* The fields of a row are short, and most rows are as they were: no call, and no end before the
 * last word. */
static bool differs(const Changes *c, const char *a, const char *b) {
    uint64_t any = 0, x, y;
    for (uint32_t k = 0; k < c->eights; k++) {
        memcpy(&x, a + c->eight[k].at, sizeof x);
        memcpy(&y, b + c->eight[k].at, sizeof y);
        any |= (x ^ y) & c->eight[k].mask;
    }
    return any != 0;
}

static void put_word(Word *word, const char *now, const char *then, uint32_t size, size_t stride,
                     const uint32_t *row, uint32_t rows) {
    RecBytes *out = &word->bytes;
    uint64_t change[TILE], any = 0;
    for (uint32_t i = 0; i < rows; i++) {
        size_t at = row[i] * stride;
        change[i] = rec_word(now + at, size) - rec_word(then + at, size);
        any |= change[i];
    }
    if (!any && out->n == 0) {
        word->zeros += rows;
        return;
    }
    if (!bytes_room(out, word->zeros + (size_t)rows * REC_VARINT)) return;
    memset(out->at + out->n, 0, word->zeros);
    out->n += word->zeros;
    word->zeros = 0;
    for (uint32_t i = 0; i < rows; i++)
        bytes_varint_there(out, rec_zigzag(change[i]));
}

/* Compares n rows from `first` on with those of the key. A program goes on: those that differ are
 * copied before their words are read one by one. */
static void put_tile(Changes *c, const RecGroup *g, const char *now, uint32_t first, uint32_t n) {
    uint32_t row[TILE], rows = 0;
    for (uint32_t i = 0; i < n; i++) {
        size_t at = (size_t)i * g->row;
        if (!differs(c, now + at, c->then + at)) continue;
        if (now != c->now) copy_row(c, g, c->now + at, now + at);
        row[rows++] = i;
    }
    for (uint32_t i = 0; i < rows; i++) {
        bytes_varint(&c->which, first + row[i] - c->last);
        c->last = first + row[i];
    }
    c->rows += rows;
    Word *word = c->word;
    for (uint32_t f = 0; f < g->fields && rows > 0; f++) {
        const RecField *field = &g->field[f];
        for (uint32_t at = field->at, w = 0; w < field->count; w++, at += field->size)
            put_word(word++, c->now + at, c->then + at, field->size, g->row, row, rows);
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

static bool put_tiles(Changes *c, const RecGroup *g, const RecMemory *now, uint32_t used) {
    uint32_t step = TILE_BYTES / g->row;
    step = step > TILE ? TILE : step ? step : 1;
    bool fine = true;
    for (uint32_t first = 0; first < used && fine; first += step) {
        uint32_t n = used - first < step ? used - first : step;
        fine = piece_put(c, &c->key, g, c->then, first, n);
        if (!now)
            fine = fine && piece_put(c, &c->first, g, c->now, first, n) &&
                   piece_add(&c->more, g, c->now, first, n);
        const char *rows = now ? rec_gather(g, now, first, n, c->now) : c->now;
        if (fine) put_tile(c, g, rows, first, n);
    }
    return fine;
}

/* Empties what was gathered into `out`. */
static void put_gathered(Changes *c, RecBytes *out) {
    bytes_varint(out, c->rows);
    bytes_put(out, c->which.at, c->which.n);
    if (c->which.failed) out->failed = true;
    bytes_empty(&c->which);
    for (uint32_t w = 0; w < c->words; w++) {
        RecBytes *bytes = &c->word[w].bytes;
        uint8_t how = bytes->n > 0;
        if (c->rows > 0) bytes_put(out, &how, 1);
        bytes_put(out, bytes->at, bytes->n);
        if (bytes->failed) out->failed = true;
        bytes_empty(bytes);
        c->word[w].zeros = 0;
    }
}

void changes_put(Changes *c, RecBytes *out, uint32_t group, const RecMemory *now, bool same) {
    const RecGroup *g = &rec_groups[group];
    LmpErr err = piece_group(&c->key, &c->schema, group);
    if (!err) err = piece_group(&c->first, &c->schema, group);
    if (!err) err = piece_group(&c->more, &c->schema, group);
    if (!err) err = begin_group(c, g);
    uint64_t used = now ? rec_rows(g, now) : c->more.r.at ? c->more.used : c->first.used;
    bytes_varint(out, group);
    bytes_varint(out, used);
    if (err || (!same && !put_tiles(c, g, now, (uint32_t)used))) out->failed = true;
    put_gathered(c, out);
}
