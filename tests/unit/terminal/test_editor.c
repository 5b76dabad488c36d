/* test_editor.c - how the person's editor is called. There is no terminal here, which it need not
 * mind. */
#include "suite.h"

#include <stdlib.h>
#include <unistd.h>

#include "terminal/editor.h"

static const char *place;

/* What an editor is called with for a file. */
static const char *called_with(const char *path) {
    static char words[256];
    char problem[128], name[64];
    snprintf(name, sizeof name, "%s/args", place);
    setenv("VISUAL", "", 1);
    setenv("EDITOR", "sh -c 'printf \"%s|\" \"$@\" >\"$PLACE/args\"' sh", 1);
    setenv("PLACE", place, 1);
    ck_assert_int_eq(editor_run(-1, -1, path, 12, problem, sizeof problem), EDITOR_DONE);
    FILE *file = fopen(name, "r");
    ck_assert_ptr_nonnull(file);
    words[fread(words, 1, sizeof words - 1, file)] = 0;
    fclose(file);
    unlink(name);
    return words;
}

TEST(names) {
    place = suite_directory();
    ck_assert_str_eq(called_with("/a b/c.lua"), "+12|/a b/c.lua|");
    ck_assert_str_eq(called_with("c.lua"), "+12|c.lua|");
    ck_assert_str_eq(called_with("-c.lua"), "+12|./-c.lua|");
    ck_assert_str_eq(called_with("+!rm c.lua"), "+12|./+!rm c.lua|");
    ck_assert_str_eq(called_with("$(false)'\""), "+12|$(false)'\"|");
}
