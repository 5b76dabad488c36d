/* texts.c - sources are an array, each with its name in one piece of memory, searched in order; a
 * piece of output is its time since the part's, its length and its bytes. */
#include "recording/format/texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- source files ---------------------------------------------------------------------------- */

/* Recorders keep far less (LINETEXT_KEPT_ALL), but a file may be anything. */
enum { TEXTS_MOST = 4096, NAME_MOST = 4096, BYTES_MOST = 64 << 20 };

typedef struct KeptText {
    char *source, *text; /* in one piece of memory */
    size_t n;
} KeptText;

struct KeptTexts {
    uint32_t count;
    size_t bytes;
    KeptText text[TEXTS_MOST];
};

void kepttexts_put(RecBytes *out, const char *source, const char *text, size_t n) {
    bytes_varint(out, strlen(source));
    bytes_put(out, source, strlen(source));
    bytes_put(out, text, n);
}

LmpErr kepttexts_add(KeptTexts **texts, const uint8_t *bytes, size_t n) {
    RecRead r = {bytes, bytes + n, false};
    uint64_t length = read_varint(&r);
    const uint8_t *name = read_bytes(&r, length);
    if (!name || length < 2 || length > NAME_MOST || *name != '@' || memchr(name, 0, length))
        return LMP_E_DAMAGED;
    if (!*texts) *texts = calloc(1, sizeof **texts);
    if (!*texts) return LMP_E_NOMEM;
    size_t size = (size_t)(r.end - r.at), all = (size_t)length + size + 2, there;
    if ((*texts)->count == TEXTS_MOST || all > BYTES_MOST - (*texts)->bytes) return LMP_E_DAMAGED;
    char *own = malloc(all);
    if (!own) return LMP_E_NOMEM;
    KeptText *t = &(*texts)->text[(*texts)->count];
    *t = (KeptText){own, own + length + 1, size};
    memcpy(t->source, name, length);
    t->source[length] = 0;
    memcpy(t->text, r.at, size);
    t->text[size] = 0;
    if (kepttexts_find(*texts, t->source, &there)) {
        free(own);
        return LMP_OK;
    }
    (*texts)->count++;
    (*texts)->bytes += all;
    return LMP_OK;
}

void kepttexts_free(KeptTexts *texts) {
    for (uint32_t i = 0; texts && i < texts->count; i++)
        free(texts->text[i].source);
    free(texts);
}

uint32_t kepttexts_count(const KeptTexts *texts) {
    return texts ? texts->count : 0;
}

const char *kepttexts_at(const KeptTexts *texts, uint32_t i, const char **source, size_t *n) {
    *source = texts->text[i].source;
    *n = texts->text[i].n;
    return texts->text[i].text;
}

const char *kepttexts_find(const KeptTexts *texts, const char *source, size_t *n) {
    for (uint32_t i = 0; texts && i < texts->count; i++) {
        if (strcmp(texts->text[i].source, source) != 0) continue;
        *n = texts->text[i].n;
        return texts->text[i].text;
    }
    *n = 0;
    return NULL;
}

/* ---- output ---------------------------------------------------------------------------------- */

/* Recordings of ours stay far below these (LMP_REC_OUTPUT). */
#define MOST_BYTES ((size_t)64 << 20)
#define MOST_PIECES (16u << 20)

void outputs_put(RecBytes *out, uint64_t since, const char *bytes, size_t n) {
    bytes_varint(out, since);
    bytes_varint(out, n);
    bytes_put(out, bytes, n);
}

LmpErr outputs_read(RecOutputs *o, uint64_t clock, const uint8_t *bytes, size_t n) {
    RecRead r = {bytes, bytes + n, false};
    while (r.at < r.end) {
        uint64_t since = read_varint(&r), size = read_varint(&r);
        const uint8_t *at = read_bytes(&r, size);
        if (!at || o->text.n + size > MOST_BYTES) return LMP_E_DAMAGED;
        if (o->pieces == MOST_PIECES || !array_room(&o->piece, &o->room, o->pieces + 1) ||
            !bytes_room(&o->text, (size_t)size + 1))
            return LMP_E_NOMEM;
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
