/* Tests of procfile.c: what the system says in text. */
#include "base/procfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

TEST(a_line_is_found_by_its_key) {
    char path[] = "/tmp/lmp-test-XXXXXX", value[8];
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    fprintf(file, "Name:\tlua\nGroups:%600s\nUid:\t 1000\t1000\nLast", "x");
    fclose(file);
    ck_assert(procfile_line(path, "Uid:", value, sizeof value));
    ck_assert_str_eq(value, "1000\t10"); /* as much as there is room for */
    ck_assert(procfile_line(path, "Last", value, sizeof value));
    ck_assert_str_eq(value, "");
    ck_assert(procfile_line(path, "", value, sizeof value));
    ck_assert_str_eq(value, "Name:\tl");
    ck_assert(!procfile_line(path, "ame", value, sizeof value));
    ck_assert_str_eq(value, "");
    unlink(path);
    ck_assert(!procfile_line(path, "", value, sizeof value));
    ck_assert_str_eq(value, "");
}

TEST(memory_of_a_process_is_known) {
    enum { MORE = 32 << 20 };
    uint64_t before = procfile_resident((uint32_t)getpid());
    char *bytes = malloc(MORE);
    ck_assert_ptr_nonnull(bytes);
    memset(bytes, 1, MORE);
    __asm__ volatile("" : : "r"(bytes) : "memory"); /* or the compiler leaves all of it out */
    ck_assert_uint_gt(before, 0);
    ck_assert_uint_ge(procfile_resident((uint32_t)getpid()), before + MORE / 2);
    ck_assert_uint_ge(procfile_resident(PROCFILE_SELF), before + MORE / 2);
    free(bytes);
    ck_assert_uint_eq(procfile_resident(0), 0);
    ck_assert_uint_eq(procfile_resident(0x7fffffff), 0);
}
