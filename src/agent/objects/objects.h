/* objects.h - reading the interpreter's objects where they lie.
 *
 * Where their fields are: agent/interp/luafacts.h, and for what is found at start LmpObjectOffsets.
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
    uint16_t user_values;                     /* in a userdata: the first of them */
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
    bool is_long = object_u8(string + LMP_AT_TYPE) == LMP_TT_LONG_STRING;
    *size = is_long ? object_word(string + LMP_AT_STRING_LONG)
                    : object_u8(string + LMP_AT_STRING_SHORT);
    if (is_long) return (const char *)luafacts_long_bytes(string); /* NOLINT */
    return (const char *)string + LMP_STRING_HEAD;                 /* NOLINT */
}
/* Returns bytes of a string's own block. */
uint64_t object_string_block(uintptr_t string);
/* Returns the block that a string was given for its bytes, and its size, if it is from the
 * allocator of a Lua state; 0: there is none. `global`: the global state of the string. */
uintptr_t object_string_given(uintptr_t global, uintptr_t string, uint64_t *size);
/* Returns a hash; equal bytes have the same. */
uint64_t object_hash(uintptr_t at, uint64_t n);

/* Slots of a table's array part. Where the limit is a hint, the next power of two. */
static inline uint32_t object_array_size(const LmpObjectOffsets *layout, uintptr_t table) {
    uint32_t n = object_u32(table + LMP_AT_TABLE_LIMIT);
    if (!LMP_TABLE_HINT) return n;
    if (!(object_u8(table + layout->hint) & LMP_TABLE_HINT) || !(n & (n - 1))) return n;
    return n > 1u << 31 ? UINT32_MAX : 1u << (32 - __builtin_clz(n));
}
/* Nodes of a table's own. */
static inline uint32_t object_nodes(uintptr_t table) {
    if (!luafacts_has_nodes((const void *)table)) return 0; /* NOLINT */
    return 1u << (object_u8(table + LMP_AT_TABLE_LOG) & 31);
}

/* A part of a table: its block, bytes of it, and entries. */
typedef struct LmpObjectPart {
    uintptr_t block;
    uint64_t bytes, entries;
} LmpObjectPart;
/* Return the parts of a table, by what it says; entries 0: it has none of its own. */
static inline LmpObjectPart object_array(const LmpObjectOffsets *layout, uintptr_t table) {
    uint64_t n = object_array_size(layout, table);
    uintptr_t array = object_word(table + LMP_AT_TABLE_ARRAY);
    return (LmpObjectPart){luafacts_array_block(array, n), luafacts_array_bytes(n), n};
}
static inline LmpObjectPart object_hash_part(uintptr_t table) {
    uint64_t n = object_nodes(table), before = luafacts_before_nodes(n);
    if (!n) return (LmpObjectPart){0, 0, 0};
    return (LmpObjectPart){object_word(table + LMP_AT_TABLE_NODE) - before,
                           before + n * LMP_SIZE_NODE, n};
}
/* Returns the first node of a part that stands at `block`, and in *nodes how many of them can be
 * read if so many bytes can. */
static inline uintptr_t object_first_node(uintptr_t block, uint64_t bytes, uint64_t *nodes) {
    uint64_t before = luafacts_before_nodes(*nodes);
    uint64_t most = bytes < before ? 0 : (bytes - before) / LMP_SIZE_NODE;
    if (*nodes > most) *nodes = most;
    return block + before;
}

/* Where a value is, and its tag. */
typedef struct LmpObjectSlot {
    uintptr_t value, tag;
} LmpObjectSlot;
/* Return those of a slot of a stack, a closure or a node; and of slot i of an array's block. */
static inline LmpObjectSlot object_slot(uintptr_t at) {
    return (LmpObjectSlot){at, at + LMP_AT_SLOT_TAG};
}
static inline LmpObjectSlot object_array_slot(uintptr_t block, uint64_t slots, uint64_t i) {
    return (LmpObjectSlot){luafacts_array_value(block, slots, i),
                           luafacts_array_tag(block, slots, i)};
}
static inline bool object_is_used(LmpObjectSlot slot) {
    return object_u8(slot.tag) & LMP_TT_TYPE;
}

/* Returns the line of instruction number `pc` of a prototype that is complete; -1: none. */
int object_line(uintptr_t proto, uint32_t pc);
/* The names (strings) of the local variables that are active there, by register: how many. */
enum { LMP_REGISTERS = 256 };
uint32_t object_locals(uintptr_t proto, uint32_t pc, uintptr_t name[LMP_REGISTERS]);

#endif
