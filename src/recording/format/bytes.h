/* bytes.h - bytes that grow, and numbers in them: seven bits a byte, the lowest first, the eighth
 * says that more follow; signed ones as zigzag (0, -1, 1, -2 ... are 0, 1, 2, 3 ...). */
#ifndef LMP_RECORDING_FORMAT_BYTES_H
#define LMP_RECORDING_FORMAT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct RecBytes {
    uint8_t *at;
    size_t n, room;
    bool failed; /* there was no memory, or too many: what is in it is not whole */
} RecBytes;

#define REC_BYTES_MOST ((size_t)512 << 20)
#define REC_BYTES_KEPT ((size_t)64 << 10)
#define REC_VARINT 10u /* bytes of a number, at most */

/* Makes room for n more. False: failed. */
bool bytes_room(RecBytes *b, size_t n);
void bytes_free(RecBytes *b);
/* Empties it; more than REC_BYTES_KEPT of memory are given back. */
void bytes_empty(RecBytes *b);
void bytes_put(RecBytes *b, const void *from, size_t n);

/* Without asking for room. */
static inline void bytes_varint_there(RecBytes *b, uint64_t v) {
    uint8_t *at = b->at + b->n;
    while (v >= 128) {
        *at++ = (uint8_t)(v | 128);
        v >>= 7;
    }
    *at++ = (uint8_t)v;
    b->n = (size_t)(at - b->at);
}
static inline void bytes_varint(RecBytes *b, uint64_t v) {
    if (bytes_room(b, REC_VARINT)) bytes_varint_there(b, v);
}

static inline uint64_t rec_zigzag(uint64_t v) {
    return v << 1 ^ (uint64_t) - (int64_t)(v >> 63);
}
static inline uint64_t rec_unzigzag(uint64_t v) {
    return v >> 1 ^ (uint64_t) - (int64_t)(v & 1);
}

/* What is read, from `at` to `end`. */
typedef struct RecRead {
    const uint8_t *at, *end;
    bool failed; /* a number or a piece went beyond the end */
} RecRead;

/* Returns 0 beyond the end, or if there is no number. */
static inline uint64_t read_varint(RecRead *r) {
    uint64_t v = 0;
    if (r->at < r->end && *r->at < 128) return *r->at++;
    for (unsigned shift = 0; shift < 64 && r->at < r->end; shift += 7) {
        uint8_t byte = *r->at++;
        v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return v;
    }
    r->failed = true;
    r->at = r->end;
    return 0;
}
/* Returns n bytes there, NULL if there are not so many. */
const uint8_t *read_bytes(RecRead *r, uint64_t n);

#endif
