/* heap_pprof.c - bytes by the folded path that holds them as a profile for pprof: one sample a
 * path, a function for each step. Protocol buffers by hand, compressed by zlib. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "report/heap/heapreport_impl.h"
#include "report/texttable.h"

/* ---- protocol buffers ------------------------------------------------------------------------ */

typedef struct Bytes {
    unsigned char *at;
    size_t used, room;
    bool failed;
} Bytes;

static void put_bytes(Bytes *b, const void *bytes, size_t n) {
    if (b->used + n > b->room) {
        size_t room = (b->used + n) * 2;
        unsigned char *more = realloc(b->at, room);
        if (!more) {
            b->failed = true;
            return;
        }
        b->at = more;
        b->room = room;
    }
    if (n > 0) memcpy(b->at + b->used, bytes, n);
    b->used += n;
}

static void put_varint(Bytes *b, uint64_t n) {
    unsigned char byte[10];
    size_t used = 0;
    for (; n > 127; n >>= 7)
        byte[used++] = (unsigned char)(n | 128);
    byte[used++] = (unsigned char)n;
    put_bytes(b, byte, used);
}

enum { VARINT = 0, LENGTH = 2 };

static void put_number(Bytes *b, unsigned field, uint64_t n) {
    put_varint(b, field << 3 | VARINT);
    put_varint(b, n);
}

static void put_part(Bytes *b, unsigned field, const void *bytes, size_t n) {
    put_varint(b, field << 3 | LENGTH);
    put_varint(b, n);
    put_bytes(b, bytes, n);
}

/* A message in another one; empties it. */
static void put_message(Bytes *b, unsigned field, Bytes *message) {
    b->failed = b->failed || message->failed;
    put_part(b, field, message->at, message->used);
    message->used = 0;
}

/* ---- the profile ----------------------------------------------------------------------------- */

typedef struct Profile {
    const LmpSnapshot *s;
    HeapHolders holders;
    HeapRedact redact;
    TextTable texts;
    uint32_t *function_of; /* of each text: its function, 0: none yet */
    uint32_t functions;
    uint32_t *row_function; /* of each row of the tree */
    Bytes out, message, part;
} Profile;

static void put_type(Profile *p, unsigned field, const char *type, const char *unit) {
    put_number(&p->message, 1, texttable_text(&p->texts, type));
    put_number(&p->message, 2, texttable_text(&p->texts, unit));
    put_message(&p->out, field, &p->message);
}

/* One function and one location for each different step. */
static bool name_steps(Profile *p) {
    uint32_t rows = p->holders.rows;
    uint32_t *text = malloc(rows * sizeof *text);
    p->row_function = calloc(rows, sizeof *p->row_function);
    for (uint32_t row = 0; text && row < rows; row++) {
        char name[160];
        holders_text(&p->holders, &p->redact, p->s, row, name, sizeof name);
        text[row] = texttable_text(&p->texts, name);
    }
    p->function_of = calloc((size_t)p->texts.texts + 1, sizeof *p->function_of);
    bool made = text && p->row_function && p->function_of && !p->texts.failed;
    for (uint32_t row = 0; made && row < rows; row++) {
        uint32_t *function = &p->function_of[text[row]];
        if (!*function) *function = ++p->functions;
        p->row_function[row] = *function;
    }
    free(text);
    return made;
}

static void put_sample(Profile *p, uint32_t row) {
    const HeapHolder *h = &p->holders.row[row];
    for (uint32_t i = row; i != 0; i = p->holders.row[i].parent) /* leaf first */
        put_varint(&p->part, p->row_function[i]);
    if (row == 0) put_varint(&p->part, p->row_function[0]);
    put_message(&p->message, 1, &p->part);
    put_varint(&p->part, h->objects);
    put_varint(&p->part, h->size);
    put_message(&p->message, 2, &p->part);
    put_message(&p->out, 2, &p->message);
}

static void put_functions(Profile *p, uint32_t texts) {
    put_number(&p->message, 1, 1);
    put_number(&p->message, 7, 1);
    put_message(&p->out, 3, &p->message); /* a mapping, so that none is made up */
    for (uint32_t f = 1; f <= p->functions; f++) {
        put_number(&p->message, 1, f);
        put_number(&p->message, 2, 1);
        put_number(&p->part, 1, f);
        put_message(&p->message, 4, &p->part);
        put_message(&p->out, 4, &p->message);
    }
    for (uint32_t text = 0; text < texts; text++) {
        if (!p->function_of[text]) continue;
        put_number(&p->message, 1, p->function_of[text]);
        put_number(&p->message, 2, text);
        put_message(&p->out, 5, &p->message);
    }
}

static void put_profile(Profile *p) {
    uint32_t texts = p->texts.texts;
    put_type(p, 1, "inuse_objects", "count");
    put_type(p, 1, "inuse_space", "bytes");
    for (uint32_t row = 0; row < p->holders.rows; row++)
        if (p->holders.row[row].objects > 0) put_sample(p, row);
    put_functions(p, texts);
    put_number(&p->out, 9, p->s->info.realtime);
    put_type(p, 11, "space", "bytes");
    put_number(&p->out, 12, 1);
    put_number(&p->out, 14, texttable_text(&p->texts, "inuse_space"));
    for (uint32_t text = 0; text < p->texts.texts; text++)
        put_part(&p->out, 6, p->texts.bytes + p->texts.at[text],
                 p->texts.at[text + 1] - p->texts.at[text]);
    p->out.failed = p->out.failed || p->texts.failed || p->message.failed;
}

/* gzip, whose header has no time: the same heap gives the same bytes. */
static bool put_compressed(const Bytes *b, FILE *out) {
    unsigned char piece[16384];
    z_stream z = {0};
    size_t at = 0;
    int status = Z_OK;
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    while (status != Z_STREAM_END && !ferror(out)) {
        size_t left = b->used - at, now = left < 1u << 30 ? left : 1u << 30;
        if (z.avail_in == 0) {
            z.next_in = b->at + at;
            z.avail_in = (uInt)now;
            at += now;
        }
        z.next_out = piece;
        z.avail_out = sizeof piece;
        status = deflate(&z, at == b->used ? Z_FINISH : Z_NO_FLUSH);
        fwrite(piece, 1, sizeof piece - z.avail_out, out);
    }
    deflateEnd(&z);
    return true;
}

LmpErr heap_pprof(const HeapReport *report, FILE *out) {
    Profile p = {.s = report->s};
    LmpErr err = redact_open(&p.redact, report);
    if (!err) err = holders_make(&p.holders, report->s);
    bool made = !err && texttable_open(&p.texts) && name_steps(&p);
    if (made) put_profile(&p);
    made = made && !p.out.failed && put_compressed(&p.out, out);
    free(p.out.at);
    free(p.message.at);
    free(p.part.at);
    free(p.function_of);
    free(p.row_function);
    texttable_close(&p.texts);
    holders_free(&p.holders);
    redact_close(&p.redact);
    return made ? LMP_OK : LMP_E_NOMEM;
}
