/* Tests of what the ledger is made with: sorting by numbers. */
#include "read/ledger/ledger_impl.h"
#include "suite.h"

/* Few and many, of keys in which one byte differs, several, or all. */
TEST(pairs_are_sorted) {
    enum { MOST = 300 };
    static LedgerPair pair[MOST], room[MOST];
    for (int round = 0; round < 400; round++) {
        uint32_t n = (uint32_t)suite_below(MOST + 1);
        uint64_t bits = suite_random() & suite_random(), same = suite_random() & ~bits;
        if (round % 4 == 0) bits = 0xffull << 8 * suite_below(8);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < n; i++) {
            pair[i] = (LedgerPair){(suite_random() & bits) | (same & ~bits), i};
            sum += pair[i].key;
        }
        sum_sort_pairs(pair, n, room);
        bool met[MOST] = {0};
        for (uint32_t i = 0; i < n; i++) {
            sum -= pair[i].key;
            ck_assert(pair[i].index < n && !met[pair[i].index]);
            met[pair[i].index] = true;
            if (i == 0) continue;
            ck_assert_uint_ge(pair[i - 1].key, pair[i].key);
            if (pair[i - 1].key == pair[i].key) ck_assert_uint_lt(pair[i - 1].index, pair[i].index);
        }
        ck_assert_uint_eq(sum, 0);
    }
}
