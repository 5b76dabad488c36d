/* stripped.c - see stripped.h. */
#include "agent/interp/stripped.h"

#include "agent/interp/frames.h"
#include "base/rowindex.h"

void stripped_name(const void *proto, lua_Debug *ar, char out[LMP_STRIPPED_NAME]) {
    const char *code = (const char *)frames_word(proto, LMP_AT_PROTO_CODE); /* NOLINT */
    uint64_t hash = rowindex_mix((uint32_t)ar->linedefined, (uint32_t)ar->lastlinedefined);
    uint32_t size, instruction;
    memcpy(&size, (const char *)proto + LMP_AT_PROTO_SIZECODE, sizeof size);
    for (uint32_t i = 0; i < size; i++) {
        memcpy(&instruction, code + i * sizeof instruction, sizeof instruction);
        hash = rowindex_mix(hash, instruction);
    }
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
