/* Tests of codes.c and answers.c: the places of a vector beside a naive list, with memory and
 * without; and that the tags of one place do not push each other out of the second cache. */
#include "agent/charge/codes.h"

#include "agent/charge/answers.h"
#include "base/os.h"
#include "suite.h"

static LmpOs test_os;

static void *no_map(size_t size, int fd, uint64_t offset, bool writable) {
    (void)size;
    (void)fd;
    (void)offset;
    (void)writable;
    return NULL;
}

/* Enters so many places, of which some are the same, and reads them. Returns how many were told. */
static unsigned round_trip(LmpCodes *codes, unsigned n, bool refused) {
    static bool in[LMP_HOMES], out[LMP_HOMES];
    LmpCode code;
    bool added;
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    if (refused) lmp_os = &test_os;
    for (unsigned i = 0; i < n; i++) {
        unsigned home = (unsigned)suite_below(n < 20 ? 10 : LMP_HOMES);
        in[home] = true;
        codes_place(codes, codes_note(codes, 0x1000, &added), home);
    }
    lmp_os = &os_real;
    ck_assert(codes_take(codes, 0x1000, &code));
    unsigned at = 0, home, told = 0;
    while ((home = codes_next_place(&code, &at)) < LMP_HOMES) {
        ck_assert_msg(!out[home], "%u is told twice", home);
        out[home] = true;
        told++;
    }
    for (unsigned i = 0; i < LMP_HOMES; i++) {
        ck_assert_msg(!in[i] || out[i], "%u of %u", i, n);
        if (!refused) ck_assert_msg(in[i] || !out[i], "%u of %u", i, n);
    }
    codes_drop(codes, &code);
    ck_assert_ptr_null(codes_find(codes, 0x1000));
    return told;
}

START_TEST(places_are_those_entered) {
    LmpCodes codes;
    suite_seed();
    test_os = os_real;
    ck_assert(codes_open(&codes));
    for (unsigned i = 0; i < 300; i++) {
        unsigned n = 1 + (unsigned)suite_below(i % 3 ? 20 : 3000);
        ck_assert_uint_le(round_trip(&codes, n, false), n);
    }
    codes_close(&codes);
    test_os.map = no_map;
    ck_assert(codes_open(&codes));
    ck_assert_uint_gt(round_trip(&codes, 100, true), 100); /* whole words */
    codes_close(&codes);
}
END_TEST

START_TEST(tags_stand_beside_each_other) {
    LmpAnswers answers = {0};
    unsigned found = 0;
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t tag = 1; tag <= 2000; tag++) {
            LmpAnswer a = {.key = 0x5555000ull | (uint64_t)tag << 48, .life = 1, .cls = 2};
            uint32_t row = answers_find(&answers, &a);
            ck_assert(row == 0 || row == tag);
            found += row == tag;
            a.row = tag;
            if (!row) answers_add(&answers, &a);
        }
    ck_assert_uint_gt(found, 3000);
    ck_assert_uint_le(answers.slots, LMP_ANSWERS_LEAST * 2);
    answers_close(&answers);
}
END_TEST

SUITE("codes", places_are_those_entered, tags_stand_beside_each_other)
