/* embedded.c - finds and lays out files of embedded.h. What others could write is not believed. */
#include "run/embedded.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/keptfile.h"
#include "base/os.h"

const Embedded *embedded_find(const char *file) {
    for (const Embedded *e = embedded_files; e->file; e++)
        if (strcmp(e->file, file) == 0) return e;
    return NULL;
}

/* Returns true if the file says what it should. */
static bool is_whole(const Embedded *e, const char *path) {
    size_t size = (size_t)(e->past - e->from);
    unsigned char *there = malloc(size);
    bool whole = there && lmp_os->read_kept(path, there, size) == (int64_t)size &&
                 memcmp(there, e->from, size) == 0;
    free(there);
    return whole;
}

/* Returns true if nobody but this user can put another file in place of that one. */
static bool is_alone(const char *path) {
    char folder[4096];
    struct stat st;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    return lstat(folder, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static bool lay_out(const Embedded *e, const char *path) {
    if (!is_whole(e, path) && !lmp_os->write_kept(path, e->from, (size_t)(e->past - e->from)))
        return false;
    return is_alone(path) && is_whole(e, path);
}

bool embedded_lay_out(const Embedded *e, char *out, size_t size) {
    if (keptfile_path(out, size, e->kept) && lay_out(e, out)) return true;
    const char *tmp = getenv("TMPDIR");
    int n = snprintf(out, size, "%s/lmp-%u/%s", tmp && *tmp == '/' ? tmp : "/tmp",
                     (unsigned)geteuid(), e->kept);
    return n > 0 && (size_t)n < size && lay_out(e, out);
}
