/* Tests of options as text: what is written is read again, and what nobody would write harms
 * nothing. */
#include "shared/start_options.h"
#include "suite.h"

#include <stdio.h>

/* Reads all words of a text, as "name|value|" or, quoted, "name|'value'|". */
static const char *words(const char *text) {
    static char out[400], copy[400];
    char *at = copy;
    LmpStartWord word;
    snprintf(copy, sizeof copy, "%s", text);
    *out = 0;
    while (start_options_next(&at, &word)) {
        size_t used = strlen(out);
        const char *quote = word.quoted ? "'" : "";
        snprintf(out + used, sizeof out - used, "%s|%s%s%s|", word.name, quote, word.value, quote);
    }
    return out;
}

TEST(read) {
    ck_assert_str_eq(words(""), "");
    ck_assert_str_eq(words("  \t\n "), "");
    ck_assert_str_eq(words("stacks=true\tsample=512KiB\n top=3 "),
                     "stacks|true|sample|512KiB|top|3|");
    ck_assert_str_eq(words("name='a b' record='it''s'"), "name|'a b'|record|'it's'|");
    ck_assert_str_eq(words("name='''' x=''"), "name|'''|x|''|");
    ck_assert_str_eq(words("live name"), "live||name||");
    ck_assert_str_eq(words("=5 a=b=c"), "|5|a|b=c|");
    ck_assert_str_eq(words("name='a'b"), "name|'a'|b||");
    ck_assert_str_eq(words("name='a b"), "name|''|"); /* its end is missing: no value */
    ck_assert_str_eq(words("name='"), "name|''|");
}

TEST(written) {
    static const char *const values[] = {"a", "", "'", "it's", "''x'' ", " = \t\n"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[100] = "live=1", *at = text;
        LmpStartWord word;
        ck_assert(start_options_add(text, sizeof text, "name", values[i]));
        ck_assert(start_options_next(&at, &word) && start_options_next(&at, &word));
        ck_assert_str_eq(word.name, "name");
        ck_assert_str_eq(word.value, values[i]);
        ck_assert(word.quoted && !start_options_next(&at, &word));
    }
}

TEST(too_long) {
    for (size_t size = 7; size < 30; size++) {
        char text[40] = "live=1", *end = text + size;
        memset(end, '#', sizeof text - size);
        bool added = start_options_add(text, size, "name", "it's ''");
        ck_assert_int_eq(added, size > strlen("live=1 name='it''s '''''"));
        ck_assert_str_eq(words(text), added ? "live|1|name|'it's '''|" : "live|1|");
        ck_assert_int_eq(*end, '#');
    }
}
