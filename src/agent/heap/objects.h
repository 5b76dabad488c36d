/* objects.h - how the interpreter keeps its objects, and reading them.
 *
 * What is the same in all of Lua 5.4 on 64-bit machines stands here as constants; what differs from
 * release to release is in LmpHeapLayout. Both are verified before anything is read (layout.h). */
#ifndef LMP_HEAP_OBJECTS_H
#define LMP_HEAP_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "agent/interp/frames.h"

enum {
    /* any object */
    LMP_AT_NEXT = 0,
    LMP_AT_TYPE = 8,
    LMP_AT_MARKED = 9,
    /* strings; their bytes follow */
    LMP_AT_STRING_SHORT = 11, /* length of a short one, a byte */
    LMP_AT_STRING_HASH = 12,
    LMP_AT_STRING_LONG = 16, /* length of a long one */
    LMP_STRING_HEAD = 24,
    /* tables */
    LMP_AT_TABLE_LOG = 11, /* log2 of its nodes */
    LMP_AT_TABLE_LIMIT = 12,
    LMP_AT_TABLE_ARRAY = 16,
    LMP_AT_TABLE_NODE = 24,
    LMP_AT_TABLE_LASTFREE = 32, /* null: it has no nodes of its own */
    LMP_AT_TABLE_META = 40,
    LMP_SIZE_TABLE = 56,
    LMP_TABLE_HINT = 1 << 7, /* bit of a byte that was found: the limit is not the array's size */
    /* nodes of a table: the value, then the key */
    LMP_AT_NODE_KEY_TAG = 9,
    LMP_AT_NODE_NEXT = 12, /* in nodes, signed */
    LMP_AT_NODE_KEY = 16,
    LMP_SIZE_NODE = 24,
    /* closures: LMP_AT_CLOSURE_* of frames.h. A Lua closure's upvalues are pointers */
    LMP_AT_UPVALUE_AT = 16,    /* to its value: on a stack, or its own */
    LMP_AT_UPVALUE_VALUE = 24, /* its own; or the next open one */
    LMP_SIZE_UPVALUE = 40,
    /* prototypes: counts, then vectors in the order below */
    LMP_AT_PROTO_UPVALUES = 16,
    LMP_AT_PROTO_CONSTANTS = 20,
    LMP_AT_PROTO_LINES = 28,
    LMP_AT_PROTO_PROTOS = 32,
    LMP_AT_PROTO_LOCALS = 36,
    LMP_AT_PROTO_ABSOLUTE = 40,
    LMP_AT_PROTO_LINE = 44,
    LMP_AT_PROTO_LAST = 48,
    LMP_AT_PROTO_V_CONSTANTS = 56,
    LMP_AT_PROTO_V_PROTOS = 72,
    LMP_AT_PROTO_V_UPVALUES = 80,
    LMP_AT_PROTO_V_LINES = 88,
    LMP_AT_PROTO_V_ABSOLUTE = 96,
    LMP_AT_PROTO_V_LOCALS = 104,
    LMP_AT_PROTO_SOURCE = 112,
    LMP_SIZE_PROTO = 128,
    LMP_SIZE_LOCAL_VARIABLE = 16, /* name, first instruction, first one after it */
    LMP_SIZE_UPVALUE_NAME = 16,   /* begins with the name */
    LMP_SIZE_ABSOLUTE = 8,        /* instruction, line */

    /* userdata; bytes for C code come after the user values, or in place of gclist if there are
     * none */
    LMP_AT_USERDATA_VALUES = 10, /* count, 16 bits */
    LMP_AT_USERDATA_SIZE = 16,
    LMP_AT_USERDATA_META = 24,
    LMP_AT_USERDATA_VALUE = 40,
    LMP_USERDATA_BARE = 32,
    /* call frames, besides those of frames.h */
    LMP_AT_CI_NEXT = 24,
    LMP_SIZE_CALL = 64,
    LMP_STACK_EXTRA = 80, /* bytes of a stack's block after its last usable slot */
    LMP_BASIC_TYPES = 9,
};

/* Type tags of objects. In a value, with bit 6; the low four bits are the type. */
enum {
    LMP_TT_SHORT_STRING = 4,
    LMP_TT_LONG_STRING = 0x14,
    LMP_TT_TABLE = 5,
    LMP_TT_LUA_CLOSURE = 6,
    LMP_TT_C_CLOSURE = 0x26,
    LMP_TT_USERDATA = 7,
    LMP_TT_THREAD = 8,
    LMP_TT_UPVALUE = 9,
    LMP_TT_PROTO = 10,
    LMP_TT_COLLECTABLE = LMP_TAG_COLLECTABLE,
    LMP_TT_TYPE = 15,
    LMP_TT_FALSE = 1,
    LMP_TT_TRUE = 0x11,
    LMP_TT_LIGHT = 2,
    LMP_TT_INTEGER = 3,
    LMP_TT_FLOAT = 0x13,
};

/* What was found: offsets in the global state, and in a lua_State. */
typedef struct LmpHeapLayout {
    uint16_t strings; /* the string table's block; then two ints: strings, slots */
    uint16_t registry, metatables, colour;
    uint16_t all, finalizers, waiting, fixed; /* the lists of objects */
    uint16_t stack, stack_last, open;         /* in a lua_State */
    uint16_t hint;                            /* in a table: the byte of LMP_TABLE_HINT */
    uint32_t thread;                          /* size of a thread's block */
    uint32_t extra;                           /* bytes of it before the lua_State */
} LmpHeapLayout;

/* ---- reading --------------------------------------------------------------------------------- */

static inline uint8_t heap_u8(uintptr_t at) {
    return *(const uint8_t *)at; /* NOLINT */
}
static inline uint16_t heap_u16(uintptr_t at) {
    uint16_t v;
    memcpy(&v, (const void *)at, sizeof v); /* NOLINT */
    return v;
}
static inline uint32_t heap_u32(uintptr_t at) {
    uint32_t v;
    memcpy(&v, (const void *)at, sizeof v); /* NOLINT */
    return v;
}
static inline uintptr_t heap_word(uintptr_t at) {
    uintptr_t v;
    memcpy(&v, (const void *)at, sizeof v); /* NOLINT */
    return v;
}

/* Returns true if the value with this tag is a string. */
static inline bool heap_is_string(unsigned tag) {
    return tag == (LMP_TT_SHORT_STRING | LMP_TT_COLLECTABLE) ||
           tag == (LMP_TT_LONG_STRING | LMP_TT_COLLECTABLE);
}
/* A string's bytes, and how many. */
static inline const char *heap_string(uintptr_t string, uint64_t *size) {
    *size = heap_u8(string + LMP_AT_TYPE) == LMP_TT_LONG_STRING
                ? heap_word(string + LMP_AT_STRING_LONG)
                : heap_u8(string + LMP_AT_STRING_SHORT);
    return (const char *)string + LMP_STRING_HEAD; /* NOLINT */
}
/* Equal bytes have the same. */
uint64_t heap_hash(uintptr_t at, uint64_t n);

/* Slots of a table's array part. Where the limit is a hint, the next power of two. */
static inline uint32_t heap_array_size(const LmpHeapLayout *layout, uintptr_t table) {
    uint32_t n = heap_u32(table + LMP_AT_TABLE_LIMIT);
    if (!(heap_u8(table + layout->hint) & LMP_TABLE_HINT) || !(n & (n - 1))) return n;
    return n > 1u << 31 ? UINT32_MAX : 1u << (32 - __builtin_clz(n));
}
/* Nodes of a table's own. */
static inline uint32_t heap_nodes(uintptr_t table) {
    if (!heap_word(table + LMP_AT_TABLE_LASTFREE)) return 0;
    return 1u << (heap_u8(table + LMP_AT_TABLE_LOG) & 31);
}

/* The line of instruction number `pc` of a prototype that is complete; -1: none. */
int heap_line(uintptr_t proto, uint32_t pc);
/* The names (strings) of the local variables that are active there, by register: how many. */
enum { LMP_REGISTERS = 256 };
uint32_t heap_locals(uintptr_t proto, uint32_t pc, uintptr_t name[LMP_REGISTERS]);

#endif
