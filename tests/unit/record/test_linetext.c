/* Tests of the hashes of lines: the same text has the same, wherever it stands; what cannot be
 * read, or is not what runs, has none. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/linetext.h"
#include "suite.h"

static void write_file(const char *name, const char *text, size_t n) {
    FILE *f = fopen(name, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(text, 1, n, f), n);
    fclose(f);
}

static LineTexts *open_here(void) {
    char place[] = "linetext-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(place));
    ck_assert_int_eq(chdir(place), 0);
    LineTexts *t = linetexts_new((uint32_t)getpid(), 0);
    ck_assert_ptr_nonnull(t);
    return t;
}

#define WRITE(name, text) write_file(name, text, sizeof(text) - 1)

START_TEST(the_same_text) {
    LineTexts *t = open_here();
    WRITE("a.lua", "local a = {}\n  keep(a)\n\nreturn a");
    WRITE("b.lua", "-- more\n\tkeep(a)  \r\nlocal a = {}\nreturn a\n");
    uint32_t first = linetexts_hash(t, "@a.lua", 1), keep = linetexts_hash(t, "@a.lua", 2);
    ck_assert_uint_ne(first, 0);
    ck_assert_uint_ne(first, keep);
    ck_assert_uint_eq(linetexts_hash(t, "@b.lua", 3), first);
    ck_assert_uint_eq(linetexts_hash(t, "@b.lua", 2), keep); /* but for blanks around it */
    ck_assert_uint_ne(linetexts_hash(t, "@a.lua", 3), 0);    /* an empty line is a text, too */
    ck_assert_uint_eq(linetexts_hash(t, "@b.lua", 4), linetexts_hash(t, "@a.lua", 4));
    linetexts_free(t);
}
END_TEST

START_TEST(not_known) {
    LineTexts *t = open_here();
    WRITE("a.lua", "one\ntwo");
    WRITE("empty.lua", "");
    ck_assert_int_eq(mkfifo("pipe.lua", 0600), 0);
    static const struct {
        const char *source;
        int32_t line;
    } none[] = {{"@a.lua", 0},
                {"@a.lua", -1},
                {"@a.lua", 3},
                {"@a.lua", INT32_MAX},
                {"@empty.lua", 2},
                {"@pipe.lua", 1},
                {"@nowhere.lua", 1},
                {"=stdin", 1},
                {"return 1", 1},
                {"", 1},
                {"@", 1},
                {"@.", 1}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ck_assert_uint_eq(linetexts_hash(t, none[i].source, none[i].line), 0);
    linetexts_free(t);
    t = linetexts_new(0, 0); /* a program that is gone began here */
    ck_assert_uint_ne(linetexts_hash(t, "@a.lua", 1), 0);
    linetexts_free(t);
    t = linetexts_new((uint32_t)getpid(), 1); /* the file is younger than the program */
    ck_assert_uint_eq(linetexts_hash(t, "@a.lua", 1), 0);
    linetexts_free(t);
    ck_assert_uint_eq(linetexts_hash(NULL, "@a.lua", 1), 0);
    linetexts_free(NULL);
}
END_TEST

/* Large files and many of them: bounded. */
START_TEST(bounds) {
    LineTexts *t = open_here();
    WRITE("large.lua", "x");
    ck_assert_int_eq(truncate("large.lua", LINETEXT_BYTES + 1), 0);
    ck_assert_uint_eq(linetexts_hash(t, "@large.lua", 1), 0);
    char name[32];
    for (uint32_t i = 0; i < LINETEXT_FILES + 10; i++) {
        snprintf(name, sizeof name, "@no-%u.lua", i);
        ck_assert_uint_eq(linetexts_hash(t, name, 1), 0);
    }
    linetexts_free(t);
}
END_TEST

SUITE("linetext", the_same_text, not_known, bounds)
