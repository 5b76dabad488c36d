/* keptfile.c - files of keptfile.h: written beside their name first, then put in place. */
#include "base/keptfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_MOST = 4096 };

bool keptfile_path(char *out, size_t size, const char *name) {
    const char *own = secure_getenv(LMP_CACHE), *xdg = secure_getenv("XDG_CACHE_HOME"),
               *home = secure_getenv("HOME");
    int n = -1;
    if (own && *own)
        n = *own == '/' ? snprintf(out, size, "%s/%s", own, name) : -1;
    else if (xdg && *xdg == '/')
        n = snprintf(out, size, "%s/lmp/%s", xdg, name);
    else if (home && *home == '/')
        n = snprintf(out, size, "%s/.cache/lmp/%s", home, name);
    return n >= 0 && (size_t)n < size;
}

/* Returns true if nobody but this user (or root) can have written the file. */
static bool own_file(int fd, size_t most, size_t *size) {
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid()) return false;
    *size = (size_t)st.st_size;
    return !(st.st_mode & (S_IWGRP | S_IWOTH)) && st.st_size > 0 && *size <= most;
}

int64_t keptfile_read(const char *path, void *to, size_t size) {
    int before = errno, fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    size_t whole = 0;
    int64_t got = -1;
    if (fd >= 0 && own_file(fd, size, &whole)) got = read(fd, to, whole);
    if (fd >= 0) close(fd);
    errno = before;
    return got >= 0 && (size_t)got == whole ? got : -1;
}

/* Makes the directory that the path is in, and the one above, as the XDG specification wants. */
static void make_directory(const char *path) {
    char name[PATH_MOST];
    size_t n = strlen(path);
    if (n >= sizeof name) return;
    memcpy(name, path, n + 1);
    char *last = strrchr(name, '/');
    if (!last) return;
    *last = 0;
    char *above = strrchr(name, '/');
    if (above && above > name) {
        *above = 0;
        mkdir(name, S_IRWXU);
        *above = '/';
    }
    mkdir(name, S_IRWXU);
}

static bool write_new(const char *path, const void *from, size_t size,
                      bool (*write_at)(int, uint64_t, const void *, size_t)) {
    static const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int fd = open(path, flags, S_IRUSR | S_IWUSR);
    if (fd < 0 && errno == EEXIST && unlink(path) == 0) /* of a process that was killed */
        fd = open(path, flags, S_IRUSR | S_IWUSR);
    if (fd < 0) return false;
    bool wrote = write_at(fd, 0, from, size);
    return close(fd) == 0 && wrote;
}

bool keptfile_write(const char *path, const void *from, size_t size,
                    bool (*write_at)(int, uint64_t, const void *, size_t)) {
    char beside[PATH_MOST];
    int before = errno, n = snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid());
    bool put = false;
    if (n > 0 && (size_t)n < sizeof beside) {
        make_directory(path);
        put = write_new(beside, from, size, write_at) && rename(beside, path) == 0;
        if (!put) unlink(beside);
    }
    errno = before;
    return put;
}
