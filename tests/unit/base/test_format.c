/* Tests of format.c: every rounding edge, every length, any bytes. */
#include "base/format.h"
#include "suite.h"

#define K UINT64_C(1024)

static void same(const char *got, const char *want) {
    ck_assert_str_eq(got, want);
}

TEST(bytes) {
    char b[LMP_NUM];
    same(format_bytes(b, 0), "0 B");
    same(format_bytes(b, 1023), "1023 B");
    same(format_bytes(b, 1024), "1.0 KiB");
    same(format_bytes(b, 1536), "1.5 KiB");
    same(format_bytes(b, K * K - 1), "1.0 MiB"); /* never "1024.0 KiB" */
    same(format_bytes(b, 1023 * K + 900), "1023.9 KiB");
    same(format_bytes(b, 12 * K * K * K), "12.0 GiB");
    same(format_bytes(b, UINT64_MAX), "16.0 EiB");
}

TEST(delta_bytes) {
    char b[LMP_NUM];
    same(format_delta_bytes(b, 0), "0");
    same(format_delta_bytes(b, -3), "-3 B");
    same(format_delta_bytes(b, 12 * 1024 * 1024 + 104858), "+12.1 MiB");
    same(format_delta_bytes(b, INT64_MIN), "-8.0 EiB");
}

TEST(counts) {
    char b[LMP_NUM];
    same(format_count(b, 0), "0");
    same(format_count(b, 999), "999");
    same(format_count(b, 1000), "1,000");
    same(format_count(b, 1204551), "1,204,551");
    same(format_count(b, UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(shorts) {
    char b[LMP_NUM];
    same(format_short(b, 0), "0");
    same(format_short(b, 999), "999");
    same(format_short(b, 1000), "1.0 k");
    same(format_short(b, 9949), "9.9 k");
    same(format_short(b, 9950), "10 k");
    same(format_short(b, 182400), "182 k");
    same(format_short(b, 999499), "999 k");
    same(format_short(b, 999500), "1.0 M");
    same(format_short(b, 44000000000), "44 G");
    same(format_short(b, UINT64_MAX), "18 E");
}

TEST(short_is_short) {
    char b[LMP_NUM];
    for (int i = 0; i < 200000; i++) {
        uint64_t n = suite_random() >> suite_below(64);
        ck_assert_msg(strlen(format_short(b, n)) <= 5, "%llu: %s", (unsigned long long)n, b);
        double back = strtod(b, NULL);
        const char *prefix = strchr("kMGTPE", b[strlen(b) - 1]);
        if (prefix && *prefix)
            for (const char *p = "kMGTPE"; p <= strchr("kMGTPE", *prefix); p++)
                back *= 1000;
        ck_assert_msg(back >= (double)n * 0.949 && back <= (double)n * 1.051, "%llu: %s",
                      (unsigned long long)n, b);
    }
}

TEST(clocks) {
    char b[LMP_NUM];
    const uint64_t s = 1000000000;
    same(format_clock(b, 0), "00:00:00");
    same(format_clock(b, 102 * s + 999999999), "00:01:42");
    same(format_clock(b, (99 * 3600 + 3599) * s), "99:59:59");
    same(format_clock(b, (100 * 3600) * s), "4d 04h");
    same(format_clock_fine(b, 102 * s + 799999999), "00:01:42.7");
    same(format_clock_fine(b, 0), "00:00:00.0");
    same(format_clock_fine(b, (100 * 3600) * s), "4d 04h");
    same(format_clock(b, UINT64_MAX), "213503d 23h");
}

TEST(spans) {
    char b[LMP_NUM];
    const uint64_t ms = 1000000, s = 1000 * ms;
    same(format_span(b, 0), "0 ns");
    same(format_span(b, 412999), "412 us");
    same(format_span(b, 3 * ms), "3 ms");
    same(format_span(b, 1999 * ms), "1.9 s");
    same(format_span(b, 42 * s), "42 s");
    same(format_span(b, 59999 * ms), "59 s");
    same(format_span(b, 300 * s), "5 min");
    same(format_span(b, 9000 * s), "2.5 h");
    same(format_span(b, 86400 * s), "24 h");
    same(format_span(b, 12 * 86400 * s), "12 d");
    same(format_span(b, UINT64_MAX), "213503 d");
}

TEST(text_is_cleaned) {
    char b[64];
    same(format_text(b, sizeof b, "options.lua", 0), "options.lua");
    same(format_text(b, sizeof b, "a\033[31mb\n\tc\177", 0), "a?[31mb??c?");
    same(format_text(b, sizeof b,
                     "gr\xc3\xb6\xc3\x9f"
                     "e",
                     0),
         "gr\xc3\xb6\xc3\x9f"
         "e");
    same(format_text(b, sizeof b,
                     "gr\xc3\xb6\xc3\x9f"
                     "e",
                     1),
         "gr??e");
    same(format_text(b, sizeof b, "\xff\xc0\x80\xed\xa0\x80", 0), "??????"); /* none of it UTF-8 */
    snprintf(b, sizeof b, "\u202e\u00e9\u00e9"); /* in place, where pieces of a character overlap */
    same(format_text(b, sizeof b, b, 0), "?\u00e9\u00e9");
    same(format_text(b, sizeof b, "\xc2\x9b", 0), "?");     /* C1: CSI */
    same(format_text(b, sizeof b, "\xe2\x80\xae", 0), "?"); /* right-to-left override */
    same(format_text(b, 4, "ab\xc3\xb6", 0), "ab");         /* no half characters */
    same(format_text(b, 5, "ab\xc3\xb6", 0), "ab\xc3\xb6");
    same(format_text(b, 1, "ab", 0), "");
}

TEST(text_of_any_bytes) {
    for (int i = 0; i < 100000; i++) {
        char in[24], out[24];
        size_t n = suite_below(sizeof in - 1), room = 1 + suite_below(sizeof out);
        for (size_t k = 0; k < n; k++)
            in[k] = (char)(1 + suite_below(255));
        in[n] = '\0';
        memset(out, 'X', sizeof out);
        format_text(out, room, in, i % 2);
        ck_assert_msg(strlen(out) < room, "%zu", room);
        for (const char *p = out; *p;) { /* what comes out is UTF-8 without controls */
            uint32_t c;
            size_t step = format_utf8(p, &c);
            ck_assert_msg(step > 0, "%s", out);
            ck_assert_msg(c >= 0x20 && (c < 0x7f || c >= 0xa0) && (i % 2 == 0 || c < 0x80), "%s",
                          out);
            p += step;
        }
    }
}

static uint64_t size_of(const char *text) {
    uint64_t size = 12345;
    ck_assert_msg(format_parse_size(text, &size), "%s", text);
    return size;
}

TEST(sizes) {
    ck_assert_uint_eq(size_of("0"), 0);
    ck_assert_uint_eq(size_of("1048576"), 1048576);
    ck_assert_uint_eq(size_of("100B"), 100);
    ck_assert_uint_eq(size_of("64k"), 65536);
    ck_assert_uint_eq(size_of("64K"), 65536);
    ck_assert_uint_eq(size_of("512KiB"), 524288);
    ck_assert_uint_eq(size_of("512 kib"), 524288);
    ck_assert_uint_eq(size_of("10MiB"), 10485760);
    ck_assert_uint_eq(size_of("2GB"), 2147483648u);
    ck_assert_uint_eq(size_of("1.5MiB"), 1572864);
    ck_assert_uint_eq(size_of("0.1k"), 102);
    ck_assert_uint_eq(size_of("0.9999999999999E"), 1152921503453925471u); /* nine digits count */
    ck_assert_uint_eq(size_of("15E"), 15ull << 60);
    ck_assert_uint_eq(size_of("18446744073709551615"), UINT64_MAX);
    static const char *const none[] = {
        "",     "k",     "-1",  "+1",       "1x",   "1kk", "1 k b", "1.",  ".5k",
        "1..5", "0x10",  "1e3", " 1k",      "1k ",  "1i",  "1iB",   "16E", "18446744073709551616",
        "ten",  "1.5.5", "1,5", "1.5 MiBB", "1  k", "nan", "inf",   "1\n", "17179869184GiB"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        uint64_t size = 77;
        ck_assert_msg(!format_parse_size(none[i], &size), "%s", none[i]);
        ck_assert_uint_eq(size, 77);
    }
}

TEST(sizes_of_any_bytes) {
    static const char some[] = "0123456789.kKmMgGiIbB -+ex\xff";
    for (int i = 0; i < 200000; i++) {
        char in[12];
        uint64_t size;
        size_t n = suite_below(sizeof in);
        for (size_t k = 0; k < n; k++)
            in[k] = some[suite_below(sizeof some - 1)];
        in[n] = '\0';
        if (format_parse_size(in, &size)) ck_assert_msg(in[0] >= '0' && in[0] <= '9', "%s", in);
    }
    for (int i = 0; i < 100000; i++) { /* what a size is shown as is read as about that */
        char shown[LMP_NUM];
        uint64_t n = suite_random() >> (5 + suite_below(59)), read;
        ck_assert(format_parse_size(format_bytes(shown, n), &read));
        uint64_t off = read > n ? read - n : n - read;
        ck_assert_msg(off <= n / 18 + 1, "%s for %llu", shown, (unsigned long long)n);
    }
}

TEST(plain_words) {
    static const char *const plain[] = {"a",   "a.lua", "/usr/bin/lua5.4", "x=1", "a,b",
                                        "50%", "c:d@e"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        ck_assert_msg(format_plain_word(plain[i]), "%s", plain[i]);
    ck_assert(!format_plain_word(""));
    for (const char *c = " \t\n\"'\\$&;|<>()*?[]{}~#!`^\x7f\xc3"; *c; c++)
        ck_assert(!format_plain_word((char[]){'a', *c, 0}));
    static const char *const line[] = {
        "a", "--live a.lua", "'a;b $(c) `d` \"e'", "'it'\\''s' a", "a'b'c", "'a'\\'"};
    static const char *const no_line[] = {"",       "a;b",    "a'b",        "a\\b",     "a\nb",
                                          "'a\nb'", "'\x1b'", "'\xc2\x9b'", "'a' $(b)", "a|b"};
    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
        ck_assert_msg(format_plain_line(line[i]), "%s", line[i]);
    for (size_t i = 0; i < sizeof no_line / sizeof *no_line; i++)
        ck_assert_msg(!format_plain_line(no_line[i]), "%s", no_line[i]);
}

#ifdef __GLIBC__
TEST(signals_as_the_c_library_names_them) {
    for (int i = -1; i < 70; i++) {
        const char *name = sigabbrev_np(i), *ours = format_signal(i);
        ck_assert_msg(!name == !ours && (!name || strcmp(name, ours + 3) == 0), "%d: %s", i, ours);
    }
}
#endif
