/* ownfd.c - duplicates to a high number, halved while that is refused; a descriptor is noted with
 * the device and inode of its file, which are compared before each use. */
#include "base/ownfd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 1024, ROOM = 64 }; /* forking costs by the highest number; some close up to MOST */

/* Where ours begin: a little below the limit, or a quarter below where it is low. */
static int high_number(void) {
    struct rlimit limit;
    rlim_t most = MOST;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < MOST) most = limit.rlim_cur;
    return (int)(most >= 4 * ROOM ? most - ROOM : most / 4 * 3);
}

int ownfd_lift(int fd) {
    if (fd < 0) return -1;
    int before = errno, high = -1;
    for (int from = high_number(); high < 0; from /= 2) {
        bool last = from <= OWNFD_LEAST;
        high = fcntl(fd, F_DUPFD_CLOEXEC, last ? OWNFD_LEAST : from);
        if (last) break;
    }
    int problem = errno == EINVAL ? EMFILE : errno; /* above the limit: none is left */
    close(fd);
    errno = high < 0 ? problem : before;
    return high;
}

LmpOwnFd ownfd_note(int fd) {
    int before = errno;
    struct stat st;
    LmpOwnFd own = OWNFD_NONE;
    if (fd >= 0 && fstat(fd, &st) == 0) own = (LmpOwnFd){fd, st.st_dev, st.st_ino};
    errno = before;
    return own;
}

LmpOwnFd ownfd_take(int fd) {
    return ownfd_note(ownfd_lift(fd));
}

int ownfd_get(LmpOwnFd *own) {
    LmpOwnFd now = ownfd_note(own->fd);
    if (now.fd < 0 || now.device != own->device || now.inode != own->inode) own->fd = -1;
    return own->fd;
}

void ownfd_close(LmpOwnFd *own) {
    int before = errno;
    if (ownfd_get(own) >= 0) close(own->fd);
    own->fd = -1;
    errno = before;
}
