/* Tests of source files: from the disk, from chunks; what cannot be shown. */
#include "widget/source.h"

#include <unistd.h>

#include "suite.h"
#include "widget/tallycell.h"

#define SECOND 1000000000ull

static const char *line_of(Sources *sources, uint32_t line) {
    static char text[64];
    return sources_line(sources, line, true, text, sizeof text);
}

TEST(sources_of_each_kind) {
    Sources *sources = sources_new();
    const char *dir = suite_directory();
    char path[64];
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
    sources_free(sources);
    ck_assert_ptr_nonnull(sources_get(NULL, "@a.lua", 0)->problem);
}

TEST(functions_that_end) {
    Sources *sources = sources_new();
    ck_assert_uint_eq(sources_function(sources, 1), 0);
    sources_get(sources, "on('key', function()\nend)\n", 0);
    ck_assert_uint_eq(sources_function(sources, 2), 1);
    ck_assert_uint_eq(sources_function(sources, 1), 0);
    ck_assert_uint_eq(sources_function(sources, 0), 0);
    ck_assert_uint_eq(sources_function(sources, 3), 0);
    sources_get(sources, "local x\non('key', function()\nend)\n", 0);
    ck_assert_uint_eq(sources_function(sources, 3), 2);
    sources_get(sources, "=stdin", 0);
    ck_assert_uint_eq(sources_function(sources, 1), 0);
    sources_free(sources);
    ck_assert_uint_eq(sources_function(NULL, 1), 0);
}

/* In a table: how the function begins, if the line makes functions. */
TEST(text_of_a_line) {
    Ui ui = {.sources = sources_new(), .utf8 = true};
    LmpKindTally kind[LMP_KINDS] = {{{0}, 0}};
    LmpSiteRow row = {.raw_source = "on('key',\n function(k)\n return k\nend)\n", .line = 4};
    row.kind = kind;
    TableCell cell;
    tallycell_source(&cell, &ui, &row);
    ck_assert_str_eq(cell.text, "end)");
    row.kind[LMP_FUNCTION].tally.allocs = 1;
    tallycell_source(&cell, &ui, &row);
    ck_assert_str_eq(cell.text, "2: function(k) … end)");
    ck_assert_uint_eq(tallycell_begins(&ui, &row), 2);
    ui.utf8 = false;
    tallycell_source(&cell, &ui, &row);
    ck_assert_str_eq(cell.text, "2: function(k) ... end)");
    row.line = 3;
    tallycell_source(&cell, &ui, &row);
    ck_assert_str_eq(cell.text, "return k");
    row.line = -1;
    ck_assert_uint_eq(tallycell_begins(&ui, &row), 0);
    row = (LmpSiteRow){.raw_source = "=stdin", .line = 4, .kind = kind};
    row.kind[LMP_FUNCTION].tally.allocs = 1;
    tallycell_source(&cell, &ui, &row);
    ck_assert_ptr_null(strstr(cell.text, "…"));
    /* a line as long as a cell */
    char text[1200];
    int n = snprintf(text, sizeof text, "f(function(%*s)\n%*s end)\n", 400, "", 400, "");
    memset(text + 11, 'x', 390);
    memset(text + n - 300, 'y', 290);
    row.raw_source = text;
    row.line = 2;
    tallycell_source(&cell, &ui, &row);
    ck_assert_uint_le(strlen(cell.text), sizeof cell.text - 1);
    sources_free(ui.sources);
}

typedef struct Kept {
    const char *source, *text;
} Kept;

static const char *find_kept(void *of, const char *source, size_t *n) {
    const Kept *kept = of;
    bool found = kept->source && strcmp(kept->source, source) == 0;
    *n = found ? strlen(kept->text) : 0;
    return found ? kept->text : NULL;
}

/* Of what ran: whatever the file says now, and where it was. */
TEST(texts_that_were_kept) {
    const char *dir = suite_directory();
    char path[64], other[64];
    snprintf(path, sizeof path, "%s/a.lua", dir);
    snprintf(other, sizeof other, "%s/b.lua", dir);
    const char *const names[] = {path, other};
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(names[i], "w");
        fputs("edited\n", file);
        fclose(file);
    }
    Kept one = {"@a.lua", "ran\nthis"};
    Sources *sources = sources_new();
    sources_kept(sources, &(SourcesKept){find_kept, &one, dir});
    sources_program(sources, 0, 5); /* as of a replay: its directory stays known */
    const SourceText *text = sources_get(sources, "@a.lua", 0);
    ck_assert_ptr_null(text->problem);
    ck_assert_uint_eq(text->lines, 2);
    ck_assert(!text->changed);
    ck_assert_str_eq(text->path, path);
    ck_assert_str_eq(line_of(sources, 2), "this");
    text = sources_get(sources, "@b.lua", 0); /* the file, which is younger than the program */
    ck_assert_str_eq(line_of(sources, 1), "edited");
    ck_assert_str_eq(text->path, other);
    ck_assert(text->changed);
    one.source = "@b.lua"; /* the recording is still written: it comes late */
    text = sources_get(sources, "@b.lua", 3 * SECOND);
    ck_assert_str_eq(line_of(sources, 2), "this");
    ck_assert(!text->changed);
    unlink(path);
    unlink(other);
    one.source = "@c.lua"; /* without a file there is nothing to edit */
    text = sources_get(sources, "@c.lua", 3 * SECOND);
    ck_assert_str_eq(line_of(sources, 1), "ran");
    ck_assert_ptr_null(text->path);
    rmdir(dir);
    sources_kept(sources, &(SourcesKept){find_kept, &one, dir}); /* which is gone */
    ck_assert_str_eq(sources_get(sources, "@d.lua", 0)->problem,
                     "cannot read d.lua: No such file or directory");
    sources_free(sources);
    sources_kept(NULL, &(SourcesKept){find_kept, &one, dir});
}
