/* partfile.c - opens a nameless file (O_TMPFILE) or a locked FILE.part, and links and renames it
 * when it is whole. A .part without a lock has no writer any more, and may be removed. */
#include "agent/objects/partfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/forkos.h"
#include "base/own.h"

#define MODE (S_IRUSR | S_IWUSR)
static const char ending[] = ".part";

static LmpErr fail(PartFile *f, int error) {
    f->os_error = error;
    return LMP_E_FILE;
}

/* Without a name, in the directory of f->path. */
static int open_nameless(const PartFile *f) {
    char directory[PARTFILE_PATH];
    const char *slash = strrchr(f->path, '/');
    size_t n = slash ? (size_t)(slash - f->path) + 1 : 0;
    memcpy(directory, f->path, n);
    if (n == 0) directory[n++] = '.';
    directory[n] = 0;
    return fork_os->nameless(directory);
}

/* Removes a file that a killed writer has left. Returns true if it was one. */
static bool remove_stale(const PartFile *f) {
    int fd = open(f->part, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    bool stale = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && unlink(f->part) == 0;
    if (fd >= 0) close(fd);
    return stale;
}

static int open_named(PartFile *f) {
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int fd = open(f->part, flags, MODE);
    if (fd < 0 && errno == EEXIST && remove_stale(f)) fd = open(f->part, flags, MODE);
    f->named = fd >= 0;
    return fd;
}

static LmpErr open_file(PartFile *f, const char *path) {
    struct stat st;
    size_t n = strlen(path);
    if (n == 0 || n + sizeof ending > sizeof f->path) return fail(f, n ? ENAMETOOLONG : ENOENT);
    memcpy(f->path, path, n + 1);
    memcpy(f->part, path, n);
    memcpy(f->part + n, ending, sizeof ending);
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode)) return fail(f, EEXIST);
    int fd = open_nameless(f);
    if (fd < 0) fd = open_named(f);
    if (fd < 0) return fail(f, errno) && errno == EEXIST ? LMP_E_BUSY : LMP_E_FILE;
    flock(fd, LOCK_EX | LOCK_NB); /* until every copy of it is closed: remove_stale */
    f->fd = own_fd_lift(fd);
    if (f->fd < 0) {
        f->os_error = errno;
        if (f->named) unlink(f->part);
        return LMP_E_FILE;
    }
    fchmod(f->fd, MODE); /* whatever the program's umask */
    return LMP_OK;
}

LmpErr partfile_open(PartFile *f, const char *path) {
    int before = errno;
    f->fd = -1;
    f->named = false;
    f->os_error = 0;
    f->bytes = 0;
    LmpErr err = open_file(f, path);
    errno = before;
    return err;
}

bool partfile_write(PartFile *f, const void *bytes, size_t n) {
    const char *at = bytes;
    int before = errno;
    while (n > 0) {
        ssize_t wrote = fork_os->write(f->fd, at, n);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) {
            f->os_error = wrote < 0 ? errno : ENOSPC;
            break;
        }
        at += wrote;
        n -= (size_t)wrote;
        f->bytes += (uint64_t)wrote;
    }
    errno = before;
    return n == 0;
}

/* Gives a nameless file its name beside. */
static bool name_part(PartFile *f) {
    char own[32] = "/proc/self/fd/";
    size_t at = strlen(own);
    int digits = 1;
    for (int n = f->fd; n >= 10; n /= 10)
        digits++;
    for (int i = digits, n = f->fd; i > 0; i--, n /= 10)
        own[at + (size_t)i - 1] = (char)('0' + n % 10);
    own[at + (size_t)digits] = 0;
    for (int tries = 0; tries < 2; tries++) {
        if (linkat(AT_FDCWD, own, AT_FDCWD, f->part, AT_SYMLINK_FOLLOW) == 0)
            return f->named = true;
        if (errno != EEXIST || !remove_stale(f)) return false;
    }
    return false;
}

LmpErr partfile_commit(PartFile *f) {
    int before = errno;
    LmpErr err = LMP_OK;
    if ((!f->named && !name_part(f)) || rename(f->part, f->path) != 0) err = fail(f, errno);
    if (err) {
        partfile_drop(f);
    } else {
        f->named = false;
        partfile_leave(f);
    }
    errno = before;
    return err;
}

void partfile_leave(PartFile *f) {
    int before = errno;
    if (f->fd >= 0) close(f->fd);
    f->fd = -1;
    errno = before;
}

/* The file there may be another writer's, which holds a lock on it. */
void partfile_drop(PartFile *f) {
    int before = errno;
    if (f->fd >= 0 && f->named) {
        unlink(f->part);
    } else if (f->fd < 0) {
        remove_stale(f);
    }
    partfile_leave(f);
    f->named = false;
    errno = before;
}
