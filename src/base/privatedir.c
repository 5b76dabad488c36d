/* privatedir.c - mkdtemp below $TMPDIR or /tmp, and a flock on the directory as the sign that its
 * owner lives. Before, it removes directories of the same name and user that nobody has locked. */
#include "base/privatedir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 10 };

/* Takes the lock if nobody has it. Returns false if somebody does. */
static bool take_lock(int fd) {
    return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Removes the files in it. Anything else stays, and with it the directory. */
static void empty(int fd) {
    int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = again < 0 ? NULL : fdopendir(again);
    if (!list && again >= 0) close(again);
    for (struct dirent *e; list && (e = readdir(list));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) unlinkat(fd, e->d_name, 0);
    if (list) closedir(list);
}

/* Removes a directory whose owner has died. Others write to that place, too: only ours are
 * removed. */
static void remove_stale(int place, const char *name) {
    struct stat st;
    int fd = openat(place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return;
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 0777) == 0700 &&
        take_lock(fd)) {
        empty(fd);
        unlinkat(place, name, AT_REMOVEDIR);
    }
    close(fd);
}

static void remove_all_stale(const char *place, const char *name) {
    size_t n = strlen(name);
    DIR *list = opendir(place);
    for (struct dirent *e; list && (e = readdir(list));)
        if (strncmp(e->d_name, name, n) == 0 && e->d_name[n] == '-' &&
            strlen(e->d_name) == n + strlen("-XXXXXX"))
            remove_stale(dirfd(list), e->d_name);
    if (list) closedir(list);
}

int privatedir_open(PrivateDir *dir, const char *name) {
    const char *place = secure_getenv("TMPDIR");
    *dir = (PrivateDir){.lock = -1};
    if (!place || *place != '/' || strlen(place) + strlen(name) > sizeof dir->path - 32 ||
        access(place, W_OK | X_OK) != 0)
        place = "/tmp";
    remove_all_stale(place, name);
    /* Until the directory is locked somebody else may take it for a dead owner's. */
    for (int i = 0; i < TRIES; i++) {
        struct stat st;
        snprintf(dir->path, sizeof dir->path, "%s/%s-XXXXXX", place, name);
        if (!mkdtemp(dir->path)) break;
        dir->lock = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (dir->lock < 0 && errno != ENOENT) return 0; /* nobody can lock it, then */
        bool locked = dir->lock >= 0 && (take_lock(dir->lock) || errno != EWOULDBLOCK);
        if (locked && fstat(dir->lock, &st) == 0 && st.st_nlink > 0) return 0;
        if (dir->lock >= 0) close(dir->lock);
        dir->lock = -1;
        errno = EAGAIN;
    }
    dir->path[0] = 0;
    return errno;
}

void privatedir_close(PrivateDir *dir) {
    int fd = dir->lock;
    if (!dir->path[0]) return;
    if (fd < 0) fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) empty(fd);
    rmdir(dir->path);
    if (fd >= 0) close(fd);
    *dir = (PrivateDir){.lock = -1};
}
