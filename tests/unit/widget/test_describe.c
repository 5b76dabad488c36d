/* Tests of words: sizes, ages, types, what strings contain. */
#include "widget/describe.h"

#include <string.h>

#include "suite.h"

TEST(test_words) {
    char out[LMP_PREVIEW_BYTES * 4];
    ck_assert_str_eq(describe_cell_size(out, 16), "16 B");
    ck_assert_str_eq(describe_cell_size(out, 64 << 10), "64 KiB");
    ck_assert_str_eq(describe_cell_size(out, 1ull << 40), "1 TiB");
    ck_assert_str_eq(describe_age(out, 51, 2000000000, 101500000000), "< 2 s");
    ck_assert_str_eq(describe_age(out, 46, 2000000000, 102000000000), "11 s");
    ck_assert_str_eq(describe_age(out, 0, 2000000000, 102000000000), "?");
    ck_assert_str_eq(describe_class(LMP_C_TABLE_PART), "table part");
    ck_assert_str_eq(describe_class(99), "?");
    LmpPreview p = {.size = 3, .shown = 3, .valid = 1};
    memcpy(p.bytes, "\xe4\xb8\x96", 3);
    ck_assert_str_eq(describe_preview(out, sizeof out, &p, false), "\"\xe4\xb8\x96\"");
    ck_assert_str_eq(describe_preview(out, sizeof out, &p, true), "\"\\u{4e16}\"");
    p.shown = 2; /* cut within the character */
    ck_assert_str_eq(describe_preview(out, sizeof out, &p, true), "\"\"...");
    p.size = 2;
    ck_assert_str_eq(describe_preview(out, sizeof out, &p, true), "\"\\xe4\\xb8\"");
    memcpy(p.bytes, "a\0b\n\x7f\x1b", 6);
    p.size = p.shown = 6;
    ck_assert_str_eq(describe_preview(out, sizeof out, &p, false), "\"a\\x00b\\n\\x7f\\x1b\"");
    memcpy(p.bytes, "\xe2\x80\xae", 3); /* turns the direction of writing */
    p.size = p.shown = 3;
    ck_assert_str_eq(describe_preview(out, sizeof out, &p, false), "\"\\u{202e}\"");
}

TEST(test_preview_hostile) {
    for (int round = 0; round < 20000; round++) {
        LmpPreview p;
        for (size_t i = 0; i < sizeof p; i++)
            ((uint8_t *)&p)[i] = (uint8_t)(suite_below(3) ? suite_random() : suite_below(4) + 0xc0);
        if (suite_below(2)) p.shown = (uint32_t)suite_below(LMP_PREVIEW_BYTES + 1);
        char out[400];
        size_t size = 1 + suite_below(sizeof out);
        describe_preview(out, size, &p, suite_below(2));
        ck_assert_uint_lt(strnlen(out, sizeof out), size);
        for (const char *c = out; *c; c++)
            ck_assert((unsigned char)*c >= ' ' && *c != 0x7f);
    }
}
