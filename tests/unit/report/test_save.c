/* Tests of how a report becomes a file: all of it or nothing. */
#include "report/save.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "suite.h"

static LmpErr write_word(const void *word, FILE *out) {
    fputs(word, out);
    return LMP_OK;
}

static LmpErr write_nothing(const void *of, FILE *out) {
    (void)of;
    fputs("half", out);
    return LMP_E_NOMEM;
}

static void check_content(const char *file, const char *expected) {
    char text[64] = "";
    FILE *in = fopen(file, "r");
    ck_assert_ptr_nonnull(in);
    size_t n = fread(text, 1, sizeof text - 1, in);
    fclose(in);
    text[n] = 0;
    ck_assert_str_eq(text, expected);
}

START_TEST(whole_or_not_at_all) {
    char dir[] = "/tmp/lmp-report-XXXXXX", file[64], link[64];
    struct stat st;
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(file, sizeof file, "%s/out", dir);
    snprintf(link, sizeof link, "%s/link", dir);
    ck_assert_int_eq(save_file(file, write_word, "one"), LMP_OK);
    check_content(file, "one");
    ck_assert_int_eq(stat(file, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0600);
    ck_assert_int_eq(save_file(file, write_nothing, NULL), LMP_E_NOMEM);
    check_content(file, "one"); /* as it was */
    ck_assert_int_eq(symlink("out", link), 0);
    ck_assert_int_eq(save_file(link, write_word, "two"), LMP_OK);
    check_content(file, "one"); /* the link was replaced */
    check_content(link, "two");
    ck_assert_int_eq(save_file("/dev/full", write_word, "three"), LMP_E_FILE);
    ck_assert_int_eq(errno, ENOSPC);
    ck_assert_int_eq(save_file(dir, write_word, "four"), LMP_E_FILE);
    ck_assert_int_eq(errno, EISDIR);
    ck_assert_int_eq(unlink(file) | unlink(link), 0);
    ck_assert_int_eq(rmdir(dir), 0); /* nothing else is left */
}
END_TEST

SUITE("save", whole_or_not_at_all)
