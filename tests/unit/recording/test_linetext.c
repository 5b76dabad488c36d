/* Tests of the hashes of lines: the same text has the same, wherever it stands; what cannot be
 * read, or is not what runs, has none. */
#include <sys/stat.h>
#include <unistd.h>

#include "recording/format/linetext.h"
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
    LineTexts *t = linetexts_new((uint32_t)getpid(), 0, NULL);
    ck_assert_ptr_nonnull(t);
    return t;
}

#define WRITE(name, text) write_file(name, text, sizeof(text) - 1)

TEST(the_same_text) {
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

TEST(not_known) {
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
    t = linetexts_new(0, 0, NULL); /* a program that is gone began here */
    ck_assert_uint_ne(linetexts_hash(t, "@a.lua", 1), 0);
    linetexts_free(t);
    t = linetexts_new((uint32_t)getpid(), 1, NULL); /* the file is younger than the program */
    ck_assert_uint_eq(linetexts_hash(t, "@a.lua", 1), 0);
    linetexts_free(t);
    ck_assert_uint_eq(linetexts_hash(NULL, "@a.lua", 1), 0);
    linetexts_free(NULL);
}

/* Texts of programs are given out once, each; what is known from elsewhere is not read, and counts.
 */
TEST(texts_are_kept) {
    LineTexts *t = open_here();
    const char *source;
    size_t n;
    WRITE("a.lua", "local a\nreturn a");
    WRITE("b.lua", "local b");
    WRITE("c.lua", "c");
    WRITE("d.lua", "local d = 1");
    WRITE("e.txt", "e");
    linetexts_hash(t, "@a.lua", 1); /* before it was asked for */
    linetexts_keep(t, 20);
    ck_assert_ptr_null(linetexts_take(t, &source, &n));
    linetexts_set(t, "@set.lua", "  local b\nlocal x", 17);
    uint32_t b = linetexts_hash(t, "@b.lua", 1); /* no room */
    ck_assert_uint_ne(b, 0);
    ck_assert_uint_eq(linetexts_hash(t, "@set.lua", 1), b);
    ck_assert_ptr_null(linetexts_take(t, &source, &n));
    linetexts_hash(t, "@c.lua", 1);
    linetexts_hash(t, "@e.txt", 1);
    ck_assert_str_eq(linetexts_take(t, &source, &n) ? source : "", "@c.lua");
    ck_assert_uint_eq(n, 1);
    linetexts_keep(t, 29);
    linetexts_hash(t, "@d.lua", 1);
    linetexts_hash(t, "@c.lua", 1);
    ck_assert_mem_eq(linetexts_take(t, &source, &n), "local d = 1", 11);
    ck_assert_str_eq(source, "@d.lua");
    ck_assert_ptr_null(linetexts_take(t, &source, &n));
    ck_assert_ptr_null(linetexts_take(t, &source, &n));
    linetexts_free(t);
    linetexts_keep(NULL, 1);
    linetexts_set(NULL, "@a.lua", "", 0);
    ck_assert_ptr_null(linetexts_take(NULL, &source, &n));
}

/* Large files and many of them: bounded. */
TEST(bounds) {
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
