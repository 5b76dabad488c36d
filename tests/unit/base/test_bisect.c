/* Tests of bisect.h: binary search. */
#include "base/bisect.h"

#include "suite.h"

/* Of none and many rows, with some that are alike, and in any part of them. */
TEST(the_first_that_is_not_before_is_found) {
    enum { MOST = 40 };
    uint32_t row[MOST];
    for (int round = 0; round < 2000; round++) {
        uint32_t n = (uint32_t)suite_below(MOST + 1), wanted = (uint32_t)suite_below(60);
        for (uint32_t i = 0; i < n; i++)
            row[i] = (i ? row[i - 1] : 0) + (uint32_t)suite_below(3);
        uint32_t from = (uint32_t)suite_below(n + 1), at = from, first = from;
        BISECT(at, n, i, row[i] < wanted);
        while (first < n && row[first] < wanted)
            first++;
        ck_assert_uint_eq(at, first);
    }
}
