/* Tests of which interpreter a script is given to (program.h): one by its name, or one that says
 * of itself that it is Lua 5.4, or 5.5 where there is a module for that; and of what its states are
 * told to load. */
#include "run/program.h"

#include <sys/stat.h>
#include <unistd.h>

#include "suite.h"

static const char *dir;

static void begin(void) {
    dir = suite_directory();
    ck_assert_int_eq(setenv("PATH", dir, 1), 0);
}

/* A command there, which prints a text. */
static void command(const char *name, const char *prints) {
    char path[96];
    snprintf(path, sizeof path, "%s/%s", dir, name);
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
    begin();
    ck_assert_ptr_null(interpreter());
    command("lua", "Lua 5.3.6  Copyright (C) 1994-2020 Lua.org, PUC-Rio");
    ck_assert_ptr_null(interpreter());
    command("lua", "Lua 5.4.6  Copyright (C) 1994-2023 Lua.org, PUC-Rio");
    ck_assert_str_eq(interpreter(), "lua");
    command("lua5.4", "is not asked");
    ck_assert_str_eq(interpreter(), "lua5.4");
}

TEST(one_of_5_5_where_there_is_none_of_5_4) {
    static ProgramModules modules; /* of this build */
    const char *problem;
    bool any = program_find_modules(LMP_MODULE_FILE, &modules, &problem);
    begin();
    if (any) ck_assert(strstr(program_luas(&modules), "Lua 5.") == program_luas(&modules));
    command("lua", "Lua 5.5.0  Copyright (C) 1994-2025 Lua.org, PUC-Rio");
    ck_assert((interpreter() != NULL) == (!any || modules.path[1][0] != 0));
    command("lua5.5", "is not asked");
    if (!any || modules.path[1][0]) ck_assert_str_eq(interpreter(), "lua5.5");
    command("lua54", "is not asked");
    if (!any || modules.path[0][0]) ck_assert_str_eq(interpreter(), "lua54");
}

TEST(each_version_loads_its_own_module) {
    static ProgramModules modules = {{"/four.so", "/five.so"}};
    ck_assert_str_eq(program_luas(&modules), "Lua 5.4 or 5.5");
    ck_assert(program_set_init(&modules, "entry", "otherwise"));
    ck_assert_ptr_nonnull(strstr(getenv("LUA_INIT_5_4"), "loadlib(\"/four.so\", \"entry\")"));
    ck_assert_ptr_nonnull(strstr(getenv("LUA_INIT_5_5"), "loadlib(\"/five.so\", \"entry\")"));
    modules.path[0][0] = 0;
    unsetenv("LUA_INIT_5_4");
    ck_assert_str_eq(program_luas(&modules), "Lua 5.5");
    ck_assert(program_set_init(&modules, "entry", "otherwise"));
    ck_assert_ptr_null(getenv("LUA_INIT_5_4"));
}

TEST(each_version_keeps_the_users_own_init) {
    static const ProgramModules modules = {{"/four.so", "/five.so"}};
    setenv("LUA_INIT", "of all", 1);
    setenv("LUA_INIT_5_5", "of 5.5", 1);
    unsetenv("LUA_INIT_5_4");
    for (int within = 0; within < 2; within++) { /* again: lmp run within lmp run */
        ck_assert(program_set_environment(&modules, &OWN_FD_NONE, ""));
        ck_assert_str_eq(getenv("LMP_USER_INIT_5_4"), "of all");
        ck_assert_str_eq(getenv("LMP_USER_INIT_5_5"), "of 5.5");
    }
}
