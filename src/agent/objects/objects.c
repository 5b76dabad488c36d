/* objects.c - what takes more than a word to read: the line of an instruction, the active locals, a
 * hash. */
#include "agent/objects/objects.h"

#include "agent/state/profile_pool.h"
#include "base/bisect.h"

uint64_t object_string_block(uintptr_t string) {
    uint64_t size;
    object_string(string, &size);
    if (object_u8(string + LMP_AT_TYPE) == LMP_TT_SHORT_STRING) return LMP_STRING_HEAD + size + 1;
    return luafacts_long_block(string, size);
}

uintptr_t object_string_given(uintptr_t global, uintptr_t string, uint64_t *size) {
    if (luafacts_string_kind(string) != LMP_STRING_GIVEN) return 0;
    uintptr_t ud, alloc = luafacts_string_alloc(string, &ud);
    bool current = alloc == object_word(global) && ud == object_word(global + sizeof ud);
    if (!current && !profile_pool_knows(alloc, ud)) return 0;
    const char *bytes = object_string(string, size);
    ++*size; /* a zero */
    return (uintptr_t)bytes;
}

int object_line(uintptr_t proto, uint32_t pc) {
    uintptr_t delta = object_word(proto + LMP_AT_PROTO_V_LINES);
    uintptr_t absolute = object_word(proto + LMP_AT_PROTO_V_ABSOLUTE);
    if (!delta || pc >= object_u32(proto + LMP_AT_PROTO_LINES)) return -1;
    uint32_t low = 0, high = object_u32(proto + LMP_AT_PROTO_ABSOLUTE); /* those before or at pc */
    BISECT(low, high, i, object_u32(absolute + i * (uintptr_t)LMP_SIZE_ABSOLUTE) <= pc);
    uint32_t at = 0;
    int line = (int)object_u32(proto + LMP_AT_PROTO_LINE);
    if (low) {
        at = object_u32(absolute + (low - 1) * (uintptr_t)LMP_SIZE_ABSOLUTE) + 1;
        line = (int)object_u32(absolute + (low - 1) * (uintptr_t)LMP_SIZE_ABSOLUTE + 4);
    }
    for (; at <= pc; at++)
        line += (int8_t)object_u8(delta + at);
    return line;
}

uint32_t object_locals(uintptr_t proto, uint32_t pc, uintptr_t name[LMP_REGISTERS]) {
    uintptr_t local = object_word(proto + LMP_AT_PROTO_V_LOCALS);
    uint32_t locals = object_u32(proto + LMP_AT_PROTO_LOCALS), n = 0;
    for (uint32_t i = 0; i < locals && n < LMP_REGISTERS; i++, local += LMP_SIZE_LOCAL_VARIABLE) {
        if (object_u32(local + 8) > pc) break;
        if (pc < object_u32(local + 12)) name[n++] = object_word(local);
    }
    return n;
}

uint64_t object_hash(uintptr_t at, uint64_t n) {
    uint64_t h = n * 0x9e3779b97f4a7c15ull, word;
    for (; n >= 8; n -= 8, at += 8) {
        memcpy(&word, (const void *)at, 8); /* NOLINT */
        h = (h ^ word) * 0xff51afd7ed558ccdull;
        h ^= h >> 32;
    }
    word = 0;
    memcpy(&word, (const void *)at, n); /* NOLINT */
    h = (h ^ word) * 0xff51afd7ed558ccdull;
    return h ^ h >> 29;
}
