/* Tests of pairsort.c: sorting by numbers. */
#include "base/pairsort.h"

#include <stdbool.h>

#include "suite.h"

/* Few and many, of keys in which one byte differs, several, or all. */
TEST(pairs_are_sorted) {
    enum { MOST = 300 };
    static SortPair pair[MOST], room[MOST];
    for (int round = 0; round < 400; round++) {
        uint32_t n = (uint32_t)suite_below(MOST + 1);
        uint64_t bits = suite_random() & suite_random(), same = suite_random() & ~bits;
        if (round % 4 == 0) bits = 0xffull << 8 * suite_below(8);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < n; i++) {
            pair[i] = (SortPair){(suite_random() & bits) | (same & ~bits), i};
            sum += pair[i].key;
        }
        pairsort(pair, room, n);
        bool met[MOST] = {0};
        for (uint32_t i = 0; i < n; i++) {
            sum -= pair[i].key;
            ck_assert(pair[i].row < n && !met[pair[i].row]);
            met[pair[i].row] = true;
            if (i == 0) continue;
            ck_assert_uint_ge(pair[i - 1].key, pair[i].key);
            if (pair[i - 1].key == pair[i].key) ck_assert_uint_lt(pair[i - 1].row, pair[i].row);
        }
        ck_assert_uint_eq(sum, 0);
    }
}
