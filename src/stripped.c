/* stripped.c - see stripped.h. */
#include "stripped.h"

#include <stdio.h>

#include "frames.h"
#include "rowindex.h"

void stripped_name(const void *proto, lua_Debug *ar, char out[LMP_STRIPPED_NAME]) {
    const char *code = (const char *)frames_word(proto, LMP_AT_PROTO_CODE); /* NOLINT */
    uint64_t hash = rowindex_mix((uint32_t)ar->linedefined, (uint32_t)ar->lastlinedefined);
    uint32_t size, instruction;
    memcpy(&size, (const char *)proto + LMP_AT_PROTO_SIZECODE, sizeof size);
    for (uint32_t i = 0; i < size; i++) {
        memcpy(&instruction, code + i * sizeof instruction, sizeof instruction);
        hash = rowindex_mix(hash, instruction);
    }
    ar->srclen = (size_t)snprintf(out, LMP_STRIPPED_NAME, "=?#%08x", (uint32_t)(hash ^ hash >> 32));
    ar->source = out;
    snprintf(ar->short_src, sizeof ar->short_src, "%s", out + 1);
}
