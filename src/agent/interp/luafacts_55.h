/* luafacts_55.h - what luafacts.h has of Lua 5.5 alone; luafacts_54.h has the same names. */
#ifndef LMP_LUAFACTS_55_H
#define LMP_LUAFACTS_55_H

#define LMP_LUA_VERSION "5.5"
typedef uint32_t LmpCallStatus;
typedef size_t LmpStep;

enum {
    LMP_AT_L_STATUS = 11,
    LMP_AT_CI_STATUS = 60,
    LMP_CI_C = 1 << 15,
    LMP_CI_SEEN = 1 << 30,                    /* unused: ours. A new call clears it */
    LMP_AT_STRING_KIND = LMP_AT_STRING_SHORT, /* of a long string, a byte: -1 - LmpStringKind */
    LMP_AT_STRING_BYTES = 24,                 /* of a long string: to its bytes */
    LMP_STRING_LONG_HEAD = 32,
    LMP_AT_STRING_ALLOC = 32, /* of one that was given its bytes: who frees them, and its ud */
    LMP_SIZE_STRING_GIVEN = 48,
    LMP_AT_TABLE_META = 32,
    LMP_SIZE_TABLE = 48,
    LMP_TABLE_HINT = 0,
    LMP_TABLE_DUMMY = 1 << 6, /* at LMP_AT_TABLE_FLAGS: it has no nodes of its own */
    LMP_ARRAY_ENTRY = 9,
    LMP_AT_PROTO_FLAGS = 11,
    LMP_PROTO_FIXED = 1 << 2,
    LMP_BITS_B = 6,
    LMP_MANY_FIELDS = 9,
    LMP_KIND_MOST = LMP_KIND_MAJOR,
    LMP_STEP = 0,
};

enum { LMP_LUA_RELEASES = 1 };
static const LmpLuaRelease luafacts_releases[LMP_LUA_RELEASES] = {
    {1u << 22, 1u << 20, 0, 88, 48, 0}, /* 5.5.0 and 5.5.1 */
};

static inline lua_State *luafacts_newstate(lua_Alloc alloc, void *ud) {
    return lua_newstate(alloc, ud, 0);
}

static inline bool luafacts_is_fixed(uintptr_t proto) {
    return *(const uint8_t *)(proto + LMP_AT_PROTO_FLAGS) & LMP_PROTO_FIXED; /* NOLINT */
}

static inline bool luafacts_has_nodes(const void *table) {
    return !(*((const uint8_t *)table + LMP_AT_TABLE_FLAGS) & LMP_TABLE_DUMMY);
}

static inline LmpStringKind luafacts_string_kind(uintptr_t string) {
    if (*(const uint8_t *)(string + LMP_AT_TYPE) != LMP_TT_LONG_STRING) /* NOLINT */
        return LMP_STRING_OWN;
    int8_t kind = *(const int8_t *)(string + LMP_AT_STRING_KIND); /* NOLINT */
    return kind == -1 ? LMP_STRING_OWN : kind == -2 ? LMP_STRING_FIXED : LMP_STRING_GIVEN;
}
static inline uintptr_t luafacts_string_alloc(uintptr_t string, uintptr_t *ud) {
    uintptr_t word[2];
    memcpy(word, (const char *)string + LMP_AT_STRING_ALLOC, sizeof word); /* NOLINT */
    *ud = word[1];
    return word[0];
}
static inline uintptr_t luafacts_long_bytes(uintptr_t string) {
    uintptr_t bytes;
    memcpy(&bytes, (const char *)string + LMP_AT_STRING_BYTES, sizeof bytes); /* NOLINT */
    return bytes;
}

/* The array part: values from the last to the first, a hint for the length (four bytes), then tags
 * from the first to the last. The table has the address of the hint. */
enum { LMP_ARRAY_HINT = 4 };
static inline uint64_t luafacts_array_bytes(uint64_t slots) {
    return slots ? slots * LMP_ARRAY_ENTRY + LMP_ARRAY_HINT : 0;
}
static inline uintptr_t luafacts_array_block(uintptr_t array, uint64_t slots) {
    return array ? array - slots * 8 : 0;
}
static inline uint64_t luafacts_array_readable(uint64_t slots, uint64_t bytes) {
    return bytes >= luafacts_array_bytes(slots) ? slots : 0;
}
static inline uintptr_t luafacts_array_value(uintptr_t block, uint64_t slots, uint64_t i) {
    return block + (slots - 1 - i) * 8;
}
static inline uintptr_t luafacts_array_tag(uintptr_t block, uint64_t slots, uint64_t i) {
    return block + slots * 8 + LMP_ARRAY_HINT + i;
}
static inline uint64_t luafacts_before_nodes(uint64_t nodes) {
    return nodes >= 8 ? 8 : 0; /* the last free node */
}
/* Of sizes that an array has, a third of the bytes leaves one over; of others, none or two. */
static inline bool luafacts_is_array_back(uint64_t size) {
    return size % 3 == 1;
}
static inline uint64_t luafacts_part_entries(uint64_t size, bool *hash) {
    *hash = !luafacts_is_array_back(size);
    return *hash ? size / LMP_SIZE_NODE : size / LMP_ARRAY_ENTRY;
}

#endif
