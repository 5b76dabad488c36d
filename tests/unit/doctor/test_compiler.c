/* test_compiler.c - which compiler a file says it was made by (ui/doctor/compiler.c). */
#include "doctor/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

static char *own; /* our own file */
static size_t size;

static void read_own(void) {
    FILE *f = fopen("/proc/self/exe", "rb");
    ck_assert_ptr_nonnull(f);
    fseek(f, 0, SEEK_END);
    size = (size_t)ftell(f);
    rewind(f);
    own = malloc(size);
    ck_assert_uint_eq(fread(own, 1, size, f), size);
    fclose(f);
}

static void write_file(char *name, const char *bytes, size_t n) {
    strcpy(name, "/tmp/test_compiler.XXXXXX");
    OWN(close_at) int fd = mkstemp(name);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, bytes, n), (ssize_t)n);
}

TEST(our_own) {
    char text[256];
    ck_assert_str_eq(compiler_of("/proc/self/exe", text, sizeof text), text);
    ck_assert_msg(strstr(text, "GCC") || strstr(text, "clang"), "it says '%s'", text);
}

TEST(no_such) {
    char text[256] = "x", name[64];
    ck_assert_str_eq(compiler_of("/nonesuch", text, sizeof text), "");
    ck_assert_str_eq(compiler_of("/", text, sizeof text), "");
    write_file(name, "#!/bin/sh\n", 10);
    ck_assert_str_eq(compiler_of(name, text, sizeof text), "");
    unlink(name);
}

/* Whatever is in the file, nothing but a text comes of it. */
TEST(damaged) {
    char text[256], name[64];
    read_own();
    for (int i = 0; i < 64; i++) { /* each byte of the ELF header */
        char was = own[i];
        own[i] = (char)(was ^ 0xff);
        write_file(name, own, size);
        ck_assert_uint_lt(strlen(compiler_of(name, text, sizeof text)), sizeof text);
        unlink(name);
        own[i] = was;
    }
    for (size_t n = 0; n < size; n += size / 50 + 1) { /* cut short */
        write_file(name, own, n);
        compiler_of(name, text, sizeof text);
        unlink(name);
    }
    free(own);
}
