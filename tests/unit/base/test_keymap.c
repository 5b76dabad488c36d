/* Tests of keymap.c: all keys that were set are found at every size, others are not; values are
 * replaced; cleared maps are empty. */
#include "base/keymap.h"

#include "suite.h"

#define NONE UINT32_MAX

static uint64_t key_of(uint32_t i) {
    return (uint64_t)i << (i % 3 * 20); /* 0, too, and some twice */
}

TEST(keeps_what_was_set) {
    enum { KEYS = 3000 };
    KeyMap map = {0};
    ck_assert_uint_eq(keymap_get(&map, 5, NONE), NONE);
    ck_assert_uint_eq(keymap_get(&map, 5, 7), 7);
    for (uint32_t i = 0; i < KEYS; i++) {
        if (keymap_get(&map, key_of(i), NONE) != NONE) continue;
        size_t used = map.used;
        ck_assert(keymap_set(&map, key_of(i), i));
        ck_assert_uint_eq(map.used, used + 1);
        ck_assert_uint_le(map.used * 2, map.room);
        if (i % 100 && i < KEYS - 1) continue;
        for (uint32_t k = 0; k <= i; k++) {
            uint32_t value = keymap_get(&map, key_of(k), NONE);
            ck_assert_uint_le(value, k); /* the first of those with this key */
            ck_assert_uint_eq(key_of(value), key_of(k));
        }
        ck_assert_uint_eq(keymap_get(&map, 0x8000000000000000ull + i, NONE), NONE);
    }
    keymap_free(&map);
    ck_assert_uint_eq(map.room, 0);
}

TEST(replaces_and_clears) {
    KeyMap map = {0};
    keymap_clear(&map);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 2000; i++) {
            ck_assert_uint_eq(keymap_get(&map, i % 1000, NONE), i < 1000 ? NONE : i - 1000);
            ck_assert(keymap_set(&map, i % 1000, i));
        }
        ck_assert_uint_eq(map.used, 1000);
        size_t room = map.room;
        keymap_clear(&map);
        ck_assert_uint_eq(map.used, 0);
        ck_assert_uint_eq(map.room, room);
    }
    keymap_free(&map);
}
