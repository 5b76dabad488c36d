/* Tests of which interpreter a script is given to (program.h): one by its name, or one that says
 * of itself that it is Lua 5.4. */
#include "run/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "suite.h"

static char dir[] = "/tmp/lmp-program-XXXXXX";

/* A command there, which prints a text; NULL: none. */
static void command(const char *name, const char *prints) {
    char path[96];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    unlink(path);
    if (!prints) return;
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fprintf(f, "#!/bin/sh\necho '%s'\n", prints);
    fclose(f);
    ck_assert_int_eq(chmod(path, 0700), 0);
}

/* What a script is run with, by its name there; NULL: nothing. */
static const char *interpreter(void) {
    static Program program;
    const char *problem = NULL;
    char *words[] = {"script.lua", NULL};
    bool found = program_find(&program, 1, words, &problem);
    if (found) ck_assert(program.script && strcmp(program.argv[0], program.path) == 0);
    if (found) ck_assert_str_eq(program.argv[1], "script.lua");
    free(program.argv);
    ck_assert(found != (problem != NULL));
    ck_assert(!found || strncmp(program.path, dir, strlen(dir)) == 0);
    return found ? program.path + strlen(dir) + 1 : NULL;
}

TEST(one_by_its_name_or_by_its_own_account) {
    strcpy(dir, "/tmp/lmp-program-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert_int_eq(setenv("PATH", dir, 1), 0);
    ck_assert_ptr_null(interpreter());
    command("lua", "Lua 5.3.6  Copyright (C) 1994-2020 Lua.org, PUC-Rio");
    ck_assert_ptr_null(interpreter());
    command("lua", "Lua 5.4.6  Copyright (C) 1994-2023 Lua.org, PUC-Rio");
    ck_assert_str_eq(interpreter(), "lua");
    command("lua5.4", "is not asked");
    ck_assert_str_eq(interpreter(), "lua5.4");
    command("lua5.4", NULL);
    command("lua", NULL);
    rmdir(dir);
}
