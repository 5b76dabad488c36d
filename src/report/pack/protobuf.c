/* protobuf.c - fields as tag and varint, or as tag, length and bytes, in a buffer that grows; zlib
 * at its fastest level, a buffer at a time. */
#include "report/pack/protobuf.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"

/* ---- protocol buffers ------------------------------------------------------------------------ */

enum { VARINT = 0, LENGTH = 2 };

static void put_bytes(Protobuf *b, const void *bytes, size_t n) {
    b->failed = b->failed || !array_room(&b->at, &b->room, b->used + n);
    if (b->failed) return;
    if (n > 0) memcpy(b->at + b->used, bytes, n);
    b->used += n;
}

void protobuf_varint(Protobuf *b, uint64_t n) {
    unsigned char byte[10];
    size_t used = 0;
    for (; n > 127; n >>= 7)
        byte[used++] = (unsigned char)(n | 128);
    byte[used++] = (unsigned char)n;
    put_bytes(b, byte, used);
}

void protobuf_number(Protobuf *b, unsigned field, uint64_t n) {
    protobuf_varint(b, field << 3 | VARINT);
    protobuf_varint(b, n);
}

void protobuf_bytes(Protobuf *b, unsigned field, const void *bytes, size_t n) {
    protobuf_varint(b, field << 3 | LENGTH);
    protobuf_varint(b, n);
    put_bytes(b, bytes, n);
}

void protobuf_message(Protobuf *b, unsigned field, Protobuf *message) {
    b->failed = b->failed || message->failed;
    protobuf_bytes(b, field, message->at, message->used);
    message->used = 0;
}

void protobuf_free(Protobuf *b) {
    free(b->at);
    *b = (Protobuf){0};
}

/* ---- gzip ------------------------------------------------------------------------------------ */

struct Gzip {
    z_stream z;
    FILE *out;
    bool failed;
    unsigned char piece[65536];
};

/* Fast: a million samples are a hundred million bytes, of which little is left at any level. */
Gzip *gzip_open(FILE *out) {
    Gzip *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->out = out;
    if (deflateInit2(&g->z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK)
        return g;
    free(g);
    return NULL;
}

static int deflate_piece(Gzip *g, int flush) {
    g->z.next_out = g->piece;
    g->z.avail_out = sizeof g->piece;
    int status = deflate(&g->z, flush);
    fwrite(g->piece, 1, sizeof g->piece - g->z.avail_out, g->out);
    return status;
}

void gzip_put(Gzip *g, Protobuf *b) {
    g->failed = g->failed || b->failed;
    for (size_t at = 0; at < b->used;) {
        size_t left = b->used - at, now = left < 1u << 30 ? left : 1u << 30;
        g->z.next_in = b->at + at;
        g->z.avail_in = (uInt)now;
        while (g->z.avail_in > 0)
            if (deflate_piece(g, Z_NO_FLUSH) != Z_OK) break;
        at += now;
    }
    b->used = 0;
}

bool gzip_close(Gzip *g) {
    while (deflate_piece(g, Z_FINISH) == Z_OK) {
    }
    deflateEnd(&g->z);
    bool made = !g->failed;
    free(g);
    return made;
}
