/* own.c - a descriptor is moved: duplicates to a high number, halved while that is refused; a
 * descriptor is noted with the device and inode of its file, which are compared before each use. */
#include "base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 1024, ROOM = 64 }; /* forking costs by the highest number; some close up to MOST */

/* Returns where ours begin: a little below the limit, or a quarter below where it is low. */
static int high_number(void) {
    struct rlimit limit;
    rlim_t most = MOST;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < MOST) most = limit.rlim_cur;
    return (int)(most >= 4 * ROOM ? most - ROOM : most / 4 * 3);
}

int own_fd_lift(int fd) {
    if (fd < 0) return -1;
    int before = errno, high = -1;
    for (int from = high_number(); high < 0; from /= 2) {
        bool last = from <= OWN_FD_LEAST;
        high = fcntl(fd, F_DUPFD_CLOEXEC, last ? OWN_FD_LEAST : from);
        if (last) break;
    }
    int problem = errno == EINVAL ? EMFILE : errno; /* above the limit: none is left */
    close(fd);
    errno = high < 0 ? problem : before;
    return high;
}

LmpOwnFd own_fd_note(int fd) {
    int before = errno;
    struct stat st;
    LmpOwnFd own = OWN_FD_NONE;
    if (fd >= 0 && fstat(fd, &st) == 0) own = (LmpOwnFd){fd, st.st_dev, st.st_ino};
    errno = before;
    return own;
}

LmpOwnFd own_fd_take(int fd) {
    return own_fd_note(own_fd_lift(fd));
}

int own_fd_get(LmpOwnFd *own) {
    LmpOwnFd now = own_fd_note(own->fd);
    if (now.fd < 0 || now.device != own->device || now.inode != own->inode) own->fd = -1;
    return own->fd;
}

void own_fd_close(LmpOwnFd *own) {
    int before = errno;
    if (own_fd_get(own) >= 0) close(own->fd);
    own->fd = -1;
    errno = before;
}

/* ---- mappings -------------------------------------------------------------------------------- */

/* at 0: free; 1: being written. */
static struct {
    _Atomic uintptr_t at;
    _Atomic size_t size;
} range[OWN_MAP_MOST];
static _Atomic uint32_t changes;

void own_map_add(const void *at, size_t size) {
    for (uint32_t i = 0; i < OWN_MAP_MOST; i++) {
        uintptr_t none = 0;
        if (!atomic_compare_exchange_strong(&range[i].at, &none, 1)) continue;
        atomic_store(&range[i].size, size);
        atomic_store(&range[i].at, (uintptr_t)at);
        atomic_fetch_add(&changes, 1);
        return;
    }
}

void own_map_remove(const void *at) {
    for (uint32_t i = 0; i < OWN_MAP_MOST; i++) {
        if (atomic_load(&range[i].at) != (uintptr_t)at) continue;
        atomic_store(&range[i].at, 0);
        atomic_fetch_add(&changes, 1);
        return;
    }
}

uint32_t own_map_changes(void) {
    return atomic_load(&changes);
}

uint32_t own_map_copy(OwnMapRange out[OWN_MAP_MOST]) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < OWN_MAP_MOST; i++) {
        uintptr_t at = atomic_load(&range[i].at);
        if (at > 1) out[n++] = (OwnMapRange){at, atomic_load(&range[i].size)};
    }
    return n;
}
