/* test_verdict_tables.c - verdicts on tables whose parts are made anew: by growing, and without. */
#include "verdict_fixture.h"

/* So many hash parts of `slots` each are given back for others on the same line. */
static FakeSpot grown(Fixture *s, uint64_t parts, uint64_t bytes, uint64_t back,
                      uint64_t back_bytes) {
    FakeSpot at = spot(s, 9, LMP_C_TABLE_PART);
    fake_made(s->f, at, parts, bytes);
    fake_freed(s->f, at, at, back, back_bytes, 0);
    s->f->t.site[at.site].how = LMP_HOW_GROWTH;
    return at;
}

static void collected(Fixture *s, FakeSpot at, uint64_t parts, uint64_t bytes) {
    fake_freed(s->f, at, spot(s, 999, at.cls), parts, bytes, 0);
}

static const char *advice_of(const Fixture *s, const char *rule) {
    const Verdict *v = find(s, rule);
    return v ? v->advice : "";
}

TEST(rehash) {
    OWN(fixture_free) Fixture s = fixture_new();
    FakeSpot at = grown(&s, 4000, 4 * MIB, 3000, 2 * MIB);
    rest(&s, 4 * MIB);
    judge(&s);
    expect_text(
        &s, "rehash",
        "game.lua:9 had tables grow by rehash 3.0 k times, 1.5 k a second: 50 % of all bytes");
    ck_assert_str_eq(advice_of(&s, "rehash"), "name all fields in the constructor: {x = 0, y = 0}");
    collected(&s, at, 900, 2 * MIB - MIB / 5); /* they are dropped: one table would do */
    judge(&s);
    ck_assert_str_eq(advice_of(&s, "rehash"),
                     "name all fields in the constructor, or overwrite those of one table");
    fixture_free(&s);

    s = fixture_new(); /* what the collector frees is no rehash */
    at = spot(&s, 9, LMP_C_TABLE_PART);
    drop(&s, at, 4000, 4 * MIB, 3000, 3000);
    ck_assert_ptr_null(judged(&s, "rehash"));
    fixture_free(&s);

    s = fixture_new(); /* constructors on the same line have made most of the parts */
    at = grown(&s, 9000, 4 * MIB, 1500, MIB);
    s.f->t.site[at.site].how = LMP_HOW_GROWTH | LMP_HOW_CONSTRUCTOR;
    ck_assert_ptr_null(judged(&s, "rehash"));
    fixture_free(&s);

    s = fixture_new(); /* of many entries none are fields: such a table doubles, and that is all */
    grown(&s, 4000, 4000 * 24 * 70, 3000, 4000 * 24 * 30);
    ck_assert_ptr_null(judged(&s, "rehash"));
}

/* Lists: only of those that are dropped is one enough. A leak is full of such that stay. */
TEST(lists_that_grow) {
    OWN(fixture_free) Fixture s = fixture_new();
    FakeSpot at = spot(&s, 9, LMP_C_TABLE_PART);
    fake_made(s.f, at, 2000, MIB);
    fake_resized(s.f, at, at, 8000, 4 * MIB);
    s.f->t.site[at.site].how = LMP_HOW_GROWTH;
    ck_assert_ptr_null(judged(&s, "rehash"));
    collected(&s, at, 1500, 3 * MIB);
    judge(&s); /* nobody knows what of the others is held */
    ck_assert_ptr_null(find(&s, "rehash"));
    collected(&s, at, 200, MIB);
    judge(&s);
    ck_assert_str_eq(advice_of(&s, "rehash"), "clear one list and fill it again: its room stays");
    /* of what else is made there nothing goes: before it is known whether that grows, advice on the
     * lists would lead away from it */
    fake_made(s.f, spot(&s, 9, LMP_C_FUNCTION), 4000, 64);
    ck_assert_ptr_null(judged(&s, "rehash"));
    expect_text(&s, "wait", "cannot tell yet whether anything grows: 12 more full collections");
}

/* Keys come and go: a part of as many slots takes the place of each. */
TEST(made_anew_without_growing) {
    OWN(fixture_free) Fixture s = fixture_new();
    const uint64_t part = 2048 * 24;
    FakeSpot at = grown(&s, 100, 100 * part - 10 * 24, 99, 99 * part - 10 * 24);
    rest(&s, 4 * MIB);
    ck_assert_ptr_null(judged(&s, "rehash-same-size")); /* too few times */
    fake_made(s.f, at, 100, 100 * part);
    fake_freed(s.f, at, at, 100, 100 * part, 0);
    judge(&s);
    expect_text(&s, "rehash-same-size",
                "game.lua:9 had tables made anew at the same size 199 times, 48.0 KiB each, as "
                "keys came and went: 70 % of all bytes");
    ck_assert_str_eq(advice_of(&s, "rehash-same-size"),
                     "bound it at 1365, two thirds of its 2048 slots, or reuse slots 1 to n");
    ck_assert_ptr_null(find(&s, "rehash"));
    fixture_free(&s);

    s = fixture_new(); /* parts of many sizes: no number to tell */
    grown(&s, 2000, 2000 * 24 * 400, 1990, 1990 * 24 * 390);
    judge(&s);
    ck_assert_str_eq(advice_of(&s, "rehash-same-size"),
                     "bound it at two thirds of a power of two, or reuse slots 1 to n");
    fixture_free(&s);

    s = fixture_new(); /* a few fields that are set and taken away */
    grown(&s, 9000, 9000 * 24 * 4, 8990, 8990 * 24 * 4);
    rest(&s, MIB);
    judge(&s);
    ck_assert_str_eq(advice_of(&s, "rehash-same-size"),
                     "set fields that come back to false, not nil: their slots stay");
    fixture_free(&s);

    s = fixture_new(); /* one that doubles gives back at most half of what it takes */
    grown(&s, 9000, 9000 * 24 * 8, 8000, 8000 * 24 * 6);
    ck_assert_ptr_null(judged(&s, "rehash-same-size"));
    ck_assert_ptr_nonnull(find(&s, "rehash"));
}
