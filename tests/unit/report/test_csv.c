/* Tests that a text is one field of CSV, that no spreadsheet takes it for a formula, and that its
 * reader has it back; and what numbers look like. */
#include "report/text.h"

#include <stdbool.h>

#include "suite.h"

static const struct {
    const char *text, *field;
} fields[] = {
    {"", ""},
    {"app/main.lua", "app/main.lua"},
    {"a=1", "a=1"},
    {"a,b", "\"a,b\""},
    {"a\"b", "\"a\"\"b\""},
    {"a\r\nb", "\"a\r\nb\""},
    {"=1+1", "'=1+1"},
    {"+1", "'+1"},
    {"-1", "'-1"},
    {"@SUM(A1)", "'@SUM(A1)"},
    {"\t=1", "'\t=1"},
    {"\r=1", "\"'\r=1\""},
    {"=HYPERLINK(\"x\",1)", "\"'=HYPERLINK(\"\"x\"\",1)\""},
    {"'quoted'", "''quoted'"},
};

/* As who reads RFC 4180 has it, less one apostrophe at its beginning. */
static void check_read(const char *field, const char *text) {
    char got[64], *to = got;
    bool quoted = *field == '"';
    if (quoted) field++;
    if (*field == '\'') field++;
    for (; *field && !(quoted && *field == '"' && !field[1]); field++) {
        if (quoted && *field == '"') field++;
        *to++ = *field;
    }
    *to = 0;
    ck_assert_str_eq(got, text);
}

TEST(texts) {
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        text_csv(suite_write(), fields[i].text);
        OWN(free_at) char *got = suite_written();
        ck_assert_str_eq(got, fields[i].field);
        check_read(got, fields[i].text);
    }
}

TEST(numbers) {
    static const struct {
        double number;
        const char *text;
    } numbers[] = {{0, "0.000000"},
                   {1.5, "1.500000"},
                   {1e-7, "0.000000"},
                   {-1e-7, "0.000000"},
                   {-0.25, "-0.250000"},
                   {-2048, "-2048.000000"},
                   {1e11, "100000000000.000000"},
                   {1e12, "0.000000"},
                   {-1e300, "0.000000"}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        text_number(suite_write(), numbers[i].number);
        OWN(free_at) char *got = suite_written();
        ck_assert_str_eq(got, numbers[i].text);
    }
}
