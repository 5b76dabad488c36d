/* stripped.c - reads a prototype's fields, at offsets that stripped_agrees compares with the
 * documented API, and hashes its code. */
#include "agent/interp/stripped.h"

#include <string.h>

#include "agent/interp/frames.h"
#include "base/rowindex.h"

static uint32_t field(const void *proto, size_t at) {
    uint32_t w;
    memcpy(&w, (const char *)proto + at, sizeof w);
    return w;
}

bool stripped_agrees(const void *proto, const lua_Debug *ar) {
    bool none = !frames_word(proto, LMP_AT_PROTO_SOURCE);
    return (!none || stripped_is(ar)) &&
           field(proto, LMP_AT_PROTO_LINE) == (uint32_t)ar->linedefined &&
           field(proto, LMP_AT_PROTO_LAST) == (uint32_t)ar->lastlinedefined;
}

bool stripped_looks(const void *proto) {
    return !frames_word(proto, LMP_AT_PROTO_SOURCE) && !field(proto, LMP_AT_PROTO_LINES);
}

static uint64_t hash_code(const void *proto, uint32_t first, uint32_t last) {
    const char *code = (const char *)frames_code(proto); /* NOLINT */
    uint64_t hash = rowindex_mix(first, last);
    uint32_t size = frames_code_size(proto);
    for (uint32_t i = 0; i < size; i++)
        hash = rowindex_mix(hash, field(code, (size_t)i * LMP_INSTRUCTION));
    return hash;
}

uint64_t stripped_hash(const void *proto) {
    return hash_code(proto, field(proto, LMP_AT_PROTO_LINE), field(proto, LMP_AT_PROTO_LAST));
}

void stripped_name(const void *proto, lua_Debug *ar, char out[LMP_STRIPPED_NAME]) {
    uint64_t hash = hash_code(proto, (uint32_t)ar->linedefined, (uint32_t)ar->lastlinedefined);
    static const char digit[] = "0123456789abcdef";
    uint32_t number = (uint32_t)(hash ^ hash >> 32);
    memcpy(out, "=?#", 3);
    for (int i = 0; i < 8; i++)
        out[3 + i] = digit[number >> (28 - 4 * i) & 15];
    out[11] = 0;
    ar->source = out;
    ar->srclen = 11;
    memcpy(ar->short_src, out + 1, 11);
}
