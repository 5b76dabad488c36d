/* chunk.c - a chunk ends when its frames have become large, or many. */
#include "recording/writer/chunk.h"

enum { FRAMES = 600, LARGE = 1 << 20 };

LmpErr chunk_open(Chunk *c, RecKind kind) {
    *c = (Chunk){.kind = kind, .pack = pack_new()};
    return c->pack ? LMP_OK : LMP_E_NOMEM;
}

void chunk_close(Chunk *c) {
    pack_free(c->pack);
    bytes_free(&c->key);
    c->pack = NULL;
}

static LmpErr begin(Chunk *c, const RecPart *part, RecBytes *plain) {
    if (!pack_set_base(c->pack, plain->at, plain->n, true)) return LMP_E_NOMEM;
    c->key = *plain;
    *plain = (RecBytes){0};
    c->base = part->place;
    c->base_stored = part->stored;
    c->frames = 0;
    c->stored = 0;
    return LMP_OK;
}

/* Once a frame costs more than those of the chunk did on average, its first one included, so will
 * those to come. And a seek, which reads the first one and another, is to stay short. */
static bool is_over(const Chunk *c, const RecPart *part) {
    return c->frames >= FRAMES ||
           (uint64_t)part->stored * (c->frames + 1) > c->base_stored + c->stored ||
           (part->plain > LARGE && part->stored > c->base_stored / 4);
}

LmpErr chunk_put(Chunk *c, RecSink sink, RecPart *part, RecBytes *plain, RecBytes *packed) {
    bool first = c->key.n == 0, over = false;
    part->kind = (uint8_t)c->kind;
    part->base = first ? 0 : c->base;
    LmpErr err = pack_bytes(c->pack, part, plain, packed);
    if (!err) err = sink.put(sink.of, part, packed->at);
    bytes_empty(packed);
    if (!err && first) {
        err = begin(c, part, plain);
    } else if (!err) {
        c->frames++;
        c->stored += part->stored;
        over = is_over(c, part);
    }
    if (err || over) bytes_free(&c->key);
    return err;
}
