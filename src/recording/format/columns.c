/* columns.c - passing over numbers is no more than counting bytes that end one. Where a number
 * begins is known when the one before has been read: so two columns at a time are read in little
 * more time than one. */
#include "recording/format/columns.h"

#include <string.h>

#include "base/array.h"

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

static ReadColumn *column_reader(uint32_t size, bool add) {
    if (size == 1) return add ? add8 : put8;
    if (size == 2) return add ? add16 : put16;
    if (size == 4) return add ? add32 : put32;
    return add ? add64 : put64;
}

bool columns_read(RecColumns *c, const uint8_t *end, bool add, char *to, size_t stride,
                  const uint32_t *row, uint32_t n) {
    RecColumn *waits = NULL; /* for one more of 64 bits */
    bool failed = false;
    for (uint32_t i = 0; i < c->n && !failed; i++) {
        RecColumn *one = &c->column[i];
        if (!one->at) continue;
        if (one->size == 8 && !waits) {
            waits = one;
        } else if (one->size == 8) {
            one->at = (add ? add64_pair : put64_pair)(one->at, &waits->at, end, to + one->place,
                                                      to + waits->place, stride, row, n, &failed);
            waits = NULL;
        } else {
            one->at = column_reader(one->size, add)(one->at, end, to + one->place, stride, row, n,
                                                    &failed);
        }
    }
    if (waits && !failed)
        waits->at =
            column_reader(8, add)(waits->at, end, to + waits->place, stride, row, n, &failed);
    return !failed;
}

/* ---- where they begin ------------------------------------------------------------------------ */

static LmpErr begin(RecColumns *c, const RecGroup *g) {
    uint32_t n = 0;
    for (uint32_t f = 0; g && f < g->fields; f++)
        n += g->field[f].count;
    if (!array_room(&c->column, &c->room, n)) return LMP_E_NOMEM;
    c->n = 0;
    for (uint32_t f = 0; g && f < g->fields; f++)
        for (uint32_t w = 0; w < g->field[f].count; w++)
            c->column[c->n++] =
                (RecColumn){NULL, g->field[f].at + w * g->field[f].size, g->field[f].size};
    return LMP_OK;
}

static RecColumn *column_of(const RecColumns *c, const RecGroup *g, const RecField *own) {
    RecColumn *column = c->column;
    for (const RecField *f = g->field; f < own; f++)
        column += f->count;
    return column;
}

LmpErr columns_find(RecColumns *c, RecRead *r, const RecFileGroup *g, uint32_t rows) {
    LmpErr err = begin(c, g->own);
    for (uint32_t f = 0; !err && rows > 0 && f < g->fields; f++) {
        const RecField *own = g->field[f].own;
        RecColumn *column = own ? column_of(c, g->own, own) : NULL;
        for (uint32_t w = 0; w < g->field[f].count; w++) {
            uint64_t how = read_varint(r);
            if (r->failed || how > 1) return LMP_E_DAMAGED;
            const uint8_t *at = r->at;
            if (how == 1 && !pass_over(r, rows)) return LMP_E_DAMAGED;
            if (how == 1 && own && w < own->count) column[w].at = at;
        }
    }
    return err;
}
