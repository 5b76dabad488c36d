/* luafacts.h - how Lua keeps its state, frames and objects on 64-bit machines: all that is known of
 * the interpreter's memory without asking it.
 *
 * What is the same in Lua 5.4 and 5.5 stands here as constants (lstate.h, lobject.h, lfunc.h,
 * lgc.h, lopcodes.h of Lua). What is not is in luafacts_54.h and luafacts_55.h, under the same
 * names: a module is built for one of them. Where releases of one version differ, luafacts_releases
 * there has a row for each kind of them. What may differ with the build as well, such as the fields
 * of the global state, is found by search at start. Nothing of this is trusted: frames.c,
 * collector.c and objects/offsets_check.c compare it with the documented API before anything is
 * read, and without an agreement lmp uses that API alone. */
#ifndef LMP_LUAFACTS_H
#define LMP_LUAFACTS_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* AT: offset of a field, bytes. SIZE: bytes. */
enum {
    /* any object */
    LMP_AT_NEXT = 0,
    LMP_AT_TYPE = 8,
    LMP_AT_MARKED = 9,
    /* values: in stacks, arrays, upvalues */
    LMP_AT_SLOT_TAG = 8,
    LMP_SLOT = 16, /* size of a stack slot, bytes */
    /* lua_State */
    LMP_AT_L_TOP = 16,
    LMP_AT_L_GLOBAL = 24,
    LMP_AT_L_CI = 32,
    LMP_STACK_EXTRA = 80, /* bytes of a stack's block after its last usable slot */
    /* call frames (CallInfo) */
    LMP_AT_CI_FUNC = 0,
    LMP_AT_CI_TOP = 8,
    LMP_AT_CI_PREVIOUS = 16,
    LMP_AT_CI_NEXT = 24,
    LMP_AT_CI_SAVEDPC = 32,
    LMP_SIZE_CALL = 64,
    /* strings; the bytes of a short one follow the head, then a zero */
    LMP_AT_STRING_SHORT = 11, /* length of a short one, a byte */
    LMP_AT_STRING_HASH = 12,
    LMP_AT_STRING_LONG = 16, /* length of a long one */
    LMP_STRING_HEAD = 24,
    LMP_STRING_SHORT_MOST = 40, /* bytes: up to that Lua keeps one of each */
    /* tables */
    LMP_AT_TABLE_FLAGS = 10,
    LMP_AT_TABLE_LOG = 11,   /* log2 of its nodes */
    LMP_AT_TABLE_LIMIT = 12, /* size of the array part, 32 bits */
    LMP_AT_TABLE_ARRAY = 16,
    LMP_AT_TABLE_NODE = 24,
    /* nodes of a table: the value, then the key */
    LMP_AT_NODE_KEY_TAG = 9,
    LMP_AT_NODE_NEXT = 12, /* in nodes, signed */
    LMP_AT_NODE_KEY = 16,
    LMP_SIZE_NODE = 24,
    /* closures. A Lua closure's upvalues are pointers */
    LMP_AT_CLOSURE_UPVALUES = 10, /* count, a byte */
    LMP_AT_CLOSURE_CODE = 24,     /* C closure: its function; Lua closure: its prototype */
    LMP_AT_CLOSURE_UPVALUE = 32,  /* the first */
    LMP_AT_UPVALUE_AT = 16,       /* to its value: on a stack, or its own */
    LMP_AT_UPVALUE_VALUE = 24,    /* its own; or the next open one */
    LMP_SIZE_UPVALUE = 40,
    /* prototypes: counts and lines, then vectors (V) in the same order */
    LMP_AT_PROTO_UPVALUES = 16,
    LMP_AT_PROTO_CONSTANTS = 20,
    LMP_AT_PROTO_SIZECODE = 24,
    LMP_AT_PROTO_LINES = 28,
    LMP_AT_PROTO_PROTOS = 32,
    LMP_AT_PROTO_LOCALS = 36,
    LMP_AT_PROTO_ABSOLUTE = 40,
    LMP_AT_PROTO_LINE = 44,
    LMP_AT_PROTO_LAST = 48,
    LMP_AT_PROTO_V_CONSTANTS = 56,
    LMP_AT_PROTO_CODE = 64,
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
    LMP_AT_USERDATA_VALUE = 40, /* or the next multiple of 16, where all is aligned to that */
    LMP_USERDATA_BARE = 32,
    LMP_SIZE_BUFFER_BOX = 48, /* of luaL_Buffer, once its contents have outgrown the stack */
    /* the global state */
    LMP_BASIC_TYPES = 9, /* that have a metatable for all their values */
};

/* Bits of fields. */
enum {
    LMP_WHITE0 = 1 << 3, /* an object's colour, and the collector's current one */
    LMP_WHITE1 = 1 << 4,
    LMP_WHITES = LMP_WHITE0 | LMP_WHITE1,
};

/* States and kinds of the collector. */
enum {
    LMP_GCS_PROPAGATE = 0,
    LMP_GCS_SWEEP_FIRST = 3,
    LMP_GCS_CALL_FINALIZERS = 7,
    LMP_GCS_PAUSE = 8,
    LMP_KIND_INCREMENTAL = 0,
    LMP_KIND_GENERATIONAL = 1,
    LMP_KIND_MAJOR = 2, /* generational mode works incrementally for a while: from 5.5 on */
};

/* Types of objects, and of values; the low four bits are the type of the documented API. */
enum {
    LMP_TT_TYPE = 15,
    LMP_TT_FALSE = 1,
    LMP_TT_TRUE = 0x11,
    LMP_TT_LIGHT = 2,
    LMP_TT_INTEGER = 3,
    LMP_TT_FLOAT = 0x13,
    LMP_TT_SHORT_STRING = 4,
    LMP_TT_LONG_STRING = 0x14,
    LMP_TT_TABLE = 5,
    LMP_TT_LUA_CLOSURE = 6,
    LMP_TT_LIGHT_C = 0x16,
    LMP_TT_C_CLOSURE = 0x26,
    LMP_TT_USERDATA = 7,
    LMP_TT_THREAD = 8,
    LMP_TT_UPVALUE = 9,
    LMP_TT_PROTO = 10,
};

/* Tags of values: the type, and a bit if the value is an object. */
enum {
    LMP_TAG_COLLECTABLE = 1 << 6,
    LMP_TAG_SHORT_STRING = LMP_TT_SHORT_STRING | LMP_TAG_COLLECTABLE,
    LMP_TAG_LONG_STRING = LMP_TT_LONG_STRING | LMP_TAG_COLLECTABLE,
    LMP_TAG_TABLE = LMP_TT_TABLE | LMP_TAG_COLLECTABLE,
    LMP_TAG_LUA_CLOSURE = LMP_TT_LUA_CLOSURE | LMP_TAG_COLLECTABLE,
    LMP_TAG_LIGHT_C = LMP_TT_LIGHT_C,
    LMP_TAG_C_CLOSURE = LMP_TT_C_CLOSURE | LMP_TAG_COLLECTABLE,
    LMP_TAG_USERDATA = LMP_TT_USERDATA | LMP_TAG_COLLECTABLE,
    LMP_TAG_THREAD = LMP_TT_THREAD | LMP_TAG_COLLECTABLE,
};

/* Instructions. */
enum {
    LMP_OP_NEWTABLE = 19,
    LMP_OP_CONCAT = 53,
    LMP_OP_TAILCALL = 69,
    LMP_OP_SETLIST = 78,
    LMP_OP_CLOSURE = 79,
    LMP_INSTRUCTION = 4 /* bytes */
};

/* What differs between releases of one version. */
typedef struct LmpLuaRelease {
    uint32_t tail;    /* bit of a frame's status: the function was reached by a tail call */
    uint32_t hooked;  /* the same: a debug hook runs in this frame */
    uint32_t stale;   /* the same: a finalizer runs above it, and its saved pc is an earlier one, as
                         a step of the collector saves none; 0: every step does */
    uint16_t at_jump; /* in lua_State: the innermost protected call */
    uint16_t at_stack; /* in lua_State: the block of its stack */
    uint16_t at_hint;  /* in a table: the byte of LMP_TABLE_HINT; 0: there are no hints */
} LmpLuaRelease;

/* Whose bytes a string has: they follow its head; they are somebody else's, and stay; they are in a
 * block that it was given, with the allocator that frees it. */
typedef enum LmpStringKind { LMP_STRING_OWN, LMP_STRING_FIXED, LMP_STRING_GIVEN } LmpStringKind;

#if LUA_VERSION_NUM == 504
#include "agent/interp/luafacts_54.h"
#elif LUA_VERSION_NUM == 505
#include "agent/interp/luafacts_55.h"
#else
#error "lmp is for Lua 5.4 and 5.5"
#endif

/* Returns the size of a long string's block; `length`: of its bytes. */
static inline uint64_t luafacts_long_block(uintptr_t string, uint64_t length) {
    LmpStringKind kind = luafacts_string_kind(string);
    if (kind == LMP_STRING_OWN) return LMP_STRING_LONG_HEAD + length + 1;
    return kind == LMP_STRING_FIXED ? LMP_STRING_LONG_HEAD : LMP_SIZE_STRING_GIVEN;
}
static inline unsigned luafacts_opcode(uint32_t instruction) {
    return instruction & 0x7f;
}
static inline unsigned luafacts_arg_a(uint32_t instruction) {
    return instruction >> 7 & 0xff;
}
static inline bool luafacts_arg_k(uint32_t instruction) {
    return instruction >> 15 & 1;
}
/* Of OP_NEWTABLE and OP_SETLIST: others may have these elsewhere. */
static inline unsigned luafacts_arg_b(uint32_t instruction) {
    return instruction >> 16 & ((1u << LMP_BITS_B) - 1);
}
static inline unsigned luafacts_arg_c(uint32_t instruction) {
    return instruction >> (16 + LMP_BITS_B);
}

#endif
