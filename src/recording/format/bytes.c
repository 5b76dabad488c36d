/* bytes.c - memory that doubles, and sticks at a failure: what is put after it is dropped. */
#include "recording/format/bytes.h"

#include <stdlib.h>
#include <string.h>

bool bytes_room(RecBytes *b, size_t n) {
    if (b->room - b->n >= n) return true;
    size_t room = b->room ? b->room : 4096;
    while (room - b->n < n && room < REC_BYTES_MOST)
        room *= 2;
    uint8_t *at = b->failed || room - b->n < n ? NULL : realloc(b->at, room);
    if (!at) {
        b->failed = true;
        return false;
    }
    b->at = at;
    b->room = room;
    return true;
}

void bytes_free(RecBytes *b) {
    free(b->at);
    *b = (RecBytes){0};
}

void bytes_empty(RecBytes *b) {
    if (b->failed || b->room > REC_BYTES_KEPT) bytes_free(b);
    b->n = 0;
}

void bytes_put(RecBytes *b, const void *from, size_t n) {
    if (n == 0 || !bytes_room(b, n)) return;
    memcpy(b->at + b->n, from, n);
    b->n += n;
}

const uint8_t *read_bytes(RecRead *r, uint64_t n) {
    if ((uint64_t)(r->end - r->at) < n) {
        r->failed = true;
        r->at = r->end;
        return NULL;
    }
    const uint8_t *at = r->at;
    r->at += n;
    return at;
}
