/* test_verdict_tables.c - verdicts on tables whose parts are made anew: by growing, and without. */
#include "verdict_fixture.h"

/* So many hash parts of `slots` each are given back for others on the same line. */
static FakeSpot grown(uint64_t parts, uint64_t bytes, uint64_t back, uint64_t back_bytes) {
    FakeSpot at = spot(9, LMP_C_TABLE_PART);
    fake_made(s.f, at, parts, bytes);
    fake_freed(s.f, at, at, back, back_bytes, 0);
    s.f->t.site[at.site].how = LMP_HOW_GROWTH;
    return at;
}

static void collected(FakeSpot at, uint64_t parts, uint64_t bytes) {
    fake_freed(s.f, at, spot(999, at.cls), parts, bytes, 0);
}

static const char *advice_of(const char *rule) {
    const Verdict *v = find(rule);
    return v ? v->advice : "";
}

TEST(rehash) {
    FakeSpot at = grown(4000, 4 * MIB, 3000, 2 * MIB);
    rest(4 * MIB);
    judge();
    expect_text(
        "rehash",
        "game.lua:9 had tables grow by rehash 3.0 k times, 1.5 k a second: 50 % of all bytes");
    ck_assert_str_eq(advice_of("rehash"), "name all fields in the constructor: {x = 0, y = 0}");
    collected(at, 900, 2 * MIB - MIB / 5); /* they are dropped: one table would do */
    judge();
    ck_assert_str_eq(advice_of("rehash"),
                     "name all fields in the constructor, or overwrite those of one table");

    begin(); /* what the collector frees is no rehash */
    at = spot(9, LMP_C_TABLE_PART);
    drop(at, 4000, 4 * MIB, 3000, 3000);
    ck_assert_ptr_null(judged("rehash"));

    begin(); /* constructors on the same line have made most of the parts */
    at = grown(9000, 4 * MIB, 1500, MIB);
    s.f->t.site[at.site].how = LMP_HOW_GROWTH | LMP_HOW_CONSTRUCTOR;
    ck_assert_ptr_null(judged("rehash"));

    begin(); /* of many entries none are fields: such a table doubles, and that is all */
    grown(4000, 4000 * 24 * 70, 3000, 4000 * 24 * 30);
    ck_assert_ptr_null(judged("rehash"));
}

/* Lists: only of those that are dropped is one enough. A leak is full of such that stay. */
TEST(lists_that_grow) {
    FakeSpot at = spot(9, LMP_C_TABLE_PART);
    fake_made(s.f, at, 2000, MIB);
    fake_resized(s.f, at, at, 8000, 4 * MIB);
    s.f->t.site[at.site].how = LMP_HOW_GROWTH;
    ck_assert_ptr_null(judged("rehash"));
    collected(at, 1500, 3 * MIB);
    judge(); /* nobody knows what of the others is held */
    ck_assert_ptr_null(find("rehash"));
    collected(at, 200, MIB);
    judge();
    ck_assert_str_eq(advice_of("rehash"), "clear one list and fill it again: its room stays");
    /* of what else is made there nothing goes: before it is known whether that grows, advice on the
     * lists would lead away from it */
    fake_made(s.f, spot(9, LMP_C_FUNCTION), 4000, 64);
    ck_assert_ptr_null(judged("rehash"));
    expect_text("wait", "cannot tell yet whether anything grows: 12 more full collections");
}

/* Keys come and go: a part of as many slots takes the place of each. */
TEST(made_anew_without_growing) {
    const uint64_t part = 2048 * 24;
    FakeSpot at = grown(100, 100 * part - 10 * 24, 99, 99 * part - 10 * 24);
    rest(4 * MIB);
    ck_assert_ptr_null(judged("rehash-same-size")); /* too few times */
    fake_made(s.f, at, 100, 100 * part);
    fake_freed(s.f, at, at, 100, 100 * part, 0);
    judge();
    expect_text("rehash-same-size",
                "game.lua:9 had tables made anew at the same size 199 times, 48.0 KiB each, as "
                "keys came and went: 70 % of all bytes");
    ck_assert_str_eq(advice_of("rehash-same-size"),
                     "bound it at 1365, two thirds of its 2048 slots, or reuse slots 1 to n");
    ck_assert_ptr_null(find("rehash"));

    begin(); /* parts of many sizes: no number to tell */
    grown(2000, 2000 * 24 * 400, 1990, 1990 * 24 * 390);
    judge();
    ck_assert_str_eq(advice_of("rehash-same-size"),
                     "bound it at two thirds of a power of two, or reuse slots 1 to n");

    begin(); /* a few fields that are set and taken away */
    grown(9000, 9000 * 24 * 4, 8990, 8990 * 24 * 4);
    rest(MIB);
    judge();
    ck_assert_str_eq(advice_of("rehash-same-size"),
                     "set fields that come back to false, not nil: their slots stay");

    begin(); /* one that doubles gives back at most half of what it takes */
    grown(9000, 9000 * 24 * 8, 8000, 8000 * 24 * 6);
    ck_assert_ptr_null(judged("rehash-same-size"));
    ck_assert_ptr_nonnull(find("rehash"));
}
