/* outputs.c - each piece as its time since the part's, its length and its bytes. */
#include "record/format/outputs.h"

#include <stdlib.h>

/* Recordings of ours stay far below these (LMP_RECORD_OUTPUT). */
#define MOST_BYTES ((size_t)64 << 20)
#define MOST_PIECES (16u << 20)

void outputs_put(RecBytes *out, uint64_t since, const char *bytes, size_t n) {
    bytes_varint(out, since);
    bytes_varint(out, n);
    bytes_put(out, bytes, n);
}

static bool make_room(RecOutputs *o) {
    if (o->pieces < o->room) return true;
    uint32_t room = o->room ? o->room * 2 : 256;
    RecOutputPiece *more = room > MOST_PIECES ? NULL : realloc(o->piece, room * sizeof *more);
    if (!more) return false;
    o->piece = more;
    o->room = room;
    return true;
}

LmpErr outputs_read(RecOutputs *o, uint64_t clock, const uint8_t *bytes, size_t n) {
    RecRead r = {bytes, bytes + n, false};
    while (r.at < r.end) {
        uint64_t since = read_varint(&r), size = read_varint(&r);
        const uint8_t *at = read_bytes(&r, size);
        if (!at || o->text.n + size > MOST_BYTES) return LMP_E_DAMAGED;
        if (!make_room(o) || !bytes_room(&o->text, (size_t)size + 1)) return LMP_E_NOMEM;
        o->piece[o->pieces++] = (RecOutputPiece){clock + since, o->text.n, (size_t)size};
        bytes_put(&o->text, at, (size_t)size);
        if (o->text.failed) return LMP_E_NOMEM;
    }
    return LMP_OK;
}

void outputs_free(RecOutputs *o) {
    free(o->piece);
    bytes_free(&o->text);
    *o = (RecOutputs){0};
}
