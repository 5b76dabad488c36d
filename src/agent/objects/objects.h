/* objects.h - reading the interpreter's objects where they lie.
 *
 * Where their fields are: agent/interp/lua54.h, and for what is found at start LmpObjectOffsets.
 * Both are verified before anything is read (offsets.h). */
#ifndef LMP_AGENT_OBJECTS_OBJECTS_H
#define LMP_AGENT_OBJECTS_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "agent/interp/frames.h"

/* What was found: offsets in the global state, and in a lua_State. */
typedef struct LmpObjectOffsets {
    uint16_t strings; /* the string table's block; then two ints: strings, slots */
    uint16_t registry, metatables, colour;
    uint16_t all, finalizers, waiting, fixed; /* the lists of objects */
    uint16_t stack, stack_last, open;         /* in a lua_State */
    uint16_t hint;                            /* in a table: the byte of LMP_TABLE_HINT */
    uint32_t thread;                          /* size of a thread's block */
    uint32_t extra;                           /* bytes of it before the lua_State */
} LmpObjectOffsets;

/* ---- reading --------------------------------------------------------------------------------- */

static inline uint8_t object_u8(uintptr_t at) {
    return *(const uint8_t *)at; /* NOLINT */
}
static inline uint16_t object_u16(uintptr_t at) {
    uint16_t v;
    memcpy(&v, (const void *)at, sizeof v); /* NOLINT */
    return v;
}
static inline uint32_t object_u32(uintptr_t at) {
    uint32_t v;
    memcpy(&v, (const void *)at, sizeof v); /* NOLINT */
    return v;
}
static inline uintptr_t object_word(uintptr_t at) {
    uintptr_t v;
    memcpy(&v, (const void *)at, sizeof v); /* NOLINT */
    return v;
}

/* Returns true if the value with this tag is a string. */
static inline bool object_is_string(unsigned tag) {
    return tag == LMP_TAG_SHORT_STRING || tag == LMP_TAG_LONG_STRING;
}
/* Returns a string's bytes, and how many. */
static inline const char *object_string(uintptr_t string, uint64_t *size) {
    *size = object_u8(string + LMP_AT_TYPE) == LMP_TT_LONG_STRING
                ? object_word(string + LMP_AT_STRING_LONG)
                : object_u8(string + LMP_AT_STRING_SHORT);
    return (const char *)string + LMP_STRING_HEAD; /* NOLINT */
}
/* Returns a hash; equal bytes have the same. */
uint64_t object_hash(uintptr_t at, uint64_t n);

/* Slots of a table's array part. Where the limit is a hint, the next power of two. */
static inline uint32_t object_array_size(const LmpObjectOffsets *layout, uintptr_t table) {
    uint32_t n = object_u32(table + LMP_AT_TABLE_LIMIT);
    if (!(object_u8(table + layout->hint) & LMP_TABLE_HINT) || !(n & (n - 1))) return n;
    return n > 1u << 31 ? UINT32_MAX : 1u << (32 - __builtin_clz(n));
}
/* Nodes of a table's own. */
static inline uint32_t object_nodes(uintptr_t table) {
    if (!object_word(table + LMP_AT_TABLE_LASTFREE)) return 0;
    return 1u << (object_u8(table + LMP_AT_TABLE_LOG) & 31);
}

/* Returns the line of instruction number `pc` of a prototype that is complete; -1: none. */
int object_line(uintptr_t proto, uint32_t pc);
/* The names (strings) of the local variables that are active there, by register: how many. */
enum { LMP_REGISTERS = 256 };
uint32_t object_locals(uintptr_t proto, uint32_t pc, uintptr_t name[LMP_REGISTERS]);

#endif
