/* luafacts_54.h - what luafacts.h has of Lua 5.4 alone; luafacts_55.h has the same names. */
#ifndef LMP_LUAFACTS_54_H
#define LMP_LUAFACTS_54_H

#define LMP_LUA_VERSION "5.4"
typedef uint16_t LmpCallStatus; /* of a frame */
typedef int LmpStep;            /* what LUA_GCSTEP wants to know */

enum {
    LMP_AT_L_STATUS = 10,
    LMP_AT_CI_STATUS = 62,
    LMP_CI_C = 1 << 1,     /* in a frame's status; others differ: LmpLuaRelease */
    LMP_CI_SEEN = 1 << 15, /* unused in all of 5.4: ours (tree.c). A new call clears it */
    LMP_STRING_LONG_HEAD = LMP_STRING_HEAD,  /* of a long string whose bytes follow it */
    LMP_SIZE_STRING_GIVEN = LMP_STRING_HEAD, /* there are none */
    LMP_AT_TABLE_LASTFREE = 32,              /* null: it has no nodes of its own */
    LMP_AT_TABLE_META = 40,
    LMP_SIZE_TABLE = 56,
    LMP_TABLE_HINT = 1 << 7, /* at LmpLuaRelease.at_hint: the limit is not the array's size, but a
                                hint for it */
    LMP_ARRAY_ENTRY = LMP_SLOT, /* bytes of an entry of an array part */
    LMP_BITS_B = 8,             /* of an instruction's second argument */
    LMP_MANY_FIELDS = 3,        /* in 5.5, so many nodes are asked for at another place than few */
    LMP_KIND_MOST = LMP_KIND_GENERATIONAL,
    LMP_STEP = 1, /* argument of LUA_GCSTEP for a small step */
};

enum { LMP_LUA_RELEASES = 4 };
static const LmpLuaRelease luafacts_releases[LMP_LUA_RELEASES] = {
    {1 << 4, 1 << 2, 1 << 6, 88, 56, LMP_AT_MARKED},      /* 5.4.0 */
    {1 << 4, 1 << 2, 1 << 6, 80, 48, LMP_AT_TABLE_FLAGS}, /* 5.4.1 */
    {1 << 5, 1 << 3, 0, 80, 48, LMP_AT_TABLE_FLAGS},      /* 5.4.2 */
    {1 << 5, 1 << 3, 0, 88, 48, LMP_AT_TABLE_FLAGS},      /* 5.4.3 and later */
};

/* Makes a state. */
static inline lua_State *luafacts_newstate(lua_Alloc alloc, void *ud) {
    return lua_newstate(alloc, ud);
}

/* Returns true if the code of a prototype, with its lines, is in somebody else's memory. */
static inline bool luafacts_is_fixed(uintptr_t proto) {
    (void)proto;
    return false;
}

/* Returns true if a table has nodes of its own. */
static inline bool luafacts_has_nodes(const void *table) {
    uintptr_t lastfree;
    memcpy(&lastfree, (const char *)table + LMP_AT_TABLE_LASTFREE, sizeof lastfree);
    return lastfree != 0;
}

static inline LmpStringKind luafacts_string_kind(uintptr_t string) {
    (void)string;
    return LMP_STRING_OWN;
}
/* Returns the allocator of a string that was given its bytes, and its ud. */
static inline uintptr_t luafacts_string_alloc(uintptr_t string, uintptr_t *ud) {
    (void)string;
    return *ud = 0;
}
/* Returns where a long string has its bytes. */
static inline uintptr_t luafacts_long_bytes(uintptr_t string) {
    return string + LMP_STRING_HEAD;
}

/* The array part: a block of slots. Its size, and where it begins by what the table says. */
static inline uint64_t luafacts_array_bytes(uint64_t slots) {
    return slots * LMP_SLOT;
}
static inline uintptr_t luafacts_array_block(uintptr_t array, uint64_t slots) {
    (void)slots;
    return array;
}
/* Returns true if a part of a table that is given back, of that size, was its array: here these are
 * resized. */
static inline bool luafacts_is_array_back(uint64_t size) {
    (void)size;
    return false;
}
/* Returns how many slots of an array's block can be read, if so many bytes of it can. */
static inline uint64_t luafacts_array_readable(uint64_t slots, uint64_t bytes) {
    (void)slots;
    return bytes / LMP_SLOT;
}
/* Return where slot i of an array's block has its value, and where its tag. */
static inline uintptr_t luafacts_array_value(uintptr_t block, uint64_t slots, uint64_t i) {
    (void)slots;
    return block + i * LMP_SLOT;
}
static inline uintptr_t luafacts_array_tag(uintptr_t block, uint64_t slots, uint64_t i) {
    (void)slots;
    return block + i * LMP_SLOT + LMP_AT_SLOT_TAG;
}
/* Entries of a part of a table, by its block's size. Hash parts have a power of two nodes; array
 * parts of as many bytes are rare, and are taken for one. */
static inline uint64_t luafacts_part_entries(uint64_t size, bool *hash) {
    uint64_t n = size / LMP_SIZE_NODE;
    *hash = n * LMP_SIZE_NODE == size && !(n & (n - 1));
    return *hash ? n : size / LMP_ARRAY_ENTRY;
}
/* Bytes of a block of nodes before the first node. */
static inline uint64_t luafacts_before_nodes(uint64_t nodes) {
    (void)nodes;
    return 0;
}

#endif
