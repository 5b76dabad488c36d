/* Tests of the lines that the program's output makes. */
#include "screen/output.h"

#include "suite.h"

RELEASE_AT(output_free)

TEST(output_lines_and_sequences) {
    OWN(output_free_at) Output *o = output_new();
    ck_assert_uint_eq(output_lines(o), 0);
    const char *text =
        "plain\r\n\033[1;31mred\033[0m\na\tb\n12345\rxy\nab\bc\n\033]0;title\007end\n"
        "long \033[Kgone\rlo\033[K\nlast";
    for (const char *p = text; *p; p++)
        output_feed(o, p, 1); /* cut anywhere */
    static const char *const want[] = {"plain", "red", "a       b", "xy345",
                                       "ac",    "end", "lo",        "last"};
    ck_assert_uint_eq(output_lines(o), 8);
    for (uint64_t i = 0; i < 8; i++)
        ck_assert_str_eq(output_line(o, i), want[i]);
    ck_assert_str_eq(output_line(o, 8), "");
}

TEST(output_keeps_the_last_lines) {
    OWN(output_free_at) Output *o = output_new();
    char line[32];
    for (int i = 0; i < 5000; i++) {
        output_feed(o, line, (size_t)snprintf(line, sizeof line, "line %d\n", i));
    }
    ck_assert_uint_eq(output_lines(o), 5000);
    ck_assert_str_eq(output_line(o, 4999), "line 4999");
    ck_assert_str_eq(output_line(o, 5000 - OUTPUT_LINES), "line 3000");
    ck_assert_str_eq(output_line(o, 2999), "");
}

TEST(output_bears_anything) {
    OWN(output_free_at) Output *o = output_new();
    char bytes[4096];
    for (int round = 0; round < 500; round++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = suite_below(4) ? (char)suite_random() : "\033[]\n\r\t\b"[suite_below(7)];
        }
        output_feed(o, bytes, sizeof bytes);
        uint64_t n = output_lines(o);
        for (uint64_t i = n > 50 ? n - 50 : 0; i < n; i++) {
            ck_assert_uint_le(strlen(output_line(o, i)), OUTPUT_COLUMNS);
        }
    }
}
