/* Tests of source files: from the disk, from chunks; what cannot be shown. */
#include "widget/source.h"

#include <unistd.h>

#include "suite.h"

#define SECOND 1000000000ull

static const char *line_of(Sources *sources, uint32_t line) {
    static char text[64];
    return sources_line(sources, line, true, text, sizeof text);
}

START_TEST(sources_of_each_kind) {
    Sources *sources = sources_new();
    char dir[] = "/tmp/lmp-source-XXXXXX", path[64];
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/a.lua", dir);
    FILE *file = fopen(path, "w");
    fputs("\tone\r\ntwo\x01\n\nlast without an end", file);
    fclose(file);
    sources_directory(sources, dir);
    const SourceText *text = sources_get(sources, "@a.lua", 0);
    ck_assert_ptr_null(text->problem);
    ck_assert_uint_eq(text->lines, 4);
    ck_assert_str_eq(line_of(sources, 1), "    one");
    ck_assert_str_eq(line_of(sources, 2), "two?");
    ck_assert_str_eq(line_of(sources, 3), "");
    ck_assert_str_eq(line_of(sources, 4), "last without an end");
    ck_assert_str_eq(line_of(sources, 5), "");
    ck_assert_str_eq(line_of(sources, 0), "");
    ck_assert_str_eq(sources_get(sources, "@./a.lua", 0)->path, path);

    file = fopen(path, "w"); /* changes on the disk are seen, after a while */
    fputs("new\n", file);
    fclose(file);
    text = sources_get(sources, "@a.lua", 3 * SECOND);
    ck_assert_uint_eq(text->lines, 1);
    ck_assert_str_eq(line_of(sources, 1), "new");
    unlink(path);
    text = sources_get(sources, "@a.lua", 6 * SECOND);
    ck_assert_str_eq(text->problem, "cannot read a.lua: No such file or directory");

    text = sources_get(sources, "return 1,\n 2", 0);
    ck_assert_ptr_null(text->problem);
    ck_assert_ptr_null(text->path);
    ck_assert_str_eq(line_of(sources, 2), " 2");
    ck_assert_ptr_nonnull(sources_get(sources, "=stdin", 0)->problem);
    ck_assert_ptr_nonnull(sources_get(sources, "=(host)", 0)->problem);
    ck_assert_str_eq(sources_get(sources, "@/dev/zero", 0)->problem, "not a file");
    ck_assert_str_eq(sources_get(sources, "@.", 0)->problem, "not a file");
    ck_assert_ptr_nonnull(sources_get(sources, "\033Lua", 0)->problem);
    ck_assert_uint_eq(sources_get(sources, "", 0)->lines, 0);
    for (int i = 0; i < 40; i++) { /* more than are kept */
        char chunk[32];
        snprintf(chunk, sizeof chunk, "chunk %d", i);
        sources_get(sources, chunk, (uint64_t)i);
        ck_assert_str_eq(line_of(sources, 1), chunk);
    }
    rmdir(dir);
    sources_free(sources);
    ck_assert_ptr_nonnull(sources_get(NULL, "@a.lua", 0)->problem);
}
END_TEST

SUITE("source", sources_of_each_kind)
