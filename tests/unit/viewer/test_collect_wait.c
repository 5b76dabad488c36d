/* A wished collection that does not come: when that is said, and when it is given up. */
#include "viewer/collect_wait.h"

#include "suite.h"

#define S 1000000000ull

TEST(comes_in_time) {
    CollectWait w = {0, false};
    ck_assert_int_eq(collect_wait_look(&w, true, true, 100 * S), COLLECT_QUIET);
    ck_assert_int_eq(collect_wait_look(&w, true, true, 101 * S), COLLECT_QUIET);
    ck_assert_int_eq(collect_wait_look(&w, false, true, 101 * S + 1), COLLECT_QUIET);
    /* the next one has its own time */
    ck_assert_int_eq(collect_wait_look(&w, true, true, 103 * S), COLLECT_QUIET);
    ck_assert_int_eq(collect_wait_look(&w, true, true, 104 * S), COLLECT_QUIET);
}

TEST(does_not_come) {
    CollectWait w = {0, false};
    for (int round = 0; round < 2; round++) {
        uint64_t from = (uint64_t)(100 + round * 100) * S;
        ck_assert_int_eq(collect_wait_look(&w, true, true, from), COLLECT_QUIET);
        ck_assert_int_eq(collect_wait_look(&w, true, true, from + 2 * S), COLLECT_SAY);
        ck_assert_int_eq(collect_wait_look(&w, true, true, from + 3 * S), COLLECT_QUIET);
        ck_assert_int_eq(collect_wait_look(&w, true, true, from + 30 * S - 1), COLLECT_QUIET);
        ck_assert_int_eq(collect_wait_look(&w, true, true, from + 30 * S), COLLECT_GIVE_UP);
    }
}

/* A pause is no reason to give up. */
TEST(paused) {
    CollectWait w = {0, false};
    ck_assert_int_eq(collect_wait_look(&w, true, true, 100 * S), COLLECT_QUIET);
    ck_assert_int_eq(collect_wait_look(&w, true, false, 170 * S), COLLECT_QUIET);
    ck_assert_int_eq(collect_wait_look(&w, true, true, 171 * S), COLLECT_QUIET);
    ck_assert_int_eq(collect_wait_look(&w, true, true, 199 * S), COLLECT_SAY);
    ck_assert_int_eq(collect_wait_look(&w, true, true, 200 * S), COLLECT_GIVE_UP);
}

TEST(words) {
    ck_assert_ptr_null(collect_wait_words(COLLECT_QUIET, true));
    ck_assert_ptr_nonnull(strstr(collect_wait_words(COLLECT_SAY, true), "inside a C function"));
    ck_assert_ptr_nonnull(strstr(collect_wait_words(COLLECT_SAY, false), "asked for no memory"));
    ck_assert_ptr_nonnull(strstr(collect_wait_words(COLLECT_GIVE_UP, true), "given up"));
    ck_assert_ptr_nonnull(strstr(collect_wait_words(COLLECT_GIVE_UP, false), "given up"));
}
